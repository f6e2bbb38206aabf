package ecs_test

// What happens to nodes in the steps and in the callbacks in which they begin and end.

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A node that loses RplNode in the step in which it was made, or in the step in which its
// OnStreamIn ran, is a node on no machine.
func TestNodeForLessThanAStep(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	strip := func(e *donburi.Entry) { donburi.Remove[components.NodeData](e, components.RplNode) }
	e := server.Create(Paint)
	id := tendon.ID(e)
	strip(e)
	Red.Remove(e)
	check(t, "of no group", *server.Counter("stale group"), 1)
	made := false
	server.OnStreamIn(Body, func(e *donburi.Entry) {
		if !made {
			made = true
			server.Create(Plan)
		}
	})
	server.Create(Body)
	l.steps(1)
	for e := range Plan.Iter(server.World()) {
		strip(server.World().Entry(e.Entity()))
	}
	l.steps(30)
	check(t, "the server has the first", server.has(id), false)
	check(t, "the client has the first", client.has(id), false)
	check(t, "the client has the second", client.count(Plan), 0)
	check(t, "what was stripped stays", server.count(Paint)+server.count(Plan), 2)
}

// The same holds for a node that loses RplNode in the OnStreamOut of another node: before
// its own OnStreamIn, or in the step after a callback made it.
func TestRplNodeRemovedByACallback(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	strip := func(e *donburi.Entry) { donburi.Remove[components.NodeData](e, components.RplNode) }
	var victim donburi.Entity
	server.OnStreamOut(components.Owner, func(*donburi.Entry, bool) {
		if w := server.World(); w.Valid(victim) {
			strip(w.Entry(victim))
		}
		victim = donburi.Null
	})
	first := server.Create(Paint)
	l.steps(5)
	victim = server.Create(Body).Entity()
	strip(first)
	l.steps(30)
	check(t, "the client has", client.count(Paint)+client.count(Body), 0)

	var two []donburi.Entity
	server.OnStreamIn(Body, func(e *donburi.Entry) {
		for range 2 {
			two = append(two, server.Create(Plan).Entity())
		}
	})
	server.Create(Body)
	l.steps(1)
	victim = two[0]
	strip(server.World().Entry(two[1]))
	l.steps(30)
	check(t, "the client has of the two", client.count(Plan), 0)
	check(t, "the server has of all", server.count(Paint)+server.count(Body)+server.count(Plan), 5)
}

// What listens for nodes of any kind hears of those that are none any more, on every machine.
func TestStreamOutOfAnyNode(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	heard := map[string]int{}
	for _, m := range []*machine{server, client} {
		m.OnStreamIn(components.RplNode, func(*donburi.Entry) { heard[m.name+" in"]++ })
		m.OnStreamOut(components.RplNode, func(*donburi.Entry, bool) { heard[m.name+" out"]++ })
	}
	l.joined()
	clear(heard)
	stripped, removed := server.Create(Paint), server.Create(Paint)
	l.steps(30)
	stripped.RemoveComponent(components.RplNode)
	removed.Remove()
	l.steps(60)
	for _, m := range []*machine{server, client} {
		check(t, m.name+" in", heard[m.name+" in"], 2)
		check(t, m.name+" out", heard[m.name+" out"], 2)
	}
}

// Nodes that callbacks make while a level ends go with that level.
func TestNodeMadeAsALevelEnds(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		m.OnWorld(func(donburi.World, string) {})
	}
	server.OnStreamOut(Paint, func(*donburi.Entry, bool) { server.Create(Body) })
	l.joined()
	for range 20 {
		server.Create(Paint)
	}
	l.steps(30)
	check(t, "the client has", client.count(Paint), 20)
	server.Load("next")
	l.steps(60)
	check(t, "the server has", server.count(Paint)+server.count(Body), 0)
	check(t, "the client has", client.count(Paint)+client.count(Body), 0)
	check(t, "nodes held", server.Core().PeerStats(client.Me()).Held, 1)
}

// A component that the server has removed from a prefab's node is missing, too, on
// clients that join later; if several entities of the node have the component, the right
// one lacks it.
func TestJoinersLackAPrefabsRemovedComponent(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	crate, tank := Crate.Spawn(server.World(), CrateArgs{Label: "c"}), Tank.Spawn(server.World(), tendon.None{})
	crateID, tankID := tendon.ID(crate), tendon.ID(tank)
	Body.Get(turretOf(tank)).Pos.X = 5
	donburi.Remove[PaintData](crate, Paint)
	donburi.Remove[BodyData](server.find(tankID), Body)
	l.steps(5)
	client := l.client(tendon.Config{})
	l.joined()
	check(t, "the crate has paint", client.find(crateID).HasComponent(Paint), false)
	check(t, "it has a body", client.find(crateID).HasComponent(Body), true)
	check(t, "the hull has a body", client.find(tankID).HasComponent(Body), false)
	check(t, "the turret is at", Body.Get(turretOf(client.find(tankID))).Pos.X, 5)
}

