package ecs_test

// RPCs: where a call runs, on which node, and when it is dropped.

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// The twelve cells of the RPC table hold over both lanes, with a listen server, with a
// dedicated server and in single player.
func TestRPCTable(t *testing.T) {
	const server, owner, other = "server", "client 1", "client 2"
	type cell struct {
		caller string
		owner  string // of the node
		to     rpl.Target
		runs   string // where, on a listen server
	}
	for _, c := range []cell{
		{server, server, rpl.ToServer, server},
		{server, server, rpl.ToOwner, server},
		{server, server, rpl.Broadcast, "client 1, client 2, server"},
		{server, owner, rpl.ToServer, server},
		{server, owner, rpl.ToOwner, owner},
		{server, owner, rpl.Broadcast, "client 1, client 2, server"},
		{owner, owner, rpl.ToServer, server},
		{owner, owner, rpl.ToOwner, owner},
		{owner, owner, rpl.Broadcast, owner},
		{other, owner, rpl.ToServer, ""},
		{other, owner, rpl.ToOwner, ""},
		{other, owner, rpl.Broadcast, other},
	} {
		for _, lane := range []rpl.Lane{rpl.Reliable, rpl.Unreliable} {
			for _, dedicated := range []bool{false, true} {
				name := fmt.Sprintf("%s calls %s's, target %d, lane %d, dedicated %v", c.caller, c.owner, c.to, lane, dedicated)
				t.Run(name, func(t *testing.T) {
					l := newLab(t, lan)
					s := l.server(tendon.Config{Dedicated: dedicated})
					l.client(tendon.Config{})
					l.client(tendon.Config{})
					l.joined()
					rpc := calls[c.to][lane]
					byName := map[string]*machine{}
					for _, m := range l.machines {
						byName[m.name] = m
						rpc.Handle(m.Replication, func(call tendon.Call, a uint8) {
							if a != 42 || call.Entry.World != m.find(tendon.ID(call.Entry)).World || call.Tick == 0 {
								t.Errorf("%s got %+v with %d", m.name, call, a)
							}
							m.say("%d", call.From)
						})
					}
					e := s.Create(Paint)
					id := tendon.ID(e)
					tendon.Give(e, byName[c.owner].Me())
					l.steps(10)
					caller := byName[c.caller]
					if err := rpc.Send(caller.find(id), 42); err != nil {
						t.Fatal(err)
					}
					l.steps(10)
					want := c.runs
					if dedicated && c.to == rpl.Broadcast && c.caller == server {
						want = "client 1, client 2"
					}
					check(t, "it ran on", l.ranOn(t, caller), want)
				})
			}
		}
	}
}

