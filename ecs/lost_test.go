package ecs_test

// Lost peers: what the server keeps for them, how they come back, and how they leave for
// good. lost_random_test.go plays the same at random.

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A player is a client whose connection can be cut. It joins again when its session ends,
// while again is set.
type player struct {
	*machine
	way   *mem.Dialer
	again bool
}

func (l *lab) player(c tendon.Config) *player {
	l.Helper()
	p := &player{machine: l.machine("player "+string(c.Hello), c), way: l.net.Dialer(l.listener), again: true}
	p.joins = true
	p.OnEnd(func(err error) {
		if p.again {
			p.Join(p.way)
		}
	})
	p.Join(p.way)
	return p
}

// cut drops every packet in both directions, until mend.
func (p *player) cut() {
	p.way.SetConditions(netsim.Conditions{Loss: 1}, netsim.Conditions{Loss: 1})
}

func (p *player) mend() { p.way.SetConditions(lan, lan) }

// tellPeers logs the callbacks of peers.
func (m *machine) tellPeers() {
	m.OnJoin(func(p rpl.Peer) { m.say("join %d", p) })
	m.OnLost(func(p rpl.Peer) { m.say("lost %d", p) })
	m.OnBack(func(p rpl.Peer) { m.say("back %d", p) })
	m.OnLeave(func(p rpl.Peer) { m.say("leave %d", p) })
}

func (m *machine) heard(want string) {
	m.lab.Helper()
	if got := strings.Join(m.said(), ", "); got != want {
		m.lab.Errorf("%s heard %q, not %q", m.name, got, want)
	}
}

// seconds runs n seconds of steps.
func (l *lab) seconds(n int) { l.steps(60 * n) }

// outlives runs steps until the server's log contains want: 12 s at most, since a peer is
// lost after 10 s of silence.
func (l *lab) outlives(server *machine, want string) {
	l.Helper()
	for range 720 {
		if strings.Contains(strings.Join(server.log, ", "), want) {
			return
		}
		l.steps(1)
	}
	l.Fatalf("after 12 s the server has heard %q, not %q", server.log, want)
}

// A lost peer that comes back has its number, its nodes, its groups and its owner's props
// again; calls to it meanwhile are dropped.
func TestLostAndBack(t *testing.T) {
	for name, dedicated := range map[string]bool{"listen": false, "dedicated": true} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, lan)
			server := l.server(tendon.Config{Dedicated: dedicated})
			ann, bob := l.player(tendon.Config{Hello: []byte("ann")}), l.player(tendon.Config{Hello: []byte("bob")})
			l.joined()
			server.tellPeers()
			number := ann.Me()
			tell := calls[rpl.ToOwner][rpl.Reliable]
			for _, m := range l.machines {
				tell.Handle(m.Replication, func(c tendon.Call, a uint8) { m.say("told %d", a) })
				Chat.Handle(m.Replication, func(c tendon.Call, line string) { m.say("%d: %s", c.From, line) })
			}
			gun, ghost, camp := server.Create(Ammo, Paint), Ghost.Spawn(server.World(), CrateArgs{Label: "her own"}), server.Create(Plan)
			ids := []rpl.Node{tendon.ID(gun), tendon.ID(ghost), tendon.ID(camp)}
			Ammo.Get(gun).Left = 7
			tendon.Give(gun, number)
			tendon.Give(ghost, number)
			Red.Add(camp)
			Red.Put(server.Replication, number, true)
			has := func(p *player) bool { return p.has(ids[0]) && p.has(ids[1]) && p.has(ids[2]) }
			l.until("ann has all", func() bool { return has(ann) && Ammo.Get(ann.find(ids[0])).Left == 7 })

			ann.cut()
			l.outlives(server, "lost")
			server.heard("lost 2")
			check(t, "it is a peer", slices.Contains(slices.Collect(server.Peers()), number), true)
			check(t, "its hello", string(server.Hello(number)), "ann")
			l.seconds(1)
			s := server.Stats(number)
			check(t, "the figures tell", s.Lost && s.LostFor > 990*time.Millisecond && s.LostFor < 1010*time.Millisecond, true)
			check(t, "and bob's", server.Stats(bob.Me()).Lost, false)
			for _, m := range []*machine{server, bob.machine} {
				check(t, m.name+" sees the owner", tendon.Owner(m.find(ids[0])), number)
			}
			dropped := *server.Counter("rpc dropped")
			if err := Chat.SendTo(server.Session(), number, "are you there?"); err != nil {
				t.Error(err)
			}
			if err := tell.Send(server.find(ids[0]), 1); err != nil {
				t.Error(err)
			}
			check(t, "calls are dropped", *server.Counter("rpc dropped")-dropped, 2)
			given := server.Create(Ammo)
			tendon.Give(given, number)
			ids = append(ids, tendon.ID(given))
			Ammo.Get(server.find(ids[0])).Left = 8
			check(t, "what may be given", *server.Counter("stale give"), 0)

			ann.mend()
			l.outlives(server, "back")
			server.heard("back 2")
			l.until("ann has all again", func() bool { return has(ann) && ann.has(ids[3]) })
			l.steps(60)
			check(t, "her number", ann.Me(), number)
			check(t, "what her owner may see", Ammo.Get(ann.find(ids[0])).Left, 8)
			check(t, "owned", tendon.IsOwner(ann.find(ids[0])) && tendon.IsOwner(ann.find(ids[1])) && tendon.IsOwner(ann.find(ids[3])), true)
			check(t, "in her group", Red.Has(server.Replication, number), true)
			check(t, "nodes, each once", ann.count(Ammo)+ann.count(Plan), 3)
			check(t, "she is there", server.Stats(number).Lost, false)
			ann.heard("") // none of the calls made meanwhile
			if err := tell.Send(server.find(ids[0]), 2); err != nil {
				t.Error(err)
			}
			if err := Chat.SendTo(server.Session(), number, "well?"); err != nil {
				t.Error(err)
			}
			Chat.Send(ann.Session(), "here")
			l.steps(30)
			ann.heard(fmt.Sprintf("told 2, %d: well?", server.Me()))
			server.heard("2: here")
			bob.heard("")
		})
	}
}

