package schema

import (
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// Recognising the elements of lists and maps that have references. When a new value is
// written over an old one, an element that is kept keeps its local fields, so the elements
// in the component must be told apart. The component alone does not suffice: in it, a
// reference to a node that is not here reads as null. So the elements are compared with
// the value last written there, in which references are nodes. Otherwise the local fields
// of one element could end up in another.

// A collection is a varCodec whose elements may have references and local fields.
type collection interface {
	// recall is Extract, except that it takes an element for the one of was that it may
	// be: all replicated fields are equal, and a null reference may stand for any node.
	recall(p unsafe.Pointer, was any, refs Refs) any
	// rewrite is Inject over was, the value last written at p; nil if that is not known.
	rewrite(p unsafe.Pointer, v, was any, refs Refs)
	// repoint changes references alone (ItemType.Repoint).
	repoint(p unsafe.Pointer, sent any, fn Repoint)
}

// isRow reports whether the element at p equals a row or, with recall, may be that row
// as collection.recall says. words and vars are scratch.
func (l *fieldLayout) isRow(p unsafe.Pointer, words []int32, vars []any, row []int32, rowVars []any, refs Refs, recall bool) bool {
	if recall {
		copy(words, row)
	}
	copy(vars, rowVars)
	l.take(p, words, vars, refs, recall)
	return l.same(words, vars, row, rowVars)
}

// takeRow extracts the element at p into words and vars. With recall, it takes the given
// row instead if the element may be that row; the row may be empty.
func (l *fieldLayout) takeRow(p unsafe.Pointer, words []int32, vars []any, row []int32, rowVars []any, refs Refs, recall bool) {
	if recall && len(row)+len(rowVars) > 0 && l.isRow(p, words, vars, row, rowVars, refs, true) {
		return
	}
	copy(vars, rowVars)
	l.Extract(p, words, vars, refs)
}

// resolve writes the references of a row anew into the element at p, which equals the
// row in all else. It reports whether a reference in the element itself, not in a list or
// map of it, has changed.
func (l *fieldLayout) resolve(p unsafe.Pointer, words []int32, vars []any, refs Refs) (changed bool) {
	if !l.refers {
		return false
	}
	for i := range l.Plan {
		o := &l.Plan[i]
		f := unsafe.Add(p, o.Off)
		switch o.Kind {
		case OpRef:
			for k := uint32(0); k < o.End-o.Word; k += 2 {
				w := words[o.Word+k:]
				to := entityOf(refs, ids.Node(Join(w[0], w[1])))
				changed = changed || nth[uint64](f, int(k/2)) != to
				setNth(f, int(k/2), to)
			}
		case OpVar:
			c, ok := l.vars[o.vari].Codec().(collection)
			if ok && l.vars[o.vari].Codec().hasRefs() {
				c.rewrite(f, vars[o.vari], vars[o.vari], refs)
			}
		}
	}
	return changed
}
