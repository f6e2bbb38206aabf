package schema

import (
	"reflect"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// A fieldLayout is a Go type compiled to words and values of variable length: the type of a
// component, of an element of a list or a map, or of arguments. It is immutable once the
// schema is frozen. The schema_*.go files compile it; extract.go and inject.go run it.
type fieldLayout struct {
	props []Prop
	words []Word
	vars  []Var
	Plan  []op
	fast  fastPlan   // the plan, sorted
	refs  []refField // references in the struct itself

	refers bool // there is a reference anywhere in it, lists and maps included

	drafts []propDraft // one per prop, for Freeze to resolve names
}

// A refField is a reference to a node in a struct, and the item that the node must have.
type refField struct {
	name string
	has  string
	off  uintptr
	in   []uintptr // where the presence of each Opt around it is
}

// A propDraft is what Freeze needs to resolve the names in a prop's tag.
type propDraft struct {
	tag    tag
	prefix string // path of the struct that the field is in, with its dot
	steps  []float64
	bias   bool // the word 0 does not stand for the value 0
	raw    bool // words are bits of a float or halves of a wide integer
	angle  bool
}

// An op is one instruction of a plan: it converts n equal, adjacent fields of the struct
// to words, or back.
type op struct {
	Kind       opKind
	signed     bool   // opClamp
	width      uint8  // opClamp: bytes of a field
	Word, End  uint32 // the first word, and one past the last
	Off        uintptr
	N          int
	clampLo    int32 // of integers
	clampHi    int32
	Quant      Quantiser // of floats and angles
	skip       int       // OpOpt: how many ops belong to the value
	vari, prop int       // OpVar: the index of the var; the prop, for errors
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
	OpFloat64
	OpFloat32
	opAngle64
	opAngle32
	OpRef // an entity, as the two halves of its node
	OpVar
	OpOpt // presence; the next op.skip ops are the value's
)

// Size returns the bytes that one field of the op takes in the struct.
func (o *op) Size() uintptr {
	switch o.Kind {
	case opBool, opInt8, opUint8, OpOpt:
		return 1
	case opInt16, opUint16:
		return 2
	case opInt32, opWord, opRaw32, OpFloat32, opAngle32:
		return 4
	case opClamp:
		return uintptr(o.width)
	case OpVar:
		return 0 // holds pointers: never compared as bytes
	}
	return 8
}

// perField returns the words of one field of the op.
func (o *op) perField() int {
	switch o.Kind {
	case opWide, opRaw64, OpRef:
		return 2
	case OpVar:
		return 0
	}
	return 1
}

// finish sorts the plan and sets every word's default: what a zero value of t extracts
// to.
func (l *fieldLayout) finish(t reflect.Type) {
	l.sort()
	l.refers = l.hasRefs()
	for i := range l.words {
		w := &l.words[i]
		w.Default = min(max(0, w.Min), w.Max) // the word of an absent rpl.Opt
	}
	zero := reflect.New(t)
	words := make([]int32, len(l.words))
	l.Extract(zero.UnsafePointer(), words, make([]any, len(l.vars)), nil)
	for i, w := range words {
		l.words[i].Default = w
	}
}

// same reports whether two rows of the layout are equal.
func (l *fieldLayout) same(aw []int32, av []any, bw []int32, bv []any) bool {
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

// hasRefs reports whether there is a reference anywhere in the layout.
func (l *fieldLayout) hasRefs() bool {
	for i := range l.Plan {
		if l.Plan[i].Kind == OpRef {
			return true
		}
	}
	for i := range l.vars {
		if l.vars[i].Codec().hasRefs() {
			return true
		}
	}
	return false
}

// Nodes appends the nodes that a row refers to, even those that are not here.
func (l *fieldLayout) Nodes(words []int32, vars []any, to []ids.Node) []ids.Node {
	for i := range l.Plan {
		if o := &l.Plan[i]; o.Kind == OpRef {
			for k := o.Word; k < o.End; k += 2 {
				if n := ids.Node(Join(words[k], words[k+1])); n != 0 {
					to = append(to, n)
				}
			}
		}
	}
	for i := range l.vars {
		to = l.vars[i].Codec().nodes(vars[i], to)
	}
	return to
}

// nodesOf does the same for all rows of a list or a map.
func (l *fieldLayout) nodesOf(r *rows, to []ids.Node) []ids.Node {
	if !l.refers {
		return to
	}
	for i := range r.n {
		words, vars := r.row(l, i)
		to = l.Nodes(words, vars, to)
	}
	return to
}

// At is the field of type T at an offset of the struct at p.
func At[T any](p unsafe.Pointer, off uintptr) *T { return (*T)(unsafe.Add(p, off)) }
