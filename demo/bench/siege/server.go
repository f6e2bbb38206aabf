package main

// The role of the server.

import (
	"flag"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/kcp"
)

func serve(r *role, args []string) error {
	var addr string
	var bodies, peers, number int
	err := flags("server", args, func(f *flag.FlagSet) {
		f.StringVar(&addr, "addr", "127.0.0.1:0", "")
		f.IntVar(&bodies, "bodies", 10, "")
		f.IntVar(&peers, "peers", 0, "")
		f.IntVar(&number, "key", 0, "") // of the server's key; 0: a new one
	})
	if err != nil {
		return err
	}
	h, err := newHost(tendon.Config{Sends: 60, MaxPeers: peers}, bodies)
	if err != nil {
		return err
	}
	event := func(what string) func(rpl.Peer) {
		return func(p rpl.Peer) { r.say(message{Say: what, Peer: int(p), Text: string(h.rep.Hello(p))}) }
	}
	h.rep.OnJoin(event("join"))
	h.rep.OnLost(event("lost"))
	h.rep.OnBack(event("back"))
	h.rep.OnLeave(event("leave"))
	key := kcp.NewKey()
	if number > 0 {
		key = kcp.Key{byte(number)}
	}
	l, err := kcp.Listen(addr, kcp.WithKey(key))
	if err != nil {
		return err
	}
	h.rep.Host(l)
	r.say(message{Say: "listens", Text: l.Addr()})
	r.steps(h.step, func(o order) {
		switch o.Do {
		case "memory":
			num := memory()
			num["steps"] = float64(h.steps)
			r.done(o, num, "")
		case "state":
			r.done(o, state(h.rep.World()), "")
		case "still":
			h.still = o.Num["on"] != 0
			r.done(o, nil, "")
		case "stats":
			num := map[string]float64{}
			for p := range h.rep.Peers() {
				s := h.rep.Stats(p)
				num["peers"]++
				num["limit"], num["out"] = float64(s.SendLimit), num["out"]+float64(s.Conn.BytesOut)
			}
			for _, t := range h.calls {
				num["calls"] += float64(t.next)
				num["calls_lost"] += float64(t.lost)
				num["calls_doubled"] += float64(t.doubled)
			}
			r.done(o, num, "")
		case "close":
			h.rep.Close("closed")
			_ = l.Close() // its peers were told
			r.done(o, nil, "")
		}
	})
	return nil
}