// A peer that does not come back leaves 30 s after it was lost. Only then are its nodes
// destroyed, or kept if Keep is set. A client that joins later is a new peer.
func TestLostForGood(t *testing.T) {
	l := newLab(t, lan)
	server, ann := l.server(tendon.Config{}), l.player(tendon.Config{Hello: []byte("ann")})
	l.joined()
	server.tellPeers()
	kept, mortal := Ghost.Spawn(server.World(), CrateArgs{}), server.Create(Paint)
	ids := []rpl.Node{tendon.ID(kept), tendon.ID(mortal)}
	tendon.Give(kept, 2)
	tendon.Give(mortal, 2)
	l.steps(10)
	ann.cut()
	l.outlives(server, "lost")
	l.steps(30*60 - 1)
	server.heard("lost 2")
	check(t, "both are there", server.has(ids[0]) && server.has(ids[1]), true)
	l.steps(2)
	server.heard("leave 2")
	check(t, "it is a peer", slices.Contains(slices.Collect(server.Peers()), 2), false)
	check(t, "the mortal one", server.has(ids[1]), false)
	check(t, "the kept one's owner", tendon.Owner(server.find(ids[0])), 0)
	ann.mend()
	l.until("she is in", func() bool { return ann.Me() == 3 })
	l.steps(60)
	server.heard("join 3")
}

// A lost peer that is back before its time is over keeps its seat. One that has come again
// and is not in by then, whether it is only slow or has broken off, leaves when the time is
// over: whoever connects does not hold the seat.
func TestBackInTheLastMoment(t *testing.T) {
	for name, x := range map[string]struct {
		after  int // seconds lost before it asks
		breaks bool
		want   string
	}{"in time": {20, false, "lost 2, back 2"}, "too slow": {24, false, "lost 2, leave 2"}, "broken off": {22, true, "lost 2, leave 2"}} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, lan)
			server, ann := l.server(tendon.Config{}), l.player(tendon.Config{})
			l.joined()
			server.tellPeers()
			ann.again = false
			ann.cut()
			l.outlives(server, "lost")
			l.seconds(x.after)
			slow := netsim.Conditions{Delay: time.Second} // the handshake takes five ways, the level two
			ann.way.SetConditions(slow, slow)
			ann.Join(ann.way)
			if l.steps(60*5 + 30); x.breaks { // the handshake is done: she is asked to build the level
				ann.cut()
			}
			l.seconds(29 - x.after - 5)
			check(t, "it has not left yet", slices.Contains(slices.Collect(server.Peers()), ann.Me()) || ann.Me() == 0 && len(slices.Collect(server.Peers())) == 2, true)
			l.seconds(2)
			server.heard(x.want)
		})
	}
}

