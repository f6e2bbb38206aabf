package ecs_test

// Close in callbacks, Close before the session has begun, and Close in Run.

import (
	"errors"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// Callbacks that run during Close may call Close again: nothing is closed twice.
func TestCloseInItsCallbacks(t *testing.T) {
	l := newLab(t, lan)
	server, first := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.client(tendon.Config{})
	l.joined()
	ends, outs, leaves := 0, 0, 0
	once := func(m *machine, n *int) {
		if *n++; *n > 2 {
			t.Fatal("again and again")
		}
		m.Close("the game is over")
	}
	first.OnStreamOut(Paint, func(*donburi.Entry, bool) { once(first, &outs) })
	first.OnEnd(func(error) { once(first, &ends) })
	server.OnLeave(func(rpl.Peer) { once(server, &leaves) })
	server.Create(Paint)
	server.Create(Paint)
	l.steps(20)

	first.Close("tired")
	check(t, "the client's nodes that went, and ends", [2]int{outs, ends}, [2]int{2, 1})
	check(t, "it is alone", first.Mode(), tendon.Single)
	server.Host(l.net.Listener()) // it ends the hosted session
	l.steps(1)
	check(t, "who left", leaves, 2)
	server.Close("")
	l.steps(60)
	check(t, "the server is alone", server.Mode(), tendon.Single)
}

// When a session is closed between a frame and the next step, components that are drawn in
// place get their state back: load-time nodes keep it, and callbacks of other nodes see it.
func TestCloseAfterAFrame(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.machine("server", tendon.Config{}), l.machine("client", tendon.Config{})
	var doors []*donburi.Entry
	for _, m := range []*machine{server, client} {
		door := m.World().Entry(m.World().Create(Body))
		tendon.Named(door, "door")
		doors = append(doors, door)
	}
	server.Host(l.listener)
	client.joins = true
	client.Join(l.net.Dialer(l.listener))
	l.joined()
	other := server.Create(Body)
	id, ent := tendon.ID(other), other.Entity()
	server.step = func() {
		Body.Get(doors[0]).Pos.X++
		Body.Get(server.World().Entry(ent)).Pos.X++
	}
	l.steps(60)
	had := Body.Get(doors[1]).Pos.X
	check(t, "both are as far", Body.Get(client.find(id)).Pos.X, had)
	out := -1.0
	client.OnStreamOut(Body, func(e *donburi.Entry, _ bool) {
		if tendon.ID(e) == id {
			out = Body.Get(e).Pos.X
		}
	})
	client.Frame()
	if now := Body.Get(doors[1]).Pos.X; now >= had {
		t.Errorf("the door is drawn at %v, the state is %v", now, had)
	}
	client.Close("enough")
	check(t, "the door is", Body.Get(doors[1]).Pos.X, had)
	check(t, "the other was", out, had)
}

// Close cancels a Host or Join that has not begun yet, and OnEnd may ask anew.
func TestCloseBeforeItBegan(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("undecided", tendon.Config{})
	m.Join(refusing{})
	if err := Chat.Send(m.Session(), "hello"); err != nil {
		t.Error(err)
	}
	m.Close("")
	m.Host(l.listener)
	m.Close("")
	check(t, "what was to be said", *m.Counter("rpc dropped"), 1)
	l.steps(3)
	check(t, "it plays", m.Mode(), tendon.Single)
	check(t, "it was told", m.ended, nil)
	_, err := l.listener.Listen(transport.Offer{})
	check(t, "the listener is closed", err != nil, true)

	m.OnEnd(func(error) {
		m.Close("")
		m.Host(l.net.Listener())
	})
	m.Join(refusing{})
	l.steps(3)
	check(t, "after Close and Host in OnEnd", m.Mode(), tendon.Listen)
}

// Run also returns if its own step closes the session.
func TestRunAndClose(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("client", tendon.Config{})
	m.Join(l.net.Dialer(l.listener))
	steps := 0
	err := m.Run(t.Context(), func(*tendon.Replication) {
		if steps++; steps == 3 {
			m.Close("enough")
		}
		if steps > 3 {
			t.Fatal("it goes on")
		}
	})
	if !errors.Is(err, transport.ErrClosed) {
		t.Errorf("ended with %v", err)
	}
}

// Close in the OnStreamOut of a node that a rule removes takes effect when that node has
// gone. The nodes of a peer that leaves end one after the other.
func TestCloseInARemoval(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	client := l.client(tendon.Config{})
	l.joined()
	var theirs []*donburi.Entry
	for range 3 {
		e := Crate.Spawn(server.World(), CrateArgs{})
		tendon.Give(e, client.Me())
		theirs = append(theirs, e)
	}
	l.until("all are there", func() bool { return client.count(Body) == 3 })
	server.OnStreamOut(Body, func(_ *donburi.Entry, _ bool) {
		server.say("out")
		server.Close("a crate is gone")
	})
	entities := []donburi.Entity{theirs[0].Entity(), theirs[1].Entity(), theirs[2].Entity()}
	server.World().Remove(entities[1])
	check(t, "closed when it returns", server.Mode(), tendon.Single)
	l.steps(30)
	for _, e := range entities {
		check(t, "an entity of who has left is there", server.World().Valid(e), false)
	}
	check(t, "ends that were told", len(server.said()), 3)
	check(t, "the client is alone", client.Mode(), tendon.Single)
}
