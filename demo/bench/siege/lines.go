package main

// Scenarios of lines that change, break or carry little.

import (
	"fmt"
	"sync"
	"time"
)

// rebind: the client's port and then its address change, at 50 ms one way.
func rebind(s *stage) error {
	server, addr := s.server()
	relay, way := s.relay(addr)
	c := s.clients(way, 1)
	relay.tell("both", num{"delay": 50})
	c.tell("calls", num{"on": 1})
	time.Sleep(time.Second)
	began := time.Now()
	var worst []float64 // of each move: the machine stutters now and then
	for _, to := range []string{"", "127.0.0.3", "", "127.0.0.1", "127.0.0.6"} {
		c.tell("ages", nil)
		relay.tellText("move", to, nil)
		time.Sleep(2 * time.Second)
		n := c.tell("ages", nil).Num
		worst = append(worst, n["max"])
	}
	sent := c.tell("calls", num{"on": 0}).Num["calls"]
	time.Sleep(2 * time.Second)
	n := server.tell("stats", nil).Num
	events := server.count("lost", began) + server.count("leave", began) + server.count("back", began) + c.count("ended", began)
	s.figure("age_max_ms", percentile(worst, 50))
	s.figure("age_max_ms_worst", percentile(worst, 100))
	s.figure("events", events)
	s.figure("calls_lost", sent-n["calls"]+n["calls_lost"])
	var v verdict
	v.want(events == 0, "%d events, %v", events, c.texts("ended"))
	v.want(percentile(worst, 50) <= 250, "state was up to %.0f ms old", worst)
	v.want(sent > 100 && sent == n["calls"] && n["calls_lost"]+n["calls_doubled"] == 0, "of %.0f calls %.0f came, %.0f were lost, %.0f doubled", sent, n["calls"], n["calls_lost"], n["calls_doubled"])
	return v.err()
}

// copied: somebody on the way sends a copy of each packet, quicker, from an address of his own.
func copied(s *stage) error {
	server, addr := s.server()
	relay, way := s.relay(addr)
	c := s.clients(way, 1)
	relay.tell("both", num{"delay": 20})
	time.Sleep(time.Second)
	began := time.Now()
	relay.tellText("copy", "127.0.0.5", nil)
	aged := ages(c, 5*time.Second)
	n := relay.tell("copied", nil).Num
	s.figure("copied_bytes", n["in"])
	s.figure("answered_ratio", round(n["out"]/max(n["in"], 1), 3))
	s.figure("age_p99_ms", aged["p99"])
	var v verdict
	v.want(n["in"] > 1000 && n["out"] <= 3*n["in"], "%.0f bytes answer %.0f", n["out"], n["in"])
	v.want(server.count("lost", began)+c.count("ended", began) == 0, "the session ended: %v", c.texts("ended"))
	v.want(aged["n"] > 200 && aged["p99"] <= 250, "the client's state is %.0f ms old", aged["p99"])
	return v.err()
}

