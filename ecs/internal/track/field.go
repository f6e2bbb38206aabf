package track

// field: the numeric fields of a component, found once by reflection: those that are drawn
// between states, and those that give a place.

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// A Field is one number of a struct and the word that carries it.
type Field struct {
	prop    int // what moves as one has one: the y of a place in two numbers has that of its x
	word    int
	offset  uintptr
	kind    reflect.Kind
	step    float64 // value = word × step + bias
	bias    float64
	low     float64 // the least value of an angle
	turn    float64 // a full turn of an angle, in the field's unit; 0 for other fields
	present int     // the word that says whether an optional value is there; -1 for others
	inPlace bool
	steps   bool // there is nothing between two values

	foretold bool // a velocity of the item predicts it
}

// A Fields is the fields of a component that are drawn between samples.
type Fields struct {
	Fields   []Field
	InPlace  bool // one of them is `interp=inplace`
	foretold bool // a velocity of the item predicts each of them
}

// Add adds the fields of a prop.
func (s *Fields) Add(fs []Field) {
	s.foretold = len(s.Fields) == 0 || s.foretold
	for i := range fs {
		s.foretold = s.foretold && fs[i].foretold
	}
	s.Fields = append(s.Fields, fs...)
}

// Props goes through the fields of one prop after the other: from i up to end.
func (s *Fields) Props(yield func(i, end int) bool) {
	for i := 0; i < len(s.Fields); {
		end := s.end(i)
		if !yield(i, end) {
			return
		}
		i = end
	}
}

// end returns the end of the fields of field i's prop.
func (s *Fields) end(i int) int {
	end := i + 1
	for end < len(s.Fields) && s.Fields[end].prop == s.Fields[i].prop {
		end++
	}
	return end
}

// FieldsOf returns the numbers that a prop consists of: one, the two of a vector, or an
// array of either.
func FieldsOf(component string, wire reflect.Type, item *rpl.ItemType, p *rpl.Prop) ([]Field, error) {
	var fs []Field
	for _, l := range leaves(wire, 0, nil) {
		if l.offset < p.Offset {
			continue
		}
		w := p.Words[0] + len(fs)
		if w >= p.Words[1] || !drawable(l.kind) {
			break
		}
		f := Field{
			prop: propOf(item, w), word: w, offset: l.offset, kind: l.kind,
			step: p.Step, bias: p.Bias, inPlace: p.InPlace, steps: p.Steps, present: p.Present,
			foretold: item.Words[w].Velocity >= 0,
		}
		if word := &item.Words[w]; word.Wrap {
			f.low = float64(word.Min)*p.Step + p.Bias
			f.turn = float64(int64(word.Max)-int64(word.Min)+1) * p.Step
		}
		fs = append(fs, f)
	}
	if len(fs) != p.Words[1]-p.Words[0] {
		return nil, fmt.Errorf("tendon: component %s, field %s: a %s has nothing between two samples: take away `interp`", component, p.Name, p.Kind)
	}
	return fs, nil
}

// propOf returns the prop of a word: of the y of a place in two numbers it is that of the x, if both are drawn
// alike. Each by itself a fast corner, in which one of them begins, would be a leap.
func propOf(item *rpl.ItemType, w int) int {
	own := item.Words[w].Prop
	if w == item.Pos[1] {
		if x := item.Words[item.Pos[0]].Prop; item.Props[x].Steps == item.Props[own].Steps {
			return x
		}
	}
	return own
}

// Float64At returns where the field is in its struct, if it is a float64 that is always there.
func (f *Field) Float64At() (offset uintptr, ok bool) {
	return f.offset, f.kind == reflect.Float64 && f.present < 0
}

type leaf struct {
	kind   reflect.Kind
	offset uintptr
}

// leaves returns the numbers of a vector or an array, or t itself.
func leaves(t reflect.Type, offset uintptr, to []leaf) []leaf {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			to = leaves(t.Field(i).Type, offset+t.Field(i).Offset, to)
		}
	case reflect.Array:
		for i := range t.Len() {
			to = leaves(t.Elem(), offset+uintptr(i)*t.Elem().Size(), to)
		}
	default:
		to = append(to, leaf{t.Kind(), offset})
	}
	return to
}

