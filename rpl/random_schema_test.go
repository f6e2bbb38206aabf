package rpl_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/tendonengine/tendon/rpl"
)

// Random schemas: item types that reflect makes, with every kind of field and tag that there is.

// A shape is what is known of a field, or of a value in one: its type, and what changes it.
type shape struct {
	typ  reflect.Type
	kind shapeKind

	step, turn float64 // of a number: how much a step is; of an angle a turn
	lo, hi     float64 // its bounds, in its own unit, where it is bounded
	signed     bool
	bounded    bool
	spread     bool // its steps begin at lo
	velocity   int  // the field of the same struct that predicts it, -1 none
	perTick    bool

	of     []shape // fields of a struct, the one element of an array, list, map or Opt
	names  []string
	tags   []string
	most   int // of a text, a list or a map
	single bool
}

type shapeKind uint8

const (
	isBool shapeKind = iota
	isInt
	isFloat
	isRaw
	isAngle
	isRef
	isXY
	isArray
	isStruct
	isOptional
	isText
	isBytes
	isList
	isMap
)

// optionals are the Opts that random types may have: reflect makes no generic types.
var optionals = []struct {
	typ reflect.Type
	of  func(sh *schemer) (shape, string)
}{
	{reflect.TypeFor[rpl.Opt[int32]](), func(r *schemer) (shape, string) { return r.integer(reflect.TypeFor[int32]()) }},
	{reflect.TypeFor[rpl.Opt[uint8]](), func(r *schemer) (shape, string) { return r.integer(reflect.TypeFor[uint8]()) }},
	{reflect.TypeFor[rpl.Opt[int64]](), func(r *schemer) (shape, string) { return r.integer(reflect.TypeFor[int64]()) }},
	{reflect.TypeFor[rpl.Opt[float64]](), func(r *schemer) (shape, string) { return r.float(reflect.TypeFor[float64]()) }},
	{reflect.TypeFor[rpl.Opt[bool]](), func(r *schemer) (shape, string) { return shape{typ: reflect.TypeFor[bool](), kind: isBool}, "" }},
	{reflect.TypeFor[rpl.Opt[entity]](), func(r *schemer) (shape, string) { return shape{typ: reflect.TypeFor[entity](), kind: isRef}, "" }},
	{reflect.TypeFor[rpl.Opt[xy]](), func(r *schemer) (shape, string) {
		of, tag := r.float(reflect.TypeFor[float64]())
		return shape{typ: reflect.TypeFor[xy](), kind: isXY, of: []shape{of}}, tag
	}},
	{reflect.TypeFor[rpl.Opt[[5]uint16]](), func(r *schemer) (shape, string) {
		of, tag := r.integer(reflect.TypeFor[uint16]())
		return shape{typ: reflect.TypeFor[[5]uint16](), kind: isArray, of: []shape{of}}, tag
	}},
	{reflect.TypeFor[rpl.Opt[slotItem]](), func(r *schemer) (shape, string) {
		return shape{typ: reflect.TypeFor[slotItem](), kind: isStruct, of: []shape{
			{typ: reflect.TypeFor[uint8](), kind: isInt, step: 1}, {typ: reflect.TypeFor[int32](), kind: isInt, step: 1, signed: true},
		}}, ""
	}},
}

var (
	integers = []reflect.Type{
		reflect.TypeFor[int8](), reflect.TypeFor[uint8](), reflect.TypeFor[int16](), reflect.TypeFor[uint16](), reflect.TypeFor[int32](), reflect.TypeFor[uint32](),
		reflect.TypeFor[int64](), reflect.TypeFor[uint64](), reflect.TypeFor[int](), reflect.TypeFor[uint](),
	}
	floats = []reflect.Type{reflect.TypeFor[float64](), reflect.TypeFor[float32]()}
	steps  = []struct {
		text string
		of   float64
	}{{"1/32", 1. / 32}, {"1/8", 1. / 8}, {"0.1", .1}, {"1", 1}, {"3/7", 3. / 7}, {"1/1024", 1. / 1024}, {"250", 250}, {"1/65536", 1. / 65536}, {"1/3", 1. / 3}}
)

// A schemer makes the shapes of one schema.
type schemer struct {
	r        *rand.Rand
	words    int // left for the item being made
	props    int // left for it
	bools    []string
	inList   bool
	foreign  []string // numbers of items that were made before, as item.Field
	audience string   // of the group
}

// one is one of some.
func one[T any](r *rand.Rand, some ...T) T { return some[r.IntN(len(some))] }