// ranOn returns the machines on which a call has run since the last time, each as often as
// it has. Its handlers must have said whom they heard, and that must be the caller.
func (l *lab) ranOn(t *testing.T, caller *machine) string {
	t.Helper()
	var names []string
	for _, m := range l.machines {
		for _, from := range m.said() {
			names = append(names, m.name)
			check(t, "who called", from, fmt.Sprint(caller.Me()))
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// In single player every call runs on the one machine, in the same step's Send.
func TestRPCAlone(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	e := m.Create(Paint)
	for to, lanes := range calls {
		for lane, rpc := range lanes {
			rpc.Handle(m.Replication, func(c tendon.Call, a uint8) {
				m.say("%d", c.From)
				if a > 0 {
					rpc.Send(c.Entry, a-1) // a call from a handler runs in the next step
				}
			})
			m.Receive()
			rpc.Send(m.World().Entry(e.Entity()), 1)
			check(t, "before Send", len(m.log), 0)
			m.Send()
			check(t, fmt.Sprintf("target %d, lane %d", to, lane), strings.Join(m.said(), ", "), "1")
			l.steps(1)
			check(t, "from the handler", strings.Join(m.said(), ", "), "1")
			l.steps(2)
			check(t, "and no more", len(m.said()), 0)
		}
	}
}

// The last calls on a node run everywhere before the node ends.
func TestLastCallsRunBeforeTheEnd(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	for _, m := range l.machines {
		Boom.Handle(m.Replication, func(c tendon.Call, a uint8) {
			m.say("boom %d of %d", a, Paint.Get(c.Entry).Colour)
			if m == server && !c.Last { // a handler that may remove the node asks
				t.Error("it is not told that the node is going")
			}
		})
		m.OnStreamOut(Paint, func(e *donburi.Entry, _ bool) { m.say("out") })
	}
	e := server.Create(Paint)
	l.steps(10)
	Boom.Send(e, 5)
	e.Remove()
	l.steps(60)
	for _, m := range l.machines {
		check(t, m.name+" heard", strings.Join(m.said(), ", "), "boom 5 of 1, out")
	}
	if err := Boom.Send(e, 5); !errors.Is(err, tendon.ErrNoNode) {
		t.Errorf("a call on what is gone: %v", err)
	}
	_ = client
}

// The session is a node: any client may make calls marked FromAnyone, the server calls one
// peer, and state on the session reaches everyone.
func TestSessionNode(t *testing.T) {
	l := newLab(t, lan)
	server, ann, bob := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		Chat.Handle(m.Replication, func(c tendon.Call, line string) {
			m.say("%d: %s", c.From, line)
			if m == server && c.From != 1 {
				if err := Chat.SendTo(c.Entry, c.From, "heard"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	l.joined()
	if err := Chat.Send(ann.Session(), "hello"); err != nil {
		t.Fatal(err)
	}
	Chat.Send(server.Session(), "to myself")
	l.steps(15)
	check(t, "the server heard", strings.Join(server.said(), ", "), "1: to myself, 2: hello")
	check(t, "ann heard", strings.Join(ann.said(), ", "), "1: heard")
	check(t, "bob heard", strings.Join(bob.said(), ", "), "")
	if err := Chat.SendTo(ann.Session(), 3, "psst"); !errors.Is(err, tendon.ErrNotAllowed) {
		t.Errorf("a client calls a client: %v", err)
	}

	// Match state.
	donburi.Add(server.Session(), Paint, &PaintData{Colour: 77})
	l.steps(15)
	check(t, "bob's match state", Paint.Get(bob.Session()).Colour, 77)
	check(t, "one id everywhere", tendon.ID(bob.Session()), rpl.SessionNode)
	Paint.Get(server.Session()).Colour = 78
	l.steps(15)
	check(t, "ann's match state", Paint.Get(ann.Session()).Colour, 78)
}

// A reference in arguments must be to a node that is here and has the component.
func TestRPCReferences(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	me, crate, plain := server.Create(Ammo), server.Create(Paint), server.Create(Body)
	secret := server.Create(Paint)
	components.RplNode.Get(secret).Relevance = rpl.OwnerOnly
	ids := []rpl.Node{tendon.ID(me), tendon.ID(crate), tendon.ID(plain)}
	tendon.Give(me, client.Me())
	Touch.Handle(server.Replication, func(c tendon.Call, a TouchArgs) {
		server.say("%v", tendon.ID(server.World().Entry(a.What)) == ids[1])
	})
	l.steps(10)
	p := client.find(ids[0])
	for _, what := range []donburi.Entity{client.find(ids[1]).Entity(), client.find(ids[2]).Entity(), donburi.Null, secret.Entity()} {
		if err := Touch.Send(p, TouchArgs{What: what}); err != nil {
			t.Fatal(err)
		}
	}
	l.steps(10)
	check(t, "the server heard", strings.Join(server.said(), ", "), "true")
	check(t, "refused", *server.Counter("rpc refused"), 3)
	for _, other := range []donburi.Entity{client.find(ids[1]).Entity(), client.find(ids[2]).Entity(), donburi.Null} {
		if err := Touch.Send(p, TouchArgs{What: client.find(ids[1]).Entity(), Other: rpl.Some(other)}); err != nil {
			t.Fatal(err)
		}
	}
	l.steps(10)
	check(t, "the server heard of another", strings.Join(server.said(), ", "), "true")
	check(t, "refused with another that is wrong", *server.Counter("rpc refused"), 5)
}

func TestRPCMisuse(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	e := m.Create(Paint)
	if err := Chat.Send(m.World().Entry(m.World().Create(Local)), "x"); !errors.Is(err, tendon.ErrNoNode) {
		t.Errorf("on a local entity: %v", err)
	}
	strange := donburi.NewWorld()
	if err := Chat.Send(strange.Entry(strange.Create(Paint)), "x"); !errors.Is(err, tendon.ErrNoNode) {
		t.Errorf("in a world without a session: %v", err)
	}
	if err := Chat.Send(e, strings.Repeat("long ", 1000)); err == nil || !strings.Contains(err.Error(), "chat") {
		t.Errorf("too long: %v", err)
	}
	Chat.Handle(m.Replication, func(tendon.Call, string) {})
	refused(t, "Handle of RPC chat is given twice", func() { Chat.Handle(m.Replication, func(tendon.Call, string) {}) })
}

// A call that a callback makes on a removed node is dropped, also if the machine has not
// yet been told that the node is removed.
func TestCallOnWhatIsAboutToGo(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := server.Create(Paint)
	id, ent := tendon.ID(e), e.Entity()
	tendon.Give(e, client.Me())
	l.steps(30)
	hint := calls[rpl.Broadcast][rpl.Unreliable]
	hint.Handle(client.Replication, func(tendon.Call, uint8) {
		if err := calls[rpl.ToServer][rpl.Reliable].Send(client.find(id), 1); err != nil {
			t.Error(err)
		}
		client.say("called")
	})
	if err := hint.Send(server.Session(), 1); err != nil {
		t.Fatal(err)
	}
	server.World().Remove(ent)
	l.steps(30)
	check(t, "the client", strings.Join(client.said(), ", "), "called")
	check(t, "calls dropped", *client.Counter("rpc dropped"), 1)
}

// A call made on a load-time node in the Receive in which the node streams out does not run
// afterwards.
func TestCallOnWhatGoesToRest(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		tendon.Named(m.World().Entry(m.World().Create(Paint)), "door")
	}
	l.joined()
	e, _ := Paint.First(server.World())
	id := tendon.ID(e)
	hint, boom := calls[rpl.Broadcast][rpl.Unreliable], calls[rpl.Broadcast][rpl.Reliable]
	hint.Handle(client.Replication, func(tendon.Call, uint8) {
		client.say("called")
		if err := boom.Send(client.find(id), 1); err != nil {
			t.Error(err)
		}
	})
	boom.Handle(client.Replication, func(c tendon.Call, _ uint8) { client.say("ran on %v", tendon.ID(c.Entry)) })
	components.RplNode.Get(e).Relevance = rpl.OwnerOnly
	if err := hint.Send(server.Session(), 1); err != nil {
		t.Fatal(err)
	}
	client.asleep = 60
	l.steps(62)
	check(t, "the client", strings.Join(client.said(), ", "), "called")
}
