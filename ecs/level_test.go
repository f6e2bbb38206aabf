package ecs_test

// Levels: Load, OnWorld, and the worlds of sessions that begin and end.

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// campaign is a game of levels: each world gets a load-time door.
func (m *machine) campaign() {
	m.OnWorld(func(w donburi.World, name string) {
		m.say("world %q", name)
		if w != m.World() {
			m.say("not attached")
		}
		e := w.Entry(w.Create(Paint))
		Paint.Get(e).Name = "door of " + name
		tendon.Named(e, "door")
	})
	m.OnStart(func() {
		m.say("start")
		Crate.Spawn(m.World(), CrateArgs{Label: "crate"})
	})
	m.OnJoin(func(p rpl.Peer) { m.say("join %d", p) })
	m.OnLeave(func(p rpl.Peer) { m.say("leave %d", p) })
}

// Load swaps and fills the world on every machine without reconnecting. Nothing of the old
// level reaches the new one, whatever packets are still on their way.
func TestLevels(t *testing.T) {
	for name, c := range map[string]netsim.Conditions{
		"lan": lan,
		"bad": {Delay: 50 * time.Millisecond, Jitter: 200 * time.Millisecond, Loss: 0.1, Duplicate: 0.1},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c)
			server := l.machineIn(nil, "server", tendon.Config{})
			server.Host(l.listener)
			client := l.machineIn(nil, "client", tendon.Config{})
			client.joins = true
			client.Join(l.net.Dialer(l.listener))
			for _, m := range l.machines {
				m.campaign()
			}
			server.Load("beach")
			l.joined()
			l.steps(60)
			check(t, "server heard", strings.Join(server.said(), ", "), `world "beach", start, join 1, join 2`)
			check(t, "client heard", strings.Join(client.said(), ", "), `world "beach"`)
			l.until("the crate is there", func() bool { return client.count(Body) == 1 })

			donburi.Add(server.Session(), Body, &BodyData{local: 1})
			server.step = func() { // traffic up to the last moment
				for e := range Paint.Iter(server.World()) {
					Paint.Get(e).Colour++
				}
			}
			l.steps(60)
			first := client.World()
			old, kept := server.World(), Crate.Spawn(server.World(), CrateArgs{Label: "of the beach"})
			l.steps(1)
			server.Load("cave")
			l.until("the client is there", func() bool { return strings.Contains(strings.Join(client.log, ""), "cave") })
			l.steps(180)
			server.step = nil
			l.until("both are equal", func() bool {
				for e := range Paint.Iter(client.World()) {
					s, ok := server.Find(tendon.ID(e))
					if !ok || *Paint.Get(s) != *Paint.Get(e) {
						return false
					}
				}
				return true
			})
			check(t, "server heard", strings.Join(server.said(), ", "), `world "cave", start, join 1, join 2`)
			check(t, "client heard", strings.Join(client.said(), ", "), `world "cave"`)
			check(t, "the old world has a session", tendon.Of(old) == nil && tendon.Of(first) == nil, true)
			check(t, "what was in it", old.Valid(kept.Entity()), true)
			check(t, "is no node any more", tendon.ID(kept), 0)
			check(t, "nodes here", server.count(Body), 2) // the crate and the session
			check(t, "nodes there", client.count(Body), 2)
			if *server.Counter("packet refused")+*client.Counter("state differs")+*client.Counter("resync") > 0 {
				t.Error("packets of one level were read in the other")
			}
			check(t, "the session's state moved on", server.Session().HasComponent(Body), true)

			client.Close("that was all")
			l.steps(2)
			check(t, "alone, in a world of its own", strings.Join(client.said(), ", "), `world "", start, join 1`)
			check(t, "with what belongs there", client.count(Body), 1)
		})
	}
}

// Without OnWorld, a world that the game has made stays through Load, with its load-time
// nodes.
func TestLoadWithoutWorlds(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		tendon.Named(m.World().Entry(m.World().Create(Paint)), "door")
		m.OnStart(func() { m.Create(Body) })
	}
	l.joined()
	w := client.World()
	server.Load("round 2")
	l.steps(30)
	check(t, "the client's world", client.World() == w, true)
	check(t, "bodies", client.count(Body), 1)
	check(t, "doors", client.count(Paint), 1)
	for e := range Paint.Iter(w) {
		check(t, "the door's node", client.has(tendon.ID(e)) && server.has(tendon.ID(e)), true)
	}
}

// Joining ends the world of single player, and leaving begins a new one.
func TestJoinFromSinglePlayer(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Dedicated: true})
	server.OnStart(func() { server.Create(Body) })
	m := l.machine("player", tendon.Config{})
	m.tell()
	m.OnStart(func() { m.Create(Paint) })
	local := m.World().Create(Local)
	l.steps(3)
	check(t, "alone", strings.Join(m.said(), ", "), "start, join 1, in 1")
	m.Join(l.net.Dialer(l.listener))
	l.steps(60)
	check(t, "joined", m.Me(), 2)
	check(t, "its own node went", strings.Join(m.said(), ", "), "out 1 false")
	check(t, "paint", m.count(Paint), 0)
	check(t, "bodies", m.count(Body), 1)
	check(t, "a local entity stays", m.World().Valid(local), true)
	server.Close("closing time")
	l.steps(60)
	if m.ended == nil || !strings.Contains(m.ended.Error(), "closing time") {
		t.Errorf("ended with %v", m.ended)
	}
	check(t, "alone again", m.Alone(), true)
	check(t, "it heard", strings.Join(m.said(), ", "), "start, join 1, in 1")
	check(t, "bodies", m.count(Body), 0)
}

