package ecs_test

// Calls in the step in which a level or a session ends.

import (
	"fmt"
	"testing"
	"time"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A reliable call that is made before Load, in the same step, reaches the clients, whether
// that step sends or not.
func TestCallThenLoad(t *testing.T) {
	for phase := range 2 {
		l := newLab(t, lan)
		server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
		heard := 0
		Tell.Handle(client.Replication, func(tendon.Call, string) { heard++ })
		l.joined()
		l.steps(phase)
		server.once(func() {
			if err := Tell.Send(server.Session(), "the match is over"); err != nil {
				t.Fatal(err)
			}
			server.Load("next")
		})
		l.steps(120)
		check(t, fmt.Sprint("phase ", phase, ": heard"), heard, 1)
		check(t, fmt.Sprint("phase ", phase, ": dropped, and counted nowhere in the session"), *server.Counter("rpc dropped"), 0)
	}
}

// Load in the step in which a player is kicked has nothing to say to who has gone, and the log nothing of that.
func TestKickThenLoad(t *testing.T) {
	l := newLab(t, lan)
	var log journal
	server := l.server(tendon.Config{Dedicated: true, Log: log.logger()})
	gone, stays := l.client(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	server.Create(Body)
	log.lines()
	server.once(func() {
		server.Kick(gone.Me(), "out")
		server.Load("next")
	})
	l.steps(60)
	log.wants(t, "the server", "msg=left peer=2 why=\"kicked: out\"")
	check(t, "who stays has the level", stays.Me() != 0, true)
}

// A client that receives a call and what ends the level or the session in one Receive runs
// the call first.
func TestCallThenTheEnd(t *testing.T) {
	for what, end := range map[string]func(server *machine){
		"Load":  func(server *machine) { server.Load("next") },
		"Close": func(server *machine) { server.Close("the program ends") },
	} {
		l := newLab(t, lan)
		server, client := l.server(tendon.Config{Sends: 60}), l.client(tendon.Config{})
		heard := 0
		Tell.Handle(client.Replication, func(tendon.Call, string) { heard++ })
		l.joined()
		server.once(func() {
			if err := Tell.Send(server.Session(), "the match is over"); err != nil {
				t.Fatal(err)
			}
		})
		client.asleep = 6
		l.steps(1)
		end(server)
		l.steps(120)
		check(t, what+": heard", heard, 1)
	}
}

// Load waits until a peer's lane has room behind many calls, and the peer stays.
func TestLoadBehindCalls(t *testing.T) {
	for _, perStep := range []int{60, 70, 80, 100} {
		l := newLab(t, netsim.Conditions{Delay: 100 * time.Millisecond})
		server, client := l.hall(tendon.Config{})
		server.step = func() {
			for range perStep {
				if err := hallTell.Send(server.Session(), "hi"); err != nil {
					t.Fatal(err)
				}
			}
		}
		l.steps(120)
		server.step = nil
		server.Load("next")
		l.steps(600)
		if client.ended != nil {
			t.Errorf("%d calls a step: the client's session has ended: %v", perStep, client.ended)
		}
	}
}

// The value of Keep when the owner leaves counts, also if it is set in OnLeave or in a
// step that does not send.
func TestKeepSetLate(t *testing.T) {
	for _, when := range []string{"phase 0", "phase 1", "OnLeave"} {
		l := newLab(t, lan)
		server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
		l.joined()
		n := server.Create(Paint)
		tendon.Give(n, 2)
		ent := n.Entity()
		keep := func() { components.RplNode.Get(server.World().Entry(ent)).Keep = true }
		l.steps(20)
		switch when {
		case "OnLeave":
			server.OnLeave(func(rpl.Peer) { keep() })
			client.Close("")
		case "phase 1":
			l.steps(1)
			fallthrough
		default:
			server.once(func() {
				keep()
				server.Kick(2, "")
			})
		}
		l.steps(20)
		check(t, when+": what is to be kept is there", server.World().Valid(ent), true)
	}
}
