package rpl_test

// What is said once, and much of it at once, on lines that lose packets.

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// 1,200 shots that end in one tick, again and again, end at the client within a round trip or two, on lines that
// lose packets at random: nothing is held back because loss might mean that the line is too slow. So it is where
// shots are all that there is to say, and beside things that change in each tick.
func TestRemovalsAtOnceUnderLoss(t *testing.T) {
	t.Parallel()
	const oneWay = 100 * time.Millisecond
	for _, loss := range some([]float64{0.1, 0.2}) {
		for _, walking := range some([]int{0, 60}) {
			for seed := uint64(4); seed < 7; seed++ { // at 10 % of loss five seeds of 100 take 30 ticks, and one takes the loss for a slow line
				s := rpl.NewSchema("shots")
				typ := s.Build("shot").Int("x", -1<<20, 1<<20).Int("y", -1<<20, 1<<20).Done()
				net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, SendHz: 30, Budget: 256 << 10}, seed, netsim.Conditions{Delay: oneWay, Loss: loss})
				if err != nil {
					t.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(seed, 3))
				place := func() []int32 { return []int32{rng.Int32N(1 << 20), rng.Int32N(1 << 20)} }
				spawn := func() (rpl.Node, rpl.Item) {
					id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
					if err != nil {
						t.Fatal(err)
					}
					it, _ := net.A.Item(id, 0)
					net.A.SetWords(it, place())
					return id, it
				}
				var walkers []rpl.Item
				for range walking {
					_, it := spawn()
					walkers = append(walkers, it)
				}
				c, err := net.Join(2)
				if err != nil {
					t.Fatal(err)
				}
				var shots, ended []rpl.Node
				var at rpl.Tick // of their end
				bombs, late, latest, low := 0, 0, 0, 1<<30
				for range 60 * 20 {
					net.Tick(func(now rpl.Tick) {
						for _, it := range walkers {
							net.A.SetWords(it, place())
						}
						switch {
						case now%10 == 5 && len(shots) >= 1200:
							for _, id := range shots {
								net.A.Remove(id)
							}
							shots, ended, at = ended[:0], shots, now
							bombs++
						case now%10 == 6:
							for range 80 {
								id, _ := spawn()
								shots = append(shots, id)
							}
						}
					})
					low = min(low, net.A.PeerStats(2).SendLimit) // a limit would mean that the line counts as slow
					ended = slices.DeleteFunc(ended, func(id rpl.Node) bool { _, ok := c.P.Replica(id); return !ok })
					if len(ended) > 0 {
						latest = max(latest, int(net.TickNumber()-at))
					}
					if len(ended) > 100 {
						late = max(late, int(net.TickNumber()-at))
					}
				}
				t.Logf("seed %d, loss %v, %d walk: after each of %d bombs shots are left for %d ticks, more than 100 for %d; %.0f kB/s", seed, loss, walking, bombs, latest, late, float64(net.Payload)/20e3)
				if bombs < 5 || late > 24 || latest > 60 || low < 256<<10 {
					t.Errorf("seed %d, loss %v, %d walk: after one of %d bombs shots were left for %d ticks, more than 100 for %d; at most %d B/s may be sent", seed, loss, walking, bombs, latest, late, low)
				}
			}
		}
	}
}
