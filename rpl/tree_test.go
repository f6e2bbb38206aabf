package rpl_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A ball changes owners at every step. A call counts if its peer owned the ball at the
// step of the call, for a second, however many owners the ball has had since.
func TestCallsOfManyOwners(t *testing.T) {
	const hz, peers = 60, 12
	s := rpl.NewSchema("ball")
	kick := s.RPC("kick", reflect.TypeFor[uint32](), rpl.ToServer, rpl.Reliable)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: hz}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	for p := range rpl.Peer(peers) {
		if _, err := net.Join(2 + p); err != nil {
			t.Fatal(err)
		}
	}
	ball, err := net.A.Spawn(rpl.Spawn{})
	if err != nil {
		t.Fatal(err)
	}
	ran := rpl.Peer(0)
	net.Run = func(c rpl.Call) { ran = c.From }
	owners := map[rpl.Tick]rpl.Peer{}
	give := func() {
		net.Tick(func(tick rpl.Tick) {
			net.A.Give(ball, 3) // owns it for less than a step
			owners[tick] = 2 + rpl.Peer(tick)%peers
			net.A.Give(ball, owners[tick])
		})
	}
	for range 3 * hz {
		give()
	}
	now := net.TickNumber()
	for at := now - 2*hz; at <= now; at++ {
		for _, p := range []rpl.Peer{owners[at], owners[at] + 1, 3} {
			ran = 0
			message := rpl.AppendCall([]byte{1}, 1, 1, kick, at, make([]byte, 4))
			if err := net.A.ReceiveMessage(p, message); err != nil && p < 2+peers {
				t.Fatal(err)
			}
			net.A.Due(net.Run)
			if counts := p == owners[at] && now-at <= hz; (ran == p) != counts {
				t.Errorf("%d ticks later a call of peer %d ran: %v; peer %d had it", now-at, p, ran == p, owners[at])
			}
		}
	}
}

// A hierarchy is judged about once per send and peer, however many of its nodes get a
// new parent or a new owner in a tick.
func TestTreeIsAskedAboutOnce(t *testing.T) {
	for _, in := range []rpl.Interest{rpl.Grid{Enter: 100, Exit: 120}, asked{rpl.Grid{Enter: 100, Exit: 120}}} {
		const peers, below = 8, 300
		w := newSight(t, in)
		var dots [1 + below]dot
		var items [1 + below]rpl.Item
		for i := range dots {
			n, err := w.a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{w.typ}})
			if err != nil {
				t.Fatal(err)
			}
			items[i], _ = w.a.Item(n, 0)
			w.nodes = append(w.nodes, n)
		}
		for p := range rpl.Peer(peers) {
			if err := w.a.Connect(2 + p); err != nil {
				t.Fatal(err)
			}
			w.a.Observe(2+p, [2]float64{50, 0})
		}
		tick := rpl.Tick(0)
		send := func(rules func()) uint64 {
			before := w.a.Counters().DistanceChecks
			tick++
			w.a.Step(tick)
			rules()
			for i, it := range items {
				w.a.Set(it, unsafe.Pointer(&dots[i]))
			}
			w.a.Stream(0)
			w.a.Schedule(0)
			return w.a.Counters().DistanceChecks - before
		}
		send(func() {})
		for _, change := range []struct {
			what  string
			rules func()
		}{
			{"hung under it", func() {
				for _, n := range w.nodes[1:] {
					if err := w.a.SetParent(n, w.nodes[0]); err != nil {
						t.Fatal(err)
					}
				}
			}},
			{"given", func() {
				for _, n := range w.nodes[1:] {
					w.a.Give(n, 99)
				}
			}},
		} {
			if n := send(change.rules); n > 4*peers {
				t.Errorf("%T: %s, %d nodes: %d checks for %d peers", in, change.what, below, n, peers)
			}
		}
		if held := len(w.holds()); held != peers*(2+below) {
			t.Errorf("%T: %d held, the session's among them", in, held)
		}
	}
}

