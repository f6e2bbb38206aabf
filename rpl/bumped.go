package rpl

import "math/bits"

// Explicit items in columns: what is bumped is read in the same walk as what is
// compared, and nothing else of them is.

// unread is the sum of a component that was not read, which none has by more than
// the chance that all sums go by.
const unread = 0x8bb84b93962eacc9

// Bump has a row of explicit items read by the next SetColumn. It reports false
// where the row is no item: who keeps it by itself is to Set it.
func (c *Column) Bump(row int) bool {
	if c.items[row] == NoItem {
		return false
	}
	c.bumped[row/sheaf] |= 1 << (row % sheaf)
	return true
}

// setBumped takes bumped rows that no walk takes: more than a row of the store, and
// what nobody has held and nobody needs to know yet.
func (c *Column) setBumped(w int, here *components) {
	for m := c.bumped[w] &^ (c.walked[w] | c.single[w]); m != 0; m &= m - 1 {
		i := w*sheaf + bits.TrailingZeros64(m)
		h := &c.a.hots[c.items[i]]
		if c.far[w]&m&-m == 0 && h.flags&(hotHeld|hotFresh|hotPlace) != 0 {
			c.set(i, here)
		} else {
			c.missed[w] |= m & -m
		}
	}
	c.bumped[w] = 0
}

// mayRead is whether an item that stands in a column and that nobody has held is to
// be read now: of an explicit one what it was at its last bump is known, or it has
// missed that.
func (a *Authority) mayRead(it Item) bool {
	h := &a.hots[it]
	c := a.columns[h.column]
	if !c.explicit {
		return true
	}
	w, bit := h.at>>6, uint64(1)<<(h.at&63)
	missed := c.missed[w]&bit != 0
	c.missed[w] &^= bit
	return missed
}

// overdue has the next SetColumn read what a row has missed whose node is held now,
// where it could not be read at once.
func (a *Authority) overdue(h *hot) {
	if h.column == noColumn {
		return
	}
	c, w, bit := a.columns[h.column], h.at>>6, uint64(1)<<(h.at&63)
	c.bumped[w] |= c.missed[w] & bit
	c.missed[w] &^= bit
}
