package schema

import (
	rbits "github.com/tendonengine/tendon/rpl/bits"
)

// The delta of a list is a script that makes the new list from left to right:
//
//	length, then until it is reached
//	00 copy a run of elements of the base
//	01 copy one element of the base, and what changed in it
//	10 a new element, whole
//
// An element that was moved is copied from where it was; one that is not
// copied is removed. Where a copy begins is one bit when it is the element
// after the last one copied.
const (
	scriptCopy = iota
	scriptEdit
	scriptNew
)

func (t *listVar) writeDelta(w *rbits.Writer, base, v any) {
	from, to := rowsOf(base), rowsOf(v)
	pairs := pair(t.elem, from, to, byWords)
	w.Write(uint64(to.n), width(t.limit))
	next := 0 // place in the base behind the last element copied
	for j := 0; j < to.n; {
		i := pairs[j]
		switch {
		case i < 0:
			w.Write(scriptNew, 2)
			words, vars := to.row(t.elem, j)
			t.elem.write(w, words, vars)
			j++
		case t.elem.sameRow(from, i, to, j):
			run := 1
			for j+run < to.n && pairs[j+run] == i+run && t.elem.sameRow(from, i+run, to, j+run) {
				run++
			}
			w.Write(scriptCopy, 2)
			t.writeOrigin(w, from, i, next)
			w.Write(uint64(run), width(to.n-j))
			j += run
			next = i + run
		default:
			w.Write(scriptEdit, 2)
			t.writeOrigin(w, from, i, next)
			bw, bv := from.row(t.elem, i)
			words, vars := to.row(t.elem, j)
			t.elem.writeDelta(w, bw, bv, words, vars)
			j++
			next = i + 1
		}
	}
}

func (t *listVar) writeOrigin(w *rbits.Writer, from *rows, i, next int) {
	w.Bool(i != next)
	if i != next {
		w.Write(uint64(i), width(from.n-1))
	}
}

func (t *listVar) readDelta(r *rbits.Reader, base any) any {
	from, to := rowsOf(base), &rows{}
	n := readCount(r, t.limit)
	next := 0
	for to.n < n && r.Err() == nil {
		switch r.Read(2) {
		case scriptCopy:
			i := t.readOrigin(r, from, next)
			run := int(r.Read(width(n - to.n)))
			if run < 1 || run > n-to.n || i+run > from.n {
				r.Fail(errBounds)
				return noRows
			}
			w, v := len(t.elem.words), len(t.elem.vars)
			to.words = append(to.words, from.words[i*w:(i+run)*w]...)
			to.vars = append(to.vars, from.vars[i*v:(i+run)*v]...)
			to.n += run
			next = i + run
		case scriptEdit:
			i := t.readOrigin(r, from, next)
			if r.Err() != nil {
				return noRows
			}
			bw, bv := from.row(t.elem, i)
			words, vars := to.grow(t.elem)
			copy(words, bw)
			copy(vars, bv)
			t.elem.readDelta(r, words, vars)
			to.n++
			next = i + 1
		case scriptNew:
			words, vars := to.grow(t.elem)
			t.elem.read(r, words, vars)
			to.n++
		default:
			r.Fail(errBounds)
		}
	}
	return to
}

// readOrigin reads which element of the base is copied.
func (t *listVar) readOrigin(r *rbits.Reader, from *rows, next int) int {
	i := next
	if r.Bool() {
		i = int(r.Read(width(max(from.n-1, 0))))
	}
	if i >= from.n {
		r.Fail(errBounds)
		return 0
	}
	return i
}
