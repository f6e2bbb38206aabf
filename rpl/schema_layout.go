package rpl

import (
	"reflect"
	"unsafe"
)

// A layout is a Go type compiled to words and vars: of a component, of an
// element of a list, of arguments. It is immutable once the schema is frozen.
type layout struct {
	props []Prop
	words []Word
	vars  []Var
	plan  []op
	fast  fastPlan   // the plan, sorted
	refs  []refField // references that stand in the struct itself

	refers bool // a reference stands anywhere in it

	drafts []propDraft // beside props, until Freeze has resolved names
}

// A refField is a reference to a node in a struct, and what it must have.
type refField struct {
	name string
	has  string
	off  uintptr
	in   []uintptr // presence of the Opts that it stands in
}

// A propDraft is what a prop's tag names and Freeze looks up.
type propDraft struct {
	tag    tag
	prefix string // path of the struct that the field is in, with its dot
	steps  []float64
	bias   bool // words do not begin at the value 0
	raw    bool // words are bits of a float or halves of a wide integer
	angle  bool
}

// An op is one instruction of a plan: n equal fields in a row of the struct,
// to or from as many words.
type op struct {
	kind       opKind
	signed     bool   // opClamp
	width      uint8  // opClamp: bytes of a field
	word, end  uint32 // the words: the first, and one past the last
	off        uintptr
	n          int
	clampLo    int32 // of integers
	clampHi    int32
	quant      quantiser // of floats and angles
	skip       int       // opOpt: how many ops belong to the value
	vari, prop int       // opVar: the index of the var; the prop, for errors
}

type opKind uint8

const (
	opBool opKind = iota
	opInt8
	opUint8
	opInt16
	opUint16
	opInt32
	opClamp // integers of other widths, with bounds, in one word
	opWord  // 32 bits as they are
	opRaw32
	opWide // 64 bits as they are, in two words
	opRaw64
	opFloat64
	opFloat32
	opAngle64
	opAngle32
	opRef // an entity, as the two halves of its node
	opVar
	opOpt // presence, then skip ops of the value
)

// size is the bytes of one field of the op in the struct.
func (o *op) size() uintptr {
	switch o.kind {
	case opBool, opInt8, opUint8, opOpt:
		return 1
	case opInt16, opUint16:
		return 2
	case opInt32, opWord, opRaw32, opFloat32, opAngle32:
		return 4
	case opClamp:
		return uintptr(o.width)
	case opVar:
		return 0 // holds pointers: never compared as bytes
	}
	return 8
}

// perField is the words of one field of the op.
func (o *op) perField() int {
	switch o.kind {
	case opWide, opRaw64, opRef:
		return 2
	case opVar:
		return 0
	}
	return 1
}

// finish sorts the plan and gives every word its default, which is what a zero
// value extracts to.
func (l *layout) finish(t reflect.Type) {
	l.sort()
	l.refers = l.hasRefs()
	for i := range l.words {
		w := &l.words[i]
		w.Default = min(max(0, w.Min), w.Max) // what stands where an rpl.Opt is absent
	}
	zero := reflect.New(t)
	words := make([]int32, len(l.words))
	l.extract(zero.UnsafePointer(), words, make([]any, len(l.vars)), nil)
	for i, w := range words {
		l.words[i].Default = w
	}
}

// same reports whether two rows are equal.
func (l *layout) same(aw []int32, av []any, bw []int32, bv []any) bool {
	for i, w := range aw {
		if w != bw[i] {
			return false
		}
	}
	for i, v := range av {
		if !l.vars[i].Type.Equal(v, bv[i]) {
			return false
		}
	}
	return true
}

// hasRefs reports whether a reference stands anywhere in the layout.
func (l *layout) hasRefs() bool {
	for i := range l.plan {
		if l.plan[i].kind == opRef {
			return true
		}
	}
	for i := range l.vars {
		if l.vars[i].codec().hasRefs() {
			return true
		}
	}
	return false
}

// nodes appends the nodes that a row refers to, those included that are not here.
func (l *layout) nodes(words []int32, vars []any, to []Node) []Node {
	for i := range l.plan {
		if o := &l.plan[i]; o.kind == opRef {
			for k := o.word; k < o.end; k += 2 {
				if n := Node(join(words[k], words[k+1])); n != 0 {
					to = append(to, n)
				}
			}
		}
	}
	for i := range l.vars {
		to = l.vars[i].codec().nodes(vars[i], to)
	}
	return to
}

// nodesOf is nodes of all rows of a list or a map.
func (l *layout) nodesOf(r *rows, to []Node) []Node {
	if !l.refers {
		return to
	}
	for i := range r.n {
		words, vars := r.row(l, i)
		to = l.nodes(words, vars, to)
	}
	return to
}

// at is the field of type T at an offset of the struct at p.
func at[T any](p unsafe.Pointer, off uintptr) *T { return (*T)(unsafe.Add(p, off)) }
