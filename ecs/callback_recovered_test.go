package ecs_test

// Panics in callbacks that the game recovers.

import (
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
)

// When a client's callback panics and the game recovers, callbacks that have run do not run
// again, and the others run.
func TestRecoveredOnClient(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	panics := 0
	Tell.Handle(client.Replication, func(_ tendon.Call, s string) {
		client.say("%s", s)
		if s == "two" && panics < 3 {
			panics++
			panic("a mistake of the game")
		}
	})
	client.OnStreamIn(Paint, func(e *donburi.Entry) { client.say("in") })
	l.joined()
	server.once(func() {
		server.Create(Paint)
		for _, s := range []string{"one", "two", "three"} {
			_ = Tell.Send(server.Session(), s)
		}
	})
	for range 60 {
		recovered(func() { l.steps(1) })
	}
	times := map[string]int{}
	for _, s := range client.said() {
		times[s]++
	}
	check(t, "OnStreamIn of one node ran", times["in"], 1)
	check(t, "a reliable call ran", times["one"], 1)
}

func recovered(fn func()) (what any) {
	defer func() { what = recover() }()
	fn()
	return nil
}

// When OnStreamOut panics and the game recovers, the node can be removed again, the next
// Receive loads the level, and a session can be joined.
func TestRecoveredStreamOut(t *testing.T) {
	l := newLab(t, lan)
	server, _ := l.server(tendon.Config{}), l.client(tendon.Config{})
	panics := 1
	out := func(*donburi.Entry, bool) {
		if panics > 0 {
			panics--
			panic("a mistake of the game")
		}
	}
	server.OnStreamOut(Paint, out)
	l.joined()
	ent := server.Create(Paint).Entity()
	l.steps(30)
	check(t, "the first", recovered(func() { server.World().Remove(ent) }), any("a mistake of the game"))
	check(t, "the second", recovered(func() { server.World().Remove(ent) }), nil)

	l = newLab(t, lan)
	server, _ = l.server(tendon.Config{}), l.client(tendon.Config{})
	worlds := 0
	panics = 1
	server.OnStreamOut(Paint, out)
	for _, m := range l.machines {
		m.OnWorld(func(donburi.World, string) { worlds++ })
	}
	l.joined()
	server.Create(Paint)
	l.steps(30)
	server.Load("next")
	for range 60 {
		recovered(func() { l.steps(1) })
	}
	check(t, "worlds of the next level", worlds, 2)

	l = newLab(t, lan)
	l.server(tendon.Config{})
	alone := l.machine("alone", tendon.Config{})
	panics = 1
	alone.OnStreamOut(Paint, out)
	l.steps(1)
	alone.Create(Paint)
	l.steps(2)
	alone.Join(l.net.Dialer(l.listener))
	for range 60 {
		recovered(func() { l.steps(1) })
	}
	check(t, "who joins is", alone.Mode(), tendon.Client)
}
