package ecs_test

// Load-time nodes that are hidden or transient, and their parts.

import (
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A part that is added to a hidden proxy is hidden, too.
func TestPartOfWhatIsHidden(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 110}}), l.client(tendon.Config{})
	var hull, part donburi.Entity
	for _, m := range l.machines {
		m.OnWorld(func(w donburi.World, name string) {
			if name == "" {
				return
			}
			e, p := w.Entry(w.Create(Body)), w.Entry(w.Create(Paint))
			Body.Get(e).Pos = gmath.Vec{X: 100000} // out of every observer's sight
			tendon.Named(e, "gate")
			tendon.Part(e, p)
			if m == client {
				hull, part = e.Entity(), p.Entity()
			}
		})
	}
	l.joined()
	server.Load("a")
	l.steps(120)
	w := client.World()
	check(t, "the gate is hidden", w.Entry(hull).HasComponent(components.Hidden), true)
	check(t, "its part is hidden", w.Entry(part).HasComponent(components.Hidden), true)

	l = newLab(t, lan)
	server, client = l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	client.OnStreamIn(Paint, func(e *donburi.Entry) {
		p := client.World().Entry(client.World().Create(Local))
		tendon.Part(e, p)
		check(t, "a node that comes, and a part that it is given in OnStreamIn, are hidden alike",
			p.HasComponent(components.Hidden), e.HasComponent(components.Hidden))
	})
	server.Create(Paint)
	l.steps(20)
}

// A load-time node is transient on a client if its own RplNode says so there.
func TestNamedTransient(t *testing.T) {
	l := newLab(t, lan)
	_, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	ents := map[*machine]donburi.Entity{}
	for _, m := range l.machines {
		w := m.World()
		e := w.Entry(w.Create(components.RplNode, Body))
		components.RplNode.SetValue(e, components.NodeData{Transient: true})
		tendon.Named(e, "lift")
		ents[m] = e.Entity()
	}
	l.joined()
	for _, m := range l.machines {
		m.step = func() { Body.Get(m.World().Entry(ents[m])).Pos.X++ }
	}
	l.steps(120)
	e := client.World().Entry(ents[client])
	check(t, "its view", tendon.View(e, Body).Pos.X, 120)
	client.Frame() // interp=inplace
	check(t, "its component", Body.Get(e).Pos.X, 120)
}

// A node is transient on a client if its prefab's function says so.
func TestTransientByFunction(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		Late.Build(m.Replication, func(w donburi.World, _ tendon.None) *donburi.Entry {
			e := w.Entry(w.Create(components.RplNode, Body))
			components.RplNode.SetValue(e, components.NodeData{Transient: true})
			return e
		})
	}
	l.joined()
	id := tendon.ID(Late.Spawn(server.World(), tendon.None{}))
	l.until("it is there", func() bool { return client.has(id) })
	client.step = func() { Body.Get(client.find(id)).Pos.X++ }
	l.steps(60)
	e := client.find(id)
	check(t, "its RplNode", components.RplNode.Get(e).Transient, true)
	check(t, "its view", tendon.View(e, Body).Pos.X, 60)
	client.Frame()
	check(t, "its component", Body.Get(e).Pos.X, 60)
}
