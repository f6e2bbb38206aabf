package rpl_test

// Rights that a peer loses and gets back within a round trip. Which copy of an arrival it has, and
// so which rows, is not known meanwhile, and no packet may build on what one of them took away.

import (
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A copy of an arrival lacks a row that the one before it has. The first is acked, and the peer gets
// the right back before the ack of the second.
func TestUpdateAfterACopyWithoutTheRow(t *testing.T) {
	for wait := range 8 {
		for _, lost := range []bool{false, true} { // the second copy
			m := newPostman(t)
			right := func(in bool) func() { return func() { m.net.A.SetGroup(2, m.sch.team, in) } }
			busy := m.spawn(t, m.sch.extra[2])
			for i := range 200 { // on a bad network, where an arrival is sent in copies
				letters := m.tick(func() { m.net.A.Set(m.item(busy, 1), unsafe.Pointer(&onceItem{Seen: int32(i)})) })
				if i%3 > 0 {
					m.deliver(t, letters)
				}
			}
			m.deliver(t, m.tick(right(true)))
			m.c.SetConditions(netsim.Conditions{}, netsim.Conditions{Delay: 60 * time.Millisecond})
			var id rpl.Node
			is := func(team int32) func() {
				return func() { m.net.A.Set(m.item(id, 1), unsafe.Pointer(&secretItem{Team: team})) }
			}
			with := m.tick(func() {
				id = m.spawn(t, m.sch.extra[1])
				is(7)()
			})
			without := m.tick(right(false))
			if len(with) != 1 || len(without) != 1 {
				t.Fatal("the arrival is not sent in copies")
			}
			m.deliver(t, with)
			if !lost {
				m.deliver(t, m.tick(nil))
				m.deliver(t, without)
			}
			m.ticks(t, wait)
			m.deliver(t, m.tick(right(true)))
			for i := range 10 {
				m.deliver(t, m.tick(is(8+int32(i))))
			}
			m.ticks(t, 60)
			var got secretItem
			if m.read(t, id, 1, m.sch.extra[1], unsafe.Pointer(&got)); got.Team != 17 {
				t.Errorf("%d ticks later, the copy lost %v: the peer has %d in place of 17", wait, lost, got.Team)
			}
		}
	}
}

// Nodes come, go and change hands, and so do their owners' rows, while packets are lost. None of
// those that come is refused, and in the end everyone has what it may see, and no more.
func TestRightsToAndFro(t *testing.T) {
	for seed := uint64(1); seed <= 12; seed++ {
		r := rand.New(rand.NewPCG(seed, 1))
		sch := newRandomSchema()
		path := netsim.Conditions{Delay: time.Duration(50+r.IntN(100)) * time.Millisecond, Loss: .02 + .15*r.Float64()}
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: sch.s, Hz: 60}, seed, path)
		if err != nil {
			t.Fatal(err)
		}
		for p := range rpl.Peer(2) {
			if _, err := net.Join(2 + p); err != nil {
				t.Fatal(err)
			}
		}
		type unit struct {
			id     rpl.Node
			secret secretItem
			owner  rpl.Peer
			open   bool // to the team
		}
		var units []unit
		team := map[rpl.Peer]bool{}
		change := func(rpl.Tick) {
			for len(units) < 40 {
				u := unit{owner: 2 + rpl.Peer(r.IntN(2))}
				if u.id, err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{sch.extra[1]}, Owner: u.owner, Streaming: rpl.Streaming{Relevance: rpl.Grouped}}); err != nil {
					t.Fatal(err)
				}
				units = append(units, u)
			}
			for p := range rpl.Peer(2) {
				if r.IntN(20) == 0 {
					team[2+p] = r.IntN(3) > 0
					net.A.SetGroup(2+p, sch.team, team[2+p])
				}
			}
			for i := range units {
				u := &units[i]
				if r.IntN(25) == 0 {
					u.owner = 5 - u.owner
					net.A.Give(u.id, u.owner)
				}
				if r.IntN(20) == 0 {
					u.open = r.IntN(2) == 0
					net.A.SetNodeGroup(u.id, sch.team, u.open)
				}
				if r.IntN(6) == 0 {
					u.secret = secretItem{Team: r.Int32N(1000) + 1, Token: r.Int32N(1000) + 1}
					it, _ := net.A.Item(u.id, 0)
					net.A.Set(it, unsafe.Pointer(&u.secret))
				}
			}
			if i := r.IntN(len(units)); r.IntN(4) == 0 {
				net.A.Remove(units[i].id)
				units[i] = units[len(units)-1]
				units = units[:len(units)-1]
			}
		}
		for range 600 {
			net.Tick(change)
		}
		for _, c := range net.Clients {
			if n := c.P.Counters(); n.Refused+n.Resyncs > 0 {
				t.Errorf("seed %d, %+v: %d packets refused, asked %d times for everything", seed, path, n.Refused, n.Resyncs)
			}
		}
		net.SetConditions(netsim.Conditions{})
		for range 120 {
			net.Tick(nil)
		}
		for _, c := range net.Clients {
			for _, u := range units {
				x, has := c.P.Replica(u.id)
				if sees := u.owner == c.Peer || u.open && team[c.Peer]; has != sees {
					t.Errorf("seed %d: peer %d has %v: %v", seed, c.Peer, u.id, has)
				}
				if !has {
					continue
				}
				want, got := secretItem{}, secretItem{}
				if u.owner == c.Peer {
					want.Token = u.secret.Token
				}
				if team[c.Peer] {
					want.Team = u.secret.Team
				}
				if c.P.Inject(x, 0, sch.extra[1], unsafe.Pointer(&got)); got != want {
					t.Errorf("seed %d: peer %d has %+v in place of %+v", seed, c.Peer, got, want)
				}
			}
		}
	}
}
