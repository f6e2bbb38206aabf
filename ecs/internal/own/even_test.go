package own

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	due "github.com/tendonengine/tendon/ecs/internal/pace"
)

// Whatever the rates of display and steps, what moves evenly is drawn evenly, what is predicted as
// what a host has; it is late by no more than that takes; and what a key does shows in the frame of its step.
func TestFramesShowEvenMotion(t *testing.T) {
	const seed = 5
	for _, c := range []struct {
		fps, steps float64
		late       float64 // in steps, of the mean frame
	}{
		{60, 60, 0.02},
		{59.94, 60, 0.02},
		{120, 60, 0.3},
		{240, 60, 0.45},
		{360, 60, 0.5},
		{75, 60, 0.5},
		{90, 60, 0.5},
		{100, 60, 0.5},
		{144, 60, 0.55},
		{165, 60, 0.55},
		{143.9, 60, 0.55},
		{119.88, 60, 0.35},
		{144, 120, 0.55},
		{165, 120, 0.55},
		{240, 120, 0.3},
		{120, 120, 0.02},
		{60, 20, 0.4},
		{144, 20, 0.55},
		{60, 30, 0.3},
		{144, 30, 0.55},
		{75, 30, 0.5},
		{60, 120, 0.02},
		{60, 240, 0.02},
		{144, 240, 0.5},
		{50, 60, 0.5},
		{30, 60, 0.02},
	} {
		for _, jitter := range []float64{0, 0.05} {
			t.Run(fmt.Sprint(c.fps, " of ", c.steps, ", jitter ", jitter), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, seed))
				begun, now := 10*time.Second, 10*time.Second
				k := &Keeper{Base: &nodes.Base{Steps: int(c.steps)}, Now: func() time.Duration { return now }}
				steps := due.Steps{Hz: int(c.steps), Even: true}
				tick, sum, uneven, made, hidden := uint32(100), 0.0, [2]int{}, 0, 0
				var last [2]float64
				frames, from := int(20*c.fps), int(5*c.fps)
				for i := range frames {
					at := (float64(i) + jitter*(rng.Float64()*2-1)) / c.fps
					now = begun + time.Duration(at*float64(time.Second))
					n := steps.Due(now)
					for range n {
						tick++
						k.Stepped()
						k.Ended(tick)
					}
					k.Framed()
					drawn := [2]float64{float64(k.step) - 1 + k.drawn(), k.DrawnTick(tick) - float64(tick) + float64(k.step)}
					for j, d := range drawn {
						moved, want := d-last[j], c.steps/c.fps
						last[j] = d
						if i < from {
							continue
						}
						if math.Abs(moved-want) > (0.15+2*jitter)*want {
							uneven[j]++
						}
						if late := float64(k.step) - d; late < -1e-9 || late > 1+1e-9 {
							t.Fatalf("frame %d, thing %d: drawn at %v of step %d", i, j, d, k.step)
						} else {
							sum += late / 2
							if made += n; n > 0 && late > 1-1e-6 {
								hidden++
							}
						}
					}
				}
				all := frames - from
				if most := all / 50; uneven[0] > most || uneven[1] > most {
					t.Errorf("seed %d: of %d frames %d of a host's things are off, %d of what is predicted", seed, all, uneven[0], uneven[1])
				}
				if late := sum / float64(all); late > c.late {
					t.Errorf("seed %d: drawn %.3f steps late", seed, late)
				}
				if hidden > made/6 { // by chance: where a frame comes as a step is due, its motion has just begun
					t.Errorf("seed %d: %d of %d steps do not show in their own frame", seed, hidden, made)
				}
			})
		}
	}
}
