package rpl

import "unsafe"

// Phases: where a moving value is between two steps of its quantiser.
//
// A position that travels in whole steps is off by up to half a step, and so is every
// prediction made from it. In a quarter of the ticks the predicted position rounds to
// another step than the true one, and a correction is sent that corrects nothing but
// rounding. So each predicted word has a hidden word, its phase in sixteenths of a
// step, which the authority estimates from the steps that the value has taken. The
// phase is part of a version. It is never compared, and no component sees it.
//
// Where a course begins, the estimate is an odd number of sixteenths, the middle of an
// eighth: finer estimates cost a bit each and save few corrections. Even numbers come
// about as the course goes on. So the difference from what was expected, made odd, is
// mostly even.

const (
	phaseBits  = 4                    // binary digits of a step in a phase
	phaseKinds = 1 << phaseBits       // phases, and differences of two phases
	phaseHalf  = 1 << (phaseBits - 1) // half a step
)

// phases gives every predicted word that does not wrap a hidden word. The hidden words
// stand behind all other words of the row.
func (t *rowType) phases() {
	t.phase = make([]int, len(t.words))
	t.width = len(t.words)
	for i := range t.words {
		t.phase[i] = -1
		if w := &t.words[i]; w.Velocity >= 0 && !w.Wrap {
			t.phase[i] = t.width
			t.phased = append(t.phased, i)
			t.width++
		}
	}
}

// oddPhase is the middle of the eighth that a phase is in.
func oddPhase(phase int32) int32 { return phase | 1 }

// A tracker follows one predicted word of one row on the authority: the true value is x
// plus lo to hi 256ths of a step. Each step that the value takes narrows the bounds;
// what the rounding of the velocity leaves open widens them.
type tracker struct {
	x, v   int32
	lo, hi int16
}

const (
	trackerWords = int(unsafe.Sizeof(tracker{}) / wordSize)

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
func (s *slab) track(t *rowType, block, tick uint32, now []int32) (turned bool) {
	seen := s.tracked(block)
	n := int64(tick - uint32(*seen))
	if n == 0 && *seen != 0 {
		s.retrack(t, block, now)
		return false
	}
	if len(t.inferred) > 0 {
		turned = s.infer(t, block, tick, now)
	}
	*seen = int32(tick)
	trackers := s.trackers(block, len(t.phased))
	for k, i := range t.phased {
		w := &t.words[i]
		trackers[k].step(now[i], now[w.Velocity], n, w.Rate)
	}
	return turned
}

// retrack takes words that may have changed again in the tick that the trackers know.
// Nothing is known about the phase of a value that did.
func (s *slab) retrack(t *rowType, block uint32, now []int32) {
	trackers := s.trackers(block, len(t.phased))
	for k, i := range t.phased {
		f, x := &trackers[k], now[i]
		if x != f.x {
			f.lo, f.hi = -trackHalf, trackHalf-1
		}
		f.x, f.v = x, now[t.words[i].Velocity]
	}
}

// step takes the value n ticks after the last one, and its velocity.
func (f *tracker) step(x, v int32, n, rate int64) {
	f.narrow(travel(f.v, v, n, rate, trackUnit)-(int64(x)-int64(f.x))<<trackUnit, noiseOf(n, rate))
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

// phase is the middle of the bounds. A value at rest has none.
func (f *tracker) phase() int32 {
	if f.v == 0 {
		return 0
	}
	return oddPhase((int32(f.lo) + int32(f.hi)) / 2 >> (trackUnit - phaseBits))
}
