package ecs_test

// Debug mode: the mistakes that it finds, and what it must not report.

import (
	"bytes"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Debug mode finds state that the game writes past the library, on the authority and on
// proxies, names it, and mends what it can.
func TestDebug(t *testing.T) {
	l := newLab(t, lan)
	var log bytes.Buffer
	c := tendon.Config{Debug: true, Log: slog.New(slog.NewTextHandler(&log, nil))}
	server, client := l.server(c), l.client(c)
	l.joined()
	car, driver := server.Create(Body, Lazy), server.Create(Paint, Link)
	carID, driverID := tendon.ID(car), tendon.ID(driver)
	if err := tendon.Attach(driver, car); err != nil {
		t.Fatal(err)
	}
	server.step = func() { Body.Get(server.find(carID)).Pos.X++ }
	l.steps(30)
	counts := func(m *machine) (s string) {
		for _, name := range []string{"missed bump", "wasted bump", "proxy written", "owner written", "parent written"} {
			s += string(rune('0' + *m.Counter(name)))
		}
		return s
	}
	check(t, "a good server", counts(server), "00000")
	check(t, "a good client", counts(client), "00000")

	Lazy.Get(server.find(carID)).N = 5
	l.steps(10)
	check(t, "the client has", Lazy.Get(client.find(carID)).N, 0)
	check(t, "a missed bump", counts(server), "10000")
	tendon.Bump(server.find(carID), Lazy)
	l.steps(10)
	check(t, "the client has", Lazy.Get(client.find(carID)).N, 5)
	tendon.Bump(server.find(carID), Lazy)
	l.steps(10)
	check(t, "a wasted bump", counts(server), "11000")
	Lazy.Get(server.find(carID)).N = 6
	tendon.Bump(server.find(carID), Lazy)
	tendon.Bump(server.find(carID), Lazy)
	l.steps(10)
	check(t, "bumped twice in a step", counts(server), "11000")

	for i, m := range l.machines {
		components.Owner.SetValue(m.find(carID), components.OwnerData{Peer: 2})
		components.Parent.SetValue(m.find(driverID), components.ParentData{})
		l.steps(1)
		check(t, m.name+", written by hand", counts(m)[3:], "11")
		check(t, "the owner", components.Owner.Get(m.find(carID)).Peer, rpl.Peer(0))
		check(t, "the parent", components.Parent.Get(m.find(driverID)).Entity, m.find(carID).Entity())
		check(t, "who owns it", tendon.Owner(m.find(carID)), rpl.Peer(0))
		check(t, "the other", counts(l.machines[1-i])[3:], strings.Repeat(string(rune('0'+i)), 2))
	}

	client.step = func() { // a rule that forgets to ask for the role
		Paint.Get(client.find(driverID)).Name = "mine"
		client.step = nil
	}
	l.steps(3)
	check(t, "a proxy written", counts(client), "00111")
	client.step = func() { Body.Get(client.find(carID)).local++ } // a field without a tag
	l.steps(3)
	check(t, "a local field of a proxy", counts(client), "00111")
	client.step = nil
	for range 4 { // drawn in place between steps
		client.Frame()
		l.steps(1)
	}
	check(t, "drawing", counts(client), "00111")
	for _, want := range []string{"lazy.N", "paint.Name", "tendon.Bump", "tendon.Give", "tendon.Attach", "tendon.IsAuthority"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is not in the log:\n%s", want, log.String())
		}
	}
	check(t, "lines of a missed bump", strings.Count(log.String(), `msg="missed bump"`), 1)
}

// Debug mode does not report what a game may do: explicit components that are added and
// removed, references that resolve late, stand-ins.
func TestDebugIsSilent(t *testing.T) {
	l := newLab(t, lan)
	c := tendon.Config{Debug: true}
	server, client := l.server(c), l.client(c)
	l.joined()
	w := server.World()
	one, two := server.Create(Link, Paint), Opener.Spawn(w, tendon.None{})
	ids := []rpl.Node{tendon.ID(one), tendon.ID(two)}
	Link.Get(one).Target = two.Entity()
	l.steps(5)
	donburi.Add(server.find(ids[0]), Lazy, &LazyData{N: 3})
	Opaque.Get(server.find(ids[1])).x = 5
	donburi.Add(server.find(ids[1]), Body, &BodyData{Pos: gmath.Vec{X: 1}})
	l.steps(10)
	check(t, "the added component", Lazy.Get(client.find(ids[0])).N, 3)
	server.OnStreamIn(Plan, func(*donburi.Entry) { // it runs after this step's extraction
		e := server.find(ids[0])
		Lazy.Get(e).N = 4
		tendon.Bump(e, Lazy)
	})
	server.Create(Plan)
	l.steps(10)
	check(t, "what a callback has bumped", Lazy.Get(client.find(ids[0])).N, 4)
	donburi.Remove[LazyData](server.find(ids[0]), Lazy)
	server.find(ids[1]).Remove()
	l.steps(60)
	check(t, "the reference", Link.Get(client.find(ids[0])).Target, donburi.Null)
	for _, m := range l.machines {
		for name, n := range m.Counters() {
			if n > 0 && (strings.Contains(name, "bump") || strings.Contains(name, "written")) {
				t.Errorf("%s: %d × %s", m.name, n, name)
			}
		}
	}
}

// Debug mode logs each kind of mistake once, however many entities have it, and keeps
// nothing of those entities.
func TestDebugLogsEachMistakeOnce(t *testing.T) {
	l := newLab(t, lan)
	var log journal
	server := l.server(tendon.Config{Debug: true, Log: log.logger()})
	l.joined()
	log.lines()
	server.step = func() {
		for _, cs := range [][]donburi.IComponentType{{Body}, {Body, Paint}, {Local}} {
			e := server.World().Entry(server.World().Create(append(cs, components.RplNode)...))
			tendon.Give(e, server.Me()) // it is a node from this step's Send on
			e.Remove()
			tendon.Give(e, server.Me())
			Red.Add(e)
			Red.Put(server.Replication, 77, true)
			e = server.Create(cs...)
			components.Owner.SetValue(e, components.OwnerData{Peer: 9})
			components.Parent.SetValue(e, components.ParentData{Entity: e.Entity()})
		}
	}
	l.steps(20)
	wants := []string{
		`"stale give" what="an entity of body"`, `"stale give" what="a node of what has gone"`,
		`"stale group" what="group red, a node of what has gone"`, `"stale group" what="group red, a peer"`,
		`"stale give" what="an entity of body, paint"`, `"stale give" what="an entity of nothing replicated"`,
		`"owner written" what="a node of body"`, `"parent written" what="a node of body"`,
		`"owner written" what="a node of body, paint"`, `"parent written" what="a node of body, paint"`,
		`"owner written" what="a node of nothing replicated"`, `"parent written" what="a node of nothing replicated"`,
	}
	for i := range wants {
		wants[i] = "msg=" + wants[i]
	}
	log.wants(t, "server", wants...)
	check(t, "counted", *server.Counter("stale give"), 120)

	for i := range 2 * tendon.MaxReported {
		server.Scold("a game that names things without end", strconv.Itoa(i))
	}
	if n := len(log.lines()); n != tendon.MaxReported-len(wants) {
		t.Errorf("%d lines of mistakes without end", n)
	}
}
