package track

// apart: what prediction, rewinding and changes of parents need of fields and of what has come.

import (
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// BeyondSeconds is how far past its newest sample something is drawn moving on.
const BeyondSeconds = beyondSeconds

// FadeSeconds is how long an error is drawn away, EvenSeconds how long one is that is far, as after a gap.
const (
	FadeSeconds = fadeSeconds
	EvenSeconds = evenSeconds
)

// Value returns the field's number from a row of words, NaN if it is optional and absent.
func (f *Field) Value(words []int32) float64 { return f.value(words) }

// Set writes the field in the struct at p.
func (f *Field) Set(p unsafe.Pointer, v float64) { f.set(p, v) }

// Between returns the value at a share of the way from a to b, beyond b above 1.
func (f *Field) Between(a, b, share float64) float64 { return f.between(a, b, share) }

// Plus returns a value moved on by d.
func (f *Field) Plus(v, d float64) float64 { return f.plus(v, d) }

// Way returns how far it is from a to b, the shorter way round for an angle.
func (f *Field) Way(a, b float64) float64 { return f.way(a, b) }

// Leaps reports whether the way from a to b in one tick is a teleport, and no motion.
func (f *Field) Leaps(a, b float64) bool { return f.moves() && math.Abs(f.way(a, b)) >= JumpUnits }

// Leaps reports whether the way of fields i to end of a prop from one tick to the next is a teleport. It is none
// of what goes on about as fast as in the tick before, or turns a corner; before is empty if that is not known.
func (s *Fields) Leaps(i, end int, before, was, now []float64) bool {
	leaps := false
	for j := i; j < end; j++ {
		leaps = leaps || s.Fields[j].Leaps(was[j], now[j])
	}
	if !leaps || len(before) == 0 {
		return leaps
	}
	along, last, next := 0.0, 0.0, 0.0
	for j := i; j < end; j++ {
		f := &s.Fields[j]
		a, b := f.way(before[j], was[j]), f.way(was[j], now[j])
		along += a * b
		last += a * a
		next += b * b
	}
	const most = JumpRatio * JumpRatio
	return !(along >= 0 && next <= most*last && last <= most*next)
}

// Steps reports whether there is nothing between two values of the field, nor beside them.
func (f *Field) Steps() bool { return f.steps }

// InPlace reports whether the field is tagged `interp=inplace`.
func (f *Field) InPlace() bool { return f.inPlace }

// Rounded returns the field as it is told to clients.
func (f *Field) Rounded(p unsafe.Pointer) float64 {
	v := f.Get(p)
	if f.step == 0 || f.kind != reflect.Float32 && f.kind != reflect.Float64 {
		return v
	}
	return math.Round((v-f.bias)/f.step)*f.step + f.bias
}

// Word returns which word of its item the field is.
func (f *Field) Word() int { return f.word }

// Nearest returns the value nearest to v that is rounded to the field's word in words.
func (f *Field) Nearest(v float64, words []int32) float64 {
	is, most := f.value(words), 0.49*math.Abs(f.step) // not a half, which floats may round to either side
	return f.plus(is, max(-most, min(f.way(is, v), most)))
}

// Fade is the share of an error that is left so many seconds later.
func Fade(seconds float64) float64 {
	left := 1 - min(max(0, seconds)/fadeSeconds, 1)
	return left * left
}

// Around returns between which packets a render time is: the tick of the one after it, the
// newest if there is none, and how many ticks the one before is older.
func (hd *Received) Around(render float64) (to, span rpl.Tick) {
	i := 0
	for i+1 < len(hd.packets) && hd.packets[i+1].tick > 0 && float64(hd.packets[i+1].tick) > render {
		i++
	}
	if to = hd.packets[i].tick; i+1 < len(hd.packets) && hd.packets[i+1].tick > 0 {
		span = to - hd.packets[i+1].tick
	}
	return to, span
}

// Values returns in to what Draw draws, by field, less the error that is drawn away, of which the authority
// knows nothing: NaN for what is absent. There is a sample.
func (sc *Screen) Values(k *Track, to []float64) {
	w, _ := sc.wayOn(k, sc.Render)
	for i := range to {
		to[i] = w.at(k, i)
	}
}

// Left returns for how many seconds yet the error of an item is drawn away, 0 if there is none, and whether that is at
// an even pace.
func (sc *Screen) Left(k *Track) (seconds float64, even bool) {
	now, b := sc.Now().Seconds(), k.beyond
	if b == nil || b.fade(k, sc.Render, now) == 0 || !slices.ContainsFunc(b.off, func(off float64) bool { return off != 0 }) {
		return 0, false
	}
	if even = b.over > 0; even {
		return b.at + b.over - now, true
	}
	return b.at + fadeSeconds - now, false
}
