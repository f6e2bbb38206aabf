package ecs_test

// Pools: entities that a game makes once, and which are nodes again and again.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A thing of a pool that is given back and taken out again within one step is another
// node.
func TestAdoptedAgainInTheSameStep(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		m.OnStreamOut(Paint, func(e *donburi.Entry, destroyed bool) { m.say("%v out %v", tendon.ID(e), destroyed) })
	}
	l.joined()
	w := server.World()
	e := w.Entry(w.Create(Body, Paint, Local))
	Crate.Adopt(e, CrateArgs{Label: "first"})
	first := tendon.ID(e)
	tendon.Give(e, client.Me())
	l.steps(20)
	check(t, "at first", Local.Get(client.find(first)).From, "first")
	check(t, "its owner", tendon.Owner(client.find(first)), client.Me())

	e.RemoveComponent(components.RplNode)
	Paint.Get(e).Name = "before"
	Crate.Adopt(e, CrateArgs{Label: "again"})
	again := tendon.ID(e)
	Paint.Get(e).Name = "after"
	l.steps(20)
	for _, m := range l.machines {
		check(t, m.name+" has the first", m.has(first), false)
		check(t, m.name+" has the second", Paint.Get(m.find(again)).Name, "after")
		check(t, m.name+"'s owner of it", tendon.Owner(m.find(again)), rpl.Peer(0))
		check(t, m.name+"'s component of it", components.Owner.Get(m.find(again)).Peer, rpl.Peer(0))
		check(t, m.name+" said", fmt.Sprint(m.said()), fmt.Sprintf("[%v out true]", first))
		check(t, "made twice", *m.Counter("node made twice"), 0)
	}
	check(t, "built with", Local.Get(client.find(again)).From, "again")
	Paint.Get(e).Name = "later"
	l.steps(20)
	check(t, "what changes", Paint.Get(client.find(again)).Name, "later")
}

// Who takes a thing out of a pool adopts it first, and then sets what it is now: so the node that
// it was until the same step ends where it was, on the server and as a client draws it. In the
// other order it ends with the values of the next.
func TestAdoptedBeforeItIsSet(t *testing.T) {
	for _, adoptsFirst := range []bool{true, false} {
		l := newLab(t, lan)
		server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
		out := map[*machine]string{}
		for _, m := range l.machines {
			m.OnStreamOut(Paint, func(e *donburi.Entry, _ bool) { out[m] = fmt.Sprintf("%v, %s", tendon.ID(e), Paint.Get(e).Name) })
		}
		l.joined()
		e := server.World().Entry(server.World().Create(Body, Paint, Local))
		Crate.Adopt(e, CrateArgs{})
		first, drawn := tendon.ID(e), 0.0
		play := func() {
			l.steps(1)
			client.Frame()
			if p, ok := client.Find(first); ok && !p.HasComponent(components.Hidden) {
				drawn = tendon.View(p, Body).Pos.X
			}
		}
		for range 30 {
			Body.Get(e).Pos.X++
			play()
		}
		Paint.Get(e).Name = "first"
		e.RemoveComponent(components.RplNode)
		if adoptsFirst {
			Crate.Adopt(e, CrateArgs{})
		}
		Body.Get(e).Pos.X, Paint.Get(e).Name = 900, "second"
		if !adoptsFirst {
			Crate.Adopt(e, CrateArgs{})
		}
		for range 30 {
			play()
		}
		second := client.find(tendon.ID(e))
		check(t, "the second is", fmt.Sprintln(Body.Get(second).Pos.X, Paint.Get(second).Name), "900 second\n")
		end := "first"
		if !adoptsFirst {
			end = "second"
		}
		for _, m := range l.machines {
			check(t, m.name+"'s end of the first", out[m], fmt.Sprintf("%v, %s", first, end))
		}
		if adoptsFirst && (drawn < 25 || drawn > 30) {
			t.Errorf("the first is drawn at %v in the end, and was at 30", drawn)
		}
	}
}

// What is going cannot be made another node by its own OnStreamOut: that is counted.
func TestAdoptedWhileItGoes(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	server.OnStreamOut(Paint, func(e *donburi.Entry, _ bool) { Crate.Adopt(e, CrateArgs{}) })
	l.joined()
	w := server.World()
	e := w.Entry(w.Create(Body, Paint, Local))
	Crate.Adopt(e, CrateArgs{})
	first := tendon.ID(e)
	l.steps(10)
	e.RemoveComponent(components.RplNode)
	l.steps(20)
	check(t, "made twice", *server.Counter("node made twice"), 1)
	check(t, "the client has it", client.has(first), false)
	check(t, "it is", tendon.ID(e), rpl.Node(0))
	Crate.Adopt(e, CrateArgs{})
	l.steps(20)
	check(t, "later the client has it", client.has(tendon.ID(e)), true)
}

