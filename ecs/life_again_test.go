package ecs_test

// What begins again: load-time nodes in a world that stays, an entity that is made a node
// once more, the session's components. Also OnChange, which must report the same however a
// component begins.

import (
	"fmt"
	"slices"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// While the world stays, a load-time node keeps its parent and its groups into the next
// session, but not its owner, who joins anew. The components say so.
func TestLoadTimeNodesBeginAgain(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Debug: true})
	w := server.World()
	gate, lamp := w.Create(Paint), w.Create(Paint)
	tendon.Named(w.Entry(gate), "gate")
	tendon.Named(w.Entry(lamp), "lamp")
	if err := tendon.Attach(w.Entry(lamp), w.Entry(gate)); err != nil {
		t.Fatal(err)
	}
	Red.Add(w.Entry(lamp))
	tendon.Give(w.Entry(gate), 1)
	owned := w.Entry(w.Create(components.RplNode, Paint)).Entity()
	inGroup := func() bool { return slices.Contains(server.Core().Holders(tendon.ID(w.Entry(lamp)), nil), 2) }
	client := l.client(tendon.Config{})
	cw := client.World()
	theirs := map[string]donburi.Entity{"gate": cw.Create(Paint), "lamp": cw.Create(Paint)}
	for _, name := range []string{"gate", "lamp"} {
		tendon.Named(cw.Entry(theirs[name]), name)
	}
	server.OnJoin(func(p rpl.Peer) { Red.Put(server.Replication, p, true) })
	l.joined()
	check(t, "who is in the group has it", inGroup(), true)
	tendon.Give(w.Entry(owned), 1)
	w.Entry(owned).RemoveComponent(components.RplNode)
	l.steps(2)
	server.Load("two")
	l.steps(5)
	w.Entry(owned).AddComponent(components.RplNode)
	l.steps(60)
	check(t, "the gate's owner", tendon.Owner(w.Entry(gate)), 0)
	check(t, "and as a component", components.Owner.Get(w.Entry(gate)).Peer, 0)
	check(t, "that of what was a node before", components.Owner.Get(w.Entry(owned)).Peer, 0)
	check(t, "the lamp's parent", components.Parent.Get(w.Entry(lamp)).Entity, gate)
	check(t, "on the client", tendon.Parent(cw.Entry(theirs["lamp"])).Entity(), theirs["gate"])
	check(t, "who is in the group has it again", inGroup(), true)
	check(t, "said to be written by hand", *server.Counter("owner written")+*server.Counter("parent written"), 0)

	server.Join(l.net.Dialer(l.net.Listener()))
	l.steps(700) // nobody answers
	check(t, "alone again", server.Mode(), tendon.Single)
	check(t, "the lamp's parent, alone again", components.Parent.Get(w.Entry(lamp)).Entity, gate)
}

// Changes that callbacks make to a load-time node's groups while a level ends hold in the
// next level.
func TestGroupsChangeAsALevelEnds(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	client := l.client(tendon.Config{})
	doors := map[string]donburi.Entity{}
	for _, m := range []*machine{server, client} {
		for _, name := range []string{"gate", "lamp"} {
			e := m.World().Create(Paint)
			tendon.Named(m.World().Entry(e), name)
			if m == server {
				doors[name] = e
			}
		}
	}
	l.joined()
	has := func() bool {
		return slices.Contains(server.Core().Holders(tendon.ID(server.World().Entry(doors["lamp"])), nil), client.Me())
	}
	check(t, "everyone has the lamp", has(), true)
	server.OnStreamOut(Paint, func(e *donburi.Entry, _ bool) {
		if e.Entity() == doors["gate"] {
			Red.Add(server.World().Entry(doors["lamp"]))
		}
	})
	server.Load("two")
	l.steps(60)
	check(t, "who is not in its group has it", has(), false)
	Red.Put(server.Replication, client.Me(), true)
	l.steps(20)
	check(t, "who is in its group has it", has(), true)
}

