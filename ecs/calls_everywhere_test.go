package ecs_test

// Calls to many machines (Everywhere, Broadcast), floods of calls, and calls from
// handlers.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// ShoutArgs refer to a node that must have paint.
type ShoutArgs struct {
	At   donburi.Entity `rpl:"has=paint"`
	Loud uint8          `rpl:"min=0,max=9"`
}

var shouts = map[rpl.Lane]*tendon.RPC[ShoutArgs]{
	rpl.Reliable:   tendon.NewRPC[ShoutArgs](proto, "shout", rpl.Everywhere, rpl.Reliable),
	rpl.Unreliable: tendon.NewRPC[ShoutArgs](proto, "shout, perhaps", rpl.Everywhere, rpl.Unreliable),
}

// An Everywhere call by the server or the owner runs once on each machine that has the
// node, and names its caller.
func TestEverywhere(t *testing.T) {
	for lane, shout := range shouts {
		for _, dedicated := range []bool{false, true} {
			for caller, want := range map[string]string{
				"server":   "client 1, client 2, server",
				"client 1": "client 1, client 2, server",
				"client 2": "", // it does not own the node
			} {
				t.Run(fmt.Sprintf("lane %d, dedicated %v, by %s", lane, dedicated, caller), func(t *testing.T) {
					l := newLab(t, lan)
					server, owner := l.server(tendon.Config{Dedicated: dedicated}), l.client(tendon.Config{})
					l.client(tendon.Config{})
					blind := l.client(tendon.Config{})
					l.joined()
					e := server.Create(Paint)
					id := tendon.ID(e)
					tendon.Give(e, owner.Me())
					components.RplNode.Get(e).Relevance = rpl.Grouped
					Red.Add(e)
					Red.Put(server.Replication, 3, true)
					var by *machine
					for _, m := range l.machines {
						shout.Handle(m.Replication, func(c tendon.Call, a ShoutArgs) {
							if c.Entry.Entity() != a.At || a.Loud != 9 || tendon.ID(c.Entry) != id {
								t.Errorf("%s got %+v", m.name, a)
							}
							m.say("%d", c.From)
						})
						if m.name == caller {
							by = m
						}
					}
					l.steps(10)
					if err := shout.Send(by.find(id), ShoutArgs{At: by.find(id).Entity(), Loud: 9}); err != nil {
						t.Fatal(err)
					}
					l.steps(15)
					check(t, "it ran on", l.ranOn(t, by), want)
					check(t, "it ran where the node is not", len(blind.said()), 0)
				})
			}
		}
	}
}

// The server does not hand on an Everywhere call that it refuses: here one that refers to a
// node whose required component the server has removed.
func TestEverywhereRefused(t *testing.T) {
	l := newLab(t, lan)
	server, ann, bob := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := server.Create(Paint, Body)
	id, ent := tendon.ID(e), e.Entity()
	tendon.Give(e, ann.Me())
	for _, m := range l.machines {
		shouts[rpl.Reliable].Handle(m.Replication, func(tendon.Call, ShoutArgs) { m.say("ran") })
	}
	l.steps(10)
	donburi.Remove[PaintData](server.World().Entry(ent), Paint)
	a := ann.find(id)
	if err := shouts[rpl.Reliable].Send(a, ShoutArgs{At: a.Entity()}); err != nil {
		t.Fatal(err)
	}
	if err := shouts[rpl.Reliable].Send(a, ShoutArgs{At: a.Entity(), Loud: 10}); err == nil || !strings.Contains(err.Error(), "Loud") {
		t.Errorf("beyond its bounds: %v", err)
	}
	l.steps(15)
	check(t, "the owner ran it", len(ann.said()), 1)
	check(t, "the server ran it", len(server.said()), 0)
	check(t, "it was handed on", len(bob.said()), 0)
	check(t, "the server refused", *server.Counter("rpc refused"), 1)
}

// A Broadcast reaches exactly the peers that have the node, on both lanes, and no peer that
// gets the node later.
func TestBroadcastReachesItsHolders(t *testing.T) {
	for _, lane := range []rpl.Lane{rpl.Reliable, rpl.Unreliable} {
		l := newLab(t, lan)
		server, in, out := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
		l.joined()
		for _, m := range l.machines {
			calls[rpl.Broadcast][lane].Handle(m.Replication, func(_ tendon.Call, a uint8) { m.say("%d", a) })
		}
		e := server.Create(Paint)
		ent := e.Entity()
		Red.Add(e)
		Red.Put(server.Replication, in.Me(), true)
		l.steps(10)
		calls[rpl.Broadcast][lane].Send(server.World().Entry(ent), 1)
		l.steps(10)
		Red.Put(server.Replication, out.Me(), true)
		l.steps(10)
		calls[rpl.Broadcast][lane].Send(server.World().Entry(ent), 2)
		l.steps(10)
		Red.Put(server.Replication, in.Me(), false)
		l.steps(20)
		calls[rpl.Broadcast][lane].Send(server.World().Entry(ent), 3)
		l.steps(10)
		check(t, "the server", strings.Join(server.said(), " "), "1 2 3")
		check(t, "who had it first", strings.Join(in.said(), " "), "1 2")
		check(t, "who had it later", strings.Join(out.said(), " "), "2 3")
	}
}

