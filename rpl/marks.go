package rpl

import "math/bits"

// Marks are which handles a peer's planning is to look at. Both bits of a handle
// are looked at together, and those of a peer with few handles lie within it: one
// line of a cache, where a set for each would be a header and a line elsewhere.
type marks struct {
	of  []mark
	few [4]mark // where they are at first
}

// A mark is 64 handles, by what they are marked as.
type mark [2]uint64

const (
	markDirty = iota // it may have something to say
	markLoose        // a row of it is not on the course of its anchor as the peer knows it
)

// set marks a handle.
func (m *marks) set(which int, h uint32) {
	if m.of == nil {
		m.of = m.few[:]
	}
	for int(h>>6) >= len(m.of) {
		m.of = append(m.of, mark{})
	}
	m.of[h>>6][which] |= 1 << (h & 63)
}

// clear takes a mark off a handle.
func (m *marks) clear(which int, h uint32) {
	if k := int(h >> 6); k < len(m.of) {
		m.of[k][which] &^= 1 << (h & 63)
	}
}

func (m *marks) has(which int, h uint32) bool {
	k := int(h >> 6)
	return k < len(m.of) && m.of[k][which]>>(h&63)&1 != 0
}

// like makes the marks empty, for as many handles as others are for.
func (m *marks) like(other *marks) {
	for len(m.of) < len(other.of) {
		m.of = append(m.of, mark{})
	}
	m.of = m.of[:len(other.of)]
	clear(m.of)
}

// batch are handles that are looked at together.
type batch struct {
	handles [ahead]uint32
	n       int
	next    int // the first handle that comes after them
}

func (b *batch) all() []uint32 { return b.handles[:b.n] }

// add adds a handle, for which there is room.
func (b *batch) add(h uint32) {
	b.handles[b.n&(ahead-1)] = h
	b.n++
}

// take takes the next marked handles, from one on, as many as there is room for.
func (b *batch) take(m *marks, from int) {
	n := 0
	for k := from >> 6; k < len(m.of); k++ {
		w := m.of[k][markDirty] | m.of[k][markLoose]
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
