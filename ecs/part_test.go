package ecs_test

// Parts of a node, and the components that are added to them and removed.

import (
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

// A component that is added to a part or removed from it is so on that part everywhere, on
// clients that have the node and on clients that join later.
func TestComponentsOfPartsComeAndGo(t *testing.T) {
	l := newLab(t, lan)
	server, early := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	tank := Tank.Spawn(server.World(), tendon.None{})
	id, hull, gun := tendon.ID(tank), tank.Entity(), turretOf(tank).Entity()
	here := func(e donburi.Entity) *donburi.Entry { return server.World().Entry(e) }
	l.steps(30)
	at := func(x float64) BodyData { return BodyData{Pos: gmath.Vec{X: x}} }
	carry(here(gun), Body, false, BodyData{})
	carry(here(hull), Body, false, BodyData{})
	l.steps(30)
	carry(here(gun), Body, true, at(7))
	l.steps(30)
	carry(here(hull), Body, true, at(3))
	l.steps(30)
	late := l.client(tendon.Config{})
	l.joined()
	for _, c := range []*machine{early, late} {
		e := c.find(id)
		check(t, c.name+": the hull", Body.Get(e).Pos.X, 3)
		if e := turretOf(e); !e.HasComponent(Body) {
			t.Errorf("%s: the turret is nowhere", c.name)
		} else {
			check(t, c.name+": the turret", Body.Get(e).Pos.X, 7)
		}
	}
}

// A component that is added after its node began is also drawn in place.
func TestDrawnInPlaceWhenAdded(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := server.Create(Paint)
	id, ent := tendon.ID(e), e.Entity()
	l.steps(30)
	carry(e, Body, true, BodyData{})
	between := 0
	for range 60 {
		Body.Get(server.World().Entry(ent)).Pos.X += 0.25
		l.steps(1)
		client.Frame()
		if e := client.find(id); e.HasComponent(Body) {
			if x := Body.Get(e).Pos.X; x > 0 && x != tendon.View(e, Body).Pos.X {
				t.Fatalf("it is at %v in place, and to be drawn at %v", x, tendon.View(e, Body).Pos.X)
			} else if x > 0 {
				between++
			}
		}
	}
	check(t, "it was drawn", between > 20, true)
}

// Parts may be added to a node and removed while it lives. Their components are
// components of their own on every machine, also if the node has a component of the same
// type.
func TestPartsThatComeLater(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := server.Create(Paint)
	id, ent := tendon.ID(e), e.Entity()
	Paint.Get(e).Colour = 2
	l.steps(30)
	w := server.World()
	var parts []donburi.Entity
	for i := range 3 {
		part := w.Entry(w.Create(Paint))
		Paint.Get(part).Colour = uint8(3 + i)
		tendon.Part(w.Entry(ent), part)
		parts = append(parts, part.Entity())
	}
	l.steps(30)
	check(t, "colours", client.count(Paint), 4)
	check(t, "the node's", Paint.Get(client.find(id)).Colour, 2)
	Paint.Get(w.Entry(parts[1])).Colour = 9
	l.steps(30)
	sum := 0
	for e := range Paint.Iter(client.World()) {
		sum += int(Paint.Get(e).Colour)
	}
	check(t, "the sum of colours", sum, 2+3+9+5)
	check(t, "the node's", Paint.Get(client.find(id)).Colour, 2)
	for _, p := range parts {
		w.Remove(p)
	}
	l.steps(30)
	check(t, "colours", client.count(Paint), 1)
	check(t, "entities of parts", client.count(components.Proxy), 2) // the node's and the session's
}

// A client's game that removes a proxy, which it should not, gets nothing of what that node
// is given later: a part of it would stay for ever.
func TestPartsOfWhatAGameHasRemoved(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	tank := Tank.Spawn(server.World(), tendon.None{})
	id := tendon.ID(tank)
	l.steps(30)
	client.find(id).Remove()
	left := client.World().Len()
	w := server.World()
	for range 2 {
		tendon.Part(tank, w.Entry(w.Create(Body)))
	}
	l.steps(30)
	check(t, "entities on the client", client.World().Len(), left)
	late := l.client(tendon.Config{})
	l.joined()
	l.steps(30)
	check(t, "entities on a client that came later", late.World().Len(), left+3) // hull and two more parts
}

// Before its node begins a part may be given to another: it is that node's alone.
func TestPartOfAnotherBeforeItsNodeBegins(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	w := server.World()
	first, second, knob := w.Entry(w.Create(Paint)), w.Entry(w.Create(Paint)), w.Entry(w.Create(Body))
	tendon.Part(first, knob)
	tendon.Part(second, knob)
	for _, e := range []*donburi.Entry{first, second} {
		e.AddComponent(components.RplNode)
	}
	Body.Get(knob).Pos.X = 7
	l.steps(20)
	check(t, "whose it is", tendon.Parent(knob).Entity(), second.Entity())
	check(t, "on the client the first has a place", client.find(tendon.ID(first)).HasComponent(Body), false)
	check(t, "the second's", Body.Get(client.find(tendon.ID(second))).Pos.X, 7)
	first.Remove()
	l.steps(60)
	check(t, "the second's, without the first", Body.Get(client.find(tendon.ID(second))).Pos.X, 7)
}
