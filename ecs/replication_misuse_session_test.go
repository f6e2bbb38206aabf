package ecs_test

// Mistakes of a game with names, with parts and with the session's node.

import (
	"errors"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// The session's node is in no hierarchy, has no owner, and cannot be removed.
func TestSessionNodeMisuse(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	car := server.Create(Paint)
	id := tendon.ID(car)
	if err := tendon.Attach(car, server.Session()); !errors.Is(err, tendon.ErrNotAllowed) {
		t.Errorf("a node under the session: %v", err)
	}
	if err := tendon.Attach(server.Session(), car); !errors.Is(err, tendon.ErrNotAllowed) {
		t.Errorf("the session under a node: %v", err)
	}
	tendon.Give(server.Session(), client.Me())
	check(t, "its owner", tendon.Owner(server.Session()), rpl.Peer(0))
	check(t, "counted", *server.Counter("stale give"), 1)
	Red.Add(server.Session())
	check(t, "counted", *server.Counter("stale group"), 1)
	for _, m := range l.machines {
		refused(t, "session's own entity", m.Session().Remove)
		check(t, m.name+" has it still", m.Session().Valid(), true)
	}
	Paint.Get(server.find(id)).Colour = 9
	l.steps(10)
	check(t, "it goes on", Paint.Get(client.find(id)).Colour, 9)
	server.Load("next") // the entity goes with the old level
	l.steps(30)
	check(t, "in the next level", client.has(rpl.SessionNode), true)
}

// Named refuses a name that is too long for the wire.
func TestNameTooLong(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	longest := strings.Repeat("x", 64)
	for _, m := range l.machines {
		w := m.World()
		refused(t, "65 bytes", func() { tendon.Named(w.Entry(w.Create(Paint)), longest+"x") })
		tendon.Named(w.Entry(w.Create(Body)), longest)
	}
	l.joined()
	l.steps(20)
	e, ok := Body.First(server.World())
	check(t, "the longest is a node", ok && client.has(tendon.ID(e)), true)
}

// What is called for the entry of a removed entity says so, and leaves nothing behind: the
// name is free, and no other entity has become a node or a part in its place.
func TestRemovedEntity(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	w := server.World()
	var others []donburi.Entity
	for range 4 {
		others = append(others, w.Create(Local))
	}
	node := server.Create(Paint)
	id := tendon.ID(node)
	gone := w.Entry(w.Create(Local))
	for _, misuse := range []func(){
		func() { tendon.Named(gone, "door") },
		func() { Crate.Adopt(gone, CrateArgs{}) },
		func() { tendon.Part(node, gone) },
		func() { tendon.Part(gone, w.Entry(others[1])) },
	} {
		gone = w.Entry(w.Create(Local))
		gone.Remove()
		refused(t, "an entity that has been removed", misuse)
		l.steps(5)
	}
	for _, e := range others {
		check(t, "components of a bystander", len(w.Entry(e).Archetype().ComponentTypes()), 1)
	}
	tendon.Named(w.Entry(others[0]), "door")
	Paint.Get(server.find(id)).Colour = 9
	l.steps(20)
	check(t, "it goes on", Paint.Get(client.find(id)).Colour, 9)
}

// A prefab's function runs on every machine, wherever its node comes: a name in it would
// be taken the second time.
func TestNamedInsideAPrefabsFunction(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	Crate.Build(m.Replication, func(w donburi.World, a CrateArgs) *donburi.Entry {
		e := w.Entry(w.Create(Paint))
		tendon.Named(e, "lid")
		return e
	})
	refused(t, `Named("lid") is called inside the function of prefab crate`, func() { Crate.Spawn(m.World(), CrateArgs{}) })
}

// A prefab's function that returns what is a node already is refused, on every machine.
// Else the end of one of the two nodes would take the other away.
func TestPrefabReturnsANode(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	id, tank := tendon.ID(server.Create(Paint)), tendon.ID(Tank.Spawn(server.World(), tendon.None{}))
	l.steps(10)
	for _, m := range []*machine{client, server} {
		for name, other := range map[string]func() *donburi.Entry{
			"a node":             func() *donburi.Entry { return m.find(id) },
			"a part":             func() *donburi.Entry { return turretOf(m.find(tank)) },
			"the session's node": m.Session,
		} {
			Crate.Build(m.Replication, func(donburi.World, CrateArgs) *donburi.Entry { return other() })
			if m == server {
				refused(t, "is a node already", func() { Crate.Spawn(m.World(), CrateArgs{}) })
				continue
			}
			crate := tendon.ID(Crate.Spawn(server.World(), CrateArgs{}))
			l.steps(20)
			server.find(crate).Remove()
			l.steps(60)
			check(t, name+": the client has the node, and the tank", client.has(id) && client.has(tank), true)
		}
		check(t, m.name+": refused", *m.Counter("prefab refused"), map[*machine]uint64{client: 3}[m])
	}
	Paint.Get(server.find(id)).Colour = 9
	l.steps(10)
	check(t, "it goes on", Paint.Get(client.find(id)).Colour, 9)
}

// A part follows its node: it cannot be a child by itself.
func TestPartIsNoChild(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	tank, crate := Tank.Spawn(m.World(), tendon.None{}), m.Create(Paint)
	if err := tendon.Attach(turretOf(tank), crate); !errors.Is(err, tendon.ErrNoNode) {
		t.Errorf("a part under a node: %v", err)
	}
	check(t, "its tank's parent", tendon.Parent(tank) == nil, true)
	if err := tendon.Attach(crate, turretOf(tank)); err != nil {
		t.Errorf("a node under a part: %v", err)
	}
	check(t, "stands for its node", tendon.Parent(crate).Entity(), tank.Entity())
}
