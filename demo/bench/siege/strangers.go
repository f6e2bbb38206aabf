package main

// Scenarios of strangers: those who do not belong to the session, and send all the same.

import (
	"net"
	"os"
	"time"
)

// forge: 100,000 packets in a client's name, with its id and from its address.
func forge(s *stage) error {
	server, addr := s.server()
	relay, way := s.relay(addr)
	c := s.clients(way, 1)
	usual := ages(c, 3*time.Second)
	const packets, rate = 100_000, 20_000
	began := time.Now()
	relay.tell("forge", num{"n": packets, "rate": rate})
	c.tell("ages", nil)
	for sent := 0.0; sent < packets && time.Since(began) < time.Minute; sent = relay.tell("forged", nil).Num["n"] {
		time.Sleep(200 * time.Millisecond)
	}
	took := time.Since(began)
	under := c.tell("ages", nil).Num
	after := ages(c, 2*time.Second)
	var v verdict
	s.figure("packets", packets)
	s.figure("rate", round(packets/took.Seconds(), 0))
	s.figure("age_p99_before_ms", usual["p99"])
	s.figure("age_p99_ms", under["p99"])
	s.figure("ends", server.count("lost", began)+server.count("leave", began)+c.count("ended", began))
	v.want(server.count("lost", began)+server.count("leave", began)+c.count("ended", began) == 0, "the session ended: %v", c.texts("ended"))
	v.want(took < time.Minute, "this machine does not forge so much in a minute")
	v.want(under["n"] > 60 && after["n"] > 60, "the client hears nothing any more")
	// The machine that forges, relays and serves is one: a step of slack.
	v.want(under["p99"] <= max(1.5*usual["p99"], usual["p99"]+20), "state is %.0f ms old, and was %.0f", under["p99"], usual["p99"])
	return v.err()
}

// replayed: what was recorded of two clients' handshakes and first packets, from the same
// host and from others.
func replayed(s *stage) error {
	server, addr := s.server()
	relay, way := s.relay(addr)
	c := s.clients(way, 2)
	foe := s.foe(addr, relay)
	began := time.Now()
	for _, from := range []string{"127.0.0.1", "127.0.0.9"} {
		foe.tellText("replay", from, num{"times": 20, "rate": 20_000})
	}
	// A thief takes a seat best while its owner is away.
	_ = c.signal(standStill)
	foe.tellText("replay", "127.0.0.9", num{"times": 10, "rate": 20_000})
	_ = c.signal(goOn)
	aged := ages(c, 3*time.Second)
	taken := server.count("back", began) + server.count("join", began) + server.count("leave", began) + c.count("ended", began)
	s.figure("takeovers", taken)
	s.figure("packets", foe.tell("count", nil).Num["packets"])
	var v verdict
	v.want(taken == 0, "%d seats changed hands", taken)
	v.want(aged["n"] > 120 && aged["p50"] < 300, "the clients do not hear: %v", aged)
	return v.err()
}

// joinFlood: 20 clients join while false addresses ask as fast as this machine can.
func joinFlood(s *stage) error {
	_, addr := s.server()
	relay, way := s.relay(addr)
	s.clients(way, 1)
	var v verdict
	for _, x := range []struct {
		name    string
		sources float64
		rate    float64
		same    float64
	}{{"spoofed", 400, 68_000, 0}, {"repeating", 64, 32, 1}} {
		foe := s.foe(addr, relay)
		foe.tell("questions", num{"sources": x.sources, "rate": x.rate, "same": x.same})
		time.Sleep(time.Second)
		foe.tell("count", num{"reset": 1})
		began := time.Now()
		var took []float64
		for range 4 {
			c := s.asking(addr, 5)
			for range 5 {
				m, err := c.seek(10*time.Second, func(m *message) bool { return m.Say == "in" })
				if err == nil {
					took = append(took, m.Num["ms"])
				}
			}
		}
		asked := foe.tell("stop", nil).Num
		s.figure(x.name+"_joined", len(took))
		s.figure(x.name+"_ms_p99", percentile(took, 99))
		s.figure(x.name+"_rate", round(asked["packets"]/time.Since(began).Seconds(), 0))
		v.want(len(took) == 20, "%s: %d of 20 joined", x.name, len(took))
		v.want(percentile(took, 99) <= 1000, "%s: the slowest took %.0f ms", x.name, percentile(took, 99))
		foe.kill()
	}
	return v.err()
}

