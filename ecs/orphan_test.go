package ecs_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// partTests are of components that columns read, and of such that are read by
// themselves.
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

// A part that stays when its node is removed is a local entity: what the game does
// with it reaches no node that came later.
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

// A part that is made another node's leaves its own: that may go.
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

// A part may be left alone in the step in which an entity is made a node by RplNode.
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

// A part that was nobody's is read again when it is a node's: of one that is there, or of
// one that is made then.
func TestPartsThatWereNobodys(t *testing.T) {
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

// A part that was another node's within one step is its own node's as before.
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

// A part of a load-time node that is removed while a session ends is no part of that
// node in the next one.
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

// A load-time node that the server has built in another way has what it has there, and
// nothing twice.
func TestNamedNodeBuiltInAnotherWay(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.machine("client", tendon.Config{})
	tendon.Named(server.World().Entry(server.World().Create(Plan, Body, Paint, Lazy)), "door")
	w := client.World()
	door, knob := w.Create(Body, Paint, Lazy), w.Create(Lazy)
	tendon.Named(w.Entry(door), "door")
	tendon.Part(w.Entry(door), w.Entry(knob))
	l.steps(20)
	client.joins = true
	client.Join(l.net.Dialer(l.listener))
	l.joined()
	check(t, "lazies", client.count(Lazy), 1)
	check(t, "plans", client.count(Plan), 1)
}

// What a load-time node gets in play is not what it was built with, which says what
// stands where on a machine that it joins, and on those that join it.
func TestNamedNodesKeepWhatTheyWereBuiltWith(t *testing.T) {
	door := func(m *machine, knob bool, cs ...donburi.IComponentType) (door, part *donburi.Entry) {
		w := m.World()
		door = w.Entry(w.Create(cs...))
		tendon.Named(door, "door")
		if knob {
			part = w.Entry(w.Create(Lazy))
			tendon.Part(door, part)
		}
		return door, part
	}
	at := func(m *machine, e *donburi.Entry) *donburi.Entry { return m.World().Entry(e.Entity()) }
	t.Run("who joins", func(t *testing.T) {
		l := newLab(t, lan)
		server, client := l.server(tendon.Config{}), l.machine("client", tendon.Config{})
		theirs, _ := door(server, false, Body)
		ours, _ := door(client, false, Body)
		l.steps(5)
		carry(ours, Lazy, true, LazyData{})
		tendon.Part(at(client, ours), client.World().Entry(client.World().Create(Limb)))
		carry(theirs, Paint, true, PaintData{})
		l.steps(5)
		carry(at(server, theirs), Lazy, true, LazyData{})
		l.steps(5)
		carry(at(server, theirs), Paint, false, PaintData{})
		l.steps(5)
		client.joins = true
		client.Join(l.net.Dialer(l.listener))
		l.joined()
		check(t, "the door is lazy", at(client, ours).HasComponent(Lazy), true)
	})
	t.Run("in the step in which it is built", func(t *testing.T) {
		l := newLab(t, lan)
		server, client := l.server(tendon.Config{}), l.machine("client", tendon.Config{})
		theirs, _ := door(server, true, Body, Paint)
		ours, _ := door(client, true, Body, Paint)
		carry(theirs, Paint, false, PaintData{})
		l.steps(5)
		carry(at(server, theirs), Ammo, true, AmmoData{})
		l.steps(5)
		carry(at(server, theirs), Paint, true, PaintData{})
		l.steps(5)
		client.joins = true
		client.Join(l.net.Dialer(l.listener))
		l.joined()
		check(t, "the door has paint", at(client, ours).HasComponent(Paint), true)
		check(t, "paints", client.count(Paint), 1)
	})
	t.Run("who is joined", func(t *testing.T) {
		l := newLab(t, lan)
		server, client := l.server(tendon.Config{}), l.machine("client", tendon.Config{})
		theirs, _ := door(server, true, Body, Lazy)
		ours, knob := door(client, true, Body, Lazy)
		l.steps(5)
		carry(at(server, theirs), Lazy, false, LazyData{})
		l.steps(5)
		server.Load("again") // without OnWorld: the same world, other nodes
		l.steps(5)
		client.joins = true
		client.Join(l.net.Dialer(l.listener))
		l.joined()
		check(t, "the door is lazy", at(client, ours).HasComponent(Lazy), false)
		check(t, "its knob is", at(client, knob).HasComponent(Lazy), true)
	})
}

// A load-time node that loses RplNode is a local entity on the authority, and gone
// elsewhere, also for who comes later. Its name is free again.
func TestNamedNodeStripped(t *testing.T) {
	l := newLab(t, lan)
	join := func() *machine {
		m := l.machine(fmt.Sprint("client ", len(l.machines)), tendon.Config{})
		tendon.Named(m.World().Entry(m.World().Create(Paint)), "door")
		m.joins = true
		m.Join(l.net.Dialer(l.listener))
		return m
	}
	server := l.server(tendon.Config{})
	door := server.World().Entry(server.World().Create(Paint))
	tendon.Named(door, "door")
	early := join()
	l.joined()
	prime(door, func(set []donburi.IComponentType) []donburi.IComponentType { return without(set, components.RplNode) })
	donburi.Remove[components.NodeData](door, components.RplNode)
	l.steps(30)
	late := join()
	l.joined()
	l.steps(30)
	check(t, "it is there on the server", door.Valid(), true)
	check(t, "and no node", tendon.ID(door), 0)
	check(t, "elsewhere", [2]int{early.count(Paint), late.count(Paint)}, [2]int{})
	tendon.Named(server.World().Entry(server.World().Create(Paint)), "door")
	for _, m := range []*machine{early, late} {
		tendon.Named(m.World().Entry(m.World().Create(Paint)), "door")
	}
	l.steps(30)
	for _, m := range []*machine{early, late} {
		check(t, m.name+": the new one", len(nodesOf(m)), 1)
	}
}

// A load-time node out of sight is nobody's, and hangs under nothing.
func TestNamedOutOfSight(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.machine("client", tendon.Config{})
	var doors []*donburi.Entry
	for _, m := range l.machines {
		door := m.World().Entry(m.World().Create(Paint))
		tendon.Named(door, "door")
		doors = append(doors, door)
	}
	client.joins = true
	client.Join(l.net.Dialer(l.listener))
	l.joined()
	car := server.Create(Body)
	id := tendon.ID(car)
	if err := tendon.Attach(doors[0], car); err != nil {
		t.Fatal(err)
	}
	l.steps(20)
	check(t, "what it hangs under", components.Parent.Get(doors[1]).Entity, client.find(id).Entity())
	components.RplNode.Get(server.find(id)).Relevance = rpl.OwnerOnly
	l.until("both are out of sight", func() bool { return hidden(doors[1]) && !client.has(id) })
	l.steps(20)
	check(t, "what it hangs under then", components.Parent.Get(doors[1]).Entity, donburi.Null)
	components.RplNode.Get(server.find(id)).Relevance = rpl.Always
	l.until("both are back", func() bool { return !hidden(doors[1]) && client.has(id) })
	check(t, "what it hangs under again", components.Parent.Get(doors[1]).Entity, client.find(id).Entity())
}

// A load-time node may be made in the middle of a level, on each machine when it gets to
// it: what hangs under it does so from then on, and parts may come in the same step.
func TestNamedLate(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	annex := func(m *machine) *donburi.Entry {
		w := m.World()
		e, part := w.Entry(w.Create(Paint)), w.Entry(w.Create(Lazy))
		tendon.Named(e, "annex")
		tendon.Part(e, part)
		return e
	}
	theirs, child := annex(server), server.Create(Body)
	id := tendon.ID(child)
	if err := tendon.Attach(child, theirs); err != nil {
		t.Fatal(err)
	}
	Paint.Get(theirs).Colour = 7
	l.until("the child is there", func() bool { return client.has(id) })
	l.steps(20)
	check(t, "what it hangs under", tendon.Parent(client.find(id)) == nil, true)
	check(t, "nodes whose names are not known", *client.Counter("name unknown"), 1)
	ours := annex(client)
	l.steps(2)
	check(t, "its paint", Paint.Get(ours).Colour, 7)
	check(t, "lazies", client.count(Lazy), 1)
	check(t, "what the child hangs under", tendon.Parent(client.find(id)).Entity(), ours.Entity())
	check(t, "what hangs under it", len(slices.Collect(tendon.Children(ours))), 1)
}

// Who leaves takes what is its own and not kept, wherever that sits; what others
// drive stays theirs, also on a node that is kept.
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
