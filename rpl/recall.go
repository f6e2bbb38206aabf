package rpl

import "unsafe"

// This file tells what elements of lists and maps in a component are, where they refer
// to nodes. The component alone does not say: what is out of sight reads as null, like
// what has gone or is null indeed. So elements are compared with what was last written
// there, whose references are nodes; else what is local to one would go to another.

// A collection is a varCodec whose elements may have references, and local fields.
type collection interface {
	// recall is Extract, but that elements which may be those of was are taken for them:
	// all that travels of them is the same, and a reference that reads as null may be any.
	recall(p unsafe.Pointer, was any, refs Refs) any
	// rewrite is Inject over what was last written there, nil where that is not known.
	rewrite(p unsafe.Pointer, v, was any, refs Refs)
}

// isRow reports whether the element at p is a row, or may be where it is to be recalled;
// words and vars are scratch.
func (l *layout) isRow(p unsafe.Pointer, words []int32, vars []any, row []int32, rowVars []any, refs Refs, recall bool) bool {
	if recall {
		copy(words, row)
	}
	copy(vars, rowVars)
	l.take(p, words, vars, refs, recall)
	return l.same(words, vars, row, rowVars)
}

// takeRow extracts the element at p into words and vars, or recalls the row in its
// place, which may be none.
func (l *layout) takeRow(p unsafe.Pointer, words []int32, vars []any, row []int32, rowVars []any, refs Refs, recall bool) {
	if recall && len(row)+len(rowVars) > 0 && l.isRow(p, words, vars, row, rowVars, refs, true) {
		return
	}
	copy(vars, rowVars)
	l.extract(p, words, vars, refs)
}

// resolve writes the references of a row anew, where p is the row else. It reports
// whether one has changed that stands at p itself.
func (l *layout) resolve(p unsafe.Pointer, words []int32, vars []any, refs Refs) (changed bool) {
	if !l.refers {
		return false
	}
	for i := range l.plan {
		o := &l.plan[i]
		f := unsafe.Add(p, o.off)
		switch o.kind {
		case opRef:
			for k := uint32(0); k < o.end-o.word; k += 2 {
				w := words[o.word+k:]
				to := entityOf(refs, Node(join(w[0], w[1])))
				changed = changed || nth[uint64](f, int(k/2)) != to
				setNth(f, int(k/2), to)
			}
		case opVar:
			c, ok := l.vars[o.vari].codec().(collection)
			if ok && l.vars[o.vari].codec().hasRefs() {
				c.rewrite(f, vars[o.vari], vars[o.vari], refs)
			}
		}
	}
	return changed
}

// A writ is what the values of variable length of an item were when it was last written
// into a component.
type writ struct {
	item *ItemType
	vars []any
}

// written are the vars of an item as they were last written, nils at first, for the
// caller to keep up to date; nil where none needs to be remembered.
func (c *Proxy) written(r *Replica, ordinal int, t *ItemType) []any {
	if !t.HasRefs || len(t.Vars) == 0 {
		return nil
	}
	ws := c.writs[r]
	if ordinal >= len(ws) {
		if r.gone { // nobody would take it away again
			return nil
		}
		if c.writs == nil {
			c.writs = make(map[*Replica][]writ)
		}
		ws = append(ws, make([]writ, ordinal+1-len(ws))...)
		c.writs[r] = ws
	}
	if w := &ws[ordinal]; w.item != t {
		*w = writ{item: t, vars: make([]any, len(t.Vars))}
	}
	return ws[ordinal].vars
}
