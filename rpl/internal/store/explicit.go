package store

import (
	"math/bits"
)

// Explicit items in columns. The walk that compares other items reads of explicit ones
// only the rows that are dirty.

// unread stands in for the sum of a component that was not read yet. A real sum equals
// it no more often than any two sums are equal.
const unread = 0x8bb84b93962eacc9

// Bump makes the next SetColumn read a row of explicit items. It returns false if the
// row holds no item: an item that the adapter keeps outside the columns must be Set
// instead.
func (c *Column) Bump(row int) bool {
	if c.Items[row] == NoSlot {
		return false
	}
	c.dirty[row/sheaf] |= 1 << (row % sheaf)
	return true
}

// IsDirty reports whether a row was bumped and not read since.
func (c *Column) IsDirty(row int) bool {
	return c.Items[row] != NoSlot && c.dirty[row/sheaf]>>(row%sheaf)&1 != 0
}

// setDirty handles the dirty rows that neither the walk nor setSingle reads. It Sets
// an item of several rows that a peer holds, that is new or that says where its node
// is; for any other row it notes that it missed a bump.
func (c *Column) setDirty(w int, here *components, dirty uint64) {
	c.dirty[w] &^= dirty
	c.missed[w] |= dirty & c.far[w]
	for m := dirty &^ (c.walked[w] | c.single[w] | c.far[w]); m != 0; m &= m - 1 {
		i := w*sheaf + bits.TrailingZeros64(m)
		if c.st.Hots[c.Items[i]].Flags&(hotHeld|hotFresh|hotPlace) != 0 {
			c.set(i, here)
		} else {
			c.missed[w] |= m & -m
		}
	}
}

// mayRead is whether catchUp must read an item, if that stands in a column. An explicit
// item must be read only if it has missed a bump, or was not looked at since one: else the
// store has what it was at its last one.
func (st *Store) mayRead(it itemSlot) bool {
	h := &st.Hots[it]
	if h.column == noColumn {
		return false
	}
	c := st.Columns[h.column]
	return !c.explicit || (c.missed[h.at>>6]|c.dirty[h.at>>6])>>(h.at&63)&1 != 0
}

// noteRead notes that catchUp reads an item: it has missed nothing any more.
func (st *Store) noteRead(it itemSlot) {
	h := &st.Hots[it]
	if c := st.Columns[h.column]; c.explicit {
		c.missed[h.at>>6] &^= 1 << (h.at & 63)
	}
}

// overdue makes the next SetColumn read an item that missed a bump and could not be
// read at once, now that its node is held.
func (st *Store) overdue(h *hot) {
	if h.column == noColumn {
		return
	}
	c, w, bit := st.Columns[h.column], h.at>>6, uint64(1)<<(h.at&63)
	c.dirty[w] |= c.missed[w] & bit
	c.missed[w] &^= bit
}
