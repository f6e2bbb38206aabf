package rpl_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Who walks straight is not corrected for what rounding alone makes of the
// walk, and every tick is exact.
func TestPhasesSaveCorrections(t *testing.T) {
	seed := rand.Uint64()
	w := newWorld(t, seed, rpl.Config{}, netsim.Conditions{Delay: 40 * time.Millisecond}, 0)
	type walker struct {
		*thing
		x, y, vx, vy float64
	}
	var walkers []walker
	for range 20 {
		k := walker{thing: w.spawn(t), x: w.r.Float64() * 1000, y: w.r.Float64() * 1000}
		a := w.r.Float64() * 2 * math.Pi
		k.vx, k.vy = math.Cos(a)*2560, math.Sin(a)*2560
		walkers = append(walkers, k)
	}
	c, err := w.net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	past := map[rpl.Tick][][2]int32{}
	const ticks = 600
	for range ticks {
		w.net.Tick(func(tick rpl.Tick) {
			var at [][2]int32
			for i := range walkers {
				k := &walkers[i]
				k.x += k.vx / 60
				k.y += k.vy / 60
				k.words[0], k.words[1] = int32(math.Round(k.x)), int32(math.Round(k.y))
				k.words[2], k.words[3] = int32(math.Round(k.vx)), int32(math.Round(k.vy))
				w.net.A.SetWords(k.item, k.words)
				at = append(at, [2]int32{k.words[0], k.words[1]})
			}
			past[tick] = at
		})
		for i := range walkers {
			r, ok := c.P.Replica(walkers[i].id)
			if !ok {
				continue
			}
			got, want := r.Words(0, nil), past[c.P.Newest()][i]
			if got[0] != want[0] || got[1] != want[1] {
				t.Fatalf("seed %d: tick %d: walker %d is at %v, was at %v", seed, c.P.Newest(), i, got[:2], want)
			}
		}
	}
	// Without phases it is 0.4 a walker and tick.
	if n := w.net.A.Counters().Records; n > ticks*20/8 {
		t.Errorf("seed %d: %d updates for %d straight walkers in %d ticks", seed, n, len(walkers), ticks)
	} else {
		t.Logf("%.3f updates a walker and tick", float64(n)/ticks/20)
	}
}
