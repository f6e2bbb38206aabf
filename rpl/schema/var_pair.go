package schema

import "slices"

// Pairing the elements of a list's new value with those of the old one, by content: so a
// delta tells only what changed, and local fields stay with their elements.

// A pairing has for every element of a new list the index of the element of the old one
// that it was, or -1. No old element is named twice.
type pairing []int

// inPlace reports whether no kept element has moved.
func (p pairing) inPlace() bool {
	for j, i := range p {
		if i >= 0 && i != j {
			return false
		}
	}
	return true
}

// pair finds elements that were kept: first equal ones at both ends, then equal ones
// anywhere (they moved), then, for those left, the old element that they were most likely
// changed from. Its time is mostly proportional to the lengths, longer if many elements
// are alike.
func pair(l *fieldLayout, from, to *rows, by measure) pairing {
	m := matcher{l: l, from: from, to: to, by: by, pairs: make(pairing, to.n)}
	head := 0
	for head < from.n && head < to.n && l.sameRow(from, head, to, head) {
		m.pairs[head] = head
		head++
	}
	tail := 0
	for tail < from.n-head && tail < to.n-head && l.sameRow(from, from.n-1-tail, to, to.n-1-tail) {
		tail++
		m.pairs[to.n-tail] = from.n - tail
	}
	m.fromLo, m.fromHi, m.toLo, m.toHi = head, from.n-tail, head, to.n-tail
	for j := m.toLo; j < m.toHi; j++ {
		m.pairs[j] = -1
	}
	if m.fromLo < m.fromHi && m.toLo < m.toHi {
		m.taken = make([]bool, m.fromHi-m.fromLo)
		m.moved()
		m.changed()
	}
	return m.pairs
}

// A measure says what is counted to see how much of two elements is equal.
type measure uint8

const (
	// byWords counts words and vars: a delta is the shorter the more of these are equal.
	byWords measure = iota
	// byFields counts fields, as a game does: the upper halves of two small 64-bit numbers are
	// equal whatever the numbers are.
	byFields
)

// A matcher pairs the elements between the equal ends of two lists.
type matcher struct {
	l          *fieldLayout
	from, to   *rows
	by         measure
	pairs      pairing
	fromLo     int
	fromHi     int
	toLo, toHi int
	taken      []bool // old elements from fromLo on that have a pair
}

func (m *matcher) free(i int) bool {
	return i >= m.fromLo && i < m.fromHi && !m.taken[i-m.fromLo]
}

func (m *matcher) take(i, j int) {
	m.pairs[j] = i
	m.taken[i-m.fromLo] = true
}

// after returns the old element behind the one that new element j-1 was, -1 if that was
// none: the one that continues a run.
func (m *matcher) after(j int) int {
	if j == 0 || m.pairs[j-1] < 0 {
		return -1
	}
	return m.pairs[j-1] + 1
}

// moved pairs equal elements: preferably with the old one that continues a run.
func (m *matcher) moved() {
	where := make(map[uint64][]int, m.fromHi-m.fromLo)
	for i := m.fromLo; i < m.fromHi; i++ {
		h := m.l.hash(m.from.row(m.l, i))
		where[h] = append(where[h], i)
	}
	for j := m.toLo; j < m.toHi; j++ {
		if i := m.after(j); m.free(i) && m.l.sameRow(m.from, i, m.to, j) {
			m.take(i, j)
			continue
		}
		h := m.l.hash(m.to.row(m.l, j))
		same := where[h]
		for len(same) > 0 && !m.free(same[0]) {
			same = same[1:]
		}
		where[h] = same
		for _, i := range same {
			if m.free(i) && m.l.sameRow(m.from, i, m.to, j) {
				m.take(i, j)
				break
			}
		}
	}
}

// maxLikely bounds the search for the most similar old element.
const maxLikely = 32

// changed pairs the new elements that are left with old ones that are left: with the
// most similar of the one that continues a run, the one at the same place and the first
// few. If none of them is similar enough it takes the one at the same place, in lists of
// equal length only.
func (m *matcher) changed() {
	equalLength := m.from.n == m.to.n
	for j := m.toLo; j < m.toHi; j++ {
		if m.pairs[j] >= 0 {
			continue
		}
		best, score := -1, 0
		try := func(i int) {
			if m.free(i) {
				if s := m.equalParts(i, j); s > score {
					best, score = i, s
				}
			}
		}
		try(m.after(j))
		try(j)
		for i, n := m.fromLo, 0; i < m.fromHi && n < maxLikely; i++ {
			if m.free(i) {
				try(i)
				n++
			}
		}
		if best < 0 && equalLength && m.free(j) {
			best = j
		}
		if best >= 0 {
			m.take(best, j)
		}
	}
}

// equalParts is how many parts of two elements are equal; 0 if that is less than half of
// them.
func (m *matcher) equalParts(i, j int) int {
	aw, av := m.from.row(m.l, i)
	bw, bv := m.to.row(m.l, j)
	n, all := 0, 0
	if m.by == byFields {
		n, all = m.l.equalFields(aw, av, bw, bv), len(m.l.props)
	} else {
		n, all = m.l.equalWords(aw, av, bw, bv), len(aw)+len(av)
	}
	if 2*n < all {
		return 0
	}
	return n
}

// equalWords is how many words and vars of two rows are equal.
func (l *fieldLayout) equalWords(aw []int32, av []any, bw []int32, bv []any) (n int) {
	for k, w := range aw {
		if w == bw[k] {
			n++
		}
	}
	for k, v := range av {
		if l.vars[k].Type.Equal(v, bv[k]) {
			n++
		}
	}
	return n
}

// equalFields is how many fields of two rows are equal, in all of their words and vars.
func (l *fieldLayout) equalFields(aw []int32, av []any, bw []int32, bv []any) (n int) {
	for k := range l.props {
		p := &l.props[k]
		same := slices.Equal(aw[p.Words[0]:p.Words[1]], bw[p.Words[0]:p.Words[1]])
		for v := p.Vars[0]; same && v < p.Vars[1]; v++ {
			same = l.vars[v].Type.Equal(av[v], bv[v])
		}
		if same {
			n++
		}
	}
	return n
}