func (s *schemer) integer(t reflect.Type) (shape, string) {
	of := shape{typ: t, kind: isInt, step: 1, velocity: -1, signed: t.Kind() <= reflect.Int64}
	size := int(t.Size())
	tag := ""
	switch s.r.IntN(4) {
	case 0:
		lo, hi := int64(0), int64(1)<<min(8*size, 31)-1
		if of.signed {
			lo, hi = -int64(1)<<(min(8*size, 32)-1), int64(1)<<(min(8*size, 32)-1)-1
		}
		x, y := lo+s.r.Int64N(hi-lo+1), lo+s.r.Int64N(hi-lo+1)
		switch s.r.IntN(4) {
		case 0:
			x, y = lo, hi
		case 1:
			y = min(x+s.r.Int64N(20), hi)
		case 2:
			y = x // one value alone
		}
		x, y = min(x, y), max(x, y)
		of.lo, of.hi, of.bounded = float64(x), float64(y), true
		tag = fmt.Sprintf("min=%d,max=%d", x, y)
	case 1:
		most := min(8*size, 31)
		if s.r.IntN(3) == 0 {
			most = min(most, 4)
		}
		bits := 1 + s.r.IntN(most)
		tag = fmt.Sprintf("bits=%d", bits)
		of.bounded = true
		if of.lo, of.hi = 0, float64(int64(1)<<bits-1); of.signed {
			of.lo, of.hi = -float64(int64(1)<<(bits-1)), float64(int64(1)<<(bits-1)-1)
		}
	}
	return of, tag
}

func (s *schemer) float(t reflect.Type) (shape, string) {
	of := shape{typ: t, kind: isFloat, velocity: -1, signed: true, single: t.Kind() == reflect.Float32}
	step := steps[s.r.IntN(len(steps))]
	switch s.r.IntN(6) {
	case 0:
		of.kind, of.step = isRaw, 1
		return of, ""
	case 1:
		of.kind, of.turn, of.step = isAngle, 6.283185307179586, 6.283185307179586/4096
		switch s.r.IntN(4) {
		case 0:
			return of, "angle"
		case 1:
			bits := 1 + s.r.IntN(20)
			of.step = of.turn / float64(int(1)<<bits)
			return of, fmt.Sprintf("angle,bits=%d", bits)
		case 2:
			of.turn, of.step = 360, .5
			return of, "angle=360,step=1/2"
		}
		of.turn, of.step = 7, 7./3
		return of, "angle=7,step=7/3"
	case 2:
		bits := 1 + s.r.IntN(31)
		lo := s.r.IntN(2000) - 1000
		hi := lo + 1 + s.r.IntN(2000)
		of.lo, of.hi, of.spread, of.bounded = float64(lo), float64(hi), true, true
		of.step = (of.hi - of.lo) / float64(int64(1)<<bits-1)
		return of, fmt.Sprintf("min=%d,max=%d,bits=%d", lo, hi, bits)
	case 3:
		lo := s.r.IntN(1000) - 500
		hi := lo + 1 + s.r.IntN(1000)
		of.step, of.bounded = step.of, true
		of.lo, of.hi = rounded(float64(lo)/of.step)*of.step, rounded(float64(hi)/of.step)*of.step
		return of, fmt.Sprintf("step=%s,min=%d,max=%d", step.text, lo, hi)
	case 4:
		bits := 2 + s.r.IntN(30)
		of.step, of.bounded = step.of, true
		of.lo, of.hi = -float64(int64(1)<<(bits-1))*of.step, float64(int64(1)<<(bits-1)-1)*of.step
		return of, fmt.Sprintf("step=%s,bits=%d", step.text, bits)
	}
	of.step = step.of
	return of, "step=" + step.text
}

func rounded(x float64) float64 {
	if x < 0 {
		return -rounded(-x)
	}
	return float64(int64(x + .5))
}

// plain makes a field of one number, a vector, a bool or a reference.
func (s *schemer) plain() (shape, string) {
	switch s.r.IntN(9) {
	case 0:
		return shape{typ: reflect.TypeFor[bool](), kind: isBool, velocity: -1}, ""
	case 1:
		return shape{typ: reflect.TypeFor[entity](), kind: isRef, velocity: -1}, ""
	case 2:
		of, tag := s.float(floats[0])
		return shape{typ: reflect.TypeFor[xy](), kind: isXY, of: []shape{of}, velocity: -1}, tag
	case 3, 4:
		return s.float(one(s.r, floats...))
	}
	return s.integer(one(s.r, integers...))
}

