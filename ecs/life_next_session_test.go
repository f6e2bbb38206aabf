package ecs_test

// Nothing of one session is left in the next but what is meant to stay.

import (
	"fmt"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Load-time nodes of the world that a client has left are not in the world that it begins
// anew: a client that joins it then has each door once, and sees it change.
func TestLoadTimeNodesOfTheWorldBefore(t *testing.T) {
	l := newLab(t, lan)
	doors := func(m *machine) *machine {
		m.OnWorld(func(w donburi.World, name string) {
			door := w.Entry(w.Create(Paint))
			Paint.Get(door).Name = name
			tendon.Named(door, "door")
		})
		return m
	}
	server, host := doors(l.machineIn(nil, "server", tendon.Config{})), doors(l.machineIn(nil, "host", tendon.Config{}))
	server.Host(l.listener)
	host.Join(l.net.Dialer(l.listener))
	l.until("the host has joined", func() bool { return host.Me() == 2 })
	l.steps(20)
	server.Close("enough")
	l.until("the host is alone", host.Alone)
	l.steps(5)
	check(t, "nodes of the host", len(nodesOf(host)), 1)

	listener := l.net.Listener()
	host.Host(listener)
	guest := doors(l.machineIn(nil, "guest", tendon.Config{}))
	guest.Join(l.net.Dialer(listener))
	l.until("the guest has a door", func() bool { return len(nodesOf(guest)) > 0 })
	l.steps(20)
	e, _ := Paint.First(host.World())
	Paint.Get(e).Name = "open"
	l.steps(20)
	e, _ = Paint.First(guest.World())
	check(t, "the guest's door", Paint.Get(e).Name, "open")
	check(t, "which is", tendon.ID(e), tendon.ID(nodesOf(host)[0]))
	check(t, "nodes that the host holds for it", host.Core().PeerStats(guest.Me()).Held, 2)
}

// Nodes that callbacks make while a world ends go with it, also entities that are no node
// yet.
func TestMadeWhileAllEnds(t *testing.T) {
	l := newLab(t, lan)
	l.server(tendon.Config{})
	client := l.machine("client", tendon.Config{})
	made := 0
	client.OnStreamOut(Paint, func(*donburi.Entry, bool) {
		made++
		w := client.World()
		w.Create(components.RplNode, Body)
		w.Create(Lazy) // a local entity stays
	})
	client.Create(Paint)
	l.steps(5)
	client.joins = true
	client.Join(l.net.Dialer(l.listener))
	l.joined()
	check(t, "callbacks", made, 1)
	check(t, "bodies", client.count(Body), 0)
	check(t, "lazies", client.count(Lazy), 1)
	check(t, "nodes", len(nodesOf(client)), 0)
}

// In a session that a machine joins, the session's node has the server's components, not
// those that this machine had before.
func TestSessionOfTheServer(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	with := true
	server.OnStart(func() { carry(server.Session(), Plan, with, PlanData{Raised: true}) })
	client := l.machine("client", tendon.Config{})
	client.OnStart(func() { carry(client.Session(), Paint, true, PaintData{Name: "alone"}) })
	l.steps(10)
	client.Join(l.net.Dialer(l.listener))
	client.joins = true
	l.joined()
	check(t, "it has paint", client.Session().HasComponent(Paint), false)
	check(t, "it has a plan", client.Session().HasComponent(Plan), true)
	with = false
	server.Load("")
	l.steps(30)
	check(t, "it has a plan in the next level", client.Session().HasComponent(Plan), false)
	server.Close("enough")
	l.until("it is alone", client.Alone)
	l.steps(5)
	check(t, "what it has alone", Paint.Get(client.Session()).Name, "alone")
}

// A session that is closed outside of Receive and Send ends once, and OnStreamOut runs once
// for each node, whatever callbacks ask for.
func TestCloseInsideAClose(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	for range 3 {
		server.Create(Paint)
	}
	l.steps(20)
	outs, ends, left := 0, 0, 0
	client.OnStreamOut(Paint, func(*donburi.Entry, bool) {
		outs++
		client.Close("once more")
	})
	client.OnEnd(func(error) {
		ends++
		client.Close("and once more")
	})
	client.Close("enough")
	check(t, "nodes that went", outs, 3)
	check(t, "ends", ends, 1)
	check(t, "it is alone", client.Alone(), true)

	other := l.client(tendon.Config{})
	l.until("another has joined", func() bool { return other.Me() == 3 })
	l.steps(10)
	server.OnStreamOut(Paint, func(*donburi.Entry, bool) { server.Close("once more") })
	server.OnLeave(func(rpl.Peer) {
		left++
		server.Close("once more")
	})
	server.Close("enough")
	check(t, "who left", left, 1)
	l.steps(10)
}

// When a level begins in a world that stays, its load-time nodes are new nodes, and their
// state is sent from then on.
func TestDoorsOfTheSameWorld(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.machine("server", tendon.Config{}), l.machine("client", tendon.Config{})
	for _, m := range l.machines {
		for _, name := range []string{"a", "b"} {
			tendon.Named(m.World().Entry(m.World().Create(Paint, Body)), name)
		}
	}
	server.Host(l.listener)
	client.Join(l.net.Dialer(l.listener))
	client.joins = true
	l.joined()
	for i := range 3 {
		server.Load("again")
		l.steps(1)
		for e := range Paint.Iter(server.World()) {
			Paint.Get(e).Name = fmt.Sprint(e.Entity().Id(), " in ", i)
		}
		l.steps(40)
		for _, e := range nodesOf(server) {
			check(t, "the client's door", Paint.Get(client.find(tendon.ID(e))).Name, Paint.Get(e).Name)
		}
		check(t, "doors", len(nodesOf(client)), 2)
	}
}

// The world that New was given stays on every machine when its level, which has no name,
// begins again. A level with a name gets a new world, and so does the nameless level
// after it.
func TestFirstLevelAgain(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		tendon.Named(m.World().Entry(m.World().Create(Paint)), "gate")
		m.OnWorld(func(w donburi.World, name string) { tendon.Named(w.Entry(w.Create(Body)), "door") })
	}
	l.joined()
	for _, c := range []struct {
		level        string
		gates, doors int
	}{{"", 1, 0}, {"cave", 0, 1}, {"", 0, 1}} {
		server.Load(c.level)
		l.steps(60)
		for _, m := range l.machines {
			check(t, m.name+"'s gates", m.count(Paint), c.gates)
			check(t, m.name+"'s doors", m.count(Body), c.doors)
			check(t, m.name+"'s nodes", len(nodesOf(m)), 1)
		}
	}
	check(t, "names that differ", *client.Counter("names differ"), 0)
}

// A client may have taken everything away from a load-time node that the server destroyed. It is a
// node again in the next session.
func TestLoadTimeNodeStrippedAndDestroyed(t *testing.T) {
	l := newLab(t, lan)
	w := donburi.NewWorld()
	server := l.server(tendon.Config{})
	client := l.machineIn(w, "client", tendon.Config{})
	door, here := server.World().Entry(server.World().Create(Paint)), w.Entry(w.Create(Paint))
	tendon.Named(door, "door")
	tendon.Named(here, "door")
	client.joins = true
	client.Join(l.net.Dialer(l.listener))
	l.joined()
	for _, c := range []donburi.IComponentType{Paint, components.RplNode} {
		here.RemoveComponent(c)
	}
	door.Remove()
	l.steps(60)
	client.Close("enough")
	l.steps(10)
	check(t, "nodes", len(nodesOf(client)), 1)
}
