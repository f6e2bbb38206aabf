package rpl_test

// Priority under a small budget: what is sent first, and what is sent together.

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// thin makes a session whose budget pays for few of its nodes, which change at every
// tick and have the greatest weight.
func thin(t *testing.T, nodes int, s *rpl.Schema) (net *rpltest.Net, c *rpltest.Client, change func(tick rpl.Tick)) {
	note := s.Item("note", reflect.TypeFor[noteItem](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, Budget: 6_000, CheckEvery: -1}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	if c, err = net.Join(2); err != nil {
		t.Fatal(err)
	}
	var all []rpl.Item
	for range nodes {
		id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{note}, Streaming: rpl.Streaming{Weight: rpl.MaxWeight}})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := net.A.Item(id, 0)
		all = append(all, it)
	}
	return net, c, func(tick rpl.Tick) {
		for i, it := range all {
			n := noteItem{int32(tick) * int32(i+1) * 7919}
			net.A.Set(it, unsafe.Pointer(&n))
		}
	}
}

type noteItem struct {
	A int32 `rpl:""`
}

type purseItem struct {
	Gold int32 `rpl:"to=rich"`
}

// State to which a peer has lost the right is taken from it before any other state is
// sent, whatever the weight of that.
func TestForgetsComeFirst(t *testing.T) {
	for _, nodes := range []int{30, 300} { // the budget pays for the names of all nodes, and does not
		s := rpl.NewSchema("thin")
		rich := s.Group("rich")
		purse := s.Item("purse", reflect.TypeFor[purseItem](), nil)
		net, c, change := thin(t, nodes, s)
		id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{purse}})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := net.A.Item(id, 0)
		net.A.Set(it, unsafe.Pointer(&purseItem{7}))
		net.A.SetGroup(2, rich, true)
		gold := func() (p purseItem) {
			if r, ok := c.P.Replica(id); ok {
				c.P.Inject(r, 0, purse, unsafe.Pointer(&p))
			}
			return p
		}
		for range 600 {
			net.Tick(change)
		}
		if gold().Gold != 7 {
			t.Fatalf("%d nodes: a member has %+v", nodes, gold())
		}
		net.A.SetGroup(2, rich, false)
		for tick := 1; gold().Gold != 0; tick++ {
			if net.Tick(change); tick > 20 {
				t.Fatalf("%d nodes: after %d ticks it has what it had", nodes, tick)
			}
		}
	}
}

// Nodes that change their parent in the same tick change it at the client together,
// however small the budget is.
func TestMovedTogetherWithLittleBudget(t *testing.T) {
	const riders = 60
	for _, nodes := range []int{30, 300} {
		net, c, change := thin(t, nodes, rpl.NewSchema("thin"))
		var sides [2]rpl.Node
		var all []rpl.Node
		for i := range sides {
			sides[i], _ = net.A.Spawn(rpl.Spawn{Streaming: rpl.Streaming{Relevance: rpl.Always}})
		}
		for range riders {
			id, _ := net.A.Spawn(rpl.Spawn{Parent: sides[0]})
			all = append(all, id)
		}
		for range 600 {
			net.Tick(change)
		}
		for _, id := range all {
			if err := net.A.SetParent(id, sides[1]); err != nil {
				t.Fatal(err)
			}
		}
		for tick, moved := 1, 0; moved < riders; tick++ {
			net.Tick(change)
			moved = 0
			for _, id := range all {
				if r, ok := c.P.Replica(id); ok && r.Parent == sides[1] {
					moved++
				}
			}
			if moved > 0 && moved < riders || tick > 60 {
				t.Fatalf("%d nodes: after %d ticks %d of %d hang there", nodes, tick, moved, riders)
			}
		}
	}
}

// Unreliable calls count against the budget. Neither calls nor state take all of it,
// and calls beyond it are dropped and counted. A silent peer is sent no calls.
func TestCallsAreOfTheBudget(t *testing.T) {
	const budget, bucket, seconds, size = 6_000, 1_500, 10, 300
	s := rpl.NewSchema("thin")
	hint := s.RPC("hint", reflect.TypeFor[[]byte](), rpl.Broadcast, rpl.Unreliable)
	net, c, change := thin(t, 300, s)
	play := func(ticks, each int) (bytes, ran int) {
		before, calls := net.A.PeerStats(2).Bytes, len(c.Log.Calls)
		for range ticks {
			for range each {
				if err := net.A.Call(rpl.SessionNode, hint, make([]byte, size)); err != nil {
					t.Fatal(err)
				}
			}
			net.Tick(change)
		}
		return int(net.A.PeerStats(2).Bytes - before), len(c.Log.Calls) - calls
	}
	play(600, 0)
	records := net.A.Counters().Records
	bytes, ran := play(60*seconds, 5)
	if most := seconds*budget + bucket + rpl.PacketRoom + rpl.PacketOverhead; bytes > most {
		t.Errorf("%d bytes in %d s, at most %d", bytes, seconds, most)
	}
	if part := float64(ran*size) / (seconds * budget); part < 0.3 || part > 0.6 {
		t.Errorf("%.2f of the budget went into %d calls", part, ran)
	}
	if n := net.A.Counters().Records - records; n < 1000 {
		t.Errorf("%d updates in %d s", n, seconds)
	}
	if n := int(net.A.Counters().CallsDropped); n < 60*seconds*5-ran-300 {
		t.Errorf("%d of %d calls ran, and %d were counted as dropped", ran, 60*seconds*5, n)
	}
	c.Silent = true
	play(90, 0)
	if bytes, _ := play(60, 5); bytes > 4*60 {
		t.Errorf("a silent peer was sent %d bytes in a second", bytes)
	}
}
