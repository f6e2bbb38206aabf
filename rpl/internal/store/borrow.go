package store

import (
	"math/bits"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// borrow sets the borrowed velocities of a row (rowtype/borrow.go), and reports whether one
// changed. While the row is as its reference version predicts, they are what that version
// makes of them; where it proves wrong, they are what the other items of the node say now. An
// item that was not read yet in this tick says what it said before; an item that is not there
// says nothing, and the row has no velocity.
func (st *Store) borrow(i uint32) (changed bool) {
	r := &st.Rows[i]
	t, now := r.Type, st.Slabs[r.Type.Index].Now(r.Block)
	if r.versions > 0 {
		ref, at := st.Reference(r)
		n := uint32(st.Tick) - at
		for k := range t.Borrowed {
			w := t.Borrowed[k].Word
			changed = put(now, w, t.Motions[w].Expect(ref, now, w, n)) || changed
		}
		if t.Follows(ref, now, n) && !st.turned(i, now) {
			return changed
		}
	}
	for k := range t.Borrowed {
		b := &t.Borrowed[k]
		changed = put(now, b.Word, st.lent(i, b)) || changed
	}
	return changed
}

// turned reports whether another item says another velocity than a row has borrowed, by more
// than rounding: both are told of that together.
func (st *Store) turned(i uint32, now rowtype.Words) bool {
	t := st.Rows[i].Type
	for k := range t.Borrowed {
		b := &t.Borrowed[k]
		rounding := int64(flag(t.Words[b.Word].Velocity >= 0))
		if off := int64(st.lent(i, b)) - int64(*now.Word(b.Word)); off > rounding || off < -rounding {
			return true
		}
	}
	return false
}

// lent is the value of a word that a row borrows.
func (st *Store) lent(i uint32, b *rowtype.Borrowed) int32 {
	if m := st.lender(i, b); m != nil {
		return st.Current(&st.Rows[m.Rows()[b.Part]])[b.At]
	}
	return st.Rows[i].Type.Words[b.Word].Default
}

// put sets a word, and reports whether that changed it.
func put(now rowtype.Words, w int, v int32) (changed bool) {
	x := now.Word(w)
	changed = *x != v
	*x = v
	return changed
}

// lender returns the item from which a row borrows, nil if the node has none.
func (st *Store) lender(row uint32, b *rowtype.Borrowed) *item {
	n := &st.Nodes[st.Rows[row].node]
	own := slices.IndexFunc(n.Items(), func(it itemSlot) bool { return it != NoSlot && slices.Contains(st.Items[it].Rows(), row) })
	if own < 0 {
		return nil
	}
	if ord := n.Layout.Lender(own, b.Item.Index); ord >= 0 && ord < len(n.Items()) && n.Items()[ord] != NoSlot {
		return &st.Items[n.Items()[ord]]
	}
	return nil
}

// borrow sets the borrowed velocities of rows of a walk, and returns the rows of which one
// changed.
func (c *Column) borrow(w int, rows uint64) (changed uint64) {
	for m := rows; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		changed |= uint64(flag(c.st.borrow(c.rows[w*sheaf+i]))) << i
	}
	return changed
}
