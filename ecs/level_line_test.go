package ecs_test

// What is known of the players' lines over a change of level.

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// On a line that loses packets, what is given to a player in OnJoin of a new level is there as soon as what is
// given in the middle of a level. So are reliable calls.
func TestLossIsKnownInTheNextLevel(t *testing.T) {
	p := tendon.NewProtocol("rounds")
	body := tendon.Replicate(p, "body", donburi.NewComponentType[passerData]())
	mine := tendon.Replicate(p, "mine", donburi.NewComponentType[matchClock]())
	news := tendon.NewRPC[uint8](p, "news", rpl.Broadcast, rpl.Reliable)
	took := map[string][]int{} // steps, by what and when
	for seed := uint64(1); seed <= 6; seed++ {
		steps, given, when := 0, map[rpl.Peer]int{}, ""
		give := func(m *tendontest.Machine, p rpl.Peer) {
			given[p] = steps
			tendon.Give(m.Create(mine), p)
			news.SendTo(m.Session(), p, 1)
		}
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p, Seed: seed,
			Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
			Setup: func(m *tendontest.Machine) {
				m.OnWorld(func(donburi.World, string) {})
				m.OnStart(func() { m.Create(body) })
				m.OnJoin(func(p rpl.Peer) { give(m, p) })
				came := func(what string) { took[what+when] = append(took[what+when], steps-given[m.Me()]) }
				m.OnStreamIn(mine, func(e *donburi.Entry) {
					if tendon.IsOwner(e) {
						came("nodes ")
					}
				})
				news.Handle(m.Replication, func(tendon.Call, uint8) { came("calls ") })
			},
			Step: func(m *tendontest.Machine) {
				for e := range body.Iter(m.World()) {
					if tendon.IsAuthority(e) {
						body.Get(e).Pos.X++
					}
				}
			},
		}, netsim.Conditions{Delay: 100 * time.Millisecond, Loss: 0.1})
		run := func(n int) {
			for range n {
				steps++
				lab.Steps(1)
			}
		}
		server := lab.Host()
		for range 4 {
			lab.Join()
		}
		run(240)
		for range 6 {
			when = "in a level"
			for p := range server.Peers() {
				give(server, p)
			}
			run(90)
			when = "after Load"
			server.Load("next")
			run(90)
		}
	}
	late := func(what string) int {
		all := took[what]
		if slices.Sort(all); len(all) < 144 {
			t.Fatalf("only %d %s", len(all), what)
		}
		t.Logf("%s: %d, median %d, nine of ten within %d steps, 19 of 20 within %d", what, len(all), all[len(all)/2], all[len(all)*9/10], all[len(all)*19/20])
		return all[len(all)*19/20]
	}
	for _, what := range []string{"nodes ", "calls "} {
		if in, after := late(what+"in a level"), late(what+"after Load"); after > in+4 {
			t.Errorf("%s: 19 of 20 are there within %d steps in a level, and within %d after Load", what, in, after)
		}
	}
}

// A level begins with the loss and the round trip that were measured before it, at both ends, and the lane is not
// told otherwise meanwhile. A player that comes back over another connection begins with nothing.
func TestLineIsKnownInTheNextLevel(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 50e6, Loss: 0.3})
	spy := &spyListener{Listener: l.listener}
	server := l.machine("server", tendon.Config{Dedicated: true})
	server.Host(spy)
	ann := l.player(tendon.Config{})
	l.joined()
	server.OnStart(func() { server.Create(Paint) })
	server.step = func() {
		for e := range Paint.Iter(server.World()) {
			Paint.Get(e).Colour++
		}
	}
	server.Load("one")
	l.steps(900)
	for i := range 6 {
		was, own := server.Stats(ann.Me()), ann.Stats(0).RTT
		told := len(spy.conns[0].loss)
		server.Load(fmt.Sprint("level ", i))
		l.until("it builds the level", func() bool { return server.Stats(ann.Me()).RTT == 0 })
		l.until("it is in the level", func() bool { return server.Stats(ann.Me()).RTT > 0 })
		if now := server.Stats(ann.Me()); math.Abs(now.Loss-was.Loss) > 0.05 || (now.RTT-was.RTT).Abs() > was.RTT/4 {
			t.Errorf("a level began with a loss of %.2f and a round trip of %v, and the one before ended with %.2f and %v", now.Loss, now.RTT, was.Loss, was.RTT)
		}
		if now := ann.Stats(0).RTT; (now - own).Abs() > own/4 {
			t.Errorf("the client began it with a round trip of %v, before it %v", now, own)
		}
		l.steps(100)
		if said := spy.conns[0].loss[told:]; slices.Min(said) < 0.15 {
			t.Errorf("over a change of level the lane is told of a loss of %v", said)
		}
	}
	me := ann.Me()
	server.tellPeers()
	ann.cut()
	l.outlives(server, "lost")
	ann.mend()
	l.outlives(server, "back")
	if now := server.Stats(me); now.Loss > 0 || ann.Me() != me {
		t.Errorf("peer %d is back as %d, over another connection, with a loss of %.2f", me, ann.Me(), now.Loss)
	}
}

// A lossyDialer is a line that, while it is cut, loses the datagrams to a client, and has the reliable lane
// bring its messages afterwards.
type lossyDialer struct {
	transport.Dialer
	cut  bool
	late []func()
}

type lossyLink struct {
	transport.Link
	of *lossyDialer
}

type lossyHandler struct {
	transport.Handler
	of *lossyDialer
}

func (d *lossyDialer) Dial(o transport.Offer) (transport.Link, error) {
	link, err := d.Dialer.Dial(o)
	return &lossyLink{link, d}, err
}

func (l *lossyLink) Poll(h transport.Handler) {
	l.Link.Poll(lossyHandler{h, l.of})
	for !l.of.cut && len(l.of.late) > 0 {
		l.of.late[0]()
		l.of.late = l.of.late[1:]
	}
}

func (h lossyHandler) Datagram(c transport.Conn, seq uint64, at time.Duration, b []byte) {
	if !h.of.cut {
		h.Handler.Datagram(c, seq, at, b)
	}
}

func (h lossyHandler) Message(c transport.Conn, b []byte) {
	b = slices.Clone(b)
	h.of.late = append(h.of.late, func() { h.Handler.Message(c, b) })
}

// Where a client hears of a new level long after it has begun, the last that it is told of the former one does
// not make it refuse the new one's packets as from a time that cannot be.
func TestLevelAfterALongCut(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Dedicated: true})
	server.OnWorld(func(donburi.World, string) {})
	server.step = func() {
		for e := range Paint.Iter(server.World()) {
			Paint.Get(e).Colour++
		}
	}
	line := &lossyDialer{Dialer: l.net.Dialer(l.listener)}
	client := l.machine("client", tendon.Config{})
	client.OnWorld(func(donburi.World, string) {})
	client.joins = true
	client.Join(line)
	l.joined()
	server.Create(Paint)
	l.steps(120)
	line.cut = true
	l.steps(1) // whose datagram is lost
	server.Load("next")
	l.steps(720)
	server.Create(Paint)
	line.cut = false
	l.until("the client is in the level", func() bool { return client.count(Paint) == 1 })
	l.steps(30)
	check(t, "packets refused", *client.Counter("packet refused"), 0)
	check(t, "asked anew", *client.Counter("resync"), 0)
}
