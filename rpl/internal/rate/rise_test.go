package rate

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport/netsim"
)

// A way that becomes longer at once, as where a phone goes over to another mast, is no queue: nothing is held back on it.
// (Of a game that sends 16 kB a second and more what is overtaken as it becomes shorter again is a loss here, and tried.)
func TestLongerWayHoldsNothingBack(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 5))
		for _, c := range []netsim.Conditions{
			{Delay: 25 * time.Millisecond},
			{Delay: 50 * time.Millisecond, Jitter: 5 * time.Millisecond},
		} {
			demand := []float64{4_000, 8_000, 14_000}[rng.IntN(3)]
			s := newSender(seed, c, demand)
			s.run(5 * time.Second)
			held := 0
			for range 10 {
				long := c
				long.Delay += time.Duration(120+rng.IntN(330)) * time.Millisecond
				for _, way := range []netsim.Conditions{long, c} {
					s.down.SetConditions(way)
					s.up.SetConditions(way)
					for range 120 + rng.IntN(200) {
						if s.tick(); s.line.Limit() != 0 && s.line.Limit() < demand {
							held++
						}
					}
				}
			}
			t.Logf("seed %d, %+v, %.0f B/s: held back in %d steps", seed, c, demand, held)
			if held > 0 {
				t.Errorf("seed %d, %+v, %.0f B/s: held back in %d steps of 10 times on a longer way", seed, c, demand, held)
			}
		}
	}
}

// A line that suddenly carries a fraction of what is sent is followed as before: its queue is one, however fast it grows.
func TestLineThatBreaksDownIsFollowed(t *testing.T) {
	for seed := range uint64(5) {
		for _, rate := range []int{6000, 8000, 12_000} {
			s := newSender(seed, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 5 * time.Millisecond}, 20_000)
			s.run(10 * time.Second)
			s.down.SetConditions(netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 5 * time.Millisecond, Rate: rate, Queue: 3 * rate})
			s.run(8 * time.Second)
			age, sent, _ := s.over(20 * time.Second)
			t.Logf("seed %d, %d B/s: age %v, sent %.0f", seed, rate, age, sent)
			if age > 900*time.Millisecond || sent > 1.2*float64(rate) {
				t.Errorf("seed %d, %d B/s: age %v, %.0f B/s are sent", seed, rate, age, sent)
			}
		}
	}
}

// A way that becomes longer for good by less, in two steps that jitter hides, holds next to nothing back either, whatever
// the game sends.
func TestLongerWayWithJitter(t *testing.T) {
	for _, jitter := range []time.Duration{5, 10, 20} {
		jumps, limited, held := 0, 0, 0
		for _, up := range []time.Duration{30, 50, 75, 100} {
			for _, loss := range []float64{0, 0.02} {
				for _, demand := range []float64{3000, 6000, 12_000, 25_000} {
					for seed := range uint64(4) {
						rng := rand.New(rand.NewPCG(seed, 6))
						way := netsim.Conditions{Delay: 25 * time.Millisecond, Jitter: jitter * time.Millisecond, Loss: loss}
						s := newSender(seed, way, demand)
						s.run(4*time.Second + time.Duration(rng.IntN(1000))*time.Millisecond)
						way.Delay += up * time.Millisecond
						s.down.SetConditions(way)
						s.up.SetConditions(way)
						before := held
						for range 5 * 60 {
							if s.tick(); s.line.Limit() != 0 && s.line.Limit() < demand {
								held++
							}
						}
						if jumps++; held > before {
							limited++
						}
					}
				}
			}
		}
		t.Logf("jitter %d ms: held back after %d of %d jumps, in %d steps", jitter, limited, jumps, held)
		if limited > jumps/20 || held > jumps*4 {
			t.Errorf("jitter %d ms: held back after %d of %d jumps, in %d steps", jitter, limited, jumps, held)
		}
	}
}

// A queue that is full and stays so, since all beyond it is dropped, is no longer way: such lines are followed.
func TestFullQueueIsFollowed(t *testing.T) {
	for _, jitter := range []time.Duration{0, 10, 20} {
		sent, lost := 0., 0.
		for _, rate := range []int{16_000, 32_000, 64_000} {
			for _, queue := range []float64{0.13, 0.17, 0.22} {
				for seed := range uint64(4) {
					way := netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: jitter * time.Millisecond}
					s := newSender(seed, way, 1.5*float64(rate))
					s.run(5 * time.Second)
					way.Rate, way.Queue = rate, int(queue*float64(rate))
					s.down.SetConditions(way)
					_, left, came := s.over(8 * time.Second)
					sent, lost = sent+left, lost+left-came
				}
			}
		}
		t.Logf("jitter %d ms: %.1f %% are lost", jitter, 100*lost/sent)
		if lost > 0.055*sent {
			t.Errorf("jitter %d ms: %.1f %% are lost", jitter, 100*lost/sent)
		}
	}
}
