package schema

import (
	"math"
	"math/big"
	"reflect"
)

// This file compiles floats: raw, quantised, or as angles.

// float compiles a float field: sent with all its bits, quantised by step= or by min=,
// max= and bits=, or as an angle.
func (w *walker) float(t reflect.Type, path string, tg tag, o *op, word *Word, d *propDraft) bool {
	single := t.Kind() == reflect.Float32
	pick := func(double, float opKind) opKind {
		if single {
			return float
		}
		return double
	}
	word.Min, word.Max = math.MinInt32, math.MaxInt32
	switch {
	case tg.has&tagAngle != 0:
		n, ok := w.angleWords(path, tg)
		if !ok {
			return false
		}
		turn := 2 * math.Pi
		if tg.turn != nil {
			turn = ratFloat(tg.turn)
		}
		o.Kind, o.Quant = pick(opAngle64, opAngle32), angleQuant(turn, float64(n))
		word.Min, word.Max, word.Wrap = 0, int32(n-1), true
		d.angle = true
	case tg.has&tagStep != 0:
		lo, hi, ok := w.stepBounds(path, tg)
		if !ok {
			return false
		}
		o.Kind, o.Quant = pick(OpFloat64, OpFloat32), stepQuant(tg.step, lo, hi)
		word.Min, word.Max = int32(lo), int32(hi)
	case tg.has&tagBits != 0:
		if tg.has&(tagMin|tagMax) != tagMin|tagMax {
			w.fault(path, "bits= of a float needs min= and max=, or step=")
			return false
		}
		if tg.min.Cmp(tg.max) >= 0 {
			w.fault(path, "min=%s is not below max=%s; swap them", tg.min.RatString(), tg.max.RatString())
			return false
		}
		o.Kind, o.Quant = pick(OpFloat64, OpFloat32), rangeQuant(ratFloat(tg.min), ratFloat(tg.max), tg.bits)
		word.Min, word.Max = 0, int32(o.Quant.Hi)
		d.bias = true
	case tg.has&(tagMin|tagMax) != 0:
		w.fault(path, "min= and max= of a float need step= or bits=")
		return false
	default:
		if tg.has&tagsMove != 0 {
			w.fault(path, "interp, predict=, tol= and pos need a quantised float; give it step=, as step=1/32")
			return false
		}
		o.Kind, d.raw, word.Raw, word.Wide = pick(opRaw64, opRaw32), true, true, !single
		return true
	}
	d.steps = []float64{o.Quant.step()}
	return true
}

// angleWords returns how many values of the word make a full turn.
func (w *walker) angleWords(path string, tg tag) (n int64, ok bool) {
	switch {
	case tg.has&(tagMin|tagMax) != 0:
		w.fault(path, "an angle wraps and has no min= and max=; remove them")
		return 0, false
	case tg.has&tagStep == 0 && tg.has&tagBits == 0:
		return 1 << defaultAngle, true
	case tg.has&tagStep == 0:
		return 1 << tg.bits, true
	case tg.has&tagBits != 0:
		w.fault(path, "step= and bits= of an angle say the same; remove one")
		return 0, false
	case tg.turn == nil:
		w.fault(path, "an angle in radians has no whole number of steps in a turn; write bits= in place of step=")
		return 0, false
	}
	q := new(big.Rat).Quo(tg.turn, tg.step)
	if !q.IsInt() || q.Cmp(big.NewRat(1<<maxBits, 1)) > 0 {
		w.fault(path, "a turn of %s is no whole number of steps of %s below 2³¹; choose another step or write bits=", tg.turn.RatString(), tg.step.RatString())
		return 0, false
	}
	return q.Num().Int64(), true
}

// stepBounds returns the bounds, in steps, that min= and max= or bits= set beside step=.
func (w *walker) stepBounds(path string, tg tag) (lo, hi float64, ok bool) {
	lo, hi = math.MinInt32, math.MaxInt32
	inWords := func(r *big.Rat) float64 {
		return math.Round(ratFloat(new(big.Rat).Quo(r, tg.step)))
	}
	if tg.has&tagMin != 0 {
		lo = inWords(tg.min)
	}
	if tg.has&tagMax != 0 {
		hi = inWords(tg.max)
	}
	if tg.has&tagBits != 0 {
		span := float64(int64(1) << tg.bits)
		switch tg.has & (tagMin | tagMax) {
		case tagMin | tagMax:
			w.fault(path, "bits= beside step=, min= and max= says too much; remove it")
			return 0, 0, false
		case tagMin:
			hi = lo + span - 1
		case tagMax:
			lo = hi - span + 1
		default:
			lo, hi = -span/2, span/2-1
		}
	}
	switch {
	case lo > hi:
		w.fault(path, "min= is above max=; swap them")
	case lo < math.MinInt32 || hi > math.MaxInt32:
		w.fault(path, "its range has more than 2³² steps; use a larger step or a narrower range")
	default:
		return lo, hi, true
	}
	return 0, 0, false
}
