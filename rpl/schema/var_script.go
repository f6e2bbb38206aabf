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

// A scriptStep makes n elements of the new list, from j on. A copy takes them from i on in the
// base, as does an edit of each.
type scriptStep struct{ kind, i, j, n int }

func (t *listVar) writeDelta(w *rbits.Writer, base, v any) {
	s := script{t: t, from: rowsOf(base), to: rowsOf(v)}
	m := newMatcher(t.elem, s.from, s.to, byWords)
	s.pairs = m.match(false)
	if m.inPlace > 0 {
		other := s
		other.pairs = m.match(true)
		if other.bits() < s.bits() {
			s = other
		}
	}
	w.Write(uint64(s.to.n), width(t.limit))
	s.each(func(st scriptStep, jumps bool) { s.write(w, st, jumps) })
}

// A script is a delta that is being written.
type script struct {
	t        *listVar
	from, to *rows
	pairs    pairing
}

// each calls do for the steps in turn, and says whether one begins elsewhere in the base than
// behind the last element copied.
func (s *script) each(do func(st scriptStep, jumps bool)) {
	next := 0 // place in the base behind the last element copied
	for j := 0; j < s.to.n; {
		st := s.step(j, next)
		do(st, st.kind != scriptNew && st.i != next)
		j += st.n
		if st.kind != scriptNew {
			next = st.i + st.n
		}
	}
}

// step returns what makes the elements from j on.
func (s *script) step(j, next int) scriptStep {
	l, i := s.t.elem, s.pairs[j]
	if i < 0 {
		return scriptStep{scriptNew, 0, j, 1}
	}
	if !l.sameRow(s.from, i, s.to, j) {
		return scriptStep{scriptEdit, i, j, 1}
	}
	n := 1
	for j+n < s.to.n && s.pairs[j+n] == i+n && l.sameRow(s.from, i+n, s.to, j+n) {
		n++
	}
	st := scriptStep{scriptCopy, i, j, n}
	if n*(3+len(l.words)+len(l.vars)) < s.stepBits(st, false) {
		st.kind = scriptEdit // without a change
	}
	if i == next || n > maxRewritten || len(l.vars) > 0 {
		return st
	}
	// Few small elements that were moved may be shorter as what they are beside, changed, or as
	// new ones.
	least := s.stepBits(st, true) + s.jumpBits(j+n, i+n)
	beside, fresh := scriptStep{scriptEdit, next, j, n}, scriptStep{scriptNew, 0, j, n}
	if next+n <= s.from.n {
		if b := s.stepBits(beside, false) + s.jumpBits(j+n, next+n); b < least {
			least, st = b, beside
		}
	}
	if s.stepBits(fresh, false)+s.jumpBits(j+n, next) < least {
		st = fresh
	}
	return st
}

// maxRewritten bounds how many elements are counted to see whether they are shorter than one
// copy of them all: that takes at most 40 bits with where the next begins, and each element 3.
const maxRewritten = 14

// jumpBits is what the element at j adds if it is copied and the next copy would begin
// elsewhere.
func (s *script) jumpBits(j, next int) int {
	if j < s.to.n && s.pairs[j] >= 0 && s.pairs[j] != next {
		return int(width(s.from.n - 1))
	}
	return 0
}

// varBits stands for the bits of a value of variable length that has changed. It serves to
// choose between scripts.
const varBits = 32

// bits is how many bits the steps take.
func (s *script) bits() (n int) {
	s.each(func(st scriptStep, jumps bool) { n += s.stepBits(st, jumps) })
	return n
}

func (s *script) stepBits(st scriptStep, jumps bool) (n int) {
	l := s.t.elem
	if jumps {
		n = int(width(s.from.n - 1))
	}
	if st.kind == scriptCopy {
		return n + 3 + int(width(s.to.n-st.j))
	}
	for k := range st.n {
		words, vars := s.to.row(l, st.j+k)
		if st.kind == scriptNew {
			n += 2 + varBits*len(vars)
			for x := range words {
				n += l.words[x].size(words[x])
			}
			continue
		}
		bw, bv := s.from.row(l, st.i+k)
		n += 3 + l.deltaSize(bw, bv, words, vars)
	}
	return n
}

func (s *script) write(w *rbits.Writer, st scriptStep, jumps bool) {
	l := s.t.elem
	for k := range st.n {
		w.Write(uint64(st.kind), 2)
		if st.kind != scriptNew {
			w.Bool(jumps && k == 0)
			if jumps && k == 0 {
				w.Write(uint64(st.i), width(s.from.n-1))
			}
		}
		words, vars := s.to.row(l, st.j+k)
		switch st.kind {
		case scriptCopy:
			w.Write(uint64(st.n), width(s.to.n-st.j))
			return
		case scriptEdit:
			bw, bv := s.from.row(l, st.i+k)
			l.writeDelta(w, bw, bv, words, vars)
		case scriptNew:
			l.write(w, words, vars)
		}
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
