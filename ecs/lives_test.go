package ecs_test

// What happens to nodes in the steps, and in the callbacks, in which they come and go.

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

// A node that loses RplNode in the step in which it was made, or that in which it was
// told of, is none anywhere.
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

// So is one that loses RplNode in the OnStreamOut of another: before it was told of, and
// in the step after that in which a callback made it.
func TestStrippedByACallback(t *testing.T) {
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

// What callbacks make while a level ends, goes with it.
func TestMadeAtALevelsEnd(t *testing.T) {
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

// What the server has taken from a prefab's node is not there either for who comes
// later, and of several alike the right one is not.
func TestTakenFromAPrefab(t *testing.T) {
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

// A node that comes again while it is still drawn going has ended before; its end
// says of whom it is.
func TestComesAgainWhileItGoes(t *testing.T) {
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

// A node that a callback makes and calls at once is told of before the call runs.
func TestCalledInACallback(t *testing.T) {
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

// Who sees a node is said when it is made, and unsaid a step later, whether or not
// anything is sent in either.
func TestSeenAgainAStepLater(t *testing.T) {
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

// A part's RplNode says nothing, neither while it is there nor when it goes: how a node is
// streamed, and that it is one, its own entity says.
func TestRplNodeOnAPart(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	tank := Tank.Spawn(server.World(), tendon.None{})
	id, gun := tendon.ID(tank), turretOf(tank).Entity()
	components.RplNode.Get(tank).Relevance = rpl.OwnerOnly
	l.steps(20)
	e := server.World().Entry(gun)
	e.World.Remove(e.World.Create(append(slices.Clone(e.Archetype().ComponentTypes()), components.RplNode)...)) // which donburi needs
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

// What its own OnStreamOut makes a node again is another node from then on: what it has is
// told as that one's.
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

// A load-time node that comes into sight again before it is seen to have gone is drawn,
// also where a stall has the time that is drawn leap over both.
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