// any makes a field.
func (s *schemer) any(depth int) (shape, string) {
	switch s.r.IntN(16) {
	case 0, 1, 2:
		of, tag := s.plain()
		n := one(s.r, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 16, 16, 17, 31, 32, 33, 48, 64)
		n = max(1, min(n, s.words/4))
		return shape{typ: reflect.ArrayOf(n, of.typ), kind: isArray, of: []shape{of}, velocity: -1}, tag
	case 3:
		if depth < 2 {
			return s.structure(depth+1, 1+s.r.IntN(5)), ""
		}
	case 4:
		if depth < 2 && s.props > 30 {
			of := s.structure(depth+1, 1+s.r.IntN(3))
			n := 1 + s.r.IntN(4)
			return shape{typ: reflect.ArrayOf(n, of.typ), kind: isArray, of: []shape{of}, velocity: -1}, ""
		}
	case 5, 6:
		o := optionals[s.r.IntN(len(optionals))]
		of, tag := o.of(s)
		of.velocity = -1
		return shape{typ: o.typ, kind: isOptional, of: []shape{of}, velocity: -1}, tag
	case 7:
		most := 1 + s.r.IntN(60)
		if s.r.IntN(6) == 0 {
			most = 1500
		}
		if s.r.IntN(2) == 0 {
			return shape{typ: reflect.TypeFor[[]byte](), kind: isBytes, most: most, velocity: -1}, fmt.Sprintf("max=%d", most)
		}
		return shape{typ: reflect.TypeFor[string](), kind: isText, most: most, velocity: -1}, fmt.Sprintf("max=%d", most)
	case 8, 9:
		most := 1 + s.r.IntN(20)
		of, tag := s.element(depth)
		return shape{typ: reflect.SliceOf(of.typ), kind: isList, of: []shape{of}, most: most, velocity: -1}, strings.TrimSuffix(fmt.Sprintf("max=%d,%s", most, tag), ",")
	case 10:
		most := 1 + s.r.IntN(12)
		of, tag := s.element(depth)
		key := one(s.r, reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[uint8](), reflect.TypeFor[int64](), reflect.TypeFor[uint64]())
		return shape{typ: reflect.MapOf(key, of.typ), kind: isMap, of: []shape{of}, most: most, velocity: -1}, strings.TrimSuffix(fmt.Sprintf("max=%d,%s", most, tag), ",")
	}
	return s.plain()
}

// element makes an element of a list or a map. Those that are not structs have what bounds they have from the list's tag,
// where max= is how many there are.
func (s *schemer) element(depth int) (shape, string) {
	if s.r.IntN(2) == 0 {
		bools, words, props := s.bools, s.words, s.props
		s.inList = true
		of := s.structure(1, 1+s.r.IntN(4))
		s.inList, s.bools, s.words, s.props = false, bools, words, props
		return of, ""
	}
	for {
		of, tag := s.plain()
		if s.r.IntN(4) == 0 {
			of, tag = shape{typ: reflect.TypeFor[string](), kind: isText, most: 64}, ""
		}
		if !strings.Contains(tag, "min=") && !strings.Contains(tag, "max=") {
			return of, tag
		}
	}
}

func (s *schemer) structure(depth, fields int) shape {
	all := shape{kind: isStruct, velocity: -1}
	was := s.bools
	if depth > 0 {
		s.bools = nil
	}
	var list []reflect.StructField
	for i := range fields {
		name := fmt.Sprintf("F%d", i)
		of, tag := s.any(depth)
		if s.inList && (of.kind == isList || of.kind == isMap || of.kind == isText || of.kind == isBytes) && s.r.IntN(2) == 0 {
			of, tag = s.plain()
		}
		tags := []string{}
		if tag != "" {
			tags = append(tags, tag)
		}
		words := size(&of)
		if s.words -= words; s.words < 0 || s.props < 12 {
			break
		}
		s.props -= 1 + props(&of)
		if !s.inList {
			tags = append(tags, s.behaviour(&of, &all, list, depth)...)
		}
		of.names = nil
		if of.kind == isBool && depth == 0 && len(tags) == 0 {
			s.bools = append(s.bools, name)
		}
		all.of = append(all.of, of)
		all.names, all.tags = append(all.names, name), append(all.tags, strings.Join(tags, ","))
		list = append(list, reflect.StructField{Name: name, Type: of.typ, Tag: reflect.StructTag(fmt.Sprintf("rpl:%q", strings.Join(tags, ",")))})
	}
	if len(list) == 0 {
		all.of, all.names, all.tags = []shape{{typ: reflect.TypeFor[uint8](), kind: isInt, step: 1, velocity: -1}}, []string{"F0"}, []string{""}
		list = append(list, reflect.StructField{Name: "F0", Type: reflect.TypeFor[uint8](), Tag: `rpl:""`})
	}
	s.bools = was
	all.typ = reflect.StructOf(list)
	return all
}