// A node that streams in again while it is still drawn has ended before, and OnStreamOut
// still knows its id.
func TestNodeArrivesAgainWhileLeaving(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	client.OnStreamIn(Paint, func(e *donburi.Entry) { client.say("in %v", tendon.ID(e)) })
	client.OnStreamOut(Paint, func(e *donburi.Entry, _ bool) { client.say("out %v", tendon.ID(e)) })
	e := server.Create(Paint)
	id, ent := tendon.ID(e), e.Entity()
	l.steps(20)
	want := fmt.Sprintf("in %v", id)
	for range 3 {
		components.RplNode.Get(server.World().Entry(ent)).Relevance = rpl.OwnerOnly
		l.steps(2)
		components.RplNode.Get(server.World().Entry(ent)).Relevance = rpl.Always
		l.steps(30)
		want += fmt.Sprintf(", out %v, in %v", id, id)
	}
	check(t, "it heard", strings.Join(client.said(), ", "), want)
	check(t, "entities", client.count(Paint), 1)
}

// OnStreamIn of a node that a callback makes and calls at once runs before the call.
func TestCallMadeInACallback(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	server.OnStreamIn(Paint, func(*donburi.Entry) { server.say("in") })
	boom := calls[rpl.Broadcast][rpl.Reliable]
	boom.Handle(server.Replication, func(tendon.Call, uint8) { server.say("call") })
	server.OnOwner(Body, func(*donburi.Entry, rpl.Peer) {
		if err := boom.Send(server.Create(Paint), 1); err != nil {
			t.Error(err)
		}
	})
	e := server.Create(Body)
	ent := e.Entity()
	l.steps(5)
	tendon.Give(server.World().Entry(ent), client.Me())
	l.steps(5)
	check(t, "the server heard", strings.Join(server.said(), ", "), "in, call")
}

// A node's relevance may be set when it is made and changed a step later, whether or not
// the server sends in these steps.
func TestNodeSeenAgainOneStepLater(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	for i := range 4 {
		e := server.Create(Paint)
		id, ent := tendon.ID(e), e.Entity()
		Red.Add(e)
		l.steps(1)
		components.RplNode.Get(server.World().Entry(ent)).Relevance = rpl.Near
		l.steps(30 + i%2)
		check(t, "the client has it", client.has(id), true)
		components.RplNode.Get(server.World().Entry(ent)).Relevance = rpl.OwnerOnly
		l.steps(30)
		check(t, "and not any more", client.has(id), false)
	}
}

// RplNode on a part has no effect, neither while it is there nor when it is removed. Only
// the RplNode of the node's own entity counts.
func TestRplNodeOnAPart(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	tank := Tank.Spawn(server.World(), tendon.None{})
	id, gun := tendon.ID(tank), turretOf(tank).Entity()
	components.RplNode.Get(tank).Relevance = rpl.OwnerOnly
	l.steps(20)
	e := server.World().Entry(gun)
	e.World.Remove(e.World.Create(append(slices.Clone(e.Archetype().ComponentTypes()), components.RplNode)...)) // see prime
	donburi.Add(e, components.RplNode, &components.NodeData{Relevance: rpl.Always})
	l.steps(20)
	check(t, "the client has it", client.has(id), false)
	tendon.Give(server.find(id), client.Me())
	l.steps(20)
	check(t, "its owner has it", client.has(id), true)
	donburi.Remove[components.NodeData](server.World().Entry(gun), components.RplNode)
	Ammo.Get(server.World().Entry(gun)).Left = 7
	l.steps(20)
	check(t, "it is a node", server.has(id) && client.has(id), true)
	check(t, "what its part has", Ammo.Get(turretOf(client.find(id))).Left, 7)
}

// An entity that its own OnStreamOut makes a node again is another node from then on, and
// its state is sent as that node's.
func TestNodeAgainAtItsEnd(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	again := true
	server.OnStreamOut(Paint, func(e *donburi.Entry, _ bool) {
		if again {
			donburi.Add(e, components.RplNode, &components.NodeData{})
		}
	})
	server.Create(Paint)
	e := server.Create(Paint)
	ent, first := e.Entity(), tendon.ID(e)
	here := func() *donburi.Entry { return server.World().Entry(ent) }
	l.steps(10)
	server.Create(components.Owner, Paint).Remove()
	donburi.Remove[components.NodeData](here(), components.RplNode)
	l.steps(10)
	second := tendon.ID(here())
	check(t, "another node", second != 0 && second != first, true)
	other := tendon.ID(server.Create(Paint))
	Paint.Get(here()).Name = "again"
	l.steps(20)
	check(t, "the client has the first", client.has(first), false)
	check(t, "the second's name", Paint.Get(client.find(second)).Name, "again")
	check(t, "another's name", Paint.Get(client.find(other)).Name, "")
}

// A load-time node that streams in again before render time has reached its stream out is
// drawn, also if render time leaps over both in a stall.
func TestNamedComesAgainInAStall(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		tendon.Named(m.World().Entry(m.World().Create(Paint)), "door")
	}
	l.joined()
	e, _ := Paint.First(server.World())
	id, ent := tendon.ID(e), e.Entity()
	components.RplNode.Get(e).Relevance = rpl.OwnerOnly
	l.until("the door is on its way out", func() bool { return !client.has(id) })
	components.RplNode.Get(server.World().Entry(ent)).Relevance = rpl.Always
	client.asleep = 60
	l.steps(61)
	check(t, "it is here", client.has(id), true)
	l.steps(60)
	check(t, "it is hidden", client.find(id).HasComponent(components.Hidden), false)
}
