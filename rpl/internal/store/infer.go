package store

import (
	"math"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// A run is the steps that a value has taken at one velocity, as far as rounding lets
// one shows. The velocity is between lo and hi, in runUnit-ths of a step per tick.
type run struct {
	x      int32  // the value where the run began
	tick   uint32 // when it began
	last   int32  // the newest value
	lo, hi int64
}

// runUnit is fine enough that rounding ends no run that lasts less than minutes.
const runUnit = 1 << 16

// straight is how many ticks a run must last to be taken to go on. Of what was tried (2
// to 5, and a threshold that rises where runs have not lasted) it costs least.
const straight = 4

// countFrom is how far from 0 a number that counts is taken to go on. What is nearer is mostly a
// cooldown, a frame of an animation or a countdown: short, watched closely, and told as it is, so
// that no lost packet holds it up (protocol rule 34). A session's clock soon is beyond: at 60 steps a
// second after 68 s.
const countFrom = 1 << 12

// leastCount is the least velocity of what counts, a step a tick. What goes up by one now and then is
// an amount, such as a score.
const leastCount = 1 << rowtype.InferBits

// infer sets the inferred velocities of a row, and reports whether one changed. A
// velocity changes only if that of the row's reference version proves wrong.
func (s *slab) infer(t *rowtype.Type, block, tick uint32, now []int32) (changed bool) {
	seen := uint32(*s.tracked(block))
	n, fresh := tick-seen, seen == 0
	ref, at := s.Reference(block)
	age, judged := tick-at, (tick+block)%judgeEvery == 0
	given, stepped, moves := s.gives(block), false, int32(0)
	bare := !given && !s.dear // it shows what is taken without velocities
	for k, i := range t.Inferred {
		r := &s.runs[int(block)*len(t.Inferred)+k]
		x, v := now[i], i-1
		if r.rests(x) && now[v]|*ref.Word(v) == 0 && *ref.Word(i) == x && n <= trackMost && !fresh {
			continue
		}
		step := x - r.last
		if fresh {
			*r = runFrom(x, tick)
			changed = changed || now[v] != 0
			now[v] = 0
			continue
		}
		if n > trackMost {
			*r = runFrom(x, tick)
		} else {
			r.rested(seen)
			last := n
			if n > s.Stride && *ref.Word(v) == 0 {
				last = s.Stride // until then it stood, or it would have been looked at
				r.follow(r.last, tick-last, n-last)
			}
			r.follow(x, tick, last)
		}
		was, old := now[v], *ref.Word(v)
		now[v] = old
		plain := bare
		if !s.moves[k] {
			plain = s.rated.Has(block) || x < countFrom && x > -countFrom
		}
		left := t.Motions[i].Expect(ref, t.At(now), i, age) != x || plain && old != 0
		if left {
			now[v] = 0
			if !plain && s.pays(k, block, given) {
				if speed := r.velocity(tick, n); s.moves[k] || max(speed, -speed) >= leastCount {
					now[v] = speed
				}
			}
		}
		if judged && old|now[v] != 0 {
			s.judge(k, step, old, now[v], left)
		}
		stepped, moves = stepped || step != 0, moves|old|now[v]
		changed = changed || now[v] != was
	}
	if s.Compares(block) && !s.Owners[block].kept {
		s.scanned(given, moves != 0, stepped, !t.IsAsPredicted(ref, t.At(now), age))
	}
	return changed
}

// runFrom is a run that begins with a value, at any velocity.
func runFrom(x int32, tick uint32) run {
	return run{x: x, last: x, tick: tick, lo: math.MinInt64, hi: math.MaxInt64}
}

// rests reports whether a value has stayed where the run began, and may have all the time. What
// that says of the velocity only the next value that differs asks for (rested): most values of
// most rows rest.
func (r *run) rests(x int32) bool { return x == r.last && x == r.x && r.lo <= 0 && r.hi >= 0 }

// rested takes into the run that up to a tick its value had stayed where it began.
func (r *run) rested(tick uint32) {
	if age := int64(tick - r.tick); age > 0 && r.last == r.x {
		r.lo, r.hi = max(r.lo, -runUnit/age), min(r.hi, runUnit/age)
	}
}

// follow takes the next value, n ticks later, into the run, or begins a new run with
// this step.
func (r *run) follow(x int32, tick, n uint32) {
	grown, age := int64(x)-int64(r.x), int64(tick-r.tick)
	lo, hi := max((grown-1)*runUnit/age, r.lo), min((grown+1)*runUnit/age, r.hi)
	if lo > hi {
		step := int64(x) - int64(r.last)
		r.x, r.tick = r.last, tick-n
		lo, hi = (step-1)*runUnit/int64(n), (step+1)*runUnit/int64(n)
	}
	r.lo, r.hi, r.last = lo, hi, x
}

// velocity is the velocity of a run whose last step took n ticks, 0 if it is not known or the
// value leaps. One step says nothing: it may be a leap after a rest, or between two sends that
// lie far apart.
func (r *run) velocity(tick, n uint32) int32 {
	if age := tick - r.tick; age < straight || age <= n || r.lo <= 0 && r.hi >= 0 {
		return 0
	}
	const part = runUnit >> rowtype.InferBits
	middle := (r.lo + r.hi + part) &^ (2*part - 1) / (2 * part) // not rounded towards 0: -1 would be -63/64
	if middle < -rowtype.InferMost || middle > rowtype.InferMost {
		return 0
	}
	return int32(middle)
}
