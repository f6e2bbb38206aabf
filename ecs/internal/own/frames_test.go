package own

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
)

// Whatever frames a display makes, what is drawn never goes back, and stays within two steps of
// the newest; of even frames each shows motion.
func TestFramesNeverGoBack(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, seed))
	between := func(least, most float64) float64 { return least + rng.Float64()*(most-least) }
	for name, frame := range map[string]func(i int) float64{
		"60":             func(int) float64 { return 1. / 60 },
		"144":            func(int) float64 { return 1. / 144 },
		"80":             func(int) float64 { return 1. / 80 },
		"30":             func(int) float64 { return 1. / 30 },
		"144, some drop": func(i int) float64 { return float64(1+i/19%2*(i%19/18)) / 144 },
		"120, some drop": func(i int) float64 { return float64(1+i%20/19) / 120 },
		"of any length":  func(int) float64 { return between(0.0115, 0.0135) },
		"60, uneven":     func(int) float64 { return between(0.008, 0.025) },
		"100 of 144":     func(i int) float64 { return float64(1+i%3/2) / 144 },
	} {
		now, made := 10.0, 10.0
		k := &Keeper{Base: &nodes.Base{Steps: 60}, Now: func() time.Duration { return time.Duration(now * float64(time.Second)) }}
		tick, shown, predicted, moved := uint32(100), 0.0, 0.0, 0
		const frames = 2000
		for i := range frames {
			now += frame(i)
			for made+1./60 <= now {
				made += 1. / 60
				tick++
				k.Stepped()
				if k.DrawnTick(tick) != float64(tick) {
					t.Fatalf("%s: within step %d it is %v", name, tick, k.DrawnTick(tick))
				}
				k.Ended(tick)
			}
			k.Framed()
			p, d := float64(k.step)-1+k.drawn(), k.DrawnTick(tick)
			if i > 100 {
				if p < shown-1e-9 || d < predicted-1e-9 || p < float64(k.step)-2 || d > float64(tick) {
					t.Fatalf("%s, seed %d, frame %d: drawn at %v after %v (step %d), what is predicted at %v after %v", name, seed, i, p, shown, k.step, d, predicted)
				}
				if p > shown {
					moved++
				}
			}
			shown, predicted = p, d
		}
		if name == "144" && moved < frames-120 {
			t.Errorf("%s: moved in %d of %d frames", name, moved, frames)
		}
	}
}

// After a second a link's clock takes over from the machine's, as where a menu joins after loading time, and it
// is another time; or the first frames come at once. From a second later on each frame shows motion.
func TestFramesAfterTheClockChanges(t *testing.T) {
	for name, clock := range map[string]func(at time.Duration) time.Duration{
		"back":    func(at time.Duration) time.Duration { return at - 700*time.Millisecond },
		"far on":  func(at time.Duration) time.Duration { return at + time.Hour },
		"at once": func(at time.Duration) time.Duration { return at },
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Second
			k := &Keeper{Base: &nodes.Base{Steps: 60}, Now: func() time.Duration { return now }}
			if name == "at once" {
				for range 3 {
					k.Framed()
					now += time.Nanosecond
				}
			}
			made, still, last := 0, 0, 0.0
			for i := range 4 * 144 {
				at := time.Duration(i) * time.Second / 144
				if now = time.Second + at; at >= time.Second {
					now = clock(now)
				}
				for ; made <= int(at*60/time.Second); made++ {
					k.Stepped()
					k.Ended(uint32(100 + made))
				}
				k.Framed()
				drawn := float64(k.step) - 1 + k.drawn()
				if at > 2*time.Second && drawn-last < 0.1 {
					still++
				}
				last = drawn
			}
			if still > 5 {
				t.Errorf("%d of two seconds' frames show no motion", still)
			}
		})
	}
}
