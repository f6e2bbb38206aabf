package schema

import (
	"math"
	"math/big"
)

// A quantiser turns a float into a word and back:
//
//	word  = round((value − bias) × scale), clamped to lo … hi
//	value = word × mul / div + bias
//
// Rounding is half away from zero. mul and div are the step as a fraction, so
// a value that is written as a decimal multiple of the step comes back as that
// very float64. NaN becomes 0, clamped to the bounds; infinities become a bound.
type Quantiser struct {
	Scale, Bias float64
	mul, div    float64
	Lo, Hi      float64 // bounds of the word; for an angle 0 and the number of words in a turn
}

// stepQuant is the quantiser of step=, with bounds in words.
func stepQuant(step *big.Rat, lo, hi float64) Quantiser {
	num, _ := new(big.Float).SetInt(step.Num()).Float64()
	den, _ := new(big.Float).SetInt(step.Denom()).Float64()
	return Quantiser{Scale: den / num, mul: num, div: den, Lo: lo, Hi: hi}
}

// rangeQuant spreads 2^bits words over min … max.
func rangeQuant(lo, hi float64, bits int) Quantiser {
	top := float64(uint64(1)<<bits - 1)
	return Quantiser{Scale: top / (hi - lo), Bias: lo, mul: hi - lo, div: top, Hi: top}
}

// angleQuant divides a full turn into n words.
func angleQuant(turn float64, n float64) Quantiser {
	return Quantiser{Scale: n / turn, mul: turn, div: n, Hi: n}
}

// step is the unit of the word.
func (q *Quantiser) step() float64 { return q.mul / q.div }

// word quantises v. The conversions keep compilers from fusing multiplication
// and addition, which would round differently on other machines.
func (q *Quantiser) word(v float64) int32 {
	return q.Rounded(float64((v - q.Bias) * q.Scale))
}

func (q *Quantiser) Rounded(x float64) int32 {
	if q.holds(x) {
		return Rounded(x)
	}
	return q.Outside(x)
}

func (q *Quantiser) holds(x float64) bool { return x > q.Lo && x < q.Hi }

// Rounded rounds x half away from zero by truncating x ± ½, which cannot exceed bounds
// that are whole numbers.
func Rounded(x float64) int32 { return int32(int64(x + math.Copysign(0.5, x))) }

func (q *Quantiser) Outside(x float64) int32 {
	switch {
	case x >= q.Hi:
		return int32(q.Hi)
	case x <= q.Lo:
		return int32(q.Lo)
	}
	return int32(min(max(math.Round(float64(-q.Bias*q.Scale)), q.Lo), q.Hi)) // NaN counts as 0
}

// value returns the value of a word.
func (q *Quantiser) value(w int32) float64 {
	return float64(float64(w)*q.mul/q.div) + q.Bias
}

// angleWord quantises an angle, modulo a turn.
func (q *Quantiser) angleWord(v float64) int32 {
	x := float64(v * q.Scale)
	if !(math.Abs(x) < 1<<52) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return 0
		}
		x = float64(math.Mod(v, q.mul) * q.Scale)
	}
	w, n := int64(x+math.Copysign(0.5, x)), int64(q.Hi)
	if uint64(w) >= uint64(n) {
		if w %= n; w < 0 {
			w += n
		}
	}
	return int32(w)
}

// check reports whether a value is within the bounds, to half a step, and if not, which
// bound it exceeds. It is for arguments, which are refused where state is clamped.
func (q *Quantiser) check(v float64) (limit float64, ok bool) {
	x := float64((v - q.Bias) * q.Scale)
	switch {
	case x > q.Hi+0.5:
		return q.value(int32(q.Hi)), false
	case x < q.Lo-0.5:
		return q.value(int32(q.Lo)), false
	}
	return 0, true
}

// ratFloat is the float64 nearest to r.
func ratFloat(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}
