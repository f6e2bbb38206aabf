package rpl_test

// Many peers that come at once.

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// If many peers come at once to a large world, no send codes all of it for all of them,
// and none of them waits for long.
func TestManyJoinAtOnce(t *testing.T) {
	t.Parallel()
	const nodes, peers = 3000, 40
	for _, budget := range []int{0, 4_000_000} {
		w := newWorld(t, 5, rpl.AuthorityConfig{Budget: budget}, netsim.Conditions{Delay: 20 * time.Millisecond}, nodes)
		for _, th := range w.nodes {
			w.net.A.SetWords(th.item, th.words)
		}
		w.net.Tick(nil)
		for p := range peers {
			if _, err := w.net.Join(rpl.Peer(p + 2)); err != nil {
				t.Fatal(err)
			}
		}
		before, most, ticks := w.net.A.Counters().Arrivals, uint64(0), 0
		for before < nodes*peers {
			w.net.Tick(nil)
			now := w.net.A.Counters().Arrivals
			most = max(most, now-before)
			before = now
			if ticks++; ticks > 90 {
				t.Fatalf("budget %d: after %d ticks %d of %d arrivals have left", budget, ticks, before, nodes*peers)
			}
		}
		if most > nodes*peers/40 {
			t.Errorf("budget %d: %d of %d arrivals were coded for one send", budget, most, nodes*peers)
		}
	}
}

// A node that hangs elsewhere while a peer comes, and is a root again in the same step, reaches those
// who come later, too.
func TestJoinAfterAHangWhileAnotherJoins(t *testing.T) {
	w := newWorld(t, 5, rpl.AuthorityConfig{}, netsim.Conditions{Delay: 20 * time.Millisecond}, 3)
	join := func(p rpl.Peer) {
		if _, err := w.net.Join(p); err != nil {
			t.Fatal(err)
		}
	}
	ticks := func() {
		for range 60 {
			w.net.Tick(nil)
		}
	}
	a, top, n := w.net.A, w.nodes[0].id, w.nodes[1].id
	hang := func(under rpl.Node) {
		if err := a.SetParent(n, under); err != nil {
			t.Fatal(err)
		}
	}
	ticks()
	hang(top)
	join(2)
	hang(0)
	ticks()
	join(3)
	ticks()
	if got := a.Holders(n, nil); len(got) != 2 {
		t.Errorf("these hold it: %v", got)
	}
}
