package store

import (
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// A tracker follows one predicted word of one row on the authority: the true value is x
// plus lo to hi 256ths of a step. Each step that the value takes narrows the bounds;
// what the rounding of the velocity leaves open widens them.
type tracker struct {
	x, v   int32
	lo, hi int16
}

const (
	trackerWords = int(unsafe.Sizeof(tracker{}) / rowtype.WordSize)

	trackUnit = 8       // binary digits of a step in the bounds
	trackHalf = 128     // half a step
	trackMost = 16      // ticks; after a longer pause nothing is known
	noiseMost = 1 << 50 // more than any step
)

// noiseOf is what the rounding of a velocity leaves open over n ticks.
func noiseOf(n, rate int64) int64 {
	if n > trackMost {
		return noiseMost
	}
	return n*rate>>(33-trackUnit) + 1
}

// track takes a row's words of this tick into its trackers, and sets inferred
// velocities. It reports whether one of these changed.
func (s *slab) track(t *rowtype.Type, block, tick uint32, now []int32) (changed bool) {
	seen := s.tracked(block)
	n := int64(tick - uint32(*seen))
	if n == 0 && *seen != 0 {
		s.retrack(t, block, now)
		return false
	}
	if len(t.Inferred) > 0 {
		changed = s.infer(t, block, tick, now)
	}
	*seen = int32(tick)
	trackers := s.trackers(block, len(t.Fractional))
	for k, i := range t.Fractional {
		c := &t.Motions[i]
		if f, x, v := &trackers[k], now[i], now[c.Velocity]; !f.rests(x, v) {
			f.step(x, v, n, c.Rate)
		}
	}
	return changed
}

// retrack takes words that may have changed again in the tick that the trackers know.
// Nothing is known about the fraction of a value that did.
func (s *slab) retrack(t *rowtype.Type, block uint32, now []int32) {
	trackers := s.trackers(block, len(t.Fractional))
	for k, i := range t.Fractional {
		f, x := &trackers[k], now[i]
		if x != f.x {
			f.lo, f.hi = -trackHalf, trackHalf-1
		}
		f.x, f.v = x, now[t.Words[i].Velocity]
	}
}

// rests reports whether a value stands, as it did, and nothing is known of its phase.
func (f *tracker) rests(x, v int32) bool {
	return x == f.x && v|f.v == 0 && f.lo == -trackHalf && f.hi == trackHalf-1
}

// step takes the value n ticks after the last one, and its velocity.
func (f *tracker) step(x, v int32, n, rate int64) {
	f.narrow(rowtype.Travel(f.v, v, n, rate, trackUnit)-(int64(x)-int64(f.x))<<trackUnit, noiseOf(n, rate))
	f.x, f.v = x, v
}

// narrow shifts the bounds by the difference between the expected way and the way
// taken, and widens them by the noise.
func (f *tracker) narrow(shift, noise int64) {
	lo, hi := max(int64(f.lo)+shift-noise, -trackHalf), min(int64(f.hi)+shift+noise, trackHalf-1)
	if lo > hi { // the value did not come from there
		lo, hi = -trackHalf, trackHalf-1
	}
	f.lo, f.hi = int16(lo), int16(hi)
}

// fraction is the middle of the bounds. A value at rest has none, nor one that goes by whole
// steps; shift is that of its motion.
func (f *tracker) fraction(fraction uint8) int32 {
	if f.v<<(fraction&31) == 0 {
		return 0
	}
	return rowtype.OddFraction((int32(f.lo) + int32(f.hi)) / 2 >> (trackUnit - rowtype.FractionBits))
}

// HasFractions reports whether a row has fractions now that a model does not carry: its newest version
// is older than the model, or the row went on from there by itself.
func HasFractions(s *Store, m *coder.Model, r *Row) bool {
	still := m.Still(r.Type)
	return len(still) > 0 && hasAny(s, r, still)
}

// hasAny reports whether any of some words of a row is not 0.
func hasAny(s *Store, r *Row, still []int) bool {
	words, at := s.Reference(r)
	if at != uint32(s.Tick) {
		words = s.Known(r)
	}
	for _, i := range still {
		if *words.Word(i) != 0 {
			return true
		}
	}
	return false
}

// SetWhole has the words that a model codes along lines get no fractions.
func SetWhole(s *Store, m *coder.Model) {
	for k, t := range s.Types {
		s.Slabs[k].Lines = m.LinesOf(t)
		for j, i := range t.Fractional {
			s.Slabs[k].Whole[j] = m.IsWholeWord(t, i)
		}
	}
}