// amplification: bytes that an unproven address gets for those that it sends, by kind of packet.
func amplification(s *stage) error {
	_, addr := s.server()
	relay, way := s.relay(addr)
	s.clients(way, 1)
	file := s.dir + "/all"
	relay.tellText("record", file, nil)
	packets, err := readPackets(file)
	if err != nil {
		return err
	}
	kinds := variants(packets)
	worst := 0.0
	var v verdict
	for i, k := range kinds {
		one := s.dir + "/one"
		if err := writeFile(one, [][]byte{k}); err != nil {
			return err
		}
		f := s.start("foe", "-to", addr, "-packets", one)
		f.wait("ready", patience)
		f.tellText("replay", "127.0.0.7", num{"times": 40, "rate": 2000})
		n := f.tell("count", nil).Num
		share := n["back"] / max(n["sent"], 1)
		worst = max(worst, share)
		v.want(share <= 0.15, "kind %d (%d bytes, first %#x): %.2f bytes for one", i, len(k), k[0], share)
		f.kill()
	}
	s.figure("kinds", len(kinds))
	s.figure("worst_ratio", round(worst, 3))
	return v.err()
}

// kept: memory after attackers have gone.
func kept(s *stage) error {
	server, addr := s.server("-addr", ":0")
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	to := "127.0.0.1:" + port
	relay, way := s.relay(to)
	c := s.clients(way, 1)
	server.tell("still", num{"on": 1})
	time.Sleep(2 * time.Second)
	before := server.tell("memory", nil).Num
	foe := s.foe(to, relay)
	n := 0.0
	for n < 100_000 {
		foe.tellText("replay", "127.0.0.8", num{"times": 40, "rate": 25_000})
		n = foe.tell("count", nil).Num["packets"]
	}
	foe.tell("questions", num{"sources": 300, "rate": 5000})
	time.Sleep(3 * time.Second)
	foe.tell("stop", nil)
	foe.kill()
	time.Sleep(8 * time.Second) // what is half-open ends
	after := server.tell("memory", nil).Num
	grown := after["heap_kib"] - before["heap_kib"]
	s.figure("packets", n)
	s.figure("kept_kib", round(grown, 1))
	s.figure("goroutines", after["goroutines"]-before["goroutines"])
	var v verdict
	v.want(grown <= 64, "%.0f KiB are kept", grown)
	v.want(after["goroutines"] <= before["goroutines"], "%.0f goroutines more", after["goroutines"]-before["goroutines"])
	v.want(c.count("ended", time.Time{}) == 0, "the client was sent away")
	return v.err()
}

// variants are packets of strangers of all kinds: the first packets of a client, one of each
// length and kind, as they were and with something changed.
func variants(packets [][]byte) (all [][]byte) {
	type kind struct {
		first byte
		size  int
	}
	seen := map[kind]bool{}
	for _, p := range packets {
		if k := (kind{p[0], len(p)}); len(p) > 0 && !seen[k] && len(seen) < 6 {
			seen[k] = true
			other := append([]byte(nil), p...) // another version
			other[1] ^= 0x55
			game := append([]byte(nil), p...) // another game, or anything
			for i := 11; i < min(27, len(p)); i++ {
				game[i] ^= 0xa5
			}
			all = append(all, p, p[:len(p)/2], other, game)
		}
	}
	for _, size := range []int{1, 20, 60, 1200} {
		garbage := make([]byte, size)
		for i := range garbage {
			garbage[i] = byte(i * 37)
		}
		all = append(all, garbage)
	}
	return all
}

func writeFile(name string, packets [][]byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := writePackets(f, packets); err != nil {
		return err
	}
	return f.Close()
}
