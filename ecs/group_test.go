package ecs_test

// Groups: membership, what members are sent, and that others learn nothing of it.

import (
	"fmt"
	"slices"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// PlanData has fields for one team only, and a field for everyone.
type PlanData struct {
	Where  int32  `rpl:"to=red,notify"`
	Words  string `rpl:"to=red,max=32"`
	Raised bool   `rpl:"notify"`
}

var (
	Red  = tendon.NewGroup(proto, "red")
	Blue = tendon.NewGroup(proto, "blue")
	Plan = tendon.Replicate(proto, "plan", donburi.NewComponentType[PlanData]())
)

// Fields and nodes of a group reach its members only. A peer that joins the group while it
// has the node is sent the fields, and a peer that leaves the group forgets them.
func TestGroup(t *testing.T) {
	for name, c := range map[string]netsim.Conditions{"lan": lan, "lossy": {Delay: 40e6, Jitter: 20e6, Loss: 0.2}} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c)
			server, ann, bob := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
			l.joined()
			for _, m := range l.machines {
				m.OnStreamIn(Plan, func(*donburi.Entry) { m.say("in") })
				m.OnStreamOut(Plan, func(_ *donburi.Entry, destroyed bool) { m.say("out %v", destroyed) })
				tendon.OnChange(m.Replication, Plan, func(e *donburi.Entry, old PlanData) {
					if Plan.Get(e).Where != old.Where {
						m.say("%d to %d", old.Where, Plan.Get(e).Where)
					}
				})
			}
			Red.Put(server.Replication, ann.Me(), true)
			check(t, "ann is red", Red.Has(server.Replication, ann.Me()), true)
			check(t, "bob is red", Red.Has(server.Replication, bob.Me()), false)
			check(t, "known elsewhere", Red.Has(ann.Replication, ann.Me()), false)

			flag, camp := server.Create(Plan), server.Create(Plan)
			Plan.SetValue(flag, PlanData{Where: 7, Words: "at dawn"})
			Plan.SetValue(camp, PlanData{Where: 70, Words: "here"})
			Red.Add(camp)
			flagID, campID := tendon.ID(flag), tendon.ID(camp)
			l.until("ann has both", func() bool { return ann.has(flagID) && ann.has(campID) })
			l.until("bob has one", func() bool { return bob.has(flagID) })
			l.steps(40)
			check(t, "ann knows", *Plan.Get(ann.find(flagID)), PlanData{Where: 7, Words: "at dawn"})
			check(t, "bob does not", *Plan.Get(bob.find(flagID)), PlanData{})
			check(t, "bob has the camp", bob.has(campID), false)
			bob.said()

			// Gained while streamed in: the field and the node come.
			Red.Put(server.Replication, bob.Me(), true)
			l.until("bob knows", func() bool { return Plan.Get(bob.find(flagID)).Words == "at dawn" && bob.has(campID) })
			l.steps(5)
			said := bob.said()
			slices.Sort(said) // the two nodes may arrive in two packets
			check(t, "bob heard", len(said) == 3 && slices.Contains(said, "0 to 7") && slices.Contains(said, "0 to 70"), true)

			// Lost while streamed in: the field is forgotten, the node goes.
			Red.Put(server.Replication, bob.Me(), false)
			Plan.Get(server.find(flagID)).Where = 8
			Plan.Get(server.find(flagID)).Raised = true
			l.until("bob has forgotten", func() bool {
				return *Plan.Get(bob.find(flagID)) == PlanData{Raised: true} && bob.count(Plan) == 1
			})
			l.steps(60)
			said = bob.said()
			check(t, "bob heard of the loss", slices.Contains(said, "7 to 0") && slices.Contains(said, "out false"), true)
			check(t, "ann knows more", Plan.Get(ann.find(flagID)).Where, 8)

			// Without a group, the node is sent to its owner only.
			Red.Remove(server.find(campID))
			l.until("ann's camp has gone", func() bool { return !ann.has(campID) })
			Blue.Add(server.find(campID))
			Blue.Put(server.Replication, bob.Me(), true)
			l.until("it is bob's now", func() bool { return bob.has(campID) })
			check(t, "but not what is red about it", *Plan.Get(bob.find(campID)), PlanData{})
			l.steps(30)
			check(t, "ann has it", ann.has(campID), false)

			Red.Put(server.Replication, 77, true)
			Red.Put(ann.Replication, ann.Me(), true)
			Red.Add(ann.find(flagID))
			check(t, "counted on the server", *server.Counter("stale group"), 1)
			check(t, "counted on the client", *ann.Counter("stale group"), 2)
		})
	}
}

