package clock

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A quantile is what stands there when the samples of the window are sorted, also when the ring has wrapped.
func TestQuantilesAreThoseOfSortedSamples(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	w := newWindow()
	for at := range 2000 {
		w.add(float64(at), float64(rng.IntN(1+rng.IntN(50))))
		if rng.IntN(10) == 0 {
			w.forget(float64(at - rng.IntN(2*maxSamples)))
		}
		slope := float64(rng.IntN(3)) / 10
		var sorted []float64
		for i := range w.len() {
			sorted = append(sorted, w.at(i).v-slope*w.at(i).at)
		}
		slices.Sort(sorted)
		for _, q := range []float64{0, 0.02, 0.5, 0.98, 1} {
			if got, want := w.quantile(q, slope), sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]; got != want {
				t.Fatalf("seed %d, sample %d: quantile %v with slope %v is %v, not %v", seed, at, q, slope, got, want)
			}
		}
	}
}
