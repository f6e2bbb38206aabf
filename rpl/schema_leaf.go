package rpl

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
)

// A leafKind is a kind of field that is words alone.
type leafKind uint8

const (
	leafNone leafKind = iota
	leafBool
	leafInt
	leafFloat
	leafRef
)

func leafOf(t reflect.Type) leafKind {
	switch t.Kind() {
	case reflect.Bool:
		return leafBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return leafInt
	case reflect.Float32, reflect.Float64:
		return leafFloat
	}
	return leafNone
}

// What tags each kind of leaf understands, and how errors name it.
const (
	tagsAny   = tagTo | tagIf | tagOnce | tagNotify | tagExplicit
	tagsMove  = tagInterp | tagInPlace | tagPredict | tagTol | tagPos
	tagsBool  = tagsAny
	tagsInt   = tagsAny | tagsMove | tagMin | tagMax | tagBits
	tagsFloat = tagsAny | tagsMove | tagMin | tagMax | tagBits | tagStep | tagAngle
	tagsRef   = tagsAny | tagHas
)

// allow reports whether a tag has only words that its field understands, and
// faults the others.
func (w *walker) allow(path string, tg tag, allowed tagSet, what string) bool {
	good := true
	for _, word := range tagWords {
		if tg.has&word.set != 0 && allowed&word.set == 0 {
			w.fault(path, "%s is not for %s", word.name, what)
			good = false
		}
	}
	if w.elem || w.args {
		const outside = tagTo | tagIf | tagOnce | tagNotify | tagInterp | tagPredict | tagTol | tagPos
		for _, word := range tagWords {
			if tg.has&word.set&outside != 0 {
				w.fault(path, "%s is for fields of components, not of arguments and of elements; remove it", word.name)
				good = false
			}
		}
	}
	return good
}

// leaf compiles n equal fields of one prop. t is the type that people see:
// the field's, an array, a vector.
func (w *walker) leaf(kind leafKind, t reflect.Type, n int, off uintptr, path string, tg tag) {
	base := t
	for base.Kind() == reflect.Array {
		base = base.Elem()
	}
	if isVector(base) {
		base = base.Field(0).Type
	}
	o := op{n: n, off: off}
	p := Prop{Name: path, If: -1, Step: 1, Offset: off}
	word := Word{Velocity: -1}
	draft := propDraft{}
	ok := false
	switch kind {
	case leafBool:
		ok = w.allow(path, tg, tagsBool, "a bool; remove it")
		o.kind, p.Kind, word.Max = opBool, "bool", 1
	case leafInt:
		ok = w.allow(path, tg, tagsInt, "an integer; remove it") && w.integer(base, path, tg, &o, &word, &draft)
		p.Kind = "int"
	case leafFloat:
		ok = w.allow(path, tg, tagsFloat, "a float; remove it") && w.float(base, path, tg, &o, &word, &draft)
		p.Kind = "float"
		if draft.angle {
			p.Kind = "angle"
		}
		if !draft.raw {
			p.Step, p.Bias = o.quant.step(), o.quant.bias
		}
	case leafRef:
		ok = w.allow(path, tg, tagsRef, "a reference; remove it")
		o.kind, p.Kind = opRef, "reference"
		word.Min, word.Max = math.MinInt32, math.MaxInt32
		w.reference(path, tg, off, n)
	}
	if !ok {
		return
	}
	p.Kind = describe(p.Kind, t)
	words := make([]Word, n*o.perField())
	for i := range words {
		words[i] = word
	}
	draft.tag = tg
	w.lay.plan = append(w.lay.plan, o)
	w.word(p, tg, words, &draft)
}

// describe names vectors and arrays by their elements: "float vector [4]".
func describe(kind string, t reflect.Type) string {
	if t.Kind() == reflect.Array {
		return fmt.Sprintf("%s [%d]", describe(kind, t.Elem()), t.Len())
	}
	if isVector(t) {
		return kind + " vector"
	}
	return kind
}

// word adds a prop of words; the plan's last op is theirs.
func (w *walker) word(p Prop, tg tag, words []Word, draft *propDraft) {
	if draft == nil {
		draft = &propDraft{tag: tg}
	}
	first := len(w.lay.words)
	o := &w.lay.plan[len(w.lay.plan)-1]
	o.word, o.end, o.prop = uint32(first), uint32(first+len(words)), len(w.lay.props)
	for i := range words {
		words[i].Prop = len(w.lay.props)
	}
	w.lay.words = append(w.lay.words, words...)
	p.Words = [2]int{first, len(w.lay.words)}
	p.Vars = [2]int{len(w.lay.vars), len(w.lay.vars)}
	w.prop(p, tg, *draft)
}

