package ecs_test

// Calls that go to one machine, are too large, come too late, or wait while other nodes go.

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

var hallWhisper = tendon.NewRPC[hallArgs](hallProto, "whisper", rpl.Broadcast, rpl.Unreliable)

// SendTo runs an Everywhere call on that one machine, whose handler is told that the server
// called, with a player of its own or without.
func TestEverywhereToOne(t *testing.T) {
	for _, dedicated := range []bool{false, true} {
		for lane, shout := range shouts {
			t.Run(fmt.Sprintf("dedicated %v, lane %d", dedicated, lane), func(t *testing.T) {
				l := newLab(t, lan)
				server, ann := l.server(tendon.Config{Dedicated: dedicated}), l.client(tendon.Config{})
				l.client(tendon.Config{})
				l.joined()
				id := tendon.ID(server.Create(Paint))
				for _, m := range l.machines {
					shout.Handle(m.Replication, func(c tendon.Call, a ShoutArgs) {
						m.say("%d: %d of %v", c.From, a.Loud, tendon.ID(m.World().Entry(a.At)))
					})
				}
				l.steps(10)
				e := server.find(id)
				if err := shout.SendTo(e, ann.Me(), ShoutArgs{At: e.Entity(), Loud: 7}); err != nil {
					t.Fatal(err)
				}
				l.steps(10)
				for _, m := range l.machines {
					want := ""
					if m == ann {
						want = fmt.Sprintf("%d: 7 of %v", server.Me(), id)
					}
					m.heard(want)
					check(t, m.name+" refused", *m.Counter("rpc refused"), 0)
				}
			})
		}
	}
}

// A call with more bytes of arguments than its lane carries is an error that names the call
// and the limit, and runs nowhere. One that just fits arrives.
func TestCallsTooLarge(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.hall(tendon.Config{})
	for name, c := range map[string]struct {
		rpc   *tendon.RPC[hallArgs]
		limit int
	}{
		"whisper": {hallWhisper, rpl.MaxUnreliableArgs},
		"say":     {hallSay, 4002}, // its tag is stricter than the lane
	} {
		c.rpc.Handle(client.Replication, func(_ tendon.Call, a hallArgs) { client.say("%s %d", name, len(a.B)) })
		err := c.rpc.Send(server.Session(), hallArgs{B: make([]byte, c.limit-1)})
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "at most") {
			t.Errorf("%s: too large: %v", name, err)
		}
		if err := c.rpc.Send(server.Session(), hallArgs{B: make([]byte, c.limit-2)}); err != nil {
			t.Errorf("%s: just fits: %v", name, err)
		}
		l.steps(20)
		client.heard(fmt.Sprintf("%s %d", name, c.limit-2))
	}
}

// A reference tagged `has=` to a node that has been taken from its caller's sight by the
// time the call arrives is refused, and the refusal is counted. The handler does not run.
func TestReferenceToWhatItsCallerHasNot(t *testing.T) {
	l := newLab(t, lan)
	server, ann := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	own, camp := server.Create(Ammo), server.Create(Paint)
	ids := []rpl.Node{tendon.ID(own), tendon.ID(camp)}
	tendon.Give(own, ann.Me())
	Red.Add(camp)
	Red.Put(server.Replication, ann.Me(), true)
	Touch.Handle(server.Replication, func(c tendon.Call, a TouchArgs) {
		server.say("%d touches %v", c.From, tendon.ID(server.World().Entry(a.What)))
	})
	l.until("she has both", func() bool { return ann.has(ids[0]) && ann.has(ids[1]) })
	touch := func() {
		t.Helper()
		if err := Touch.Send(ann.find(ids[0]), TouchArgs{What: ann.find(ids[1]).Entity()}); err != nil {
			t.Error(err)
		}
	}
	touch()
	l.steps(10)
	server.heard(fmt.Sprintf("%d touches %v", ann.Me(), ids[1]))
	l.until("a step that sends", func() bool { return server.Tick()%2 == 0 })
	Red.Put(server.Replication, ann.Me(), false)
	touch()
	l.until("it has gone", func() bool { return !ann.has(ids[1]) })
	l.steps(10)
	server.heard("")
	check(t, "refused", *server.Counter("rpc refused"), 1)
}

// From Join on a Broadcast on the session runs on this machine alone, in the same step.
// Calls on other nodes, which belong to the session before, are dropped and counted.
func TestCallsAfterJoin(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	id := tendon.ID(server.Create(Paint))
	for _, m := range l.machines {
		Boom.Handle(m.Replication, func(_ tendon.Call, a uint8) { m.say("boom %d", a) })
		Chat.Handle(m.Replication, func(_ tendon.Call, line string) { m.say("%s", line) })
	}
	l.until("it is there", func() bool { return client.has(id) })
	client.Join(l.net.Dialer(l.listener))
	dropped := *client.Counter("rpc dropped")
	for _, err := range []error{
		Boom.Send(client.Session(), 1), Boom.Send(client.find(id), 2), Chat.Send(client.find(id), "to the server"),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	check(t, "dropped", *client.Counter("rpc dropped")-dropped, 2)
	client.Send()
	client.heard("boom 1")
	l.joined()
	server.heard("")
}

// A call runs once, in the order of the calls, whichever other nodes end before the step
// does, and whenever those were called last.
func TestCallsOutliveOtherNodes(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	Boom.Handle(m.Replication, func(_ tendon.Call, a uint8) { m.say("%d", a) })
	l.steps(1)
	var ents []donburi.Entity
	for range 4 {
		ents = append(ents, m.Create(Paint).Entity())
	}
	l.steps(1)
	at := func(i int) *donburi.Entry { return m.World().Entry(ents[i]) }
	for i, called := range [][]int{{0, 1, 0, 2}, {3, 2, 3, 3}} {
		m.Receive()
		for k, e := range called {
			if err := Boom.Send(at(e), uint8(10*i+k)); err != nil {
				t.Fatal(err)
			}
		}
		if i == 1 { // these were called in the step before
			at(0).Remove()
			at(1).Remove()
		}
		m.Send()
	}
	m.heard("0, 1, 2, 3, 10, 11, 12, 13")
}

// A Broadcast for which too many calls wait for one peer is an error that names the call, and
// the other peers are called all the same.
func TestBroadcastWithOneLaneFull(t *testing.T) {
	l := newLab(t, lan)
	server, near := l.hall(tendon.Config{})
	far := l.hallMachine(false, tendon.Config{})
	l.joined()
	far.asleep = 9 * 60 // it acknowledges nothing
	sent := 0
	var err error
	for ; err == nil && sent < 10_000; sent++ {
		if err = hallTell.Send(server.Session(), "news"); sent%40 == 0 {
			l.steps(1)
		}
	}
	if !errors.Is(err, rpl.ErrLimit) || !strings.Contains(err.Error(), "tell") {
		t.Errorf("after %d calls: %v", sent, err)
	}
	l.until("the other has heard all", func() bool { return len(near.log) == sent })
}
