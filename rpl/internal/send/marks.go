package send

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// marks say which handles the planning of a peer must look at. The two marks of a
// handle are read together. Those of a peer with few handles are kept within the
// struct: one cache line, where a set for each would be a header and a line elsewhere.
type marks struct {
	Of   []mark
	some uint64  // bit i: of the i-th sheaf of marks some may be set
	few  [4]mark // where of points at first
}

// A sheaf is so many marks that a word's bits stand for those of all handles. A peer with
// thousands of handles of which few are marked is looked at a sheaf at a time.
const sheaf = wire.MaxHandles / 64 / 64

// A mark is the two marks of 64 handles.
type mark [2]uint64

const (
	MarkDirty = iota // the handle may have something to send
	MarkLoose        // a row moves, and the peer predicts it from another reference version than the store
)

// set marks a handle.
func (m *marks) set(which int, h uint32) {
	if int(h>>6) >= len(m.Of) {
		m.reach(h)
	}
	m.Of[h>>6][which] |= 1 << (h & 63)
	m.some |= 1 << (h >> 6 / sheaf & 63)
}

// next returns the first of the marks from k on that is not empty, len(m.Of) for none. It
// notes which sheaves it has found empty.
func (m *marks) next(k int) int {
	for k < len(m.Of) {
		i := k / sheaf
		rest := m.some >> i
		if rest&1 == 0 {
			if rest == 0 {
				break
			}
			k = (i + bits.TrailingZeros64(rest)) * sheaf
			continue
		}
		from, end := k, min((i+1)*sheaf, len(m.Of))
		for ; k < end; k++ {
			if m.Of[k][MarkDirty]|m.Of[k][MarkLoose] != 0 {
				return k
			}
		}
		if from == i*sheaf {
			m.some &^= 1 << i
		}
	}
	return len(m.Of)
}

// reach makes the marks long enough for a handle.
func (m *marks) reach(h uint32) {
	if m.Of == nil {
		m.Of = m.few[:]
	}
	for int(h>>6) >= len(m.Of) {
		m.Of = append(m.Of, mark{})
	}
}

// clear takes a mark off a handle.
func (m *marks) clear(which int, h uint32) {
	if k := int(h >> 6); k < len(m.Of) {
		m.Of[k][which] &^= 1 << (h & 63)
	}
}

func (m *marks) has(which int, h uint32) bool {
	k := int(h >> 6)
	return k < len(m.Of) && m.Of[k][which]>>(h&63)&1 != 0
}

// count returns how many handles are marked.
func (m *marks) count() int {
	n := 0
	if len(m.Of) <= sheaf {
		for i := range m.Of {
			n += bits.OnesCount64(m.Of[i][MarkDirty] | m.Of[i][MarkLoose])
		}
		return n
	}
	for i := m.next(0); i < len(m.Of); i = m.next(i + 1) {
		n += bits.OnesCount64(m.Of[i][MarkDirty] | m.Of[i][MarkLoose])
	}
	return n
}

// resetTo clears the marks and gives them room for the handles of other.
func (m *marks) resetTo(other *marks) {
	for len(m.Of) < len(other.Of) {
		m.Of = append(m.Of, mark{})
	}
	m.Of = m.Of[:len(other.Of)]
	clear(m.Of)
	m.some = 0
}

// A batch is handles that are planned together.
type batch struct {
	handles [store.Ahead]uint32
	n       int
	next    int // where the next batch begins
}

func (b *batch) all() []uint32 { return b.handles[:b.n] }

// add adds a handle. The batch must have room for it.
func (b *batch) add(h uint32) {
	b.handles[b.n&(store.Ahead-1)] = h
	b.n++
}

// take takes the next marked handles, starting at from, as many as the batch has room
// for.
func (b *batch) take(m *marks, from int) {
	n, first := 0, from>>6
	for k := first; ; k++ {
		if len(m.Of) > sheaf {
			k = m.next(k)
		}
		if k >= len(m.Of) {
			break
		}
		w := m.Of[k][MarkDirty] | m.Of[k][MarkLoose]
		if k == first {
			w &= ^uint64(0) << (from & 63)
		}
		for ; w != 0; w &= w - 1 {
			i := k<<6 + bits.TrailingZeros64(w)
			if n == store.Ahead {
				b.n, b.next = n, i
				return
			}
			b.handles[n&(store.Ahead-1)] = uint32(i)
			n++
		}
	}
	b.n, b.next = n, len(m.Of)<<6
}

// more is whether there may be marked handles after the batch.
func (b *batch) more(m *marks) bool { return b.next < len(m.Of)<<6 }

// flag is 1 if b is true, else 0. It compiles to no branch.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
