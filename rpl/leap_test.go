package rpl_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Whoever has a state from after a leap knows of the leap, whatever is lost, duplicated or
// overtaken.
func TestLeapsComeWithTheState(t *testing.T) {
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		s := rpl.NewSchema("leaps")
		typ := s.Build("body").Int("x", -1<<20, 1<<20).Int("y", -1<<20, 1<<20).Pos("x", "y").Done()
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, seed, netsim.Conditions{
			Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: .2, Duplicate: .05,
		})
		if err != nil {
			t.Fatal(err)
		}
		const n = 20
		var ids [n]rpl.Node
		var items [n]rpl.Item
		var at [n][]int32
		var leapt [n]rpl.Tick
		for i := range n {
			if ids[i], err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}}); err != nil {
				t.Fatal(err)
			}
			items[i], _ = net.A.Item(ids[i], 0)
			at[i] = []int32{0, 0}
		}
		c, err := net.Join(2)
		if err != nil {
			t.Fatal(err)
		}
		knew := 0
		for range 600 {
			net.Tick(func(now rpl.Tick) {
				if now < 60 {
					return // all have arrived
				}
				for i := range n {
					at[i][0] += int32(i) // some stand, some move on
					if rnd.IntN(60) == 0 {
						at[i][1] = rnd.Int32N(1000)
						if net.A.Leap(ids[i]); leapt[i] < now {
							leapt[i] = now
						}
					}
					net.A.SetWords(items[i], at[i])
				}
			})
			for i, id := range ids {
				r, ok := c.P.Replica(id)
				if !ok {
					continue
				}
				w, tick := r.Confirmed(0, nil)
				if tick >= leapt[i] && leapt[i] > 0 {
					if knew++; r.Leapt != leapt[i] {
						t.Fatalf("seed %d: node %d is at %v of tick %d and has leapt at %d, not %d", seed, i, w, tick, r.Leapt, leapt[i])
					}
				}
			}
		}
		if knew < 2000 || len(c.Log.Errors) > 0 {
			t.Errorf("seed %d: %d states after leaps, errors %v", seed, knew, c.Log.Errors)
		}
	}
}
