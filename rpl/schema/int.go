package schema

import (
	"math"
	"math/big"
	"reflect"
)

// This file compiles integers, enums among them: an enum is an integer of a named type.

// integer compiles an integer field, whose range is that of its type, of min= and max=,
// or of bits=.
func (w *walker) integer(t reflect.Type, path string, tg tag, o *op, word *Word, d *propDraft) bool {
	signed := t.Kind() <= reflect.Int64
	size := int(t.Size())
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	if size < 8 {
		lo, hi = 0, int64(1)<<(8*size)-1
		if signed {
			lo, hi = -(int64(1) << (8*size - 1)), int64(1)<<(8*size-1)-1
		}
	} else if !signed {
		lo = 0
	}
	if tg.has&(tagMin|tagMax|tagBits) == 0 {
		return w.plainInt(path, tg, size, signed, lo, hi, o, word, d)
	}
	from, to, ok := w.intBounds(path, tg, signed, lo, hi)
	if !ok || !w.bothBounds(t, path, tg, lo, hi) {
		return false
	}
	if from < lo || to > hi {
		w.fault(path, "%d … %d does not fit in %v; narrow min= and max=, or widen the field", from, to, t)
		return false
	}
	o.bounded(size, signed, int32(from), int32(to))
	word.Min, word.Max = int32(from), int32(to)
	d.steps = []float64{1}
	return true
}

// intBounds returns the bounds that a tag sets for an integer, which must fit one word.
func (w *walker) intBounds(path string, tg tag, signed bool, lo, hi int64) (from, to int64, ok bool) {
	from, to = max(lo, math.MinInt32), min(hi, math.MaxInt32)
	if tg.has&tagBits != 0 {
		if tg.has&(tagMin|tagMax) == tagMin|tagMax {
			w.fault(path, "bits= with min= and max= says too much; remove bits=")
			return 0, 0, false
		}
		from, to = 0, int64(1)<<tg.bits-1
		if signed && tg.has&(tagMin|tagMax) == 0 {
			from, to = -(int64(1) << (tg.bits - 1)), int64(1)<<(tg.bits-1)-1
		}
	}
	for _, b := range []struct {
		set  tagSet
		name string
		rat  *big.Rat
		at   *int64
	}{{tagMin, "min", tg.min, &from}, {tagMax, "max", tg.max, &to}} {
		if tg.has&b.set == 0 {
			continue
		}
		if !b.rat.IsInt() {
			w.fault(path, "%s=%s of an integer is not a whole number; write one", b.name, b.rat.RatString())
			return 0, 0, false
		}
		if !b.rat.Num().IsInt64() || b.rat.Num().Int64() != int64(int32(b.rat.Num().Int64())) {
			w.fault(path, "%s=%s is not in %d … %d, in which an integer with bounds travels; write one that is, or neither min= nor max= to send all bits", b.name, b.rat.RatString(), math.MinInt32, math.MaxInt32)
			return 0, 0, false
		}
		span := to - from
		*b.at = b.rat.Num().Int64()
		if tg.has&tagBits != 0 { // the other bound follows
			if b.set == tagMin {
				to = from + span
			} else {
				from = to - span
			}
		}
	}
	switch {
	case from > to:
		w.fault(path, "min=%d is above max=%d; swap them", from, to)
		return 0, 0, false
	case from < math.MinInt32 || to > math.MaxInt32:
		w.fault(path, "%d … %d does not fit in 32 bits; use fewer bits", from, to)
		return 0, 0, false
	}
	return from, to, true
}

// bothBounds refuses a single bound if the type reaches beyond 32 bits on the other side:
// values there would be clamped to 32 bits although the tag does not say so.
func (w *walker) bothBounds(t reflect.Type, path string, tg tag, lo, hi int64) bool {
	switch {
	case tg.has&tagBits != 0:
	case tg.has&tagMin == 0 && lo < math.MinInt32:
		w.fault(path, "max= alone would clamp what %v has below %d; write min= too, or remove max= to send all bits", t, math.MinInt32)
		return false
	case tg.has&tagMax == 0 && hi > math.MaxInt32:
		w.fault(path, "min= alone would clamp what %v has above %d; write max= too, or remove min= to send all bits", t, math.MaxInt32)
		return false
	}
	return true
}

// plainInt compiles an integer that has the range of its type.
func (w *walker) plainInt(path string, tg tag, size int, signed bool, lo, hi int64, o *op, word *Word, d *propDraft) bool {
	word.Min, word.Max = math.MinInt32, math.MaxInt32
	word.Wide, word.Unsigned = size == 8, size >= 4 && !signed
	d.steps = []float64{1}
	switch size {
	case 8:
		if tg.has&tagsMove != 0 {
			w.fault(path, "a 64-bit integer is two words and cannot be interpolated or predicted, nor be a position; give it min= and max=, or use an int32")
			return false
		}
		o.Kind, d.raw = opWide, true
	case 4:
		o.Kind = opWord
	default:
		word.Min, word.Max = int32(lo), int32(hi)
		o.bounded(size, signed, word.Min, word.Max)
	}
	return true
}

// bounded makes o the op for integers of that size that are clamped to lo … hi.
func (o *op) bounded(size int, signed bool, lo, hi int32) {
	o.clampLo, o.clampHi = lo, hi
	switch {
	case size == 1 && signed:
		o.Kind = opInt8
	case size == 1:
		o.Kind = opUint8
	case size == 2 && signed:
		o.Kind = opInt16
	case size == 2:
		o.Kind = opUint16
	case size == 4 && signed:
		o.Kind = opInt32
	default:
		o.Kind, o.width, o.signed = opClamp, uint8(size), signed
	}
}