// A pool of which things are taken out and given back at random, several times a step:
// clients have what is out, as it is.
func TestPoolsAtRandom(t *testing.T) {
	for range 20 {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 1))
		l := newLab(t, lan)
		server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
		l.joined()
		w := server.World()
		pool := slices.Clone(w.CreateMany(8, Body, Paint, Local))
		server.step = func() {
			for range rng.IntN(6) {
				e := w.Entry(pool[rng.IntN(len(pool))])
				if e.HasComponent(components.RplNode) {
					e.RemoveComponent(components.RplNode)
				} else {
					Crate.Adopt(e, CrateArgs{Label: fmt.Sprint(rng.IntN(100))})
					if !e.HasComponent(components.RplNode) {
						t.Error("what was adopted is no node")
					}
					if rng.IntN(2) == 0 {
						tendon.Give(e, client.Me())
					}
				}
				Body.Get(e).Pos.X = float64(rng.IntN(1000))
			}
		}
		l.steps(100)
		server.step = nil
		l.steps(30)
		out := 0
		for _, ent := range pool {
			e := w.Entry(ent)
			if !e.HasComponent(components.RplNode) {
				check(t, "a node in the pool", tendon.ID(e), rpl.Node(0))
				continue
			}
			out++
			p, ok := client.Find(tendon.ID(e))
			if !ok {
				t.Fatalf("seed %d: the client has no %v", seed, tendon.ID(e))
			}
			if Body.Get(p).Pos != Body.Get(e).Pos || tendon.Owner(p) != tendon.Owner(e) || components.Owner.Get(e).Peer != tendon.Owner(e) {
				t.Fatalf("seed %d: %v is at %v of %v (%v), the client's at %v of %v", seed, tendon.ID(e), Body.Get(e).Pos, tendon.Owner(e), components.Owner.Get(e).Peer, Body.Get(p).Pos, tendon.Owner(p))
			}
		}
		check(t, "the client's nodes", client.count(components.RplNode)-1, out)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A handler, too, may give a thing of a pool back and take it out again: it is another node
// then, on every machine, and what its old node's OnStreamOut asks for is done.
func TestAdoptedAgainInAHandler(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	w := server.World()
	e := w.Entry(w.Create(Body, Paint, Local))
	Crate.Adopt(e, CrateArgs{Label: "first"})
	first := tendon.ID(e)
	l.until("it is there", func() bool { return client.has(first) })
	for _, m := range l.machines {
		m.OnStreamOut(Paint, func(e *donburi.Entry, destroyed bool) { m.say("%v out %v", tendon.ID(e), destroyed) })
		m.OnStreamIn(Paint, func(e *donburi.Entry) { m.say("in") })
	}
	Chat.Handle(server.Replication, func(_ tendon.Call, label string) {
		e.RemoveComponent(components.RplNode)
		Crate.Adopt(e, CrateArgs{Label: label})
		server.say("adopted")
	})
	if err := Chat.Send(client.Session(), "again"); err != nil {
		t.Fatal(err)
	}
	l.until("it has gone", func() bool { return len(client.log) == 2 && len(server.log) == 3 })
	again := tendon.ID(e)
	server.heard(fmt.Sprintf("%v out true, adopted, in", first))
	check(t, "the client has the first", client.has(first), false)
	check(t, "what the second is built with", Local.Get(client.find(again)).From, "again")
	Body.Get(e).Pos.X = 5
	l.steps(10)
	check(t, "where it is", Body.Get(client.find(again)).Pos.X, 5)
}

// An adopted entity that lacks a component which the prefab's function gives to the node
// and to its part keeps its own: the client's part is the one without.
func TestAdoptedWithLess(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := server.World().Entry(server.World().Create(Body))
	Body.Get(e).Pos.X = 7
	Tank.Adopt(e, tendon.None{})
	id := tendon.ID(e)
	l.until("it is there", func() bool { return client.has(id) })
	hull := client.find(id)
	if !hull.HasComponent(Body) {
		t.Fatal("the hull has no place")
	}
	check(t, "the hull's place", Body.Get(hull).Pos.X, 7)
	check(t, "the turret's components", turretOf(hull).HasComponent(Body) || turretOf(hull).HasComponent(Ammo), false)
}
