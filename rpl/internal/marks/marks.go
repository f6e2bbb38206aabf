package marks

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A Set says which handles the planning of a peer must look at. The two marks of a
// handle are read together. Those of a peer with few handles are kept within the
// struct: one cache line, where a set for each would be a header and a line elsewhere.
type Set struct {
	Of   []Mark
	Some uint64  // bit i: of the i-th sheaf of marks some may be set
	Few  [4]Mark // where of points at first
}

// A Sheaf is so many marks that a word's bits stand for those of all handles. A peer with
// thousands of handles of which few are marked is looked at a sheaf at a time.
const Sheaf = wire.MaxHandles / 64 / 64

// A Mark is the two marks of 64 handles.
type Mark [2]uint64

const (
	Dirty = iota // the handle may have something to send
	Loose        // a row moves, and the peer predicts it from another reference version than the store
)

// Set marks a handle.
func (m *Set) Set(which int, h uint32) {
	if int(h>>6) >= len(m.Of) {
		m.Reach(h)
	}
	m.Of[h>>6][which] |= 1 << (h & 63)
	m.Some |= 1 << (h >> 6 / Sheaf & 63)
}

// Next returns the first of the marks from k on that is not empty, len(m.Of) for none. It
// notes which sheaves it has found empty.
func (m *Set) Next(k int) int {
	for k < len(m.Of) {
		i := k / Sheaf
		rest := m.Some >> i
		if rest&1 == 0 {
			if rest == 0 {
				break
			}
			k = (i + bits.TrailingZeros64(rest)) * Sheaf
			continue
		}
		from, end := k, min((i+1)*Sheaf, len(m.Of))
		for ; k < end; k++ {
			if m.Of[k][Dirty]|m.Of[k][Loose] != 0 {
				return k
			}
		}
		if from == i*Sheaf {
			m.Some &^= 1 << i
		}
	}
	return len(m.Of)
}

// Reach makes the marks long enough for a handle.
func (m *Set) Reach(h uint32) {
	if m.Of == nil {
		m.Of = m.Few[:]
	}
	for int(h>>6) >= len(m.Of) {
		m.Of = append(m.Of, Mark{})
	}
}

// Clear takes a mark off a handle.
func (m *Set) Clear(which int, h uint32) {
	if k := int(h >> 6); k < len(m.Of) {
		m.Of[k][which] &^= 1 << (h & 63)
	}
}

// Has reports whether a handle has a mark.
func (m *Set) Has(which int, h uint32) bool {
	k := int(h >> 6)
	return k < len(m.Of) && m.Of[k][which]>>(h&63)&1 != 0
}

// Count returns how many handles are marked.
func (m *Set) Count() int {
	n := 0
	if len(m.Of) <= Sheaf {
		for i := range m.Of {
			n += bits.OnesCount64(m.Of[i][Dirty] | m.Of[i][Loose])
		}
		return n
	}
	for i := m.Next(0); i < len(m.Of); i = m.Next(i + 1) {
		n += bits.OnesCount64(m.Of[i][Dirty] | m.Of[i][Loose])
	}
	return n
}

// ResetTo clears the marks and gives them room for the handles of other.
func (m *Set) ResetTo(other *Set) {
	for len(m.Of) < len(other.Of) {
		m.Of = append(m.Of, Mark{})
	}
	m.Of = m.Of[:len(other.Of)]
	clear(m.Of)
	m.Some = 0
}

// Most is how many handles a batch has at most: as many as are read ahead of at once.
const Most = 16

// A Batch is handles that are planned together.
type Batch struct {
	handles [Most]uint32
	N       int
	Next    int // where the next batch begins
}

// All are the handles, until the batch changes.
func (b *Batch) All() []uint32 { return b.handles[:b.N] }

// Add adds a handle. The batch must have room for it.
func (b *Batch) Add(h uint32) {
	b.handles[b.N&(Most-1)] = h
	b.N++
}

// Take takes the next marked handles, starting at from, as many as the batch has room
// for.
func (b *Batch) Take(m *Set, from int) {
	n, first := 0, from>>6
	for k := first; ; k++ {
		if len(m.Of) > Sheaf {
			k = m.Next(k)
		}
		if k >= len(m.Of) {
			break
		}
		w := m.Of[k][Dirty] | m.Of[k][Loose]
		if k == first {
			w &= ^uint64(0) << (from & 63)
		}
		for ; w != 0; w &= w - 1 {
			i := k<<6 + bits.TrailingZeros64(w)
			if n == Most {
				b.N, b.Next = n, i
				return
			}
			b.handles[n&(Most-1)] = uint32(i)
			n++
		}
	}
	b.N, b.Next = n, len(m.Of)<<6
}

// More is whether there may be marked handles after the batch.
func (b *Batch) More(m *Set) bool { return b.Next < len(m.Of)<<6 }
