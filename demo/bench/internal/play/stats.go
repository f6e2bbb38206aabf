package play

import (
	"cmp"
	"slices"
)

// percentile returns the nearest-rank percentile for p of 0…100, and 0 for an empty
// slice. It sorts its argument.
func percentile[T cmp.Ordered](v []T, p float64) (z T) {
	if len(v) == 0 {
		return z
	}
	slices.Sort(v)
	rank := int(p/100*float64(len(v)) + 0.9999999)
	return v[min(max(rank, 1), len(v))-1]
}

// A histogram counts whole numbers from 0. Larger numbers than its last are counted as
// the last.
type histogram struct {
	counts []int
	n      int
}

func newHistogram(size int) histogram { return histogram{counts: make([]int, size)} }

func (h *histogram) add(v int) {
	h.counts[min(max(v, 0), len(h.counts)-1)]++
	h.n++
}

// percentile returns the nearest-rank percentile; 0 if nothing was counted.
func (h *histogram) percentile(p float64) int {
	rank := int(p/100*float64(h.n) + 0.9999999)
	for v, seen := 0, 0; v < len(h.counts); v++ {
		if seen += h.counts[v]; seen >= max(rank, 1) {
			return v
		}
	}
	return 0
}

// max returns the largest value counted; 0 if nothing was counted.
func (h *histogram) max() int {
	for v := len(h.counts) - 1; v > 0; v-- {
		if h.counts[v] > 0 {
			return v
		}
	}
	return 0
}

// A spend compares the bytes that one client was sent with its budget: worst is the
// greatest excess, over all spans of time, of the bytes sent in the span over rate ×
// span.
type spend struct {
	rate  float64 // bytes per second
	level float64 // the greatest excess of a span that ends now
	last  float64 // seconds
	worst float64
}

// add charges bytes at a time, in seconds. Times must not go back.
func (s *spend) add(at float64, bytes int) {
	s.level = max(0, s.level-s.rate*(at-s.last)) + float64(bytes)
	s.last = at
	s.worst = max(s.worst, s.level)
}
