package main

// Scenarios of seats: who gets one, who loses it, and when.

import (
	"fmt"
	"sync"
	"time"
)

// deadline: a client that is gone is lost, and its seat ends, in time, whoever comes and
// goes; and a client that never gets ready is sent away.
func deadline(s *stage) error {
	var v verdict
	server, addr := s.server("-bodies", "2")
	relay, way := s.relay(addr)
	victim := s.clients(way, 1)
	foe := s.foe(addr, relay)
	victim.kill()
	gone := time.Now()
	others := s.clients(addr, 1)
	stuck := s.asking(addr, 1)
	stuck.tell("deaf", num{"on": 1})
	asked := time.Now()
	lost, err := server.seek(14*time.Second, func(m *message) bool { return m.Say == "lost" })
	if err != nil {
		return fmt.Errorf("the client is not lost: %w", err)
	}
	for range 3 { // somebody comes for the seat, again and again
		foe.tellText("replay", "127.0.0.9", num{"times": 2, "rate": 5000})
		others.tell("join", num{"n": 1})
		time.Sleep(5 * time.Second)
	}
	left, err := server.seek(time.Until(lost.at.Add(34*time.Second)), func(m *message) bool { return m.Say == "leave" && m.Peer == lost.Peer })
	if err != nil {
		return fmt.Errorf("the seat does not end: %w", err)
	}
	s.figure("lost_after_s", round(lost.at.Sub(gone).Seconds(), 1))
	s.figure("ended_after_s", round(left.at.Sub(lost.at).Seconds(), 1))
	v.want(left.at.Sub(lost.at) < 31*time.Second, "the seat ended %v after the loss", left.at.Sub(lost.at))
	m, err := stuck.seek(time.Millisecond, func(m *message) bool { return m.Say == "ended" })
	s.figure("unready_ended_after_s", round(m.at.Sub(asked).Seconds(), 1))
	v.want(err == nil && m.at.Sub(asked) < 12*time.Second, "a client that is never ready was not sent away in 12 s: %v", err)
	return v.err()
}

// oneAddress: very many sockets of one address, of which none ever gets ready; then a party
// of players who share an address.
func oneAddress(s *stage) error {
	var v verdict
	_, addr := s.server("-bodies", "2", "-peers", "64")
	relay, way := s.relay(addr)
	relay.tellText("move", "127.0.0.4", nil)
	const processes, each = 4, 256
	var crowd []*process
	for range processes {
		p := s.asking(addr, each)
		p.tell("deaf", num{"on": 1})
		crowd = append(crowd, p)
	}
	time.Sleep(4 * time.Second)
	began := time.Now()
	c := s.asking(way, 1)
	m, err := c.seek(10*time.Second, func(m *message) bool { return m.Say == "in" || m.Say == "ended" })
	s.figure("other_address_ms", m.Num["ms"])
	s.figure("sockets", processes*each)
	v.want(err == nil && m.Say == "in" && m.Num["ms"] <= 1000, "another address: %s %s after %v", m.Say, m.Text, time.Since(began))
	for _, p := range crowd {
		p.kill()
	}
	_, party := s.server("-bodies", "2", "-peers", "64")
	p := s.asking(party, 32)
	slowest := 0.0
	joined := 0
	for range 32 {
		m, err := p.seek(10*time.Second, func(m *message) bool { return m.Say == "in" })
		if err == nil {
			joined++
			slowest = max(slowest, m.Num["ms"])
		}
	}
	s.figure("party_joined", joined)
	s.figure("party_slowest_ms", slowest)
	v.want(joined == 32 && slowest <= 3000, "of a party of 32 %d joined, the slowest after %.0f ms", joined, slowest)
	return v.err()
}

