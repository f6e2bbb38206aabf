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

// pair finds for each element of to the one of from that it was. At least half of the
// elements between the equal ends must stand in place for this to come before elements
// that moved.
func pair(l *fieldLayout, from, to *rows, by measure) pairing {
	m := newMatcher(l, from, to, by)
	return m.match(2*m.inPlace >= max(m.fromHi-m.fromLo, m.toHi-m.toLo))
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
	beside     alignment // of the elements between the ends
	inPlace    int       // equal elements that it has beside each other
	next       []int     // for an old element from fromLo on: itself, or if it has a pair, one behind
}

// newMatcher finds the equal ends.
func newMatcher(l *fieldLayout, from, to *rows, by measure) *matcher {
	m := &matcher{l: l, from: from, to: to, by: by}
	head := 0
	for head < from.n && head < to.n && l.sameRow(from, head, to, head) {
		head++
	}
	tail := 0
	for tail < from.n-head && tail < to.n-head && l.sameRow(from, from.n-1-tail, to, to.n-1-tail) {
		tail++
	}
	m.fromLo, m.fromHi, m.toLo, m.toHi = head, from.n-tail, head, to.n-tail
	m.beside, m.inPlace = align(m.fromHi-head, m.toHi-head, func(i, j int) bool {
		return l.sameRow(from, head+i, to, head+j)
	})
	return m
}

// match pairs first the equal elements at both ends; if inPlace is set, then those that the
// alignment has beside each other; then equal ones anywhere (they moved); then, of those
// left, each with the old element that it was most likely changed from. Its time is
// proportional to the lengths.
func (m *matcher) match(inPlace bool) pairing {
	m.pairs = make(pairing, m.to.n)
	for j := range m.pairs {
		switch {
		case j < m.toLo:
			m.pairs[j] = j
		case j < m.toHi:
			m.pairs[j] = -1
		default:
			m.pairs[j] = j + m.fromHi - m.toHi
		}
	}
	if m.fromLo == m.fromHi || m.toLo == m.toHi {
		return m.pairs
	}
	m.next = make([]int, m.fromHi-m.fromLo+1)
	for i := range m.next {
		m.next[i] = i
	}
	if inPlace {
		m.stayed()
	}
	m.moved()
	m.changed()
	return m.pairs
}

func (m *matcher) free(i int) bool {
	return i >= m.fromLo && i < m.fromHi && m.next[i-m.fromLo] == i-m.fromLo
}

// firstFree returns the first free old element from i on, fromHi if there is none.
func (m *matcher) firstFree(i int) int {
	k := i - m.fromLo
	for m.next[k] != k {
		m.next[k] = m.next[m.next[k]] // so that no later search goes this way in full
		k = m.next[k]
	}
	return m.fromLo + k
}

func (m *matcher) take(i, j int) {
	m.pairs[j] = i
	m.next[i-m.fromLo]++
}

// stayed pairs equal elements beside each other.
func (m *matcher) stayed() {
	for c := range m.beside.cells() {
		i, j, old, new := m.beside.cell(c)
		i, j = m.fromLo+i, m.toLo+j
		if old == new && m.l.sameRow(m.from, i, m.to, j) {
			m.take(i, j)
		}
	}
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
	for i := m.firstFree(m.fromLo); i < m.fromHi; i = m.firstFree(i + 1) {
		h := m.l.hash(m.from.row(m.l, i))
		where[h] = append(where[h], i)
	}
	for j := m.toLo; j < m.toHi; j++ {
		if m.pairs[j] >= 0 {
			continue
		}
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
		for i, n := m.firstFree(m.fromLo), 0; i < m.fromHi && n < maxLikely; n++ {
			try(i)
			i = m.firstFree(i + 1)
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
