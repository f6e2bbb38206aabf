package ecs_test

// Panics in callbacks that the game recovers.

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
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

// Where OnLeave panics for each peer, all are told the reason all the same when a server closes, all
// have left, and it may host again. The caller of Close has the panic.
func TestRecoveredClose(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Dedicated: true})
	clients := []*machine{l.client(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})}
	l.joined()
	var left []rpl.Peer
	server.OnLeave(func(p rpl.Peer) {
		left = append(left, p)
		panic("a mistake of the game")
	})
	for p := range server.Peers() {
		tendon.Give(server.Create(Paint), p)
	}
	l.steps(10)
	check(t, "the caller has", recovered(func() { server.Close("the room has crashed") }), any("a mistake of the game"))
	check(t, "it is", server.Mode(), tendon.Dedicated)
	check(t, "peers", len(slices.Collect(server.Peers())), 0)
	check(t, "nodes of who has left", server.count(Paint), 0)
	check(t, "OnLeave ran for", len(left), len(clients))
	l.steps(30)
	for _, c := range clients {
		if err := c.ended; !errors.Is(err, transport.ErrClosed) || !strings.Contains(err.Error(), "the room has crashed") {
			t.Errorf("%s was told %v", c.name, err)
		}
	}
	again := l.net.Listener()
	server.Host(again)
	clients[0].Join(l.net.Dialer(again))
	l.until("one is in again", func() bool { return len(slices.Collect(server.Peers())) == 1 })
}

// Where a client's OnStreamOut panics when it leaves, the server is told all the same, and the next
// Receive ends what is left.
func TestRecoveredLeaving(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	server.tellPeers()
	id := tendon.ID(server.Create(Paint))
	l.until("it is there", func() bool { return client.has(id) })
	panics := 1
	client.OnStreamOut(Paint, func(*donburi.Entry, bool) {
		if panics > 0 {
			panics--
			panic("a mistake of the game")
		}
	})
	check(t, "the caller has", recovered(func() { client.Close("bye") }), any("a mistake of the game"))
	l.steps(30)
	server.heard("leave 2")
	check(t, "it is", client.Mode(), tendon.Single)
	if !errors.Is(client.ended, transport.ErrClosed) || !strings.Contains(client.ended.Error(), "bye") {
		t.Errorf("it was told %v", client.ended)
	}
	check(t, "nodes", client.count(Paint), 0)
}
