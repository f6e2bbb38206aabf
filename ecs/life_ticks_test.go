package ecs_test

// Sessions that have lasted long: joining one, and its last tick.

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// A session that reaches the last tick has logged a warning before, runs up to its last
// step, and ends: for the host with the reason and the remedy, for its peers as if the
// server had closed it. The host plays on alone and cannot host again.
func TestLastStep(t *testing.T) {
	l := newLab(t, lan)
	var said bytes.Buffer
	server := l.server(tendon.Config{Log: slog.New(slog.NewTextHandler(&said, nil))})
	const left = 400
	server.Age(rpl.MaxTick - left)
	client := l.client(tendon.Config{})
	var id rpl.Node
	server.OnStart(func() { id = tendon.ID(Crate.Spawn(server.World(), CrateArgs{Label: "a"})) })
	l.joined()
	for server.Tick() < rpl.MaxTick {
		if server.ended != nil || client.ended != nil {
			t.Fatalf("at tick %d: %v, %v", server.Tick(), server.ended, client.ended)
		}
		Body.Get(server.find(id)).Pos = gmath.Vec{X: float64(rpl.MaxTick - server.Tick()), Y: 3}
		l.steps(1)
	}
	if x := Body.Get(client.find(id)).Pos.X; x > 10 {
		t.Errorf("at the client it is at %v", x)
	}
	if !strings.Contains(said.String(), "the session is old") {
		t.Errorf("it was not said that the session is old: %s", said.String())
	}
	l.until("the session has ended", func() bool { return server.ended != nil && client.ended != nil })
	if !errors.Is(server.ended, rpl.ErrLimit) || !errors.Is(client.ended, transport.ErrClosed) {
		t.Errorf("the server is told %v, the client %v", server.ended, client.ended)
	}
	server.ended = nil
	l.steps(100)
	if server.ended != nil || !server.has(id) {
		t.Errorf("alone: %v, has %v: %t", server.ended, id, server.has(id))
	}
	client.Join(l.net.Dialer(l.listener))
	server.Host(l.net.Listener())
	l.until("hosting is refused", func() bool { return server.ended != nil })
	if !errors.Is(server.ended, rpl.ErrLimit) {
		t.Errorf("hosting again: %v", server.ended)
	}
}

// A client that joins an old session gets its nodes and its tick.
func TestJoiningAnOldSession(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	server.Age(rpl.MaxTick / 2)
	var id rpl.Node
	server.OnStart(func() { id = tendon.ID(Crate.Spawn(server.World(), CrateArgs{Label: "a"})) })
	client := l.client(tendon.Config{})
	l.joined()
	l.until("the node is there", func() bool { return client.has(id) })
	l.steps(60)
	if s, c := server.Tick(), client.Tick(); c+30 < s || c > s {
		t.Errorf("the server is in step %d, the client in %d", s, c)
	}
	client.Close("")
	l.steps(5)
	if client.Tick() > 10 {
		t.Errorf("alone, it is in step %d", client.Tick())
	}
}

// After the server's game has stood still for long, a client is in its step again, and
// draws between two states, within two seconds. It is not as long behind as the pause was.
func TestAfterAPause(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	id := tendon.ID(server.Create(Body))
	server.step = func() { Body.Get(server.find(id)).Pos.X++ }
	l.joined()
	server.asleep = 120 * 60
	l.steps(server.asleep + 2*60)
	for range 60 {
		l.steps(1)
		client.Frame()
		if s, c := server.Tick(), client.Tick(); c+6 < s || c > s {
			t.Fatalf("the server is in step %d, the client in %d", s, c)
		}
		if s, c := Body.Get(server.find(id)).Pos.X, tendon.View(client.find(id), Body).Pos.X; c+12 < s || c+3 > s {
			t.Fatalf("the server has it at %v, the client draws it at %v", s, c)
		}
	}
}

// A client that needs long to build its side of a level believes the first state of it,
// although its clock has stood still meanwhile.
func TestLongInBuilding(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	server.OnWorld(func(donburi.World, string) {})
	client.OnWorld(func(donburi.World, string) {
		client.asleep = 40 * 60
		l.steps(client.asleep)
	})
	l.joined()
	server.Load("next")
	l.steps(60)
	check(t, "packets refused", client.ProxyCounters().Refused, 0)
	check(t, "its steps behind the server", server.Tick()-client.Tick() <= 6, true)
}

// A single player who reaches the last tick is told so once, and plays on in it.
func TestLastStepAlone(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	ends := 0
	m.OnEnd(func(error) { ends++ })
	l.steps(2)
	m.Age(rpl.MaxTick - 2)
	id := tendon.ID(m.Create(Paint))
	l.steps(20)
	check(t, "its step", m.Tick(), rpl.MaxTick)
	check(t, "told", ends, 1)
	if !errors.Is(m.ended, rpl.ErrLimit) {
		t.Errorf("told %v", m.ended)
	}
	check(t, "its node", m.has(id), true)
}
