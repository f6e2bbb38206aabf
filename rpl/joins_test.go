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
