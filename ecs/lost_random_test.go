package ecs_test

// At random, players are cut off, come back, take over their seats, leave and are kicked,
// and levels change. The callbacks keep their order, and no node ends before its owner
// has left.

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A life is what the callbacks of one peer have reported.
type life struct {
	known, lost, left bool
	joins             bool     // OnJoin is due: at first, and after each Load
	own               rpl.Node // the node that the peer was given when it joined
}

// A register checks a server's callbacks against the lives of its peers.
type register struct {
	*machine
	lives map[rpl.Peer]*life
	count map[string]int
}

func newRegister(server *machine) *register {
	r := &register{machine: server, lives: map[rpl.Peer]*life{}, count: map[string]int{}}
	of := func(what string, p rpl.Peer) *life {
		r.count[what]++
		if r.lives[p] == nil {
			r.lives[p] = &life{joins: true}
		}
		return r.lives[p]
	}
	must := func(what string, p rpl.Peer, ok bool) {
		if !ok {
			server.lab.Errorf("peer %d: %s of %+v", p, what, *r.lives[p])
		}
	}
	server.OnStart(func() {
		for _, f := range r.lives {
			f.joins = true
		}
	})
	server.OnJoin(func(p rpl.Peer) {
		f := of("join", p)
		must("OnJoin", p, f.joins && !f.lost && !f.left)
		f.known, f.joins = true, false
		e := server.Create(Ammo)
		f.own = tendon.ID(e)
		Ammo.Get(e).Left = int(p)
		tendon.Give(e, p)
	})
	server.OnLost(func(p rpl.Peer) {
		f := of("lost", p)
		must("OnLost", p, f.known && !f.joins && !f.lost && !f.left)
		f.lost = true
	})
	server.OnBack(func(p rpl.Peer) {
		f := of("back", p)
		must("OnBack", p, f.lost && !f.left)
		f.lost = false
	})
	server.OnLeave(func(p rpl.Peer) {
		f := of("leave", p)
		must("OnLeave", p, f.known && !f.left)
		if !f.joins && !server.has(f.own) {
			server.lab.Errorf("peer %d: its node has gone before it left", p)
		}
		f.lost, f.left = false, true
	})
	return r
}

// look compares the server with the lives.
func (r *register) look() {
	var here []rpl.Peer
	for p, f := range r.lives {
		if f.left {
			continue
		}
		if f.lost || !f.joins { // else OnLost does not tell of it
			check(r.lab, fmt.Sprintf("peer %d is lost", p), r.Stats(p).Lost, f.lost)
		}
		if f.joins {
			continue
		}
		here = append(here, p)
		if e, ok := r.Find(f.own); !ok || tendon.Owner(e) != p {
			r.lab.Errorf("peer %d has not got its own: %v", p, ok)
		}
	}
	slices.Sort(here)
	if got := slices.Collect(r.Peers()); !slices.Equal(got, here) {
		r.lab.Errorf("peers %v, not %v", got, here)
	}
	check(r.lab, "nodes", r.machine.count(Ammo), len(here))
}

func TestLostAtRandom(t *testing.T) {
	total := map[string]int{}
	sessions := uint64(6)
	if raceEnabled {
		sessions = 2 // each is ten times as slow
	}
	for i := range sessions {
		seed := cmp.Or(*seedFlag, i+1)
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			for what, n := range playLost(t, seed) {
				total[what] += n
			}
		})
	}
	for _, what := range []string{"join", "lost", "back", "leave"} {
		if total[what] < int(sessions) {
			t.Errorf("%s happened %d times in all: the test shows nothing", what, total[what])
		}
	}
}

func playLost(t *testing.T, seed uint64) map[string]int {
	l := newLab(t, netsim.Conditions{Delay: 30e6, Jitter: 15e6, Loss: 0.05, Duplicate: 0.02})
	l.seed = seed
	rng := rand.New(rand.NewPCG(seed, 11))
	server := l.server(tendon.Config{MaxPeers: 5})
	r := newRegister(server)
	var players []*player
	for i := range 4 {
		players = append(players, l.player(tendon.Config{Hello: []byte{'a' + byte(i)}}))
	}
	l.joined()
	for range 40 {
		p := players[rng.IntN(len(players))]
		switch rng.IntN(10) {
		case 0, 1, 2:
			p.cut()
		case 3, 4, 5:
			p.mend()
		case 6: // it takes over its own seat, if it has joined
			p.way = l.net.Dialer(l.listener)
			p.Join(p.way)
		case 7:
			p.Close("enough") // it joins again, as another peer
		case 8:
			server.Kick(p.Me(), "go")
		case 9:
			server.Load("again")
		}
		for range rng.IntN(400) {
			l.steps(1)
			r.look()
			if t.Failed() {
				t.Fatalf("seed %d: %s is concerned", seed, p.name)
			}
		}
	}
	for _, p := range players {
		p.mend()
	}
	l.seconds(50)
	r.look()
	check(t, "peers at the end", len(slices.Collect(server.Peers())), len(players)+1)
	for _, p := range players {
		f := r.lives[p.Me()]
		if f == nil || f.left || f.lost {
			t.Errorf("seed %d: %s is peer %d, %+v", seed, p.name, p.Me(), f)
			continue
		}
		check(t, "its hello", string(server.Hello(p.Me())), string(p.name[len(p.name)-1:]))
		check(t, "what it owns", Ammo.Get(p.find(f.own)).Left, int(p.Me()))
		check(t, "what it sees", p.machine.count(Ammo), len(players)+1)
	}
	return r.count
}