// The session's components of single player do not appear in a session that is joined. Back
// in single player they replace the components of the joined session.
func TestSessionsComponentsWait(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	server.OnStart(func() { donburi.Add(server.Session(), Foreign, &ForeignData{Value: 5}) })
	client := l.machine("client", tendon.Config{})
	client.Session().AddComponent(Paint)
	Paint.Get(client.Session()).Colour = 9
	l.steps(3)
	for range 2 {
		client.Join(l.net.Dialer(l.listener))
		l.steps(1)
		check(t, "while it joins", client.Session().HasComponent(Paint), false)
		l.until("it has joined", func() bool { return client.Session().HasComponent(Foreign) })
		check(t, "the server's", Foreign.Get(client.Session()).Value, 5)
		check(t, "its own", client.Session().HasComponent(Paint), false)
		client.Close("")
		l.steps(2)
		check(t, "the server's, alone", client.Session().HasComponent(Foreign), false)
		check(t, "its own, alone", Paint.Get(client.Session()).Colour, 9)
	}
}

// The parts of a part belong to the node, in whichever order the prefab's function calls
// Part.
func TestPartsOfParts(t *testing.T) {
	p := tendon.NewProtocol("parts of parts")
	hull, barrel := tendon.Replicate(p, "hull", donburi.NewComponentType[LazyData]()), tendon.Replicate(p, "barrel", donburi.NewComponentType[PaintData]())
	var made []*donburi.Entry
	gun := tendon.NewPrefab(p, "gun", func(w donburi.World, inner uint8) *donburi.Entry {
		a, b, c := w.Entry(w.Create(hull)), w.Entry(w.Create(Local)), w.Entry(w.Create(barrel))
		pairs := [][2]*donburi.Entry{{a, b}, {b, c}}
		if inner == 1 {
			slices.Reverse(pairs)
		}
		for _, pair := range pairs {
			tendon.Part(pair[0], pair[1])
		}
		refused(t, "part of itself", func() { tendon.Part(c, a) })
		refused(t, "part of itself", func() { tendon.Part(b, b) })
		made = append(made, c)
		return a
	})
	l := newLab(t, lan)
	server, client := l.play(p, "server", tendon.Config{}), l.play(p, "client", tendon.Config{})
	server.Host(l.listener)
	client.joins = true
	client.Join(l.net.Dialer(l.listener))
	l.joined()
	for inner := range uint8(2) {
		made = nil
		gun.Spawn(server.World(), inner)
		barrel.Get(made[0]).Colour = 7
		l.steps(20)
		check(t, "the barrel's colour", barrel.Get(made[1]).Colour, 7)
		check(t, "the client decides about it", tendon.IsAuthority(made[1]), false)
	}
}

// OnChange reports the same on the authority and on proxies about a component that begins
// with its node, however the node is made, or after it.
func TestOnChangeWhereComponentsBegin(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		tendon.OnChange(m.Replication, Paint, func(e *donburi.Entry, old PaintData) {
			m.say("%d, was %d", Paint.Get(e).Colour, old.Colour)
		})
	}
	l.joined()
	w := server.World()
	later := server.Create(Lazy).Entity()
	for what, make := range map[string]func(){
		"by Create":       func() { Paint.Get(server.Create(Paint)).Colour = 0 },
		"by RplNode":      func() { Paint.Get(w.Entry(w.Create(components.RplNode, Paint))).Colour = 0 },
		"by Spawn":        func() { Paint.Get(Crate.Spawn(w, CrateArgs{})).Colour = 0 },
		"added to a node": func() { donburi.Add(w.Entry(later), Paint, &PaintData{Colour: 0}) },
		"as it begins":    func() { w.Create(components.RplNode, Paint) },
	} {
		make()
		l.steps(20)
		there := fmt.Sprint(client.said())
		check(t, what+", on the server", fmt.Sprint(server.said()), there)
		if want := "[0, was 1]"; what[:2] == "by" && there != want {
			t.Errorf("%s: %s, not %s", what, there, want)
		}
	}
}

// A load-time node keeps its groups through any number of levels in a world that stays.
func TestGroupsLastThroughLevels(t *testing.T) {
	l := newLab(t, lan)
	server, ann, bob := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		m.doors("gate")
	}
	gate, _ := Paint.First(server.World())
	Red.Add(gate)
	server.OnJoin(func(p rpl.Peer) { Red.Put(server.Replication, p, p == ann.Me()) })
	l.joined()
	for i := range 4 {
		l.until(fmt.Sprintf("ann has the gate of level %d", i), func() bool { return ann.standing() == "gate" })
		l.steps(20)
		check(t, "bob's", bob.standing(), "(gate)")
		server.Load(fmt.Sprint(i))
		l.steps(1)
	}
}