// The authority decides whether a peer that asks is let into a group, and refuses by
// default.
func TestGroupAsk(t *testing.T) {
	l := newLab(t, lan)
	server, ann, bob := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := server.Create(Plan)
	Plan.Get(e).Where = 5
	id := tendon.ID(e)
	l.steps(10)
	Red.Ask(ann.Replication, true)
	l.steps(10)
	check(t, "without Allow", Plan.Get(ann.find(id)).Where, 0)
	check(t, "refused", *server.Counter("group refused"), 1)
	Red.Allow(server.Replication, func(p rpl.Peer) bool {
		server.say("%d", p)
		return p != bob.Me()
	})
	Red.Ask(ann.Replication, false)
	Red.Ask(ann.Replication, true) // the last word counts
	Red.Ask(bob.Replication, true)
	Red.Ask(server.Replication, true)
	l.steps(10)
	check(t, "asked about", len(server.said()), 3)
	check(t, "ann is in", Plan.Get(ann.find(id)).Where, 5)
	check(t, "bob is in", Plan.Get(bob.find(id)).Where, 0)
	check(t, "the host's player is in", Red.Has(server.Replication, server.Me()), true)
	Red.Ask(ann.Replication, false)
	l.steps(10)
	check(t, "ann is out", Plan.Get(ann.find(id)).Where, 0)

	// Membership lasts through levels and ends with the session.
	Red.Ask(ann.Replication, true)
	l.steps(5)
	server.Load("next")
	l.steps(20)
	e = server.Create(Plan)
	Plan.Get(e).Where = 6
	id = tendon.ID(e)
	l.steps(20)
	check(t, "in the next level", Plan.Get(ann.find(id)).Where, 6)
	check(t, "bob there", Plan.Get(bob.find(id)).Where, 0)

	// Whoever is let in no more may still go.
	Red.Allow(server.Replication, func(rpl.Peer) bool { return false })
	Red.Ask(ann.Replication, false)
	l.steps(10)
	check(t, "ann is out again", Red.Has(server.Replication, ann.Me()), false)
}

// While's function is called once per send and peer, however many nodes and fields the
// group has.
func TestGroupWhile(t *testing.T) {
	l := newLab(t, lan)
	server, ann, bob := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	asked, sees := 0, ann.Me()
	Red.While(server.Replication, func(p rpl.Peer) bool { asked++; return p == sees })
	var ids []rpl.Node
	for range 50 {
		e := server.Create(Plan)
		Plan.Get(e).Where = 5
		ids = append(ids, tendon.ID(e))
	}
	l.steps(20)
	knows := func(m *machine) (n int) {
		for _, id := range ids {
			if Plan.Get(m.find(id)).Where == 5 {
				n++
			}
		}
		return n
	}
	check(t, "ann sees", knows(ann), 50)
	check(t, "bob sees", knows(bob), 0)
	asked = 0
	l.steps(60) // 30 sends
	check(t, "asked", asked, 2*30)
	sees = bob.Me()
	l.steps(20)
	check(t, "ann sees no more", knows(ann), 0)
	check(t, "bob sees now", knows(bob), 50)
	check(t, "it is what Has says", Red.Has(server.Replication, bob.Me()), true)
	Red.While(server.Replication, nil)
	l.steps(20)
	check(t, "Put decides again", knows(bob), 0)
}

