package store

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Steering is what a walk does with rows whose predicted words are all alike: each has
// a fraction, and a velocity that nothing predicts. A row that moves as predicted has the
// velocity of its newest version, so half of the prediction is known beforehand. Most
// rows were steered a tick ago, which saves more.

// An axis is a predicted word: the byte offsets of it, its velocity and its fraction in a
// row's block, and how the word moves.
type axis struct {
	x, v, fraction uintptr
	rate           int64
	noise          int64 // what the rounding of the velocity leaves open in one tick
	min, max       int64
	once           bool
}

// axesOf returns the predicted words of a row as axes, nil if they are not all alike.
func axesOf(t *rowtype.Type) (axes []axis) {
	if len(t.Inferred) > 0 || len(t.Fractional) != len(t.Predicted) {
		return nil
	}
	for _, i := range t.Fractional {
		c := &t.Motions[i]
		if !slices.Contains(t.Still, int(c.Velocity)) {
			return nil
		}
		axes = append(axes, axis{
			x: uintptr(i) * rowtype.WordSize, v: uintptr(c.Velocity) * rowtype.WordSize, fraction: uintptr(c.Fraction) * rowtype.WordSize,
			rate: c.Rate, noise: noiseOf(1, c.Rate),
			min: int64(c.Min), max: int64(c.Max), once: t.Once != nil && t.Once[i],
		})
	}
	return axes
}

// rowsAt are the addresses of the blocks of a sheaf's rows.
type rowsAt [sheaf]unsafe.Pointer

// steer is track and follows in one. off are the rows known to have departed,
// among them all whose velocity has changed. The result adds the rows that are not
// as predicted.
func (s *slab) steer(t *rowtype.Type, blocks *[sheaf]uint32, rows, departed uint64, tick uint32) uint64 {
	var all rowsAt
	block, seenAt := s.all(), uintptr(s.seen)*rowtype.WordSize
	steady := uint64(0) // rows that were tracked a tick ago
	_ = blocks[0]       // spares the loop the check for nil
	for m := rows; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		row := block.at(blocks[i])
		all[i] = row
		if seen := schema.At[uint32](row, seenAt); tick-*seen == 1 {
			*seen = tick
			steady |= 1 << i
		}
	}
	for k := range s.Walk.Axes {
		a, track := &s.Walk.Axes[k], s.tracks+k*trackerWords
		a.track(track, &all, steady)
		departed |= s.missed(a, track, &all, steady&^departed, tick)
	}
	if rows != steady {
		departed |= s.follow(t, blocks, rows&^steady, tick)
	}
	return departed
}

// track takes the word of rows that were tracked a tick ago into their trackers, which
// stand at offset track, in words, of their blocks.
func (a *axis) track(track int, all *rowsAt, rows uint64) {
	posAt, velAt, rate, noise := a.x, a.v, a.rate, a.noise
	_ = all[0] // spares the loop the check for nil
	for m := rows; m != 0; m &= m - 1 {
		row := all[bits.TrailingZeros64(m)]
		f := (*tracker)(nthWord(row, track))
		x, v := *schema.At[int32](row, posAt), *schema.At[int32](row, velAt)
		way := rowtype.Travel(v, v, 1, rate, trackUnit)
		f.narrow(way-(int64(x)-int64(f.x))<<trackUnit, noise)
		f.x, f.v = x, v
	}
}

// missed returns which of the given rows have a word that is not where it is
// predicted to be.
func (s *slab) missed(a *axis, track int, all *rowsAt, rows uint64, tick uint32) (departed uint64) {
	rate, head, born := a.rate, uintptr(s.Head)*rowtype.WordSize, s.Head+s.Width
	posAt, fractionAt := head+a.x, head+a.fraction
	_ = all[0]
	for m := rows; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		row := all[i]
		f, age := (*tracker)(nthWord(row, track)), int64(tick-*(*uint32)(nthWord(row, born)))
		way := rowtype.Travel(f.v, f.v, age, rate, rowtype.FractionBits)
		to := rowtype.Nearest(rowtype.Along(*schema.At[int32](row, posAt), *schema.At[int32](row, fractionAt), way))
		if to != int64(f.x) && !a.bounds(to, f.x) {
			departed |= 1 << i
		}
	}
	return departed
}

// bounds reports whether x is where the word's range ends on the way to a value, or
// whether the word need not move as predicted because only keyframes carry it.
func (a *axis) bounds(to int64, x int32) bool {
	return min(max(to, a.min), a.max) == int64(x) || a.once
}

// follow is steer for rows of any kind: it tracks them and returns which have
// departed from their predictions.
func (s *slab) follow(t *rowtype.Type, blocks *[sheaf]uint32, rows uint64, tick uint32) (departed uint64) {
	for m := rows; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if len(t.Fractional) > 0 {
			s.track(t, blocks[i], tick, s.current(blocks[i], t.Width))
		}
		if last, at := s.Reference(blocks[i]); !t.Follows(last, s.Now(blocks[i]), tick-at) {
			departed |= 1 << i
		}
	}
	return departed
}

// Lead reports whether base leads to now: first by the ticks before a peer was sent it,
// then by the ticks since. These are two steps because each is clamped to the word's
// range.
func Lead(axes []axis, base, now rowtype.Words, before, since int64) bool {
	for k := range axes {
		a := &axes[k]
		v := *base.At(a.v)
		to := rowtype.Along(*base.At(a.x), *base.At(a.fraction), rowtype.Travel(v, v, before, a.rate, rowtype.FractionBits))
		to = a.bounded(to)
		to = a.bounded(to + rowtype.Travel(v, v, since, a.rate, rowtype.FractionBits))
		if rowtype.Nearest(to) != int64(*now.At(a.x)) && !a.once {
			return false
		}
	}
	return true
}

// bounded clamps a value, in sixteenths of a step, to the word's range.
func (a *axis) bounded(to int64) int64 {
	if x := rowtype.Nearest(to); x < a.min || x > a.max {
		return min(max(x, a.min), a.max) << rowtype.FractionBits
	}
	return to
}