// prop adds a prop with what every kind's tag may say.
func (w *walker) prop(p Prop, tg tag, d propDraft) {
	p.Present = -1
	if n := len(w.present); n > 0 {
		p.Present = w.present[n-1]
	}
	tg.has &^= tagExplicit
	p.Tag = tg.String()
	p.Notify = tg.has&tagNotify != 0
	p.Once = tg.has&tagOnce != 0
	p.Interp = tg.has&tagInterp != 0
	p.InPlace = tg.has&tagInPlace != 0
	d.tag = tg
	d.prefix = prefixOf(p.Name)
	w.lay.props = append(w.lay.props, p)
	w.lay.drafts = append(w.lay.drafts, d)
}

// integer compiles an integer: its own range, or min= and max=, or bits=.
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
	if !ok {
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

// intBounds are the bounds that a tag gives an integer, in one word.
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
		if !b.rat.IsInt() || !b.rat.Num().IsInt64() || b.rat.Num().Int64() != int64(int32(b.rat.Num().Int64())) {
			w.fault(path, "%s=%s is not a whole number of 32 bits; write one, or remove it to send all bits", b.name, b.rat.RatString())
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

// plainInt compiles an integer of its type's own range.
func (w *walker) plainInt(path string, tg tag, size int, signed bool, lo, hi int64, o *op, word *Word, d *propDraft) bool {
	word.Min, word.Max = math.MinInt32, math.MaxInt32
	d.steps = []float64{1}
	switch size {
	case 8:
		if tg.has&tagsMove != 0 {
			w.fault(path, "a 64-bit integer is two words and cannot be interpolated or predicted, nor be a position; give it min= and max=, or use an int32")
			return false
		}
		o.kind, d.raw = opWide, true
	case 4:
		o.kind = opWord
	default:
		word.Min, word.Max = int32(lo), int32(hi)
		o.bounded(size, signed, word.Min, word.Max)
	}
	return true
}

// bounded makes the op one of integers that are clamped.
func (o *op) bounded(size int, signed bool, lo, hi int32) {
	o.clampLo, o.clampHi = lo, hi
	switch {
	case size == 1 && signed:
		o.kind = opInt8
	case size == 1:
		o.kind = opUint8
	case size == 2 && signed:
		o.kind = opInt16
	case size == 2:
		o.kind = opUint16
	case size == 4 && signed:
		o.kind = opInt32
	default:
		o.kind, o.width, o.signed = opClamp, uint8(size), signed
	}
}

// float compiles a float: all its bits, or quantised by step=, by min=, max=
// and bits=, or as an angle.
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
		o.kind, o.quant = pick(opAngle64, opAngle32), angleQuant(turn, float64(n))
		word.Min, word.Max, word.Wrap = 0, int32(n-1), true
		d.angle = true
	case tg.has&tagStep != 0:
		lo, hi, ok := w.stepBounds(path, tg)
		if !ok {
			return false
		}
		o.kind, o.quant = pick(opFloat64, opFloat32), stepQuant(tg.step, lo, hi)
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
		o.kind, o.quant = pick(opFloat64, opFloat32), rangeQuant(ratFloat(tg.min), ratFloat(tg.max), tg.bits)
		word.Min, word.Max = 0, int32(o.quant.hi)
		d.bias = true
	case tg.has&(tagMin|tagMax) != 0:
		w.fault(path, "min= and max= of a float need step= or bits=")
		return false
	default:
		if tg.has&tagsMove != 0 {
			w.fault(path, "interp, predict=, tol= and pos need a quantised float; give it step=, as step=1/32")
			return false
		}
		o.kind, d.raw, word.raw = pick(opRaw64, opRaw32), true, true
		return true
	}
	d.steps = []float64{o.quant.step()}
	return true
}

// angleWords is how many words a full turn has.
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

// stepBounds are the words of min= and max=, or of bits=, beside a step.
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

// reference records what a reference in arguments must have.
func (w *walker) reference(path string, tg tag, off uintptr, n int) {
	if tg.has&tagHas != 0 && (!w.args || w.elem) {
		w.fault(path, "has= is for a reference that stands in an argument struct itself; remove it")
		return
	}
	for i := range n {
		name := path
		if n > 1 {
			name = fmt.Sprintf("%s[%d]", path, i)
		}
		w.lay.refs = append(w.lay.refs, refField{name: name, has: tg.hasItem, off: off + uintptr(8*i)})
	}
}
