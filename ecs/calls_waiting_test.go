package ecs_test

// What a client calls and asks before it has joined, and what it knows of its network.

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// AboutArgs refer to an entity.
type AboutArgs struct {
	What donburi.Entity `rpl:""`
	N    uint8          `rpl:""`
}

var (
	About   = tendon.NewRPC[AboutArgs](proto, "about", rpl.ToServer, rpl.Reliable).FromAnyone()
	Mutter  = tendon.NewRPC[uint8](proto, "mutter", rpl.ToServer, rpl.Unreliable).FromAnyone()
	Secret  = tendon.NewRPC[uint8](proto, "secret", rpl.ToServer, rpl.Reliable)
	Welcome = tendon.NewRPC[uint8](proto, "welcome", rpl.Everywhere, rpl.Reliable).FromAnyone()
)

// listen logs the calls of these tests that run on a machine.
func (m *machine) listen() {
	About.Handle(m.Replication, func(c tendon.Call, a AboutArgs) {
		m.say("%d about %v %d", c.From, a.What != donburi.Null, a.N)
	})
	Chat.Handle(m.Replication, func(c tendon.Call, line string) { m.say("%d: %s", c.From, line) })
	Mutter.Handle(m.Replication, func(c tendon.Call, a uint8) { m.say("%d mutters %d", c.From, a) })
	Secret.Handle(m.Replication, func(c tendon.Call, a uint8) { m.say("%d tells %d", c.From, a) })
	Welcome.Handle(m.Replication, func(c tendon.Call, a uint8) { m.say("%d welcomes %d", c.From, a) })
}

// Calls on the session between Join and its first arrival wait in order and go to the
// session that is joined: calls made at once, on the way, and in the step before it has
// joined.
func TestCallsWhileJoining(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Dedicated: true})
	m := l.machine("player", tendon.Config{})
	server.listen()
	m.listen()
	own := m.Create(Paint)
	say := func(line string) {
		t.Helper()
		if err := Chat.Send(m.Session(), line); err != nil {
			t.Error(err)
		}
	}
	l.steps(5)
	say("alone")
	l.steps(1)
	m.heard("1: alone")

	m.Join(l.net.Dialer(l.listener))
	m.joins = true
	say("a")
	if err := About.Send(m.Session(), AboutArgs{What: own.Entity(), N: 1}); err != nil {
		t.Error(err)
	}
	Welcome.Send(m.Session(), 5)
	for range 12 {
		l.steps(1)
		say("b")
	}
	l.joined()
	say("c")
	l.steps(20)
	server.heard("2: a, 2 about false 1, 2 welcomes 5" + strings.Repeat(", 2: b", 12) + ", 2: c")
	m.heard("2 welcomes 5")
	check(t, "dropped", *m.Counter("rpc dropped")+*server.Counter("rpc dropped"), 0)

	// The same holds while a new level is built. Calls that the client made before it heard
	// of the level belong to the old one: the server drops and counts them.
	server.Load("next")
	for range 20 {
		l.steps(1)
		say("d")
	}
	l.steps(30)
	late := int(*server.Counter("rpc dropped"))
	if heard := len(server.said()); heard+late < 19 || late > 3 { // one call may not have left yet
		t.Errorf("%d of 20 are heard, %d were of the old level", heard, late)
	}
	check(t, "dropped by the client", *m.Counter("rpc dropped"), 0)
}

