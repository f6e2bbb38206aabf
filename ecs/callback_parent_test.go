package ecs_test

// OnParent: what is told of nodes that get another parent.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// hung logs the parents of nodes with paint, by their colours: 0 is none, and -1 a parent
// that is no entity here any more.
func (m *machine) hung() {
	colour := func(e donburi.Entity) int {
		switch {
		case e == donburi.Null:
			return 0
		case !m.World().Valid(e):
			return -1
		}
		return int(Paint.Get(m.World().Entry(e)).Colour)
	}
	m.OnStreamIn(Paint, func(e *donburi.Entry) { m.say("%d in", Paint.Get(e).Colour) })
	m.OnOwner(Paint, func(e *donburi.Entry, _ rpl.Peer) { m.say("%d of peer %d", Paint.Get(e).Colour, tendon.Owner(e)) })
	m.OnParent(Paint, func(e *donburi.Entry, old donburi.Entity) {
		now := donburi.Null
		if up := tendon.Parent(e); up != nil {
			now = up.Entity()
		}
		m.say("%d from %d to %d", Paint.Get(e).Colour, colour(old), colour(now))
	})
	m.OnStreamOut(Paint, func(e *donburi.Entry, _ bool) { m.say("%d out", Paint.Get(e).Colour) })
}

// OnParent runs on every machine that has the node for each change of its parent, and at
// stream in, between OnStreamIn and OnOwner.
func TestOnParent(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	for _, m := range l.machines {
		m.hung()
	}
	all := func(want string) {
		t.Helper()
		l.steps(20)
		for _, m := range l.machines {
			check(t, m.name+" heard", strings.Join(m.said(), ", "), want)
		}
	}
	ids := map[int]rpl.Node{}
	make := func(colour uint8) *donburi.Entry {
		e := server.Create(Paint)
		Paint.Get(e).Colour = colour
		ids[int(colour)] = tendon.ID(e)
		return e
	}
	attach := func(child, parent int) {
		t.Helper()
		var up *donburi.Entry
		if parent != 0 {
			up = server.find(ids[parent])
		}
		if err := tendon.Attach(server.find(ids[child]), up); err != nil {
			t.Error(err)
		}
	}
	make(2)
	make(3)
	all("2 in, 3 in")
	tendon.Give(make(4), client.Me()) // hung up in the step in which it is made
	attach(4, 2)
	all("4 in, 4 from 0 to 2, 4 of peer 2")
	attach(4, 3)
	all("4 from 2 to 3")
	attach(4, 3)
	attach(4, 0)
	attach(4, 3)
	all("") // the parents between two steps are not told, nor those before
	attach(4, 0)
	all("4 from 3 to 0")
	attach(4, 2)
	attach(3, 4)
	l.steps(20)
	for _, m := range l.machines {
		m.said()
	}

	// A machine that joins hears of parents as they are, from the top.
	late := l.client(tendon.Config{})
	late.hung()
	l.joined()
	check(t, "who is late heard", strings.Join(late.said(), ", "), "2 in, 4 in, 4 from 0 to 2, 4 of peer 2, 3 in, 3 from 0 to 4")

	// What hangs under a node that goes hangs under nothing.
	server.find(ids[4]).Remove()
	l.steps(30)
	for _, m := range l.machines {
		said := fmt.Sprint(m.said())
		for _, want := range []string{"3 from", "to 0", "4 out"} {
			if strings.Count(said, want) != 1 {
				t.Errorf("%s heard %v, in which %q is not once", m.name, said, want)
			}
		}
	}
	server.Load("")
	l.until("all are back", func() bool { return client.has(rpl.SessionNode) })
	l.steps(20)
	for _, m := range l.machines {
		check(t, m.name+" heard of the end", strings.Contains(fmt.Sprint(m.said()), "from"), false)
	}
}

// What a part is part of is no parent: OnParent is for nodes, and is given their entities.
func TestOnParentOfParts(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	for _, m := range l.machines {
		m.OnParent(Body, func(e *donburi.Entry, old donburi.Entity) {
			m.say("%v: %v", tendon.ID(e), tendon.ID(tendon.Parent(e)))
		})
		m.OnParent(Ammo, func(*donburi.Entry, donburi.Entity) { m.say("a turret") })
	}
	truck, tank := tendon.ID(server.Create(Body)), tendon.ID(Tank.Spawn(server.World(), tendon.None{}))
	l.steps(20)
	if err := tendon.Attach(server.find(tank), server.find(truck)); err != nil {
		t.Fatal(err)
	}
	l.steps(20)
	for _, m := range []*machine{server, client} {
		check(t, m.name, strings.Join(m.said(), ", "), fmt.Sprintf("%v: %v", tank, truck))
	}
}
