package rpl_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Movement without a declared velocity: a straight walk needs updates only where
// rounding shows (see fraction_test.go), and movement that cannot be predicted (noise,
// teleports) costs at most one update per change. Without loss the client shows the
// authority's state at every tick; on a bad network it does so in the end.
func TestVelocitiesAreInferred(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const walkers, ticks = 20, 600
	ways := map[string]struct {
		most float64 // updates per walker and tick
		step func(r *rand.Rand, tick int, x, v float64) float64
	}{
		"straight": {0.16, func(_ *rand.Rand, _ int, x, v float64) float64 { return x + v }},
		"in turns": {0.3, func(_ *rand.Rand, tick int, x, v float64) float64 {
			if tick/60%2 == 0 {
				return x + v
			}
			return x - v
		}},
		"noise": {1, func(r *rand.Rand, _ int, x, v float64) float64 { return x + (r.Float64()-0.5)*v }},
		"leaps after short rests": {0.2, func(r *rand.Rand, tick int, x, _ float64) float64 {
			if tick%6 > 0 {
				return x
			}
			return r.Float64() * 1e5
		}},
		"whole steps": {0.02, func(_ *rand.Rand, _ int, x, v float64) float64 { return x + math.Round(v) }},
		"tiles": {0.26, func(_ *rand.Rand, tick int, x, v float64) float64 {
			if tick%4 > 0 {
				return x
			}
			return x + 512
		}},
		"teleports": {0.06, func(r *rand.Rand, tick int, x, v float64) float64 { return float64(tick / 30 * 1000) }},
	}
	for name, way := range ways {
		for _, cond := range []netsim.Conditions{{Delay: 40 * time.Millisecond}, {Delay: 40 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.2}} {
			r := rand.New(rand.NewPCG(seed, 1))
			s := rpl.NewSchema("infer")
			typ := s.Build("body").Int("x", -1<<20, 1<<20).Int("y", -1<<20, 1<<20).Int("hp", 0, 100).Pos("x", "y").Done()
			net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, seed, cond)
			if err != nil {
				t.Fatal(err)
			}
			c, err := net.Join(2)
			if err != nil {
				t.Fatal(err)
			}
			var at, speed [walkers]float64
			var ids [walkers]rpl.Node
			var items [walkers]rpl.Item
			for i := range walkers {
				if ids[i], err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}}); err != nil {
					t.Fatal(err)
				}
				items[i], _ = net.A.Item(ids[i], 0)
				at[i], speed[i] = r.Float64()*1000, 1+r.Float64()*40
			}
			past := map[rpl.Tick][walkers]int32{}
			moving := true
			step := func() {
				net.Tick(func(tick rpl.Tick) {
					var was [walkers]int32
					for i := range walkers {
						if moving {
							at[i] = way.step(r, int(tick), at[i], speed[i])
						}
						was[i] = int32(math.Round(at[i]))
						net.A.SetWords(items[i], []int32{was[i], -was[i], 100})
					}
					past[tick] = was
				})
			}
			for tick := range ticks {
				step()
				if cond.Loss > 0 || tick < 60 {
					continue
				}
				truth := past[c.P.Newest()]
				for i, id := range ids {
					if words := c.Log.Held[id].Words(0, nil); words[0] != truth[i] || words[1] != -truth[i] {
						t.Fatalf("%s: %v shows %v at tick %d, where it was %d", name, id, words, c.P.Newest(), truth[i])
					}
				}
			}
			if told := float64(net.A.Counters().Records) / (walkers * ticks); cond.Loss == 0 && told > way.most {
				t.Errorf("%s: %.3f updates a walker and tick, more than %.2f", name, told, way.most)
			}
			moving = false
			for range 120 {
				step()
			}
			for i, id := range ids {
				if words := c.Log.Held[id].Words(0, nil); !slices.Equal(words, net.A.Words(items[i], nil)) {
					t.Errorf("%s, loss %v: %v shows %v in the end", name, cond.Loss, id, words)
				}
			}
		}
	}
}