// Calls that cannot wait are dropped and counted, and one call too many is an error.
func TestCallsThatDoNotWait(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Dedicated: true})
	m := l.machine("player", tendon.Config{})
	server.listen()
	m.listen()
	l.steps(2)
	own := m.Create(Paint)
	l.steps(2)
	m.Join(l.net.Dialer(l.listener))
	dropped := func(what string, want uint64) {
		t.Helper()
		check(t, what, *m.Counter("rpc dropped"), want)
		*m.Counter("rpc dropped") = 0
	}
	Mutter.Send(m.Session(), 1)
	Secret.Send(m.Session(), 2)
	dropped("unreliable, and not for anyone", 2)
	Chat.Send(own, "last words") // on a node of the session that ends
	for i := range 64 {
		if err := Chat.Send(m.Session(), fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := Chat.Send(m.Session(), "64"); !errors.Is(err, rpl.ErrLimit) {
		t.Errorf("one too many: %v", err)
	}
	m.Receive()
	m.Send()
	m.heard("1: last words")

	m.Join(l.net.Dialer(l.listener)) // another session: the waiting calls were for the first
	dropped("what waited", 64)
	Chat.Send(m.Session(), "hello")
	l.until("it is in", func() bool { return m.Me() == 2 })
	l.steps(20)
	server.heard("2: hello")
	dropped("nothing else", 0)

	Chat.Send(m.Session(), "bye")
	m.Join(l.net.Dialer(l.net.Listener())) // nobody is there
	l.steps(60)
	Chat.Send(m.Session(), "anybody?")
	l.until("it gives up", func() bool { return errors.Is(m.ended, transport.ErrNoAnswer) })
	dropped("what waited for nobody", 1)
}

// A client's estimate of the loss on its way from the server is near the true loss.
func TestClientKnowsItsLoss(t *testing.T) {
	l := newLab(t, lan)
	server, ann := l.server(tendon.Config{}), l.player(tendon.Config{})
	l.joined()
	e := server.Create(Body)
	server.step = func() { Body.Get(e).Pos.X++ }
	l.seconds(15)
	if loss := ann.Stats(rpl.Server).Loss; loss > 0.01 {
		t.Errorf("a loss of %v without any", loss)
	}
	ann.way.SetConditions(netsim.Conditions{Delay: 20e6, Loss: 0.3}, netsim.Conditions{Delay: 20e6, Loss: 0.1})
	l.seconds(15)
	if loss := ann.Stats(rpl.Server).Loss; loss < 0.05 || loss > 0.17 {
		t.Errorf("a loss of %v, where it is 0.1 to the client", loss)
	}
	if loss := server.Stats(2).Loss; loss < 0.03 || loss > 0.25 {
		t.Errorf("the server judges %v lost", loss)
	}
}

// A request to a group while a client joins goes to the session that it joins; if it does
// not get in, the request is dropped and counted.
func TestAskWhileJoining(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	Red.Allow(server.Replication, func(rpl.Peer) bool { return true })
	client := l.client(tendon.Config{})
	Red.Ask(client.Replication, true)
	Blue.Ask(client.Replication, true)
	l.steps(1)
	Blue.Ask(client.Replication, false) // the last word counts
	l.joined()
	check(t, "in", Red.Has(server.Replication, client.Me()), true)
	check(t, "out", Blue.Has(server.Replication, client.Me()), false)
	check(t, "counted", *client.Counter("stale group"), 0)
	client.Join(refusing{})
	Red.Ask(client.Replication, true)
	l.steps(2)
	check(t, "counted where nobody is", *client.Counter("stale group"), 1)
}

// A call on a node that has been removed but is still drawn is dropped without an error,
// and Mine skips that node. A call on a node whose state has not arrived is an error that
// says so.
func TestCallsOnWhatIsNotHere(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	gate := client.World().Entry(client.World().Create(Paint))
	l.joined()
	tendon.Named(gate, "gate of this machine alone")
	if err := Boom.Send(gate, 1); !errors.Is(err, tendon.ErrNoNode) || !strings.Contains(err.Error(), "out of sight") {
		t.Errorf("before it is here: %v", err)
	}
	old := server.Create(Body)
	id := tendon.ID(old)
	tendon.Give(old, client.Me())
	l.until("it is his", func() bool { return client.has(id) && tendon.IsOwner(client.find(id)) })
	ent := client.find(id).Entity()
	old.Remove()
	next := server.Create(Body)
	tendon.Give(next, client.Me())
	nextID, dropped := tendon.ID(next), *client.Counter("rpc dropped")
	l.until("the next is here", func() bool { return client.has(nextID) })
	check(t, "the old one is drawn still", client.World().Valid(ent), true)
	mine, _ := tendon.Mine(client.Replication, Body)
	check(t, "Mine", tendon.ID(mine), nextID)
	if err := Boom.Send(client.World().Entry(ent), 1); err != nil {
		t.Error(err)
	}
	check(t, "dropped", *client.Counter("rpc dropped")-dropped, 1)
}

// A call to one peer is dropped and counted while the peer is leaving or building its level
// (or lost: TestLostAndBack). A call to a peer that does not exist is an error.
func TestCallsToOnePeer(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	if err := Boom.SendTo(server.Session(), 9, 1); !errors.Is(err, rpl.ErrNoPeer) {
		t.Errorf("to nobody: %v", err)
	}
	server.Load("next")
	for range 2 { // what the step before has changed leaves first
		server.Receive()
		server.Send()
	}
	for _, what := range []string{"building", "leaving"} {
		if what == "leaving" {
			l.joined()
			server.Kick(client.Me(), "")
		}
		dropped := *server.Counter("rpc dropped")
		if err := Boom.SendTo(server.Session(), 2, 1); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		check(t, what+": dropped", *server.Counter("rpc dropped")-dropped, 1)
	}
}
