package rate

// Lines that carry a fraction of what a game sends, and drop what their short queue does not hold.

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport/netsim"
)

// A line that becomes narrow, with a queue of a third to two thirds of a second, is not flooded for long: also where its
// way becomes longer as well, and where the game sends in bursts, and much that no newer state replaces.
func TestNarrowLineIsNotFlooded(t *testing.T) {
	flooded, worst, runs, sent, lost, used := 0, 0, 0., 0., 0., 0.
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		wants := 20_000 + 40_000*rng.Float64()
		way := netsim.Conditions{Delay: time.Duration(20+rng.IntN(80)) * time.Millisecond, Jitter: time.Duration(rng.IntN(3)*5) * time.Millisecond}
		s := newSender(seed, way, wants)
		s.once = []float64{0, 0.2, 0.5}[rng.IntN(3)]
		if rng.IntN(2) == 0 { // bursts
			swing := rand.New(rand.NewPCG(seed, 8))
			until, now := time.Duration(0), 0.
			s.demand = func(at time.Duration) float64 {
				if at >= until {
					until, now = at+time.Duration(100+swing.IntN(900))*time.Millisecond, wants*2*swing.Float64()
				}
				return now
			}
		}
		s.run(time.Duration(500+rng.IntN(4500)) * time.Millisecond)
		if rng.IntN(2) == 0 {
			way.Delay += time.Duration(rng.IntN(80)) * time.Millisecond
			s.up.SetConditions(way)
		}
		way.Rate = 6000 + rng.IntN(26_000)
		way.Queue = int(float64(way.Rate) * (0.3 + 0.3*rng.Float64()))
		s.down.SetConditions(way)
		s.run(3 * time.Second)
		over, all, came := 0, 0., 0.
		for range 20 {
			_, left, arrived := s.over(2 * time.Second)
			all, came = all+2*left, came+2*arrived
			if left > 2*float64(way.Rate) {
				over++
			}
		}
		if over > 2 {
			t.Errorf("seed %d, %+v, of %.0f B/s, %.1f of it said once: in %d times of 2 s more than twice that is sent, %.0f %% is lost", seed, way, wants, s.once, over, 100*(all-came)/all)
		}
		worst, flooded = max(worst, over), flooded+over
		runs, sent, lost, used = runs+1, sent+all, lost+all-came, used+came/40/min(float64(way.Rate), wants)
	}
	t.Logf("%.0f lines: in %d of %.0f times of 2 s more than twice what they carry is sent, in at most %d on one; %.1f %% are lost, %.0f %% is used", runs, flooded, 20*runs, worst, 100*lost/sent, 100*used/runs)
	if lost > 0.02*sent || used < 0.7*runs {
		t.Errorf("%.1f %% are lost, %.0f %% is used", 100*lost/sent, 100*used/runs)
	}
}
