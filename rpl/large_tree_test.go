package rpl_test

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A tree of thousands of nodes arrives on a line that loses packets, while the peer is silent
// for a time in the middle of it: no node of it is ever there without its parent, what else
// happens does not wait for it, and what had come before the silence is not sent again.
func TestLargeTreeArrives(t *testing.T) {
	t.Parallel()
	const seed, nodes, budget, peer = 5, 4000, 12_000, rpl.Peer(2)
	lossy := netsim.Conditions{Delay: 30 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05}
	w := newWorld(t, seed, rpl.AuthorityConfig{Budget: budget}, lossy, 20)
	c, err := w.net.Join(peer)
	if err != nil {
		t.Fatal(err)
	}
	tick := func() {
		w.net.Tick(func(rpl.Tick) {
			for i, th := range w.nodes {
				if i < 20 {
					th.words[5] = (th.words[5] + 1) % 4096
				}
				w.net.A.SetWords(th.item, th.words)
			}
		})
	}
	for range 120 {
		tick()
	}
	parents := map[rpl.Node]rpl.Node{}
	root := w.spawn(t).id
	limbs := []rpl.Node{root}
	for range nodes - 1 {
		th := w.spawn(t)
		th.words[4], th.words[5] = int32(w.r.IntN(101)), int32(w.r.IntN(4096))
		n := th.id
		up := limbs[w.r.IntN(len(limbs))]
		if err := w.net.A.SetParent(n, up); err != nil {
			t.Fatal(err)
		}
		parents[n] = up
		if len(limbs) < 400 {
			limbs = append(limbs, n)
		}
	}
	held := func() (n int) {
		for child, up := range parents {
			if _, ok := c.P.Replica(child); !ok {
				continue
			}
			if n++; up != 0 {
				if _, ok := c.P.Replica(up); !ok {
					t.Fatalf("seed %d: %v is there without its parent", seed, child)
				}
			}
		}
		return n
	}
	fresh, moved := int32(-1), 0
	ticks, have := 0, 0
	for ; have < nodes-1; ticks++ {
		if ticks == 60*60 {
			t.Fatalf("seed %d: after a minute %d of %d nodes are there", seed, have, nodes)
		}
		switch ticks {
		case 60:
			w.net.SetConditions(netsim.Conditions{Delay: 30 * time.Millisecond, Loss: 1})
		case 60 + 180:
			w.net.SetConditions(lossy)
		}
		tick()
		if r, ok := c.P.Replica(w.nodes[0].id); ok && r.Words(0, nil)[5] != fresh {
			fresh = r.Words(0, nil)[5]
			moved++
		}
		if ticks%8 == 0 {
			have = held()
		}
	}
	w.net.SetConditions(lossy)
	if moved < (ticks-240)/20 {
		t.Errorf("seed %d: in %d ticks another node was seen to change %d times", seed, ticks, moved)
	}
	t.Logf("seed %d: %d ticks, %d arrivals, %d bytes", seed, ticks, w.net.A.Counters().Arrivals, w.net.A.PeerStats(peer).Bytes)
	if n := w.net.A.Counters().Arrivals; n > 2*nodes {
		t.Errorf("seed %d: %d arrivals of %d nodes were sent", seed, n, nodes)
	}
	w.rest()
	if err := w.check(c, nil); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
}