// pause: both ends stand still, as when a lid is closed on both, 20 pairs each for three times.
func pause(s *stage) error {
	var v verdict
	var mu sync.Mutex
	var all sync.WaitGroup
	type pair struct{ server, client *process }
	for _, d := range []time.Duration{5 * time.Second, 15 * time.Second, 45 * time.Second} {
		var pairs []pair
		for range 4 { // processes; five clients in each
			server, addr := s.server("-bodies", "2")
			pairs = append(pairs, pair{server, s.clients(addr, 5)})
		}
		all.Go(func() {
			time.Sleep(time.Second)
			began := time.Now()
			broken := false
			for _, p := range pairs {
				broken = p.client.signal(standStill) != nil || p.server.signal(standStill) != nil || broken
			}
			time.Sleep(d)
			for i, p := range pairs {
				first, then := p.server, p.client
				if i%2 == 0 {
					first, then = then, first
				}
				_ = first.signal(goOn)
				time.Sleep(time.Duration(100*i) * time.Millisecond)
				_ = then.signal(goOn)
			}
			time.Sleep(5 * time.Second)
			events, deaf := 0, 0
			for _, p := range pairs {
				events += p.server.count("lost", began) + p.server.count("leave", began) + p.client.count("ended", began)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, p := range pairs {
				n := ages(p.client, time.Second)
				if n["n"] < 5*20 || n["p50"] > 500 {
					deaf++
				}
			}
			s.figure(fmt.Sprintf("events_%.0fs", d.Seconds()), events)
			v.want(!broken, "processes cannot be stopped here")
			v.want(events == 0 && deaf == 0, "after %v: %d events, in %d of %d no state", d, events, deaf, len(pairs))
		})
	}
	all.Wait()
	return v.err()
}

// narrow: paths that drop what is longer than a size, at joining and later.
func narrow(s *stage) error {
	var v verdict
	for _, size := range []float64{1000, 600} {
		body := size - 28 // of UDP over IPv4
		name := fmt.Sprintf("%.0f", size)
		func() { // at joining
			_, addr := s.server("-bodies", "200")
			relay, way := s.relay(addr)
			relay.tell("both", num{"size": body})
			began := time.Now()
			c := s.asking(way, 1)
			m, err := c.seek(12*time.Second, func(m *message) bool { return m.Say == "in" || m.Say == "ended" })
			took := time.Since(began)
			s.figure("join_"+name, m.Say+" "+m.Text)
			v.want(err == nil && (m.Say == "in" || took < 6*time.Second), "joining over %s B: %s %s after %v", name, m.Say, m.Text, took)
			if m.Say == "in" {
				aged := ages(c, 2*time.Second)
				v.want(aged["n"] > 60 && aged["p99"] < 500, "over %s B: state is %.0f ms old", name, aged["p99"])
				plays(c, &v, "joined over "+name+" B")
			}
		}()
		func() { // in mid-session
			_, addr := s.server("-bodies", "200")
			relay, way := s.relay(addr)
			c := s.clients(way, 1)
			plays(c, &v, "before "+name+" B")
			relay.tell("both", num{"size": body})
			began := time.Now()
			time.Sleep(5 * time.Second)
			if c.count("ended", began) > 0 {
				s.figure("later_"+name, c.texts("ended"))
				return
			}
			aged := ages(c, 2*time.Second)
			s.figure("later_"+name, fmt.Sprintf("age %.0f ms", aged["p99"]))
			v.want(aged["n"] > 60 && aged["p99"] < 500, "later over %s B: state is %.0f ms old", name, aged["p99"])
			plays(c, &v, "later over "+name+" B")
		}()
	}
	return v.err()
}

// plays is whether calls arrive and are acknowledged: the reliable lane goes on.
func plays(c *process, v *verdict, what string) {
	c.tell("calls", num{"on": 1})
	first := c.tell("calls", num{"on": 1}).Num["calls"]
	time.Sleep(2 * time.Second)
	n := c.tell("calls", num{"on": 0}).Num["calls"]
	v.want(n-first > 60, "%s: the reliable lane stands", what)
}

// slowLine: 64 kbit/s with two seconds of queue under a game that offers more; then a
// quicker line, of which all is wanted.
func slowLine(s *stage) error {
	var v verdict
	server, addr := s.server("-bodies", "70")
	relay, way := s.relay(addr)
	relay.tell("both", num{"delay": 20})
	c := s.clients(way, 1)
	usual := ages(c, 4*time.Second)
	before := server.tell("stats", nil).Num["out"]
	time.Sleep(2 * time.Second)
	offered := (server.tell("stats", nil).Num["out"] - before) / 2
	relay.tell("down", num{"delay": 20, "rate": 8000, "queue": 16_000})
	time.Sleep(5 * time.Second)
	squeezed := ages(c, 12*time.Second)
	relay.tell("down", num{"delay": 20})
	time.Sleep(3 * time.Second)
	after := ages(c, 3*time.Second)
	s.figure("offered_bytes_per_second", round(offered, 0))
	s.figure("age_p99_ms_before", usual["p99"])
	s.figure("age_p99_ms", squeezed["p99"])
	s.figure("age_p99_ms_after", after["p99"])
	v.want(offered > 9000, "only %.0f B/s are offered", offered)
	v.want(squeezed["n"] > 100 && squeezed["p99"] <= 500, "state is %.0f ms old over 64 kbit/s", squeezed["p99"])
	v.want(after["p99"] <= usual["p99"]+50, "state is %.0f ms old afterwards, and was %.0f", after["p99"], usual["p99"])

	server, addr = s.server("-bodies", "900")
	relay, way = s.relay(addr)
	relay.tell("both", num{"delay": 25, "loss": 0.01})
	relay.tell("down", num{"delay": 25, "loss": 0.01, "rate": 125_000})
	c = s.clients(way, 1)
	time.Sleep(6 * time.Second)
	before = server.tell("stats", nil).Num["out"]
	began := time.Now()
	aged := ages(c, 10*time.Second)
	used := (server.tell("stats", nil).Num["out"] - before) / time.Since(began).Seconds() / 125_000
	s.figure("used", round(used, 3))
	s.figure("age_p99_ms_1mbit", aged["p99"])
	v.want(used >= 0.8, "%.2f of 1 Mbit/s are used", used)
	return v.err()
}
