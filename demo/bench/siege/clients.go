package main

// The role of clients: some in one process, each with a socket of its own.

import (
	"flag"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/tendonengine/tendon/transport/kcp"
)

// filler makes a call long.
var filler = strings.Repeat("x", 900)

type guests struct {
	*role
	addr    string
	of      []*guest
	told    map[*guest]bool
	stalled bool // the games stand still; their endpoints do not
	deaf    bool // they hear and do not send
	born    int
}

func join(r *role, args []string) error {
	g := &guests{role: r, told: map[*guest]bool{}}
	n := 0
	err := flags("clients", args, func(f *flag.FlagSet) {
		f.StringVar(&g.addr, "addr", "", "")
		f.IntVar(&n, "n", 1, "")
	})
	if err != nil {
		return err
	}
	for range n {
		if err := g.add(); err != nil {
			return err
		}
	}
	r.steps(g.step, g.do)
	return nil
}

func (g *guests) add() error {
	x, err := newGuest(g.born)
	if err != nil {
		return err
	}
	g.born++
	x.began = time.Now()
	x.rep.Join(kcp.Dialer(g.addr, kcp.WithKey(x.key)))
	g.of = append(g.of, x)
	return nil
}

func (g *guests) step() {
	if g.stalled {
		return
	}
	for _, x := range g.of {
		if g.deaf {
			x.rep.Receive()
			x.look()
		} else {
			x.step()
		}
		switch {
		case x.gone != nil:
			g.say(message{Say: "ended", Peer: x.number, Text: x.gone.Error()})
			x.gone = nil
			delete(g.told, x)
		case x.in && !g.told[x]:
			g.told[x] = true
			g.say(message{Say: "in", Peer: x.number, Num: map[string]float64{"ms": float64(x.took.Milliseconds()), "me": float64(x.rep.Me())}})
		}
	}
}

func (g *guests) do(o order) {
	num := map[string]float64{}
	switch o.Do {
	case "ages": // since the last time
		var all []float64
		for _, x := range g.of {
			all = append(all, x.ages...)
			x.ages = x.ages[:0]
		}
		num["n"], num["p50"], num["p99"], num["max"] = float64(len(all)), percentile(all, 50), percentile(all, 99), percentile(all, 100)
	case "compare": // with the server's state
		for _, x := range g.of {
			if !maps.Equal(state(x.rep.World()), o.Num) {
				num["others"]++
			}
		}
	case "in":
		for _, x := range g.of {
			if x.in {
				num["in"]++
			}
		}
	case "calls":
		for _, x := range g.of {
			x.calls = o.Num["on"] != 0
			num["calls"] += float64(x.next)
		}
	case "flood": // calls, so many in each step
		for _, x := range g.of {
			for range int(o.Num["n"]) {
				if thrown.Send(x.rep.Session(), countArgs{Fill: filler}) != nil {
					num["refused"]++
				}
			}
		}
	case "stall":
		g.stalled = o.Num["on"] != 0
	case "deaf":
		g.deaf = o.Num["on"] != 0
	case "join":
		for range int(max(o.Num["n"], 1)) {
			if err := g.add(); err != nil {
				g.done(o, nil, "error: "+err.Error())
				return
			}
		}
	case "again": // whoever is alone joins again
		for _, x := range g.of {
			if !x.in {
				x.began = time.Now()
				x.rep.Join(kcp.Dialer(g.addr, kcp.WithKey(x.key)))
			}
		}
	case "leave": // the first n
		n := min(int(o.Num["n"]), len(g.of))
		for _, x := range g.of[:n] {
			x.rep.Close("bye")
			delete(g.told, x)
		}
		for _, x := range g.of[:n] {
			x.rep.Wait() // what is measured next is without them
		}
		g.of = g.of[n:]
	case "memory":
		num = memory()
	default:
		g.done(o, nil, fmt.Sprintf("error: unknown order %q", o.Do))
		return
	}
	g.done(o, num, "")
}
