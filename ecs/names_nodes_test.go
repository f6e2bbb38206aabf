package ecs_test

// Load-time nodes: what they are built with and keep, how they end and come again, and
// nodes that are made in the middle of a level. names_test.go covers the comparison of
// names.

import (
	"fmt"
	"slices"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A load-time node that the server has built with other components has on the client what
// it has on the server, and nothing twice.
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

// Components that a load-time node gets in play do not count as built with it. What it was
// built with decides which entity carries what, on a machine that joins and on the server
// that it joins.
func TestNamedNodesKeepWhatTheyWereBuiltWith(t *testing.T) {
	type ends struct{ server, client *machine }
	at := func(m *machine, e *donburi.Entry) *donburi.Entry { return m.World().Entry(e.Entity()) }
	// play makes a door with components cs on two machines, with a knob or not, and runs
	// some steps after each of acts before the client joins the server.
	play := func(t *testing.T, knob bool, cs []donburi.IComponentType, acts ...func(m ends, theirs, ours *donburi.Entry)) (client *machine, door, part *donburi.Entry) {
		l := newLab(t, lan)
		m := ends{l.server(tendon.Config{}), l.machine("client", tendon.Config{})}
		var doors []*donburi.Entry
		for _, m := range l.machines {
			w := m.World()
			door = w.Entry(w.Create(cs...))
			tendon.Named(door, "door")
			if knob {
				part = w.Entry(w.Create(Lazy))
				tendon.Part(door, part)
			}
			doors = append(doors, door)
		}
		for _, act := range acts {
			act(m, at(m.server, doors[0]), at(m.client, doors[1]))
			l.steps(5)
		}
		m.client.joins = true
		m.client.Join(l.net.Dialer(l.listener))
		l.joined()
		if knob {
			part = at(m.client, part)
		}
		return m.client, at(m.client, doors[1]), part
	}
	idle := func(ends, *donburi.Entry, *donburi.Entry) {}
	t.Run("who joins", func(t *testing.T) {
		_, door, _ := play(t, false, []donburi.IComponentType{Body}, idle,
			func(m ends, theirs, ours *donburi.Entry) {
				carry(ours, Lazy, true, LazyData{})
				tendon.Part(at(m.client, ours), m.client.World().Entry(m.client.World().Create(Limb)))
				carry(theirs, Paint, true, PaintData{})
			},
			func(_ ends, theirs, _ *donburi.Entry) { carry(theirs, Lazy, true, LazyData{}) },
			func(_ ends, theirs, _ *donburi.Entry) { carry(theirs, Paint, false, PaintData{}) })
		check(t, "the door is lazy", door.HasComponent(Lazy), true)
	})
	t.Run("in the step in which it is built", func(t *testing.T) {
		client, door, _ := play(t, true, []donburi.IComponentType{Body, Paint},
			func(_ ends, theirs, _ *donburi.Entry) { carry(theirs, Paint, false, PaintData{}) },
			func(_ ends, theirs, _ *donburi.Entry) { carry(theirs, Ammo, true, AmmoData{}) },
			func(_ ends, theirs, _ *donburi.Entry) { carry(theirs, Paint, true, PaintData{}) })
		check(t, "the door has paint", door.HasComponent(Paint), true)
		check(t, "paints", client.count(Paint), 1)
	})
	t.Run("who is joined", func(t *testing.T) {
		_, door, knob := play(t, true, []donburi.IComponentType{Body, Lazy}, idle,
			func(_ ends, theirs, _ *donburi.Entry) { carry(theirs, Lazy, false, LazyData{}) },
			func(m ends, _, _ *donburi.Entry) { m.server.Load("again") }) // without OnWorld the world stays, with new nodes
		check(t, "the door is lazy", door.HasComponent(Lazy), false)
		check(t, "its knob is", knob.HasComponent(Lazy), true)
	})
}

// A load-time node that loses RplNode becomes a local entity on the authority and ends on
// every client, also on those that join later. Its name is free again.
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

// A load-time node that is streamed out has no owner and no parent.
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

// A load-time node may be made in the middle of a level, on each machine in its own time.
// Its children are under it from then on, and its parts may be added in the same step.
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

// Load-time nodes that a client makes in one step stream in parents first, even if it makes
// the children first.
func TestNamedLateFromTheTop(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	names := []string{"roof", "storey", "cellar"}
	build := func(m *machine, names ...string) (all []*donburi.Entry) {
		for _, name := range names {
			e := m.World().Entry(m.World().Create(Paint))
			Paint.Get(e).Name = name
			tendon.Named(e, name)
			all = append(all, e)
		}
		return all
	}
	all := build(server, names...)
	for i, e := range all[:2] {
		if err := tendon.Attach(e, all[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	l.steps(30)
	client.OnStreamIn(Paint, func(e *donburi.Entry) {
		up := "nothing"
		if e := tendon.Parent(e); e != nil {
			up = Paint.Get(e).Name
		}
		client.say("%s under %s", Paint.Get(e).Name, up)
	})
	build(client, names...)
	l.steps(30)
	if got, want := client.said(), []string{"cellar under nothing", "storey under cellar", "roof under storey"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// A load-time node that a callback removes while all nodes end, because the machine joins a
// session, is no node any more, and its name is free.
func TestNamedNodeRemovedWhileAllEnds(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.machine("client", tendon.Config{})
	var doors []*donburi.Entry
	for _, m := range l.machines {
		door := m.World().Entry(m.World().Create(Paint))
		tendon.Named(door, "door")
		doors = append(doors, door)
	}
	Paint.Get(doors[0]).Colour = 7
	client.OnStreamOut(Body, func(*donburi.Entry, bool) { doors[1].Remove() }) // the door was made first, so it has ended by then
	client.Create(Body)
	l.steps(5)
	client.joins = true
	client.Join(l.net.Dialer(l.listener))
	l.joined()
	check(t, "paints", client.count(Paint), 0)
	door := client.World().Entry(client.World().Create(Paint))
	tendon.Named(door, "door")
	l.steps(20)
	check(t, "the new one's", Paint.Get(door).Colour, 7)
	check(t, "which is", tendon.ID(door), tendon.ID(doors[0]))
	check(t, "nodes of the server", len(nodesOf(server)), 1)
}