// restart: the server is killed and starts again with its key, at its address; the second time
// the client's address changes meanwhile.
func restart(s *stage) error {
	var v verdict
	for _, name := range []string{"", "moved_"} {
		server, addr := s.server("-key", "7")
		relay, way := s.relay(addr)
		c := s.clients(way, 1)
		time.Sleep(time.Second)
		server.kill()
		if name != "" {
			relay.tellText("move", "127.0.0.3", nil)
		}
		time.Sleep(300 * time.Millisecond)
		again := s.start("server", "-addr", addr, "-key", "7")
		again.wait("listens", patience)
		back := time.Now()
		end, err := c.seek(15*time.Second, func(m *message) bool { return m.Say == "ended" })
		if err != nil {
			return fmt.Errorf("the client notices nothing: %w", err)
		}
		c.tell("again", nil)
		in, err := c.seek(10*time.Second, func(m *message) bool { return m.Say == "in" })
		if err != nil {
			return fmt.Errorf("the client does not come back: %w", err)
		}
		s.figure(name+"noticed_ms", end.at.Sub(back).Milliseconds())
		s.figure(name+"in_play_ms", in.at.Sub(back).Milliseconds())
		s.figure(name+"why", end.Text)
		v.want(end.at.Sub(back) <= time.Second, "noticed after %v", end.at.Sub(back))
		v.want(in.at.Sub(back) <= 2*time.Second, "in play after %v", in.at.Sub(back))
	}
	return v.err()
}

// kick: a client that hears nothing, one whose lane is full, and one that floods are sent
// away, with a reason, and the others do not notice.
func kick(s *stage) error {
	var v verdict
	_, addr := s.server("-bodies", "60")
	good := s.clients(addr, 2)
	usual := ages(good, 4*time.Second)
	for _, x := range []struct {
		name  string
		limit time.Duration
		do    func(p *process)
	}{
		{"silent", 11500 * time.Millisecond, func(p *process) { p.tell("deaf", num{"on": 1}) }}, // hears, and acknowledges nothing
		{"flood", 3 * time.Second, func(p *process) {
			go func() {
				_ = attempt(func() { // until it is gone
					for p.count("ended", time.Time{}) == 0 {
						p.tell("flood", num{"n": 60})
						time.Sleep(15 * time.Millisecond)
					}
				})
			}()
		}},
	} {
		bad := s.clients(addr, 1)
		began := time.Now()
		good.tell("ages", nil)
		x.do(bad)
		m, err := bad.seek(x.limit+3*time.Second, func(m *message) bool { return m.Say == "ended" })
		took := time.Since(began)
		under := good.tell("ages", nil).Num
		s.figure(x.name+"_s", round(took.Seconds(), 1))
		s.figure(x.name+"_why", m.Text)
		s.figure(x.name+"_others_p99_ms", under["p99"])
		v.want(err == nil && took <= x.limit, "%s: sent away after %v (%v)", x.name, took, err)
		v.want(under["p99"] <= 2*max(usual["p99"], 34), "%s: the others' state is %.0f ms old, and was %.0f", x.name, under["p99"], usual["p99"])
	}
	return v.err()
}

