package rpl

import (
	"math/bits"
	"unsafe"
)

// A Column is items of one type that the adapter keeps side by side, row by row,
// as an ECS keeps its components: told which they are when that changes, given
// with the components in every tick that sends, and read in one walk. What nobody
// sees is not computed: of a node that no peer holds only its place is read, for
// the grid. What somebody holds is compared with its course at once, while it is
// near. Of an explicit item only what was bumped is read. Its methods are for whoever
// may call the Authority's.
type Column struct {
	a        *Authority
	t        *rowType
	slab     *slab
	place    *place
	index    uint32
	explicit bool

	// By row: what it is, where that is kept, each by itself, for few rows need all.
	items  []Item
	slots  []uint32 // of their nodes
	rows   []uint32 // of the store, noRow where an item is more than a row
	blocks []uint32 // of these, while they are walked
	places []uint64 // where they were seen last, summed; 0 nowhere yet

	at    func(row int) unsafe.Pointer
	given bool // to SetColumn, in this tick

	// What is to be done with each row, 64 to a word, so that each tick's loops
	// run over what they do something with.
	far      []uint64 // nobody holds its node: its place is read
	placed   []uint64 // of both: its place is compared with the node's
	walked   []uint64 // somebody holds it …
	drifting []uint64 // … and it drifts
	single   []uint64 // it goes by itself

	// Of explicit items alone.
	bumped []uint64 // since SetColumn …
	missed []uint64 // … or before, while nobody held the node: not read yet
}

// NewColumn makes a column without rows; FreeColumn takes one that is no longer
// given out of use. at is where a row's component is after SetColumn, while Stream
// runs, and nil where its item's component has gone since.
func (a *Authority) NewColumn(t *ItemType, at func(row int) unsafe.Pointer) *Column {
	rt := a.typesOf[t.Index][0]
	c := &Column{a: a, at: at, t: rt, slab: &a.slabs[rt.index], place: &a.places[t.Index], index: uint32(len(a.columns)), explicit: t.Explicit}
	for i, other := range a.columns {
		if other == nil {
			c.index = uint32(i)
			a.columns[i] = c
			return c
		}
	}
	a.columns = append(a.columns, c)
	return c
}

func (a *Authority) FreeColumn(c *Column) {
	c.Resize(0)
	a.columns[c.index] = nil
}

// Resize gives the column n rows; new ones are empty.
func (c *Column) Resize(n int) {
	for row := n; row < len(c.items); row++ {
		c.Put(row, NoItem)
	}
	words := (n + sheaf - 1) / sheaf
	n = words * sheaf
	c.items, c.places = resized(c.items, n, NoItem), resized(c.places, n, 0)
	for _, list := range []*[]uint32{&c.slots, &c.rows, &c.blocks} {
		*list = resized(*list, n, 0)
	}
	for _, set := range []*[]uint64{&c.far, &c.placed, &c.walked, &c.drifting, &c.single, &c.bumped, &c.missed} {
		*set = resized(*set, words, 0)
	}
	c.given = false // as of this tick its rows are others'
}

func resized[T any](s []T, n int, fresh T) []T {
	for len(s) < n {
		s = append(s, fresh)
	}
	return s[:n]
}

// Put says which item a row is, NoItem for none: that of an entity without a node,
// or one that is Set by itself. An item stands in one row at most: it leaves where
// it stood.
func (c *Column) Put(row int, it Item) {
	if old := c.items[row]; old == it {
		return
	} else if old != NoItem {
		c.a.outOfColumn(old)
	}
	if it == NoItem {
		return
	}
	c.a.outOfColumn(it)
	h := &c.a.hots[it]
	c.items[row], c.slots[row], c.rows[row], c.places[row] = it, h.slot, h.row, 0
	if h.row != noRow {
		c.blocks[row] = c.a.rows[h.row].block
	}
	h.column, h.at = c.index, uint32(row)
	w, bit := row/sheaf, uint64(1)<<(row%sheaf)
	c.bumped[w] |= bit & mask(h.flags&hotBumped != 0)
	c.missed[w] |= bit & mask(h.flags&hotMissed != 0)
	h.flags &^= hotBumped | hotMissed
	c.a.sort(h)
}

// outOfColumn takes an item out of the column that it stands in.
func (a *Authority) outOfColumn(it Item) {
	h := &a.hots[it]
	if h.column == noColumn {
		return
	}
	c := a.columns[h.column]
	c.forget(h.at)
	c.items[h.at], h.column = NoItem, noColumn
	if w, bit := h.at>>6, uint64(1)<<(h.at&63); (c.bumped[w]|c.missed[w])&bit != 0 { // it takes these along
		h.flags |= hotBumped&uint8(mask(c.bumped[w]&bit != 0)) | hotMissed&uint8(mask(c.missed[w]&bit != 0))
		c.bumped[w] &^= bit
		c.missed[w] &^= bit
	}
}

