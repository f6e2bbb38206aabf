package main

// What an ordinary session costs: memory of peers at rest, and processor time of many.
// These say nothing of attackers, and run only when they are named.

import (
	"flag"
	"fmt"
	"runtime"
	"time"

	"github.com/tendonengine/tendon/demo/bench/internal/cpu"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/kcp"
)

// idle: the heap that joined clients take at rest, and whether steps allocate.
func idle(s *stage) error {
	var v verdict
	server, addr := s.server("-bodies", "2", "-peers", "1024")
	server.tell("still", num{"on": 1})
	time.Sleep(time.Second)
	before := server.tell("memory", nil).Num["heap_kib"]
	joined := 0.0
	for _, n := range []float64{256, 1000} {
		var all []*process
		for k := joined; k < n; k += 64 {
			all = append(all, s.asking(addr, int(min(64, n-k))))
		}
		for k := joined; k < n; k++ {
			p := all[int(k-joined)/64]
			if m, err := p.seek(4*patience, func(m *message) bool { return m.Say == "in" || m.Say == "ended" }); err != nil || m.Say == "ended" {
				return fmt.Errorf("client %.0f: %s %w", k, m.Text, err)
			}
		}
		joined = n
		time.Sleep(15 * time.Second) // what is told at first is over
		first := server.tell("memory", nil).Num
		time.Sleep(5 * time.Second)
		then := server.tell("memory", nil).Num
		asking := server.tell("memory", nil).Num["mallocs"] - then["mallocs"] // what the question itself allocates
		each := (then["heap_kib"] - before) / n
		s.figure(fmt.Sprintf("kib_a_peer_%.0f", n), round(each, 1))
		s.figure(fmt.Sprintf("allocations_a_step_%.0f", n), round((then["mallocs"]-first["mallocs"]-asking)/(then["steps"]-first["steps"]), 2))
		v.want(each <= 28, "an idle peer of %.0f takes %.1f KiB", n, each)
	}
	return v.err()
}

// crowd: 256 clients, each told 100 bytes in each of 60 steps a second, sealed, and each says
// 20 bytes: the processor time of the server's process.
func crowd(s *stage) error {
	const bots = 256
	var v verdict
	server := s.start("plain", "-n", fmt.Sprint(bots))
	addr := server.wait("listens", patience).Text
	clients := s.start("bots", "-addr", addr, "-n", fmt.Sprint(bots))
	server.wait("full", 2*patience)
	time.Sleep(time.Second)
	first := server.tell("stats", nil).Num
	time.Sleep(30 * time.Second)
	then := server.tell("stats", nil).Num
	seconds := then["seconds"] - first["seconds"]
	share := (then["cpu"] - first["cpu"]) / seconds * 100
	out, in := (then["out"]-first["out"])/seconds, (then["in"]-first["in"])/seconds
	s.figure("core_percent", round(share, 1))
	s.figure("packets_out", round(out, 0))
	s.figure("packets_in", round(in, 0))
	s.figure("microseconds_a_packet", round(share/100/(out+in)*1e6, 2))
	s.figure("allocations_a_step", round((then["mallocs"]-first["mallocs"])/(then["steps"]-first["steps"]), 2))
	v.want(out > 0.97*60*bots, "only %.0f packets a second leave", out)
	v.want(share <= 30, "%.1f %% of a core", share)
	clients.kill()
	return v.err()
}

// A plain server is a link without a game: each step sends the same state to each client.
type plain struct {
	conns     []transport.Conn
	datagrams uint64
}

func (p *plain) Connected(c transport.Conn, _ []byte) { p.conns = append(p.conns, c); c.Joined() }

func (p *plain) Datagram(transport.Conn, uint64, time.Duration, []byte) { p.datagrams++ }

func (p *plain) Message(transport.Conn, []byte) {}

func (p *plain) Closed(transport.Conn, error) {}

// step sends a datagram to everyone.
func (p *plain) step(l transport.Link, b []byte) {
	l.Poll(p)
	for _, c := range p.conns {
		c.Next()
		c.Datagram(b)
		c.Flush()
	}
}

func servePlain(r *role, args []string) error {
	n := 0
	if err := flags("plain", args, func(f *flag.FlagSet) { f.IntVar(&n, "n", 1, "") }); err != nil {
		return err
	}
	l, err := kcp.Listen("127.0.0.1:0", kcp.WithKey(kcp.NewKey()))
	if err != nil {
		return err
	}
	link, err := l.Listen(transport.Offer{Game: "crowd"})
	if err != nil {
		return err
	}
	r.say(message{Say: "listens", Text: l.Addr()})
	p, b, steps, full := &plain{}, make([]byte, 100), 0, false
	r.steps(func() {
		p.step(link, b)
		if steps++; !full && len(p.conns) == n {
			full = true
			r.say(message{Say: "full"})
		}
	}, func(o order) {
		out := 0.0
		for _, c := range p.conns {
			out += float64(c.Stats().PacketsOut)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		r.done(o, map[string]float64{
			"cpu": cpu.Now().Seconds(), "seconds": time.Since(start).Seconds(), "out": out, "in": float64(p.datagrams),
			"mallocs": float64(m.Mallocs), "steps": float64(steps),
		}, "")
	})
	return nil
}

// playBots is many clients of a plain server.
func playBots(r *role, args []string) error {
	n, addr := 0, ""
	if err := flags("bots", args, func(f *flag.FlagSet) {
		f.IntVar(&n, "n", 1, "")
		f.StringVar(&addr, "addr", "", "")
	}); err != nil {
		return err
	}
	var links []transport.Link
	all := make([]plain, n)
	for range n {
		l, err := kcp.Dialer(addr, kcp.WithKey(kcp.NewKey())).Dial(transport.Offer{Game: "crowd"})
		if err != nil {
			return err
		}
		links = append(links, l)
	}
	b := make([]byte, 20)
	r.steps(func() {
		for i, l := range links {
			all[i].step(l, b)
		}
	}, func(o order) { r.done(o, nil, "") })
	return nil
}
