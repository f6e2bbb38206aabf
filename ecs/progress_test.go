package ecs_test

// Progress of a join, and of a level.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Ten thousand nodes come to a joining peer over a bad line within its budget, and their
// number is told: from nothing to all, never back, and Done only when all are there.
func TestProgressOfAJoin(t *testing.T) {
	const nodes = 10_000
	bad := lan
	bad.Loss = 0.1
	for name, c := range map[string]netsim.Conditions{"lan": lan, "10 % loss": bad} {
		l := newLab(t, c)
		server := l.server(tendon.Config{Dedicated: true, Budget: 32 << 10})
		for i := range nodes {
			Body.Get(server.Create(Body)).Pos = gmath.Vec{X: float64(i % 100), Y: float64(i / 100)}
		}
		check(t, "a server's share", server.Progress().Share(), 1)
		client := l.client(tendon.Config{})
		last, shares := 0.0, map[float64]bool{}
		for i := 0; !client.Progress().Done; i++ {
			l.steps(1)
			p := client.Progress()
			if p.Share() < last {
				t.Fatalf("%s: the share goes back from %v to %v", name, last, p.Share())
			}
			if p.Have > p.Want || p.Want > nodes {
				t.Fatalf("%s: %+v", name, p)
			}
			last = p.Share()
			shares[last] = true
			if p.Done && client.count(Body) != nodes {
				t.Fatalf("%s: done with %d nodes", name, client.count(Body))
			}
			if i > 60*60 {
				t.Fatalf("%s: not done in a minute: %+v", name, p)
			}
		}
		if len(shares) < 20 {
			t.Errorf("%s: a bar of %d steps", name, len(shares))
		}
		l.steps(30)
		if ds := tendon.Differences(server.Replication, client.Replication); len(ds) > 0 {
			t.Errorf("%s: %d differences, the first: %v", name, len(ds), ds[0])
		}
	}
}

// How much there is is told before it comes: on a line that carries a tenth of it a second the bar
// fills step by step, in place of standing at nothing until most has come.
func TestProgressOnANarrowLine(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 50 * time.Millisecond, Rate: 8000})
	server := l.server(tendon.Config{Dedicated: true})
	for i := range 2000 {
		Body.Get(server.Create(Body)).Pos = gmath.Vec{X: float64(i * 37 % 1000), Y: float64(i * 91 % 1003)}
	}
	client := l.client(tendon.Config{})
	last := 0.0
	for i := 0; !client.Progress().Done; i++ {
		if l.steps(1); i > 60*60 {
			t.Fatalf("not done in a minute: %+v", client.Progress())
		}
		share := client.Progress().Share()
		if share > last+0.2 && share < 1 {
			t.Errorf("the share goes from %.2f to %.2f", last, share)
		}
		last = share
	}
}

// Where something comes all the time, and some of it goes, a join is done all the same.
func TestProgressWhereMoreComes(t *testing.T) {
	far := netsim.Conditions{Delay: 120 * time.Millisecond}
	for _, every := range []int{1, 3, 10} {
		l := newLab(t, far)
		server := l.server(tendon.Config{Dedicated: true})
		for range 50 {
			server.Create(Body)
		}
		step, made := 0, []donburi.Entity(nil)
		server.step = func() {
			if step++; step%every > 0 {
				return
			}
			if made = append(made, server.Create(Body).Entity()); len(made) > 20 {
				server.World().Remove(made[0])
				made = made[1:]
			}
		}
		client := l.client(tendon.Config{})
		for i := 0; !client.Progress().Done; i++ {
			if l.steps(1); i > 10*60 {
				t.Fatalf("one more in %d steps: not done in ten seconds: %+v", every, client.Progress())
			}
		}
		if n := client.count(Body); n < 50 {
			t.Errorf("one more in %d steps: done with %d nodes", every, n)
		}
	}
}

// A level begins at nothing again, and an empty one is done too.
func TestProgressOfALevel(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	fill := 0
	server.OnWorld(func(donburi.World, string) {
		for range fill {
			server.Create(Body)
		}
	})
	l.joined()
	l.until("the join is done", func() bool { return client.Progress().Done })
	fill = 300
	server.Load("caves")
	undone := false
	l.until("the level is done", func() bool {
		p := client.Progress()
		undone = undone || !p.Done
		return undone && p.Done
	})
	check(t, "nodes of the level", client.count(Body), fill)
	client.Close("")
	l.steps(2)
	check(t, "alone, the share", client.Progress().Share(), 1)
}

// What is near comes first: of ten thousand nodes in sight, those that are there while a third
// has come are nearer than the rest, and the heavy ones are there before the others.
func TestJoinComesByPriority(t *testing.T) {
	const nodes = 10_000
	l := newLab(t, lan)
	server := l.server(tendon.Config{Dedicated: true, Budget: 32 << 10, Interest: rpl.Grid{Enter: 20_000, Exit: 21_000}})
	heavy := map[rpl.Node]bool{}
	for i := range nodes {
		e := server.Create(Body)
		Body.Get(e).Pos = gmath.Vec{X: float64((i*7919)%nodes) + 1}
		if i%100 == 0 {
			components.RplNode.Get(e).Weight = 1000
			heavy[tendon.ID(e)] = true
		}
	}
	server.OnJoin(func(p rpl.Peer) { tendon.Give(server.Create(Body, components.Observer), p) })
	client := l.client(tendon.Config{})
	l.until("a third has come", func() bool { return client.Progress().Share() > 0.33 && client.Progress().Want == nodes+1 })
	have, far, heavies := 0, 0.0, 0
	for e := range Body.Iter(client.World()) {
		if heavy[tendon.ID(e)] {
			heavies++
		} else {
			have, far = have+1, far+Body.Get(e).Pos.X
		}
	}
	if mean := far / float64(have); mean > 0.75*nodes/3 {
		t.Errorf("a third has come, of which the mean distance is %.0f, not about %d", mean, nodes/6)
	}
	if heavies < 90 {
		t.Errorf("%d of %d heavy nodes have come with the first third", heavies, len(heavy))
	}
}

// A bar does not go back where a camera turns to more than it had, while what was in view comes.
func TestShareNeverGoesBack(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Dedicated: true, Budget: 8 << 10, Interest: rpl.Grid{Enter: 100, Exit: 110}})
	for i := range 2000 {
		Body.Get(server.Create(Body)).Pos = gmath.Vec{X: 1000 * float64(min(i/200, 1)), Y: float64(i % 50)}
	}
	var eye *donburi.Entry
	server.OnJoin(func(p rpl.Peer) {
		eye = server.Create(Body, components.Observer)
		tendon.Give(eye, p)
	})
	client := l.client(tendon.Config{})
	last, want := 0.0, 0
	for i := 0; !client.Progress().Done && i < 60*60; i++ {
		l.steps(1)
		p := client.Progress()
		if p.Share() < last {
			t.Fatalf("step %d: the share goes back from %v to %v: %+v", i, last, p.Share(), p)
		}
		if last = p.Share(); last > 0.5 && last < 1 {
			Body.Get(eye).Pos.X = 1000
		}
		want = max(want, p.Want)
	}
	if last != 1 || want < 1000 {
		t.Errorf("a share of %v at the end, of %d nodes", last, want)
	}
}