func drawable(k reflect.Kind) bool {
	switch k {
	case reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return false
}

// value returns the field's number from a row of words, NaN if it is optional and absent.
func (f *Field) value(words []int32) float64 {
	if f.present >= 0 && words[f.present] == 0 {
		return math.NaN()
	}
	if f.kind >= reflect.Uint && f.kind <= reflect.Uint64 {
		return float64(uint32(words[f.word]))
	}
	return float64(words[f.word])*f.step + f.bias
}

// Get and set read and write the field in the struct at p.
func (f *Field) Get(p unsafe.Pointer) float64 {
	at := unsafe.Add(p, f.offset)
	switch f.kind {
	case reflect.Float32:
		return float64(*(*float32)(at))
	case reflect.Float64:
		return *(*float64)(at)
	case reflect.Int8:
		return float64(*(*int8)(at))
	case reflect.Int16:
		return float64(*(*int16)(at))
	case reflect.Int32:
		return float64(*(*int32)(at))
	case reflect.Int64:
		return float64(*(*int64)(at))
	case reflect.Int:
		return float64(*(*int)(at))
	case reflect.Uint8:
		return float64(*(*uint8)(at))
	case reflect.Uint16:
		return float64(*(*uint16)(at))
	case reflect.Uint32:
		return float64(*(*uint32)(at))
	case reflect.Uint64:
		return float64(*(*uint64)(at))
	}
	return float64(*(*uint)(at))
}

func (f *Field) set(p unsafe.Pointer, v float64) {
	if math.IsNaN(v) { // the value is absent
		return
	}
	at := unsafe.Add(p, f.offset)
	switch f.kind {
	case reflect.Float32:
		*(*float32)(at) = float32(v)
	case reflect.Float64:
		*(*float64)(at) = v
	case reflect.Int8:
		*(*int8)(at) = int8(math.Round(v))
	case reflect.Int16:
		*(*int16)(at) = int16(math.Round(v))
	case reflect.Int32:
		*(*int32)(at) = int32(math.Round(v))
	case reflect.Int64:
		*(*int64)(at) = int64(math.Round(v))
	case reflect.Int:
		*(*int)(at) = int(math.Round(v))
	case reflect.Uint8:
		*(*uint8)(at) = uint8(math.Round(v))
	case reflect.Uint16:
		*(*uint16)(at) = uint16(math.Round(v))
	case reflect.Uint32:
		*(*uint32)(at) = uint32(math.Round(v))
	case reflect.Uint64:
		*(*uint64)(at) = uint64(math.Round(v))
	case reflect.Uint:
		*(*uint)(at) = uint(math.Round(v))
	}
}

// between returns the value at share s (0…1) of the way from a to b, the shorter way
// round for an angle.
func (f *Field) between(a, b, s float64) float64 {
	switch {
	case f.steps && s < 1:
		return a
	case f.steps:
		return b
	case f.turn == 0:
		return a + (b-a)*s
	}
	v := math.Mod(a+f.way(a, b)*s-f.low, f.turn)
	if v < 0 {
		v += f.turn
	}
	return f.low + v
}

// plus returns a value moved on by d.
func (f *Field) plus(v, d float64) float64 {
	if f.turn == 0 || f.steps {
		return v + d
	}
	return f.between(v, v+d, 1)
}

// moves reports whether the field is a place or the like, which has a speed.
func (f *Field) moves() bool { return f.turn == 0 && !f.steps }

// jump is the way in a tick up to which nothing is a teleport, however slow it was before.
func (f *Field) jump() float64 { return min(JumpUnits, jumpQuanta*math.Abs(f.step)) }

// way returns how far it is from a to b, the shorter way round for an angle.
func (f *Field) way(a, b float64) float64 {
	if f.turn == 0 || f.steps {
		return b - a
	}
	return math.Remainder(b-a, f.turn)
}
