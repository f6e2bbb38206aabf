package rpl_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// busyWorld is a world of 40 nodes with some peers, that has been played until their loss
// is measured.
func busyWorld(t *testing.T, seed uint64, network netsim.Conditions, peers int) *world {
	w := newWorld(t, seed, rpl.AuthorityConfig{}, network, 40)
	for p := range peers {
		if _, err := w.net.Join(rpl.Peer(p + 2)); err != nil {
			t.Fatal(err)
		}
	}
	for range 180 {
		w.net.Tick(func(rpl.Tick) { w.step(t) })
	}
	return w
}

// rest lets everything stand still until all peers know it.
func (w *world) rest() {
	for _, th := range w.nodes {
		th.words[2], th.words[3] = 0, 0
		w.net.A.SetWords(th.item, th.words)
	}
	for range 120 {
		w.net.Tick(nil)
	}
}

// The time from a node's first tick to the tick at which a client has it stays below
// fixed limits, at 60 sends a second with 50 to 60 ms one way. The seed is fixed.
func TestArrivalsAreSoonThere(t *testing.T) {
	t.Parallel()
	const seed, peers, seconds = 1, 8, 30
	for _, c := range some([]struct {
		name    string
		network netsim.Conditions
		most    time.Duration // the limit for 99 of 100 arrivals
	}{
		{"no loss", netsim.Conditions{}, 80 * time.Millisecond},
		{"loss of 5 %", netsim.Conditions{Loss: 0.05}, 95 * time.Millisecond},
		{"loss of 20 %", netsim.Conditions{Loss: 0.2}, 130 * time.Millisecond},
		{"loss of 5 % in bursts", netsim.Conditions{Loss: 0.05, Burst: 3}, 250 * time.Millisecond},
	}) {
		t.Run(c.name, func(t *testing.T) {
			c.network.Delay, c.network.Jitter = 50*time.Millisecond, 10*time.Millisecond
			w := busyWorld(t, seed, c.network, peers)
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

// The time from a change in a quiet world to the tick at which a client has it stays below
// fixed limits, at 60 sends a second with 50 to 60 ms one way. Nothing that is sent later
// tells that a packet was lost. The seed is fixed.
func TestChangesAreSoonThere(t *testing.T) {
	t.Parallel()
	const seed, peers, changes, every = 1, 8, 250, 45 // ticks from a change to the next
	for _, c := range []struct {
		name    string
		network netsim.Conditions
		most    time.Duration // the limit for 99 of 100 changes
	}{
		{"no loss", netsim.Conditions{}, 80 * time.Millisecond},
		{"loss of 1 %", netsim.Conditions{Loss: 0.01}, 95 * time.Millisecond},
		{"loss of 5 %", netsim.Conditions{Loss: 0.05}, 95 * time.Millisecond},
		{"loss of 20 %", netsim.Conditions{Loss: 0.2}, 130 * time.Millisecond},
		// A burst is three packets long, on average, which in a quiet world may be all
		// copies of a change.
		{"loss of 5 % in bursts", netsim.Conditions{Loss: 0.05, Burst: 3}, 500 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.network.Delay, c.network.Jitter = 50*time.Millisecond, 10*time.Millisecond
			w := busyWorld(t, seed, c.network, peers)
			w.rest()
			var took []time.Duration
			w.net.Payload = 0
			for change := range changes {
				th := w.nodes[w.r.IntN(len(w.nodes))]
				w.net.Tick(func(rpl.Tick) {
					th.words[5] = int32(change + 1)
					w.net.A.SetWords(th.item, th.words)
				})
				since, waiting := w.net.Now, slices.Clone(w.net.Clients)
				for tick := 0; tick < every || len(waiting) > 0; tick++ {
					waiting = slices.DeleteFunc(waiting, func(client *rpltest.Client) bool {
						r, ok := client.P.Replica(th.id)
						has := ok && r.Words(0, nil)[5] == th.words[5]
						if has {
							took = append(took, w.net.Now-since)
						}
						return has
					})
					w.net.Tick(nil)
				}
			}
			slices.Sort(took)
			p50, p99 := took[len(took)/2], took[len(took)*99/100]
			t.Logf("seed %d: %d changes, half within %v, 99 in 100 within %v, all within %v, %d bytes each", seed, len(took), p50, p99,
				took[len(took)-1], w.net.Payload/len(took))
			if p99 > c.most {
				t.Errorf("seed %d: one change in a hundred takes %v or more, at most %v may", seed, p99, c.most)
			}
		})
	}
}
