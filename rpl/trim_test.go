package rpl_test

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What a burst of nodes has taken is given back once they have gone: what is kept of each
// handle, of each packet and of each arrival. The handles are in use again after that, under
// loss and reordering, and the worlds are equal.
func TestMemoryIsGivenBack(t *testing.T) {
	t.Parallel()
	const seed, many, few, peer = 11, 3000, 20, rpl.Peer(2)
	lossy := netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1, Duplicate: 0.02}
	w := newWorld(t, seed, rpl.AuthorityConfig{Budget: 400_000}, lossy, few)
	c, err := w.net.Join(peer)
	if err != nil {
		t.Fatal(err)
	}
	for round := range some([]int{0, 1, 2}) {
		for range many {
			w.spawn(t)
		}
		for range 240 {
			w.net.Tick(func(rpl.Tick) { w.step(t) })
		}
		if n := w.net.A.Backlog(peer).Entries; n < many {
			t.Fatalf("seed %d, round %d: entries of %d handles, with %d nodes", seed, round, n, many)
		}
		for len(w.nodes) > few {
			last := w.nodes[len(w.nodes)-1]
			w.net.A.Remove(last.id)
			w.nodes = w.nodes[:len(w.nodes)-1]
		}
		for range 25 * 60 {
			w.net.Tick(func(rpl.Tick) { w.step(t) })
		}
		if n := w.net.A.Backlog(peer); n.Entries > 256 || n.Records > 256 {
			t.Errorf("seed %d, round %d: entries of %d handles, %d records, with %d nodes", seed, round, n.Entries, n.Records, few)
		}
		if n := rpl.Kept(w.net.A)[".sender.All.lives.chunks"]; n > 16 {
			t.Errorf("seed %d, round %d: %d chunks of lifecycles, with %d nodes", seed, round, n, few)
		}
	}
	w.rest()
	if err := w.check(c, nil); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	if n := c.P.Counters(); n.Refused > 0 || n.Mismatches > 0 {
		t.Errorf("seed %d: the client's counts are %+v", seed, n)
	}
}
