package rpl_test

// Inferred velocities where they do not pay, and where they pay again.

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Where nothing goes straight, places take little more than what is not inferred at all;
// and soon after all go straight, velocities are inferred again.
func TestVelocitiesThatDoNotPay(t *testing.T) {
	const things = 100
	play := func(inferred bool) (curves, straight float64) {
		s := rpl.NewSchema("pays")
		b := s.Build("body").Int("x", math.MinInt16, math.MaxInt16).Int("y", math.MinInt16, math.MaxInt16) // wider ones may count
		if inferred {
			b = b.Pos("x", "y")
		}
		typ := b.Done()
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{Delay: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := net.Join(2); err != nil {
			t.Fatal(err)
		}
		var items [things]rpl.Item
		var x, y, way [things]float64
		for i := range things {
			n, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
			if err != nil {
				t.Fatal(err)
			}
			items[i], _ = net.A.Item(n, 0)
			x[i], y[i], way[i] = float64(i*997%4_000-2_000), float64(i*613%4_000-2_000), float64(i)
		}
		run := func(ticks int, turn float64) {
			for range ticks {
				net.Tick(func(rpl.Tick) {
					for i := range things {
						speed := 20 + float64(i)*0.6
						way[i] += turn
						x[i], y[i] = x[i]+speed*math.Cos(way[i]), y[i]+speed*math.Sin(way[i])
						net.A.SetWords(items[i], []int32{int32(math.Round(x[i])), int32(math.Round(y[i]))})
					}
				})
			}
		}
		counted := func(ticks int, turn float64) float64 {
			before := net.A.BitsByItem(nil)[0].Updates
			run(ticks, turn)
			return float64(net.A.BitsByItem(nil)[0].Updates-before) / things / float64(ticks)
		}
		run(180, 0.02)
		curves = counted(300, 0.02)
		run(120, 0)
		return curves, counted(150, 0)
	}
	curves, straight := play(true)
	plain, plainStraight := play(false)
	t.Logf("bits a thing and tick, with inferred velocities and without: on curves %.1f, %.1f, straight on %.1f, %.1f", curves, plain, straight, plainStraight)
	if curves > plain*1.1 {
		t.Errorf("on curves %.1f bits a thing and tick, without velocities %.1f", curves, plain)
	}
	if straight > plainStraight/4 {
		t.Errorf("straight on %.1f bits a thing and tick, without velocities %.1f", straight, plainStraight)
	}
}

// A strayer goes its way, in units of the game.
type strayer struct{ x, y, way, speed float64 }

func (w *strayer) walk() { w.x, w.y = w.x+w.speed*math.Cos(w.way), w.y+w.speed*math.Sin(w.way) }

// What slowly turns, or is told coarsely, looks straight time and again. Its places never take much more
// than without inferred velocities, and they take as little as ever where velocities pay, also when that
// changes.
func TestVelocitiesNeverCostMuch(t *testing.T) {
	const things, window = 150, 300
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	turn := func(by float64) func(*rand.Rand, int, int, *strayer) {
		return func(_ *rand.Rand, _, _ int, w *strayer) { w.way += by; w.walk() }
	}
	aim := func(_ *rand.Rand, tick, i int, w *strayer) { // at one of four that run in circles
		x, y := float64(i%4)*400-600+150*math.Cos(float64(tick)/75), 150*math.Sin(float64(tick)/75)
		w.way = math.Atan2(y-w.y, x-w.x)
		w.walk()
	}
	for _, c := range []struct {
		name  string
		sends int
		step  float64
		move  func(r *rand.Rand, tick, i int, w *strayer)
		from  int     // the first window that counts
		most  float64 // times what is taken without velocities
	}{
		{"slow turns", 60, 1. / 16, turn(0.003), 2, 1.15},
		{"slow turns at 20 sends", 20, 1. / 16, turn(0.002), 3, 1.15},
		{"coarse turns", 60, 1. / 4, turn(0.01), 2, 1.15},
		{"coarse turns at 20 sends", 20, 1. / 4, turn(0.003), 3, 1.15},
		{"aims", 60, 1. / 8, aim, 3, 1.15},
		{"aims at 20 sends", 20, 1. / 4, aim, 4, 1.15},
		{"straight", 60, 1. / 4, turn(0), 1, 0.3},
		{"straight at 20 sends", 20, 1. / 4, turn(0), 1, 0.6},
		{"a corner now and then", 60, 1. / 16, func(r *rand.Rand, _, _ int, w *strayer) {
			if r.IntN(100) == 0 {
				w.way = r.Float64() * 2 * math.Pi
			}
			w.walk()
		}, 2, 0.7},
		{"straight after turns", 60, 1. / 4, func(_ *rand.Rand, tick, _ int, w *strayer) {
			if tick < 3*window {
				w.way += 0.01
			}
			w.walk()
		}, 4, 0.5},
		{"turns after straight", 60, 1. / 4, func(_ *rand.Rand, tick, _ int, w *strayer) {
			if tick > 4*window {
				w.way += 0.01
			}
			w.walk()
		}, 7, 1.15},
	} {
		var took [2]float64
		for k, inferred := range []bool{false, true} {
			s := rpl.NewSchema("walkers")
			b := s.Build("walker").Int("x", math.MinInt16, math.MaxInt16).Int("y", math.MinInt16, math.MaxInt16).Int("hp", 0, 100) // wider ones may count
			if inferred {
				b = b.Pos("x", "y")
			}
			typ := b.Done()
			net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, SendHz: c.sends, CheckEvery: -1}, seed, netsim.Conditions{Delay: 40 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := net.Join(2); err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(seed, 1))
			var items [things]rpl.Item
			var walkers [things]strayer
			for i := range items {
				n, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
				if err != nil {
					t.Fatal(err)
				}
				items[i], _ = net.A.Item(n, 0)
				walkers[i] = strayer{r.Float64()*600 - 300, r.Float64()*600 - 300, r.Float64() * 2 * math.Pi, 0.5 + float64(i%6)/8}
			}
			from := uint64(0)
			for tick := range 9 * window {
				if tick == c.from*window {
					from = net.A.PeerStats(2).Bytes
				}
				net.Tick(func(rpl.Tick) {
					for i := range items {
						w := &walkers[i]
						c.move(r, tick, i, w)
						net.A.SetWords(items[i], []int32{int32(math.Round(w.x / c.step)), int32(math.Round(w.y / c.step)), 0})
					}
				})
			}
			took[k] = float64(net.A.PeerStats(2).Bytes-from) / float64((9-c.from)*window)
		}
		ratio := took[1] / took[0]
		t.Logf("%s: %.0f bytes a tick, without velocities %.0f: %.2f", c.name, took[1], took[0], ratio)
		if ratio > c.most {
			t.Errorf("%s: %.2f times the bytes that are taken without velocities, more than %.2f", c.name, ratio, c.most)
		}
	}
}
