package clock

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
	upTo := min(w.first+w.n, maxSamples)
	for _, part := range [2][]sample{w.ring[w.first:upTo], w.ring[:w.first+w.n-upTo]} {
		for _, s := range part {
			w.scratch = append(w.scratch, s.v-slope*s.at)
		}
	}
	return nth(w.scratch, min(int(q*float64(w.n)), w.n-1))
}

// nth returns what would be at index k if x, which has that index and no NaN, were sorted. It changes the order of x.
// (C. A. R. Hoare, Algorithm 65: Find, Communications of the ACM 4(7), 1961; with the median of
// three as the pivot.)
func nth(x []float64, k int) float64 {
	for from, to := 0, len(x)-1; from < to; {
		a, b, c := x[from], x[(from+to)/2], x[to]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := from, to
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			to = j
		case k >= i:
			from = i
		default:
			return x[k]
		}
	}
	return x[k]
}