// Kick and Close make a peer leave at once, also a lost one, and OnLeave runs once.
func TestLostAndSentAway(t *testing.T) {
	open := func(t *testing.T) (l *lab, server *machine, ann *player) {
		l = newLab(t, lan)
		server, ann = l.server(tendon.Config{}), l.player(tendon.Config{})
		l.joined()
		server.tellPeers()
		tendon.Give(server.Create(Paint), 2)
		l.steps(10)
		ann.again = false
		return l, server, ann
	}
	for _, x := range []struct {
		name, want string
		lost       bool
		end        func(server *machine, ann *player)
	}{
		{"kicked while lost", "lost 2, leave 2", true, func(server *machine, _ *player) { server.Kick(2, "afk") }},
		{"closed while lost", "lost 2, leave 2", true, func(server *machine, _ *player) { server.Close("over") }},
		{"kicked", "leave 2", false, func(server *machine, _ *player) { server.Kick(2, "afk") }},
		{"closed", "leave 2", false, func(server *machine, _ *player) { server.Close("over") }},
		{"left", "leave 2", false, func(_ *machine, ann *player) { ann.Close("bye") }},
	} {
		t.Run(x.name, func(t *testing.T) {
			l, server, ann := open(t)
			if x.lost {
				ann.cut()
				l.outlives(server, "lost")
			}
			x.end(server, ann)
			l.steps(10)
			check(t, "its node", server.count(Paint), 0)
			l.seconds(45)
			server.heard(x.want)
			check(t, "peers", len(slices.Collect(server.Peers())), 1)
		})
	}
	t.Run("kicked when it was lost", func(t *testing.T) {
		l, server, ann := open(t)
		server.OnLost(func(p rpl.Peer) { server.Kick(p, "no second chance") })
		ann.cut()
		l.seconds(45)
		server.heard("lost 2, leave 2")
	})
	t.Run("kicked when it was lost, having come again", func(t *testing.T) {
		l, server, ann := open(t)
		server.OnLost(func(p rpl.Peer) { server.Kick(p, "no second chance") })
		ann.cut()
		l.steps(1)
		ann.Join(l.net.Dialer(l.listener)) // before the server misses it
		l.until("it is told why it may not", func() bool { return errors.Is(ann.ended, transport.ErrKicked) })
		server.heard("lost 2, leave 2")
	})
}

// No callback runs for a peer whose connection breaks before it has joined.
func TestLostBeforeJoining(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	server.tellPeers()
	ann := l.player(tendon.Config{})
	ann.again = false
	ann.step = func() {
		if ann.Me() > rpl.Server { // asked in
			ann.cut() // before she says that her side is built
		}
	}
	l.until("she is asked in", func() bool { return ann.Me() > rpl.Server })
	server.said()
	l.seconds(45)
	server.heard("")
	check(t, "peers", len(slices.Collect(server.Peers())), 1)
}

// A client that joins again before the server has noticed a loss takes over its seat. Late
// packets on the old connection are ignored, also the one that ends it.
func TestTakeOver(t *testing.T) {
	l := newLab(t, lan)
	server, ann := l.server(tendon.Config{MaxPeers: 2}), l.player(tendon.Config{Hello: []byte("ann")})
	l.joined()
	server.tellPeers()
	e := server.Create(Paint)
	id := tendon.ID(e)
	tendon.Give(e, 2)
	touch := calls[rpl.ToServer][rpl.Reliable]
	touch.Handle(server.Replication, func(c tendon.Call, a uint8) { server.say("%d calls %d", c.From, a) })
	l.until("she has it", func() bool { return ann.has(id) })

	touch.Send(ann.find(id), 1)
	l.steps(1)
	late := netsim.Conditions{Delay: 3 * time.Second}
	ann.way.SetConditions(late, late)
	touch.Send(ann.find(id), 2) // it arrives after she has joined again
	l.steps(1)
	ann.Join(l.net.Dialer(l.listener)) // it ends the old connection, too late
	l.outlives(server, "back")
	server.heard("2 calls 1, lost 2, back 2")
	l.until("she has it again", func() bool { return ann.has(id) })
	l.seconds(15)
	server.heard("")
	touch.Send(ann.find(id), 3)
	l.steps(10)
	server.heard("2 calls 3")
	check(t, "she", ann.Me(), 2)
	check(t, "owns it", tendon.IsOwner(ann.find(id)), true)
}