// forget has nothing done with a row.
func (c *Column) forget(row uint32) {
	w, bit := row>>6, uint64(1)<<(row&63)
	c.far[w] &^= bit
	c.placed[w] &^= bit
	c.walked[w] &^= bit
	c.drifting[w] &^= bit
	c.single[w] &^= bit
}

// sort puts an item's row among those with which the same is to be done.
func (a *Authority) sort(h *hot) {
	if h.column == noColumn {
		return
	}
	c := a.columns[h.column]
	c.forget(h.at)
	w, bit := h.at>>6, uint64(1)<<(h.at&63)
	c.placed[w] |= bit & mask(h.flags&hotPlace != 0 && c.place.ok)
	switch {
	case h.flags&hotWalked != 0:
		c.walked[w] |= bit
		c.drifting[w] |= bit & mask(h.flags&hotDrifts != 0)
	case h.flags&(hotHeld|hotFresh) != 0, h.flags&hotPlace != 0 && !c.place.ok:
		if !c.explicit || h.row != noRow { // else it is Set when it is bumped
			c.single[w] |= bit
		}
	case h.flags&hotPlace == 0: // whatever it is, nobody wants to know
	default:
		c.far[w] |= bit
	}
}

// SetColumn is Set for the items of a column, in a tick in which Stream follows;
// at are the components of its rows, one for each, and is not kept. While no peer
// holds a node, only its place is read, and the rest should Stream find a peer for
// it. Once given, a column is given before every Stream, and an item that leaves it
// is Set. Of explicit items those rows alone are read that were bumped.
func (a *Authority) SetColumn(c *Column, at []unsafe.Pointer) {
	c.given = true
	if c.slab.outOfOrder() {
		a.orderBlocks(c.slab)
	}
	if a.unstamped = a.grid != nil && a.grid.plain && !a.looks; a.unstamped {
		a.leeway = a.grid.slack
	}
	var last components
	for w := range c.far {
		if c.explicit && c.bumped[w]|c.drifting[w]|c.single[w] == 0 {
			continue
		}
		here := &last
		if rest := at[w*sheaf:]; len(rest) >= sheaf {
			here = (*components)(rest)
		} else {
			copy(last[:], rest)
		}
		asked := ^uint64(0)
		if c.explicit {
			asked = c.bumped[w]
		}
		c.walk(w, here, asked)
		if c.single[w] != 0 {
			c.setSingle(w, here)
		}
		if c.explicit && asked != 0 {
			c.setBumped(w, here)
		}
		if len(a.off) >= ahead {
			a.leave(c.t)
		}
		if len(a.strays) >= ahead {
			a.settleStrays()
		}
	}
	a.leave(c.t)
	a.settleStrays()
}

// setSingle takes items one by one: the first time, until Schedule has settled
// them, and where they are more than a row.
func (c *Column) setSingle(w int, here *components) {
	a := c.a
	for m := c.single[w]; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m)
		i := w*sheaf + k
		it := c.items[i]
		h := &a.hots[it]
		waits := c.explicit && c.bumped[w]>>k&1 == 0 // for a bump
		switch {
		case h.row == noRow || a.rows[h.row].touched:
			if !waits {
				c.set(i, here)
			}
		case waits:
			a.beginWalk(it)
			c.places[i], c.slab.sums[c.blocks[i]] = 0, unread
			c.settle(w, here, 0, 0, m&-m&c.drifting[w])
		default:
			a.beginWalk(it)
			c.begin(i, here)
		}
	}
}

// set takes one item.
func (c *Column) set(row int, here *components) {
	w, k := row/sheaf, row%sheaf
	c.a.Set(c.items[row], here[k])
	c.places[row] = 0
	c.seek(w, here, 1<<k&c.placed[w]) // not where its words have it
}

// begin reads all of a row, the first time that it is walked.
func (c *Column) begin(row int, here *components) {
	w, bit := row/sheaf, uint64(1)<<(row%sheaf)
	if placed := c.placed[w] & bit; placed != 0 {
		c.places[row] = 0
		c.seek(w, here, placed)
		c.compare(w, here, bit, &c.t.walk.rest)
	} else {
		c.compare(w, here, bit, &c.t.walk.probes)
	}
	c.settle(w, here, 0, bit, bit&c.drifting[w])
}

// An end is a row of the store that has left its course, and its node.
type end struct{ slot, row uint32 }

// settleStrays puts nodes that the walk found elsewhere where they are.
func (a *Authority) settleStrays() {
	for strays := a.strays; len(strays) > 0; strays = strays[min(ahead, len(strays)):] {
		some := strays[:min(ahead, len(strays))]
		a.touchCells(some)
		for _, slot := range some {
			a.strayed(slot)
		}
	}
	a.strays = a.strays[:0]
}
