package rpl

import "math/bits"

// Marks are which handles a peer's planning is to look at. Both bits of a handle
// are looked at together, and those of a peer with few handles lie within it: one
// line of a cache, where a set for each would be a header and a line elsewhere.
type marks struct {
	of  []mark
	few [4]mark // where they are at first
}

// mark is 64 handles.
type mark struct {
	dirty uint64 // those that may have something to say
	loose uint64 // those with a row that is not on the course of its anchor as the peer knows it
}

func (m *marks) reach(h uint32) {
	if m.of == nil {
		m.of = m.few[:]
	}
	for int(h>>6) >= len(m.of) {
		m.of = append(m.of, mark{})
	}
}

// dirty marks a handle that may have something to say, clean one that has not.
func (m *marks) dirty(h uint32) {
	m.reach(h)
	m.of[h>>6].dirty |= 1 << (h & 63)
}

func (m *marks) clean(h uint32) {
	if k := int(h >> 6); k < len(m.of) {
		m.of[k].dirty &^= 1 << (h & 63)
	}
}

func (m *marks) isDirty(h uint32) bool {
	k := int(h >> 6)
	return k < len(m.of) && m.of[k].dirty>>(h&63)&1 != 0
}

// loosen marks a handle that is to be looked at in every send, fasten one that
// is not.
func (m *marks) loosen(h uint32) {
	m.reach(h)
	m.of[h>>6].loose |= 1 << (h & 63)
}

func (m *marks) fasten(h uint32) {
	if k := int(h >> 6); k < len(m.of) {
		m.of[k].loose &^= 1 << (h & 63)
	}
}

func (m *marks) isLoose(h uint32) bool {
	k := int(h >> 6)
	return k < len(m.of) && m.of[k].loose>>(h&63)&1 != 0
}

// batch are handles that are looked at together.
type batch struct {
	handles [ahead]uint32
	rows    [ahead]uint32 // those of handles that are one row, noRow where they are not (ahead.go)
	n       int
	next    int // the first handle that comes after them
}

func (b *batch) all() []uint32   { return b.handles[:b.n] }
func (b *batch) found() []uint32 { return b.rows[:b.n] }

// take takes the next marked handles, from one on, as many as there is room for.
func (b *batch) take(m *marks, from int) {
	n := 0
	for k := from >> 6; k < len(m.of); k++ {
		w := m.of[k].dirty | m.of[k].loose
		if k == from>>6 {
			w &= ^uint64(0) << (from & 63)
		}
		for ; w != 0; w &= w - 1 {
			i := k<<6 + bits.TrailingZeros64(w)
			if n == ahead {
				b.n, b.next = n, i
				return
			}
			b.handles[n&(ahead-1)] = uint32(i)
			n++
		}
	}
	b.n, b.next = n, len(m.of)<<6
}

// more is whether there may be others behind the batch.
func (b *batch) more(m *marks) bool { return b.next < len(m.of)<<6 }