// A seat that is kept for a lost peer counts as taken: another client is refused, and the
// lost peer is let in although the server is full.
func TestLostKeepsItsPlace(t *testing.T) {
	l := newLab(t, lan)
	server, ann := l.server(tendon.Config{MaxPeers: 2}), l.player(tendon.Config{Hello: []byte("ann")})
	l.joined()
	server.tellPeers()
	ann.cut()
	l.outlives(server, "lost")
	bob := l.client(tendon.Config{})
	bob.joins = false
	l.until("bob is refused", func() bool { return bob.ended != nil })
	if !errors.Is(bob.ended, transport.ErrFull) {
		t.Errorf("refused with %v", bob.ended)
	}
	ann.mend()
	l.outlives(server, "back")
	server.heard("lost 2, back 2")
}

// A peer is also lost if its connection fails in one direction only: the end that notices
// first does not make the peer leave.
func TestLostInOneDirection(t *testing.T) {
	dead := netsim.Conditions{Loss: 1}
	for name, way := range map[string][2]netsim.Conditions{"up": {dead, lan}, "down": {lan, dead}} {
		l := newLab(t, lan)
		server, ann := l.server(tendon.Config{Dedicated: true}), l.player(tendon.Config{Hello: []byte("ann")})
		l.joined()
		server.tellPeers()
		ann.again = false
		ann.way.SetConditions(way[0], way[1])
		l.outlives(server, "lost 2")
		l.until("the client is told", func() bool { return ann.ended != nil })
		if !errors.Is(ann.ended, transport.ErrTimeout) {
			t.Errorf("%s: the client is told %v", name, ann.ended)
		}
		ann.mend()
		ann.Join(ann.way)
		l.outlives(server, "back 2")
		server.heard("lost 2, back 2")
	}
}

// Two peers that are lost at once come back in the other order, each to its own seat.
func TestTwoLostAndBack(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 30e6, Jitter: 10e6, Loss: 0.05})
	server := l.server(tendon.Config{Dedicated: true})
	ann := l.player(tendon.Config{Hello: []byte("ann")})
	l.joined()
	bob := l.player(tendon.Config{Hello: []byte("bob")})
	l.joined()
	server.tellPeers()
	ids := map[rpl.Peer]rpl.Node{}
	for p := range server.Peers() {
		e := server.Create(Ammo)
		Ammo.Get(e).Left = 10 * int(p)
		tendon.Give(e, p)
		ids[p] = tendon.ID(e)
	}
	l.steps(60)
	ann.cut()
	bob.cut()
	l.outlives(server, "lost 2")
	l.outlives(server, "lost 3")
	server.said()
	bob.mend()
	l.outlives(server, "back")
	ann.mend()
	l.outlives(server, "back 2")
	server.heard("back 3, back 2")
	l.seconds(2)
	for _, p := range []*player{ann, bob} {
		e := p.find(ids[p.Me()])
		check(t, p.name+"'s own", Ammo.Get(e).Left, 10*int(p.Me()))
		check(t, p.name+" owns it", tendon.IsOwner(e), true)
	}
	check(t, "ann's number", ann.Me(), 2)
	check(t, "hellos", string(server.Hello(2))+string(server.Hello(3)), "annbob")
}

// A client that is cut off repeatedly while it joins has everything once its connection is
// mended. What it knew of the session's tick may be old by then.
func TestCutWhileJoining(t *testing.T) {
	for _, at := range []int{0, 5, 6, 7} { // steps
		for _, first := range []int{300, 500} {
			for _, gap := range []int{6, 14, 20, 30} {
				l := newLab(t, lan)
				server := l.server(tendon.Config{})
				server.Create(Paint)
				ann := l.player(tendon.Config{Hello: []byte("ann")})
				l.steps(at)
				for _, off := range []int{first, 550} {
					ann.cut()
					l.steps(off)
					ann.mend()
					l.steps(gap)
				}
				l.until(fmt.Sprintf("ann has the node, cut at %d for %d, after %d for more", at, first, gap), func() bool {
					return ann.count(Paint) > 0
				})
			}
		}
	}
}
