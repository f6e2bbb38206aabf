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

// Within its tolerance a number that wanders, and one that moves unevenly, is not told. What a
// client shows is never farther off than that, and is exact a second after it rests, also
// where others of its row go on, and whatever was lost.
func TestTolerances(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const n, ticks, tol = 20, 900, 6
	for _, way := range []struct {
		name string
		most [2]float64 // updates a thing and tick, with an inferred velocity and with a declared one
		step func(r *rand.Rand, x, v float64) (at, velocity float64)
	}{
		{"wanders", [2]float64{0.05, 0.05}, func(r *rand.Rand, x, v float64) (float64, float64) { return x + r.NormFloat64(), 0 }},
		{"moves unevenly", [2]float64{0.5, 0.05}, func(r *rand.Rand, x, v float64) (float64, float64) {
			if r.Float64() < 0.01 {
				v = float64(r.IntN(17) - 8)
			}
			return x + v + r.NormFloat64()*0.5, v
		}},
		{"leaps", [2]float64{0.06, 0.06}, func(r *rand.Rand, x, v float64) (float64, float64) {
			if r.Float64() < 0.03 {
				return r.Float64() * 1000, 0
			}
			return x, 0
		}},
	} {
		for which, declared := range []bool{false, true} {
			for _, cond := range []netsim.Conditions{{Delay: 40 * time.Millisecond}, {Delay: 40 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.2}} {
				r := rand.New(rand.NewPCG(seed, 1))
				s := rpl.NewSchema("tolerance")
				b := s.Build("thing").Int("x", -1<<20, 1<<20).Tag("x", "tol=6").Int("v", -64, 64).Int("hp", 0, 1<<14)
				if declared {
					b.Predict("x", "v", false)
				} else {
					b.Pos("x", "hp")
				}
				typ := b.Done()
				net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: 60}, seed, cond)
				if err != nil {
					t.Fatal(err)
				}
				c, err := net.Join(2)
				if err != nil {
					t.Fatal(err)
				}
				var at, v [n]float64
				var ids [n]rpl.Node
				var items [n]rpl.Item
				for i := range n {
					if ids[i], err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}}); err != nil {
						t.Fatal(err)
					}
					items[i], _ = net.A.Item(ids[i], 0)
				}
				past, moving, hp := map[rpl.Tick][n]int32{}, true, int32(0)
				step := func() {
					net.Tick(func(tick rpl.Tick) {
						var was [n]int32
						for i := range n {
							if moving {
								at[i], v[i] = way.step(r, at[i], v[i])
							}
							was[i] = int32(math.Round(at[i]))
							told := int32(0)
							if declared && moving {
								told = int32(v[i])
							}
							net.A.SetWords(items[i], []int32{was[i], told, hp})
						}
						past[tick] = was
					})
				}
				near := func() {
					truth := past[c.P.Newest()]
					for i, id := range ids {
						if off := c.Log.Held[id].Words(0, nil)[0] - truth[i]; off > tol || off < -tol {
							t.Fatalf("%s, velocity declared %v: %v shows %d beside what it is", way.name, declared, id, off)
						}
					}
				}
				for tick := range ticks {
					step()
					if cond.Loss == 0 && tick > 60 {
						near()
					}
				}
				if told := float64(net.A.Counters().Records) / (n * ticks); cond.Loss == 0 && told > way.most[which] {
					t.Errorf("%s, velocity declared %v: %.3f updates a thing and tick, more than %.2f", way.name, declared, told, way.most[which])
				} else {
					t.Logf("%s, velocity declared %v, loss %v: %.3f updates a thing and tick", way.name, declared, cond.Loss, told)
				}
				moving = false
				for range 120 {
					hp++ // another value of the row goes on
					step()
				}
				if cond.Loss > 0 {
					hp--
					for range 120 {
						step()
					}
				}
				for i, id := range ids {
					words := c.Log.Held[id].Words(0, nil)
					if truth := past[c.P.Newest()][i]; words[0] != truth {
						t.Errorf("%s, velocity declared %v, loss %v: %v shows %d in the end, where it is %d", way.name, declared, cond.Loss, id, words[0], truth)
					}
					if cond.Loss > 0 && !slices.Equal(words, net.A.Words(items[i], nil)) {
						t.Errorf("%s: %v shows %v in the end", way.name, id, words)
					}
				}
			}
		}
	}
}