// Secrets change nothing of what other peers are sent: a session is played twice with
// different secrets, for ten seconds, in which code tables are fitted and shipped, and
// every byte to a peer that may not see the secret is the same. One goes evenly, one by leaps, and
// one rests.
func TestSecretsLeaveNoTrace(t *testing.T) {
	play := func(secret int32, words string, each int32) (shown, hidden *spyConn) {
		l := newLab(t, lan)
		spy := &spyListener{Listener: l.listener}
		server := l.machine("server", tendon.Config{})
		server.Host(spy)
		ann, bob := l.client(tendon.Config{}), l.client(tendon.Config{})
		l.joined()
		Red.Put(server.Replication, ann.Me(), true)
		Red.Put(server.Replication, bob.Me(), true)
		known := server.Create(Plan)
		ent := known.Entity()
		l.steps(6) // bob may see it at first
		Red.Put(server.Replication, bob.Me(), false)
		l.steps(1)
		Plan.SetValue(server.World().Entry(ent), PlanData{Where: secret, Words: words})
		camp := server.Create(Plan)
		Plan.SetValue(camp, PlanData{Where: secret, Words: words})
		Red.Add(camp)
		mine := server.Create(Ammo)
		Ammo.Get(mine).Left = int(secret) & 511
		tendon.Give(mine, ann.Me())
		for i := range int32(300) {
			l.steps(2)
			Plan.Get(server.World().Entry(ent)).Where += secret % 100 * (1 + i*i%each)
			Plan.Get(server.World().Entry(ent)).Raised = !Plan.Get(server.World().Entry(ent)).Raised
		}
		check(t, "ann's words", Plan.Get(ann.find(tendon.ID(server.World().Entry(ent)))).Words, words)
		return spy.conns[ann.Me()-2], spy.conns[bob.Me()-2]
	}
	annA, bobA := play(123456, "attack at dawn", 1)
	annB, bobB := play(-77, "no", 7)
	_, bobC := play(100, "", 1)
	equal := func(a, b [][]byte) bool { return slices.EqualFunc(a, b, slices.Equal[[]byte]) }
	check(t, "bob's datagrams are the same", equal(bobA.datagrams, bobB.datagrams), true)
	check(t, "bob's messages are the same", equal(bobA.messages, bobB.messages), true)
	check(t, "bob's datagrams are the same if it rests", equal(bobA.datagrams, bobC.datagrams), true)
	check(t, "bob's messages are the same if it rests", equal(bobA.messages, bobC.messages), true)
	check(t, "ann's datagrams are the same", equal(annA.datagrams, annB.datagrams), false)
	if len(bobA.datagrams) < 10 {
		t.Errorf("only %d datagrams to compare", len(bobA.datagrams))
	}
}

// A peer that is put into a node's group receives calls on the node from that same step on,
// and a peer that is put out receives none.
func TestCallsReachGroupMembers(t *testing.T) {
	for _, sends := range []int{60, 20} {
		l := newLab(t, lan)
		server := l.server(tendon.Config{Sends: sends})
		ann, bob := l.client(tendon.Config{}), l.client(tendon.Config{})
		for _, m := range []*machine{ann, bob} {
			calls[rpl.Broadcast][rpl.Reliable].Handle(m.Replication, func(_ tendon.Call, n uint8) { m.say("%d", n) })
		}
		l.joined()
		e := server.Create(Paint)
		Red.Add(e)
		in := ann
		Red.Put(server.Replication, ann.Me(), true)
		l.steps(30)
		tell := func(what string, n uint8) {
			t.Helper()
			if err := calls[rpl.Broadcast][rpl.Reliable].Send(e, n); err != nil {
				t.Error(err)
			}
			l.steps(30)
			for _, m := range []*machine{ann, bob} {
				if want := map[bool][]string{true: {fmt.Sprint(n)}}[m == in]; !slices.Equal(m.said(), want) {
					t.Errorf("%d sends, %s: %s should have heard %q", sends, what, m.name, want)
				}
			}
		}
		for n := range uint8(6) {
			Red.Put(server.Replication, in.Me(), false)
			if in = bob; n%2 == 1 {
				in = ann
			}
			Red.Put(server.Replication, in.Me(), true)
			tell("in place of the other", n)
		}
		Red.Put(server.Replication, in.Me(), false)
		tendon.Give(e, bob.Me())
		in = bob
		tell("given to bob", 10)
		tendon.Give(e, ann.Me())
		in = ann
		tell("given to ann", 11)
	}
}

// A While function stays in force when the session that it was set in has ended: for the
// clients of the next session, too.
func TestWhileInTheNextSession(t *testing.T) {
	l := newLab(t, lan)
	host := l.machine("host", tendon.Config{})
	seen := false
	Red.While(host.Replication, func(rpl.Peer) bool { return seen })
	host.Join(l.net.Dialer(l.net.Listener()))
	l.until("nobody has answered", func() bool { return host.ended != nil })
	host.Host(l.listener)
	ann := l.client(tendon.Config{})
	l.joined()
	e := host.Create(Plan)
	id := tendon.ID(e)
	Plan.Get(e).Where = 5
	l.until("she has it", func() bool { return ann.has(id) })
	l.steps(20)
	check(t, "what she knows", Plan.Get(ann.find(id)).Where, 0)
	seen = true
	l.steps(20)
	check(t, "what she knows then", Plan.Get(ann.find(id)).Where, 5)
}

// A dedicated server has no player who could ask for a group or be put into one: both are
// counted.
func TestAskWithoutAPlayer(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Dedicated: true})
	Red.Allow(server.Replication, func(rpl.Peer) bool {
		t.Error("Allow is asked")
		return true
	})
	l.steps(2)
	Red.Ask(server.Replication, true)
	l.steps(2)
	Red.Put(server.Replication, server.Me(), true)
	check(t, "counted", *server.Counter("stale group"), 2)
	check(t, "nobody is in", Red.Has(server.Replication, server.Me()), false)
}
