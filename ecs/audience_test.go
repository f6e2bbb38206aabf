package ecs_test

// The audience: who has a node, and being seen and unseen.

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// The authority's audience is what the clients have, and OnSeen and OnUnseen tell of each
// change, in a world whose nodes move, come and go, with peers who come and go.
func TestAudience(t *testing.T) {
	l := newLab(t, lan)
	rng := rand.New(rand.NewPCG(*seedFlag, 34))
	server := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}, Dedicated: true})
	seen := map[rpl.Node]bool{}
	tells := 0
	server.OnSeen(Body, func(e *donburi.Entry) {
		tells++
		if id := tendon.ID(e); seen[id] {
			t.Errorf("%v is seen a second time", id)
		} else {
			seen[id] = true
		}
	})
	server.OnUnseen(Body, func(e *donburi.Entry) {
		tells++
		if id := tendon.ID(e); !seen[id] {
			t.Errorf("%v is unseen without having been seen", id)
		} else {
			delete(seen, id)
		}
	})
	server.OnStreamOut(Body, func(e *donburi.Entry, _ bool) { delete(seen, tendon.ID(e)) })
	server.OnJoin(func(p rpl.Peer) {
		e := server.Create(Body, components.Observer)
		Body.Get(e).Pos = gmath.Vec{X: rng.Float64() * 500, Y: rng.Float64() * 500}
		tendon.Give(e, p)
	})
	for range 40 {
		e := server.Create(Body)
		Body.Get(e).Pos = gmath.Vec{X: rng.Float64() * 500, Y: rng.Float64() * 500}
	}
	clients := []*machine{l.client(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})}
	l.joined()
	agree := func() {
		t.Helper()
		for e := range Body.Iter(server.World()) {
			id, watched := tendon.ID(e), tendon.Watched(e)
			if viewers := slices.Collect(tendon.Viewers(e)); len(viewers) > 0 != watched {
				t.Fatalf("%v has viewers %v, watched %v", id, viewers, watched)
			}
			if seen[id] != watched {
				t.Fatalf("%v is watched %v, and was told as %v", id, watched, seen[id])
			}
		}
	}
	for range 150 {
		for e := range Body.Iter(server.World()) {
			if rng.IntN(20) == 0 {
				Body.Get(e).Pos = gmath.Vec{X: rng.Float64() * 500, Y: rng.Float64() * 500}
			}
		}
		switch rng.IntN(4) {
		case 0:
			if e, ok := Body.First(server.World()); ok && !e.HasComponent(components.Observer) {
				server.World().Remove(e.Entity())
			}
		case 1:
			Body.Get(server.Create(Body)).Pos.X = rng.Float64() * 500
		}
		l.steps(2) // a send at least: what was made since has had its Stream
		agree()
	}
	clients[2].Close("gone")
	l.steps(60)
	agree()
	for e := range Body.Iter(server.World()) {
		var have []rpl.Peer
		for _, c := range clients[:2] {
			if c.has(tendon.ID(e)) {
				have = append(have, c.Me())
			}
		}
		viewers := slices.Sorted(tendon.Viewers(e))
		slices.Sort(have)
		if !slices.Equal(have, viewers) {
			t.Errorf("%v has viewers %v, and is at %v", tendon.ID(e), viewers, have)
		}
	}
	if tells < 100 {
		t.Errorf("only %d were told", tells)
	}
	for e := range Body.Iter(clients[0].World()) {
		if _, here := clients[0].Find(tendon.ID(e)); here && !slices.Equal(slices.Collect(tendon.Viewers(e)), []rpl.Peer{clients[0].Me()}) {
			t.Errorf("on a client the viewers are %v", slices.Collect(tendon.Viewers(e)))
		}
	}
}

// A machine with a player sees every node; what nobody has is unseen once all have left.
func TestAudienceWithAPlayer(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}})
	seen, unseen := 0, 0
	server.OnSeen(Paint, func(*donburi.Entry) { seen++ })
	server.OnUnseen(Paint, func(*donburi.Entry) { unseen++ })
	e := server.Create(Body, Paint)
	local := server.World().Entry(server.World().Create(Body))
	l.client(tendon.Config{})
	l.joined()
	check(t, "seen", seen, 1)
	check(t, "unseen", unseen, 0)
	check(t, "watched", tendon.Watched(e), true)
	check(t, "a local entity is watched", tendon.Watched(local), false)
	check(t, "viewers", len(slices.Collect(tendon.Viewers(e))), 1)
	server.World().Remove(e.Entity())
	check(t, "what has gone is watched", tendon.Watched(e), false)
}

// Asking who watches allocates nothing.
func TestAudienceAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("allocations are not those of the program under the race detector")
	}
	l := newLab(t, lan)
	server := l.server(tendon.Config{Dedicated: true})
	l.client(tendon.Config{})
	l.joined()
	e, n := server.Create(Body), 0
	l.steps(10)
	if got := testing.AllocsPerRun(100, func() {
		for range tendon.Viewers(e) {
			n++
		}
		if tendon.Watched(e) {
			n++
		}
	}); got != 0 || n == 0 {
		t.Errorf("%v allocations, %d viewers", got, n)
	}
}
