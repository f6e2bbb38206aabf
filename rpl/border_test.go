package rpl_test

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A node that oscillates across one of the two radii streams in or out once; a node
// that oscillates across both stays for half a second each time.
func TestNodeOnTheBorder(t *testing.T) {
	const seconds = 10
	for _, c := range []struct {
		name               string
		before, near, far  int32  // its x at first, then the two between which it oscillates
		arrivals, removals uint64 // at most
	}{
		{"where it comes into sight", 10_000, 3990, 4010, 1, 0},
		{"where it goes out of sight", 3000, 4390, 4410, 0, 1},
		{"across both", 10_000, 3900, 4500, 2 * seconds, 2 * seconds}, // half a second each time
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, 1, rpl.AuthorityConfig{Interest: rpl.Grid{Enter: 4000, Exit: 4400}}, netsim.Conditions{Delay: 20 * time.Millisecond}, 1)
			if _, err := w.net.Join(2); err != nil {
				t.Fatal(err)
			}
			w.net.A.Observe(2, [2]float64{})
			th := w.nodes[0]
			play := func(ticks int, at ...int32) rpl.Counters {
				for tick := range ticks {
					w.net.Tick(func(rpl.Tick) {
						w.net.A.SetWords(th.item, []int32{at[tick%len(at)], 0, 0, 0, 100, 0})
					})
				}
				return w.net.A.Counters()
			}
			before := play(120, c.before)
			after := play(60*seconds, c.near, c.far)
			in, out := after.Arrivals-before.Arrivals, after.Removals-before.Removals
			if in > c.arrivals || out > c.removals || in+out == 0 {
				t.Errorf("%d arrivals, %d removals in %d s, at most %d and %d", in, out, seconds, c.arrivals, c.removals)
			}
			t.Logf("%d arrivals, %d removals", in, out)
		})
	}
}
