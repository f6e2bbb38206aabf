package schema

import (
	"fmt"
	"math"
	"reflect"
	"slices"
)

// A leafKind is a kind of field that is compiled to words alone: this file compiles
// these, and adds all kinds of prop to the layout.
type leafKind uint8

const (
	leafNone leafKind = iota
	leafBool
	leafInt
	leafFloat
	leafRef
)

// leafOf is the kind of leaf that fields of a type are, by its Go kind.
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

// The tags that each kind of leaf understands.
const (
	tagsAny   = tagTo | tagIf | tagOnce | tagNotify | tagExplicit
	tagsMove  = tagInterp | tagInPlace | tagPredict | tagTol | tagPos
	tagsBool  = tagsAny | tagEdge
	tagsInt   = tagsAny | tagsMove | tagMin | tagMax | tagBits
	tagsFloat = tagsAny | tagsMove | tagMin | tagMax | tagBits | tagStep | tagAngle
	tagsRef   = tagsAny | tagHas
)

// allow reports whether a tag has only words that its field understands, and
// faults the others, each once: with two errors about one word, one remedy would be wrong.
func (w *walker) allow(path string, tg tag, allowed tagSet, what string) bool {
	const outside = tagTo | tagIf | tagOnce | tagNotify | tagInterp | tagPredict | tagTol | tagPos
	good := true
	for _, word := range tagWords {
		why := ""
		switch set := tg.has & word.set; {
		case set == 0:
			continue
		case w.args && set&outside != 0:
			why = "is for fields of components, not of arguments and of elements; remove it"
		case w.elem && set&(outside|tagEdge) != 0:
			why = "is not for what is in a list or a map; " + elementRemedy(set)
		case !w.args && set == tagEdge:
			why = "is for the bools of commands, which are true for one tick; remove it"
		case allowed&set == 0:
			why = "is not for " + what
		default:
			continue
		}
		w.fault(path, "%s %s", word.name, why)
		good = false
	}
	return good
}

// elementRemedy says what to do about a word that stands on an element, or would have to.
func elementRemedy(word tagSet) string {
	switch word {
	case tagTo, tagIf, tagOnce, tagNotify:
		return "put it on the field of the component, for all that is in it"
	case tagEdge:
		return "make the bool a field of the command itself"
	case tagPos:
		return "remove it: a node has one place, which is a field of a component"
	}
	return "hold as many as there are at most in an array, or each in a node of its own"
}

// leaf compiles n equal fields, which make one prop. t is the type as declared: that of
// the field, an array, or a vector.
func (w *walker) leaf(kind leafKind, t reflect.Type, n int, off uintptr, path string, tg tag) {
	base := t
	for base.Kind() == reflect.Array {
		base = base.Elem()
	}
	if isVector(base) {
		base = base.Field(0).Type
	}
	o := op{N: n, Off: off}
	p := Prop{Name: path, If: -1, Step: 1, Offset: off}
	word := Word{Velocity: -1}
	draft := propDraft{}
	ok := false
	switch kind {
	case leafBool:
		what := "a bool; remove it"
		if tg.has&tagInterp != 0 {
			what = "a bool, which has nothing in between; remove it, or, for a flag that is to change when the picture does, make the field a uint8 tagged `max=1,interp` and ask View for it"
		}
		ok = w.allow(path, tg, tagsBool, what)
		o.Kind, p.Kind, word.Max = opBool, "bool", 1
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
			p.Step, p.Bias = o.Quant.step(), o.Quant.Bias
		}
	case leafRef:
		ok = w.allow(path, tg, tagsRef, "a reference; remove it")
		o.Kind, p.Kind = OpRef, KindReference
		word.Min, word.Max, word.Wide = math.MinInt32, math.MaxInt32, true
		w.reference(path, tg, off, n)
	}
	if !ok {
		return
	}
	p.Kind = describe(p.Kind, t)
	w.words(&o, p, tg, slices.Repeat([]Word{word}, n*o.perField()), draft)
	w.lay.Plan = append(w.lay.Plan, o)
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

// words adds a prop that is made of words, and tells o, the op that converts them, where
// they are.
func (w *walker) words(o *op, p Prop, tg tag, words []Word, draft propDraft) {
	first := len(w.lay.words)
	o.Word, o.End, o.prop = uint32(first), uint32(first+len(words)), len(w.lay.props)
	for i := range words {
		words[i].Prop = len(w.lay.props)
	}
	w.lay.words = append(w.lay.words, words...)
	p.Words = [2]int{first, len(w.lay.words)}
	p.Vars = [2]int{len(w.lay.vars), len(w.lay.vars)}
	w.prop(p, tg, draft)
}

// prop adds a prop, with the settings that a tag of any kind may have.
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
	p.Steps = tg.has&tagSteps != 0
	d.tag = tg
	d.prefix = prefixOf(p.Name)
	w.lay.props = append(w.lay.props, p)
	w.lay.drafts = append(w.lay.drafts, d)
}

// misplacedHas faults has= where nothing checks it.
func (w *walker) misplacedHas(path string, tg tag) bool {
	switch {
	case tg.has&tagHas == 0 || w.args && !w.elem:
		return false
	case w.args:
		w.fault(path, "has= is not for what is in a list or a map; remove it, and look in the handler at what each of them refers to")
	default:
		w.fault(path, "has= is for references in arguments; remove it")
	}
	return true
}

// reference records references and, for arguments, which item their nodes must have.
func (w *walker) reference(path string, tg tag, off uintptr, n int) {
	if w.misplacedHas(path, tg) {
		return
	}
	for i := range n {
		name := path
		if n > 1 {
			name = fmt.Sprintf("%s[%d]", path, i)
		}
		w.lay.refs = append(w.lay.refs, refField{name: name, has: tg.hasItem, off: off + uintptr(8*i), in: slices.Clone(w.presence)})
	}
}