// The server sends state only after the peer has reported that its level is built: a peer
// that joins, or that is told of a new level, gets none before.
func TestStateWaitsForTheLevel(t *testing.T) {
	l := newLab(t, lan)
	spy := &spyListener{Listener: l.listener}
	server := l.machine("server", tendon.Config{})
	server.Host(spy)
	server.campaign()
	crates := func() { // a world with much state to send
		for e := range Paint.Iter(server.World()) {
			Paint.Get(e).Colour++
		}
	}
	server.step = crates
	client := l.client(tendon.Config{})
	client.campaign()
	asleep := func(what string) {
		t.Helper()
		machines := l.machines
		l.machines = machines[:1]
		l.steps(10) // packets on their way arrive
		spy.conns[0].datagrams = nil
		l.steps(60)
		check(t, what, len(spy.conns[0].datagrams), 0)
		l.machines = machines
	}
	l.until("the server knows of the client", func() bool { return len(spy.conns) == 1 })
	asleep("datagrams to who has not built the first level")
	l.joined()
	l.until("it has the crate", func() bool { return client.count(Body) == 1 })
	server.Load("cave")
	l.machines = l.machines[:1]
	l.steps(1) // the client is told of the level
	l.machines = append(l.machines, client)
	asleep("datagrams to who has not built the next level")
	l.until("it has the next crate", func() bool { return client.count(Body) == 1 && strings.Contains(strings.Join(client.log, ""), "cave") })
}

// All functions given to OnWorld fill a world, in that order. A world that New was given
// stays as the game has filled it, unless a level is loaded before it begins.
func TestWorldsFilledByMany(t *testing.T) {
	for _, first := range []string{"", "beach"} {
		m := newLab(t, lan).machine("alone", tendon.Config{})
		given := m.World()
		for i := range 2 {
			m.OnWorld(func(w donburi.World, name string) { m.say("%d fills %q: %v", i, name, w == given) })
		}
		want := ""
		if first != "" {
			m.Load(first)
			want = `0 fills "beach": true, 1 fills "beach": true`
		}
		m.Receive()
		check(t, "the first world", strings.Join(m.said(), ", "), want)
		m.Send()
		m.Load("cave")
		m.Receive()
		check(t, "the next", strings.Join(m.said(), ", "), `0 fills "cave": false, 1 fills "cave": false`)
	}
}

// A client whose game has stood still while the server loaded so many levels that their
// epochs came again is in the last one, with its state.
func TestManyLevelsMissed(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	in := ""
	server.OnWorld(func(donburi.World, string) {})
	client.OnWorld(func(_ donburi.World, name string) { in = name })
	l.joined()
	const levels = 288                                                               // with them, the client comes upon an epoch that is the last level's, too
	name := func(i int) string { return strings.Repeat(" ", 200) + strconv.Itoa(i) } // the client is not told of all at once
	client.asleep = levels * 2
	for i := range levels {
		server.Load(name(i))
		l.steps(2)
	}
	server.Create(Paint)
	l.steps(120)
	check(t, "the client is in", in, name(levels-1))
	check(t, "it has", client.count(Paint), 1)
}

// Levels may follow each other while packets overtake each other: nothing that was made in
// one of them arrives in another.
func TestLevelsInARow(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 30 * time.Millisecond, Jitter: 150 * time.Millisecond})
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	madeIn, level := map[rpl.Node]string{}, map[*machine]string{}
	for _, m := range l.machines {
		m.OnWorld(func(_ donburi.World, name string) { level[m] = name })
	}
	arrived := 0
	client.OnStreamIn(Paint, func(e *donburi.Entry) {
		arrived++
		if id := tendon.ID(e); madeIn[id] != level[client] {
			t.Errorf("%v of level %q arrives in %q", id, madeIn[id], level[client])
		}
	})
	server.step = func() { madeIn[tendon.ID(server.Create(Paint))] = level[server] }
	l.joined()
	for i := range 60 {
		server.Load(strconv.Itoa(i))
		l.steps(20 + i%7)
	}
	server.step = nil
	l.until("all of the last level are there", func() bool { return client.count(Paint) == server.count(Paint) })
	check(t, "nodes have arrived in most levels", arrived > 200, true)
	check(t, "resyncs", *client.Counter("resync"), 0)
	check(t, "packets refused by the server", *server.Counter("packet refused"), 0)
}

// After a level with a world of its own, the session's node on a client is a proxy as before,
// and on every machine it carries what it carried when the level ended, not what was taken
// from it in that step.
func TestSessionInTheNextLevel(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		m.OnWorld(func(donburi.World, string) {})
	}
	l.joined()
	donburi.Add(server.Session(), Paint, &PaintData{Colour: 4})
	donburi.Add(server.Session(), Foreign, &ForeignData{Value: 5})
	l.until("both are there", func() bool { return client.Session().HasComponent(Paint) && client.Session().HasComponent(Foreign) })
	server.Load("next")
	donburi.Remove[ForeignData](server.Session(), Foreign)
	world, changes := client.World(), 0
	tendon.OnChange(client.Replication, Paint, func(*donburi.Entry, PaintData) { changes++ })
	l.until("the next level is there", func() bool {
		if !client.Session().HasComponent(Paint) {
			t.Fatal("the client's session has lost its colour")
		}
		return client.World() != world
	})
	for range 30 {
		l.steps(1)
		check(t, "the client's session has its colour", client.Session().HasComponent(Paint), true)
	}
	check(t, "changes of it", changes, 0)
	for _, m := range l.machines {
		check(t, m.name+": its colour", Paint.Get(m.Session()).Colour, 4)
		check(t, m.name+": what was taken away", m.Session().HasComponent(Foreign), false)
		check(t, m.name+": it decides about the session's node", tendon.IsAuthority(m.Session()), m == server)
	}
}