// The server runs a bounded number of a peer's calls per tick. Of the rest, reliable
// calls wait in order and unreliable calls are dropped and counted. Other peers' calls
// run as ever.
func TestRPCFlood(t *testing.T) {
	for _, lane := range []rpl.Lane{rpl.Reliable, rpl.Unreliable} {
		l := newLab(t, netsim.Conditions{})
		server, ann, bob := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
		l.joined()
		heard, most := map[rpl.Peer]int{}, 0
		now, tick := 0, rpl.Tick(0)
		rpc := calls[rpl.ToServer][lane]
		rpc.Handle(server.Replication, func(c tendon.Call, i uint8) {
			if c.From != ann.Me() {
				heard[c.From]++
				return
			}
			if lane == rpl.Reliable {
				check(t, "ann's call", int(i), heard[c.From]&0xff)
			}
			heard[c.From]++
			if server.Tick() != tick {
				now, tick = 0, server.Tick()
			}
			now++
			most = max(most, now)
		})
		ids := map[*machine]rpl.Node{}
		for _, m := range []*machine{ann, bob} {
			e := server.Create(Paint)
			ids[m] = tendon.ID(e)
			tendon.Give(e, m.Me())
		}
		l.steps(10)
		const flood = 600
		for i := range flood {
			if err := rpc.Send(ann.find(ids[ann]), uint8(i)); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the server stands still meanwhile
				if i%200 == 199 {
					ann.Receive()
					ann.Send()
				}
			}
		}
		rpc.Send(bob.find(ids[bob]), 1)
		l.steps(60)
		dropped := int(server.Core().Counters().CallsDropped)
		check(t, "bob was heard", heard[bob.Me()], 1)
		check(t, "ann's calls, run or counted", heard[ann.Me()]+dropped, flood)
		if most > 256 || heard[ann.Me()] == 0 || (dropped == 0) != (lane == rpl.Reliable) {
			t.Errorf("lane %d: %d of ann's calls ran in one tick, %d in all, %d dropped", lane, most, heard[ann.Me()], dropped)
		}
	}
}

// A handler may make calls on both lanes: a call that runs on this machine runs in the next
// step, other calls leave at once. Two machines that answer each other may go on for ever
// without holding up a step.
func TestCallsFromHandlers(t *testing.T) {
	for _, lane := range []rpl.Lane{rpl.Reliable, rpl.Unreliable} {
		l := newLab(t, lan)
		server, ann := l.server(tendon.Config{}), l.client(tendon.Config{})
		l.joined()
		e := server.Create(Paint)
		id := tendon.ID(e)
		tendon.Give(e, ann.Me())
		ping, pong := calls[rpl.ToServer][lane], calls[rpl.ToOwner][lane]
		ping.Handle(server.Replication, func(c tendon.Call, a uint8) {
			server.say("ping %d", a)
			if err := pong.Send(c.Entry, a+1); err != nil {
				t.Error(err)
			}
		})
		pong.Handle(ann.Replication, func(c tendon.Call, a uint8) {
			ann.say("pong %d", a)
			if err := ping.Send(c.Entry, a+1); err != nil {
				t.Error(err)
			}
		})
		l.steps(10)
		if err := ping.Send(ann.find(id), 0); err != nil {
			t.Fatal(err)
		}
		l.until("they have talked", func() bool { return len(ann.log) == 5 })
		check(t, "the server heard", strings.Join(server.said(), " "), "ping 0 ping 2 ping 4 ping 6 ping 8")
		check(t, "ann heard", strings.Join(ann.said(), " "), "pong 1 pong 3 pong 5 pong 7 pong 9")
	}
}

// An Everywhere call on a node that was made in this step runs on all machines that get it.
func TestEverywhereOnWhatIsNew(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	l.client(tendon.Config{})
	l.client(tendon.Config{})
	l.joined()
	for _, m := range l.machines {
		shouts[rpl.Reliable].Handle(m.Replication, func(_ tendon.Call, a ShoutArgs) { m.say("%d", a.Loud) })
	}
	for wait := range 4 {
		e := server.Create(Paint).Entity()
		l.steps(wait)
		if err := shouts[rpl.Reliable].Send(server.World().Entry(e), ShoutArgs{At: e, Loud: uint8(wait)}); err != nil {
			t.Error(err)
		}
		l.steps(30)
		for _, m := range l.machines {
			check(t, fmt.Sprintf("after %d steps %s heard", wait, m.name), strings.Join(m.said(), ", "), fmt.Sprint(wait))
		}
	}
}
