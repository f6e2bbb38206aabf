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
