package ecs_test

// Parts whose node is removed or changes.

import (
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// partTests runs a test twice: with a component that is extracted by columns, and with one
// that is extracted by itself because OnChange watches it.
func partTests(t *testing.T, test func(l *lab, server, client *machine)) {
	for name, watched := range map[string]bool{"by columns": false, "by itself": true} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, lan)
			server := l.server(tendon.Config{})
			if watched {
				tendon.OnChange(server.Replication, Paint, func(*donburi.Entry, PaintData) {})
			}
			client := l.client(tendon.Config{})
			l.joined()
			test(l, server, client)
		})
	}
}

// paintedPart makes a node with a part, both painted.
func (m *machine) paintedPart() (node, part *donburi.Entry) {
	w := m.World()
	node, part = m.Create(Paint), w.Entry(w.Create(Paint))
	tendon.Part(node, part)
	return node, part
}

// A part that outlives its node is a local entity: its changes reach no node that is made
// later.
func TestPartsThatOutliveTheirNode(t *testing.T) {
	partTests(t, func(l *lab, server, client *machine) {
		node, part := server.paintedPart()
		l.steps(20)
		Paint.Get(part).Colour = 7
		l.steps(20)
		server.World().Remove(node.Entity())
		l.steps(1)
		later := server.Create(Paint)
		Paint.Get(later).Colour = 1
		id := tendon.ID(later)
		l.steps(20)
		Paint.Get(part).Colour = 9
		l.steps(40)
		check(l.T, "what the later node shows", Paint.Get(client.find(id)).Colour, 1)
	})
}

// A part that becomes part of another node leaves its former node, which may then be
// removed.
func TestPartsThatChangeTheirNode(t *testing.T) {
	partTests(t, func(l *lab, server, client *machine) {
		node, part := server.paintedPart()
		other := server.Create(Body)
		id := tendon.ID(other)
		l.steps(20)
		tendon.Part(other, part)
		l.steps(20)
		server.World().Remove(node.Entity())
		l.steps(20)
		Paint.Get(part).Colour = 9
		l.steps(40)
		check(l.T, "what the other node shows", Paint.Get(client.find(id)).Colour, 9)
	})
}

// A part may lose its node in the same step in which RplNode makes another entity a node.
func TestPartsLeftWhileANodeIsMade(t *testing.T) {
	partTests(t, func(l *lab, server, client *machine) {
		node, part := server.paintedPart()
		w := server.World()
		made := w.Entry(w.Create(Paint))
		l.steps(20)
		w.Remove(node.Entity())
		prime(made, func(set []donburi.IComponentType) []donburi.IComponentType {
			return append(set, components.RplNode)
		})
		made.AddComponent(components.RplNode)
		l.steps(20)
		Paint.Get(part).Colour = 9
		Paint.Get(made).Colour = 7
		l.steps(40)
		check(l.T, "what it shows", Paint.Get(client.find(tendon.ID(w.Entry(made.Entity())))).Colour, 7)
	})
}

// A part without a node is extracted again once it is part of a node, which may exist
// already or be made later.
func TestPartsWithoutANodeBecomeParts(t *testing.T) {
	partTests(t, func(l *lab, server, client *machine) {
		w := server.World()
		for _, later := range []bool{false, true} {
			node, part := server.paintedPart()
			l.steps(20)
			w.Remove(node.Entity())
			l.steps(20)
			other := w.Entry(w.Create(Body))
			if !later {
				other = server.Create(Body)
			}
			ent := other.Entity()
			tendon.Part(other, part)
			if later {
				l.steps(20)
				other = w.Entry(ent)
				prime(other, func(set []donburi.IComponentType) []donburi.IComponentType {
					return append(set, components.RplNode)
				})
				other.AddComponent(components.RplNode)
			}
			l.steps(20)
			Paint.Get(part).Colour = 9
			l.steps(40)
			check(l.T, "what the other node shows", Paint.Get(client.find(tendon.ID(w.Entry(ent)))).Colour, 9)
			w.Remove(part.Entity())
		}
	})
}

// A part that is moved to another node and back within one step stays with its node.
func TestPartComesBackInOneStep(t *testing.T) {
	partTests(t, func(l *lab, server, client *machine) {
		w := server.World()
		node, other, part := server.Create(Body), server.Create(Body), w.Entry(w.Create(Paint))
		tendon.Part(node, part)
		l.steps(20)
		tendon.Part(other, part)
		tendon.Part(node, part)
		l.steps(20)
		Paint.Get(part).Colour = 9
		l.steps(40)
		check(l.T, "what the node shows", Paint.Get(client.find(tendon.ID(node))).Colour, 9)
	})
}

// A part that is removed from a load-time node while a session ends is no part of that
// node in the next session.
func TestPartRemovedBetweenSessions(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.machine("client", tendon.Config{})
	var knob donburi.Entity
	for _, m := range []*machine{server, client} {
		w := m.World()
		door := w.Create(Body)
		knob = w.Create(Paint)
		tendon.Named(w.Entry(door), "door")
		tendon.Part(w.Entry(door), w.Entry(knob))
	}
	client.Create(Lazy)
	client.OnStreamOut(Lazy, func(*donburi.Entry, bool) { client.World().Remove(knob) })
	l.steps(20)
	client.joins = true
	client.Join(l.net.Dialer(l.listener))
	l.joined()
	check(t, "what was removed is here", client.World().Valid(knob), false)
}

// The nodes of a peer that leaves end unless they have Keep, whatever they are attached to.
// Nodes of others keep their owner, also on a node that is kept.
func TestRidersOfWhoLeaves(t *testing.T) {
	l := newLab(t, lan)
	server, driver, rider := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	ids := map[string]rpl.Node{}
	for _, name := range []string{"car", "driver", "rider"} {
		e := server.Create(Paint)
		ids[name] = tendon.ID(e)
		components.RplNode.Get(e).Keep = name == "car"
	}
	for _, name := range []string{"driver", "rider"} {
		if err := tendon.Attach(server.find(ids[name]), server.find(ids["car"])); err != nil {
			t.Fatal(err)
		}
	}
	tendon.Give(server.find(ids["car"]), driver.Me())
	tendon.Give(server.find(ids["rider"]), rider.Me())
	l.steps(30)
	check(t, "the rider has its own", tendon.IsOwner(rider.find(ids["rider"])), true)
	driver.Close("bye")
	l.steps(60)
	for _, m := range []*machine{server, rider} {
		check(t, m.name+": the driver is there", m.has(ids["driver"]), false)
		check(t, m.name+": whose the car is", tendon.Owner(m.find(ids["car"])), rpl.Peer(0))
		check(t, m.name+": whose the rider is", tendon.Owner(m.find(ids["rider"])), rider.Me())
		check(t, m.name+": it sits in the car", tendon.ID(tendon.Parent(m.find(ids["rider"]))), ids["car"])
	}
}