// Nodes move from parent to parent, and are removed with children below them; each has the
// place among its parent's children that it is said to have.
func TestPlacesAmongChildren(t *testing.T) {
	const nodes, seed = 80, 3
	rnd := rand.New(rand.NewPCG(seed, seed))
	a, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: rpl.NewSchema("places"), Hz: 60})
	if err != nil {
		t.Fatal(err)
	}
	ids, parents := make([]rpl.Node, nodes), map[rpl.Node]rpl.Node{}
	spawn := func(k int) {
		if ids[k], err = a.Spawn(rpl.Spawn{}); err != nil {
			t.Fatal(err)
		}
	}
	for k := range ids {
		spawn(k)
	}
	for round := range 3000 {
		k := rnd.IntN(nodes)
		child, parent := ids[k], ids[rnd.IntN(8)]
		switch rnd.IntN(8) {
		case 0:
			a.Remove(child)
			delete(parents, child)
			for c, p := range parents {
				if p == child {
					delete(parents, c)
				}
			}
			spawn(k)
		case 1:
			parent = 0
			fallthrough
		default:
			if a.SetParent(child, parent) == nil {
				parents[child] = parent
			}
		}
		if n := a.Misplaced(); n > 0 {
			t.Fatalf("round %d: %d nodes are not where they are said to be", round, n)
		}
		for _, id := range ids {
			if got := a.Parent(id); got != parents[id] {
				t.Fatalf("round %d: %v is below %v, not %v", round, id, got, parents[id])
			}
		}
	}
}

// A node that is moved to another parent, and does not change itself, is told of once:
// it is not told again in each send until the ack comes.
func TestParentsAreReportedOnce(t *testing.T) {
	s := rpl.NewSchema("seats")
	s.Build("rider").Int("hat", 0, 7).Done()
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{Delay: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	item := s.Items()[0]
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	var ids [3]rpl.Node
	for i := range ids {
		if ids[i], err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{item}}); err != nil {
			t.Fatal(err)
		}
	}
	for range 60 {
		net.Tick(nil)
	}
	for seat := range 4 {
		before := net.Payload
		to := ids[1+seat%2]
		net.Tick(func(rpl.Tick) {
			if err := net.A.SetParent(ids[0], to); err != nil {
				t.Fatal(err)
			}
		})
		for range 13 {
			net.Tick(nil)
		}
		if n := net.Payload - before; n > 15 { // one of these packets may say that nothing else happened
			t.Errorf("another parent takes %d bytes", n)
		}
		if got := c.Log.Held[ids[0]].Parent; got != to {
			t.Errorf("the parent is %v there, not %v", got, to)
		}
	}
}

// What changes in one step with a node's parent, such as its place, or with its owner, never comes
// without that, also if the packet that told of it is lost, and also of a node with a rate of its own
// and of one that moves by itself.
func TestNoChangeWithoutItsParentOrOwner(t *testing.T) {
	for _, hz := range []uint8{0, 20} {
		s := rpl.NewSchema("seats")
		s.Build("rider").Int("seat", 0, 7).Int("x", -1<<20, 1<<20).Int("vx", -1<<20, 1<<20).Predict("x", "vx", true).Int("team", 0, 1).Done()
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{Delay: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Join(2)
		if err != nil {
			t.Fatal(err)
		}
		var ids [3]rpl.Node
		for i := range ids {
			sp := rpl.Spawn{Items: []*rpl.ItemType{s.Items()[0]}}
			if i == 0 {
				sp.Hz = hz
			}
			if ids[i], err = net.A.Spawn(sp); err != nil {
				t.Fatal(err)
			}
		}
		rider, _ := net.A.Item(ids[0], 0)
		owners := [2]rpl.Peer{0, 2}
		x, seat, team := int32(0), 0, 0
		for tick := range 1200 {
			lost := netsim.Conditions{Delay: 50 * time.Millisecond}
			if tick%30 == 0 {
				lost.Loss = 1
			}
			c.SetConditions(lost, netsim.Conditions{Delay: 50 * time.Millisecond})
			net.Tick(func(rpl.Tick) {
				switch tick % 60 {
				case 0:
					seat = tick / 60 % 2
					if err := net.A.SetParent(ids[0], ids[1+seat]); err != nil {
						t.Fatal(err)
					}
				case 30:
					team = tick / 60 % 2
					net.A.Give(ids[0], owners[team])
				}
				if x += 10; tick%3 == 0 {
					x++ // so that its course is corrected again and again
				}
				net.A.SetWords(rider, []int32{int32(seat), x, 600, int32(team)})
			})
			if r := c.Log.Held[ids[0]]; r != nil && r.Parent != 0 {
				w := r.Words(0, nil)
				if r.Parent != ids[1+w[0]] {
					t.Fatalf("rate %d, tick %d: it sits as in seat %d, under %v", hz, tick, w[0], r.Parent)
				}
				if r.Owner != owners[w[3]] {
					t.Fatalf("rate %d, tick %d: it is of team %d, and peer %d has it", hz, tick, w[3], r.Owner)
				}
			}
		}
	}
}
