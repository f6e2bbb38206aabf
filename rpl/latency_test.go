package rpl_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// The time from a node's first tick to the tick at which a client has it stays below
// fixed limits, at 60 sends a second with 50 to 60 ms one way. The seed is fixed.
func TestArrivalsAreSoonThere(t *testing.T) {
	const seed, peers, seconds = 1, 8, 30
	for _, c := range []struct {
		name    string
		network netsim.Conditions
		most    time.Duration // the limit for 99 of 100 arrivals
	}{
		{"no loss", netsim.Conditions{}, 80 * time.Millisecond},
		{"loss of 5 %", netsim.Conditions{Loss: 0.05}, 95 * time.Millisecond},
		{"loss of 20 %", netsim.Conditions{Loss: 0.2}, 130 * time.Millisecond},
		{"loss of 5 % in bursts", netsim.Conditions{Loss: 0.05, Burst: 3}, 250 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.network.Delay, c.network.Jitter = 50*time.Millisecond, 10*time.Millisecond
			w := newWorld(t, seed, rpl.AuthorityConfig{}, c.network, 40)
			for p := range peers {
				if _, err := w.net.Join(rpl.Peer(p + 2)); err != nil {
					t.Fatal(err)
				}
			}
			for range 180 { // until loss is measured
				w.net.Tick(func(rpl.Tick) { w.step(t) })
			}
			var took []time.Duration
			waiting := make([]map[rpl.Node]time.Duration, peers) // spawn times
			for i := range waiting {
				waiting[i] = map[rpl.Node]time.Duration{}
			}
			for tick := range 60 * seconds {
				w.net.Tick(func(rpl.Tick) {
					w.step(t)
					if tick%5 == 0 { // 12 nodes a second are spawned and removed
						w.net.A.Remove(w.nodes[0].id)
						for _, missed := range waiting {
							delete(missed, w.nodes[0].id)
						}
						w.nodes = w.nodes[1:]
						th := w.spawn(t)
						w.net.A.SetWords(th.item, th.words)
						for _, here := range waiting {
							here[th.id] = w.net.Now
						}
					}
				})
				for i, client := range w.net.Clients {
					for id, since := range waiting[i] {
						if _, ok := client.P.Replica(id); ok {
							took = append(took, w.net.Now-since)
							delete(waiting[i], id)
						}
					}
				}
			}
			slices.Sort(took)
			if len(took) < 12*peers*(seconds-1) {
				t.Fatalf("only %d arrivals", len(took))
			}
			p50, p99 := took[len(took)/2], took[len(took)*99/100]
			t.Logf("seed %d: %d arrivals, half within %v, 99 in 100 within %v, all within %v", seed, len(took), p50, p99, took[len(took)-1])
			if p99 > c.most {
				t.Errorf("seed %d: one arrival in a hundred takes %v or more, at most %v may", seed, p99, c.most)
			}
		})
	}
}
