package clock

import "slices"

// maxSamples bounds a window. With more packets in its time than that it is shorter: what
// comes faster shows its jitter in less time.
const maxSamples = 256

// A sample is a value of a local time, in seconds.
type sample struct{ at, v float64 }

// A window is the samples of the last while, in a ring that never grows.
type window struct {
	ring    []sample
	first   int
	n       int
	scratch []float64
}

func newWindow() window {
	return window{ring: make([]sample, maxSamples), scratch: make([]float64, 0, maxSamples)}
}

func (w *window) len() int { return w.n }

func (w *window) at(i int) *sample { return &w.ring[(w.first+i)%maxSamples] }

// add appends a sample; the oldest makes room for it if there are maxSamples.
func (w *window) add(at, v float64) {
	if w.n == maxSamples {
		w.first, w.n = (w.first+1)%maxSamples, w.n-1
	}
	w.n++
	*w.at(w.n - 1) = sample{at, v}
}

// forget drops the samples from before a time, but never the newest.
func (w *window) forget(before float64) {
	for w.n > 1 && w.at(0).at < before {
		w.first, w.n = (w.first+1)%maxSamples, w.n-1
	}
}

// latest returns the newest sample that is not younger than a time.
func (w *window) latest(than float64) (s sample, ok bool) {
	for i := w.n - 1; i >= 0; i-- {
		if s = *w.at(i); s.at <= than {
			return s, true
		}
	}
	return sample{}, false
}

// quantile returns the quantile q of v − slope × at over the window.
func (w *window) quantile(q, slope float64) float64 {
	w.scratch = w.scratch[:0]
	for i := range w.n {
		s := w.at(i)
		w.scratch = append(w.scratch, s.v-slope*s.at)
	}
	slices.Sort(w.scratch)
	return w.scratch[min(int(q*float64(w.n)), w.n-1)]
}