// leaves: 1,200 clients come, and say goodbye over a line that loses a fifth, half of them in
// bursts of 100 ms. Nothing is left of them.
func leaves(s *stage) error {
	var v verdict
	server, addr := s.server("-bodies", "2", "-peers", "200")
	relay, way := s.relay(addr)
	const rounds, processes, each = 12, 10, 10
	left := 0
	var first num
	for round := range rounds {
		relay.tell("both", nil)
		var all []*process
		for range processes {
			all = append(all, s.asking(way, each))
		}
		for _, c := range all {
			for range each {
				if m, err := c.seek(2*patience, func(m *message) bool { return m.Say == "in" || m.Say == "ended" }); err != nil || m.Say == "ended" {
					return fmt.Errorf("only some joined, in round %d: %s %s %w", round, m.Say, m.Text, err)
				}
			}
		}
		if round%2 == 0 {
			relay.tell("both", num{"loss": 0.2, "delay": 20})
		} else {
			relay.tell("both", num{"bursts": 100, "delay": 20})
		}
		began := time.Now()
		var saying sync.WaitGroup
		for _, c := range all {
			saying.Go(func() { _ = attempt(func() { c.tell("leave", num{"n": each}) }) }) // the server tells who left
		}
		saying.Wait()
		time.Sleep(1500 * time.Millisecond)
		left += server.count("leave", began)
		for _, c := range all {
			c.kill()
		}
		if round == 2*rounds/3 { // what it keeps for the next ones is there: it grows for eight rounds or so
			first = memoryAtRest(server)
		}
	}
	last := memoryAtRest(server)
	s.figure("heap_growth", round(last["heap_kib"]/first["heap_kib"]-1, 3))
	s.figure("goroutines", last["goroutines"]-first["goroutines"])
	s.figure("files", last["files"]-first["files"])
	v.want(last["heap_kib"] <= 1.05*first["heap_kib"]+64, "the heap grew from %.0f to %.0f KiB", first["heap_kib"], last["heap_kib"])
	v.want(last["goroutines"] <= first["goroutines"] && last["files"] <= first["files"], "%v goroutines and files after %v", last, first)
	const said = rounds * processes * each
	s.figure("leaves", said)
	s.figure("lost", said-left)
	v.want(said-left <= 1, "%d of %d goodbyes were lost", said-left, said)
	return v.err()
}

// memoryAtRest is what a server keeps: the least heap of several seconds, since at any one moment a fit of its
// code tables may be under way, or the last words to who has just left.
func memoryAtRest(server *process) num {
	now := server.tell("memory", nil).Num
	for range 6 {
		least := now["heap_kib"]
		time.Sleep(time.Second)
		now = server.tell("memory", nil).Num
		now["heap_kib"] = min(now["heap_kib"], least)
	}
	return now
}

// soak: 32 clients come and go over a bad line, for a minute or as long as is asked. At its end
// the world stands still, and all have the same.
func soak(s *stage) error {
	var v verdict
	server, addr := s.server("-bodies", "40")
	relay, way := s.relay(addr)
	relay.tell("both", num{"loss": 0.2, "jitter": 100, "delay": 10})
	c := s.clients(way, 32)
	cycles := 0
	churn := func(d time.Duration) {
		const pause = 3 * time.Second
		for until := time.Now().Add(d - pause); time.Now().Before(until); cycles++ {
			c.tell("leave", num{"n": 1})
			c.tell("join", num{"n": 1})
			time.Sleep(400 * time.Millisecond)
		}
		time.Sleep(pause)
	}
	began := time.Now()
	settled := min(s.soak/3, 2*time.Minute)
	churn(settled)
	first := memoryAtRest(server)
	churn(s.soak - settled)
	last := memoryAtRest(server)
	in := c.tell("in", nil).Num["in"]
	server.tell("still", num{"on": 1})
	time.Sleep(4 * time.Second)
	mismatches := c.tell("compare", server.tell("state", nil).Num).Num["others"]
	s.figure("cycles", cycles)
	s.figure("mismatches", mismatches)
	s.figure("heap_growth", round(last["heap_kib"]/first["heap_kib"]-1, 3))
	s.figure("goroutines", last["goroutines"]-first["goroutines"])
	s.figure("files", last["files"]-first["files"])
	s.figure("in", in)
	v.want(in == 32, "%.0f of 32 play", in)
	v.want(mismatches == 0, "%.0f clients hold another world than the server", mismatches)
	v.want(last["heap_kib"] <= 1.05*first["heap_kib"]+64, "the heap grew from %.0f to %.0f KiB", first["heap_kib"], last["heap_kib"])
	v.want(last["goroutines"] <= first["goroutines"] && last["files"] <= first["files"], "%v goroutines and files after %v", last, first)
	v.want(c.count("ended", began) == 0, "sessions ended: %v", c.texts("ended"))
	return v.err()
}
