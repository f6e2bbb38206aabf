package rpl_test

// Joins that take more packets than are remembered.

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Without a budget, or with one that is larger than what can be under way, the arrivals of
// a large world leave no faster than their acks come back: what is forgotten before its ack
// comes would be told again.
func TestJoinOfALargeWorld(t *testing.T) {
	t.Parallel()
	const nodes, words = 20_000, 20
	for _, x := range []struct {
		budget  int
		loss    float64
		packets int // at most; without loss and repeats there are some 1,600
	}{{0, 0, 1700}, {1 << 30, 0, 1700}, {0, 0.1, 3000}} {
		t.Run(fmt.Sprintf("budget %d, loss %v", x.budget, x.loss), func(t *testing.T) {
			s := rpl.NewSchema("large")
			b := s.Build("noise")
			for i := range words {
				b = b.Int(fmt.Sprint("n", i), -1<<30, 1<<30)
			}
			typ := b.Done()
			net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, Budget: x.budget}, 1, netsim.Conditions{Delay: 150 * time.Millisecond, Loss: x.loss})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 1))
			w := make([]int32, words)
			for range nodes {
				id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
				if err != nil {
					t.Fatal(err)
				}
				it, _ := net.A.Item(id, 0)
				for i := range w {
					w[i] = rng.Int32N(1<<30) - 1<<29
				}
				net.A.SetWords(it, w)
			}
			c, err := net.Join(2)
			if err != nil {
				t.Fatal(err)
			}
			held := 0
			for ticks := 0; held < nodes; ticks++ {
				if ticks == 600 {
					t.Fatalf("after ten seconds the peer has %d of %d nodes", held, nodes)
				}
				net.Tick(func(rpl.Tick) {})
				held = 0
				for range c.P.Replicas {
					held++
				}
			}
			for range 60 {
				net.Tick(func(rpl.Tick) {})
			}
			n := net.A.Counters()
			t.Logf("%d packets by tick %d: %d arrivals, %d told again, %d packets lost, %d acked late", net.Packets, net.TickNumber(), n.Arrivals, n.Repeats, n.PacketsLost, n.LateAcks)
			if net.Packets > x.packets || x.loss == 0 && (n.Repeats > 0 || n.PacketsLost > 0) {
				t.Errorf("%d packets, %d arrivals told again, %d packets judged lost", net.Packets, n.Repeats, n.PacketsLost)
			}
		})
	}
}

// A join takes little more than a plain list of the values in their bits: what nodes are called,
// and how they are made, is told once, or by how it differs from the node before.
func TestJoinTellsLittleButValues(t *testing.T) {
	t.Parallel()
	const nodes, words, bits = 3000, 6, 12
	s := rpl.NewSchema("plain")
	b := s.Build("numbers")
	for i := range words {
		b = b.Int(fmt.Sprint("n", i), 0, 1<<bits-1)
	}
	typ := b.Done()
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{Delay: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	w := make([]int32, words)
	for range nodes {
		id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := net.A.Item(id, 0)
		for i := range w {
			w[i] = rng.Int32N(1 << bits)
		}
		net.A.SetWords(it, w)
	}
	sent := 0
	net.OnPacket = func(_ rpl.Peer, _ uint64, b []byte) { sent += len(b) }
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	for range 30 {
		net.Tick(func(rpl.Tick) {})
	}
	held := 0
	for range c.P.Replicas {
		held++
	}
	if plain := nodes * words * bits / 8; held != nodes+1 || sent > plain*4/3 {
		t.Errorf("%d nodes took %d bytes, %.1f bits each; their values in their bits are %d", held, sent, float64(8*sent)/nodes, plain)
	}
}

// A peer is filled up to a tick once it has acked all that had come to it by then, and what comes later does
// not put that off.
func TestFilledOnceAllIsThere(t *testing.T) {
	s := rpl.NewSchema("filled")
	typ := s.Build("it").Int("x", 0, 100).Done()
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{Delay: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	spawn := func() {
		t.Helper()
		if _, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}}); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		spawn()
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	var by rpl.Tick
	for k := range 120 {
		net.Tick(func(tick rpl.Tick) {
			if k == 1 {
				by = tick
			}
			spawn()
		})
		switch filled := by > 0 && net.A.Filled(2, by); {
		case filled && len(c.Log.Held) < 20:
			t.Fatalf("filled in step %d with %d of 20 nodes", k, len(c.Log.Held))
		case !filled && k == 119:
			t.Error("never filled, while others come")
		}
	}
}
