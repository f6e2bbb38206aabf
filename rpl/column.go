package rpl

import (
	"math/bits"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// A Column is items of one type that the adapter keeps side by side, row by row, as an
// ECS keeps its components. Put says which item each row is; SetColumn gives the
// components in every tick that sends and reads them in one walk. What nobody sees is
// not computed: of a node that no peer holds only the place is read, for the grid. A
// held row is compared with its predicted course at once, while it is in the cache. Of
// explicit items only bumped rows are read. The rules for calling the Authority's
// methods apply to a Column's.
type Column struct {
	a        *Authority
	t        *rowtype.Type
	slab     *slab
	place    *place
	index    uint32
	explicit bool

	// By row: its item and where the item's data is, one list for each, as few rows
	// need all.
	items  []itemSlot // noItem where a row is empty
	slots  []uint32   // of the items' nodes
	rows   []uint32   // of the store; noRow for an item of several rows
	blocks []uint32   // of these rows; kept up to date only while they are walked
	places []uint64   // sums of where the items were last seen; 0: nowhere yet

	at    func(row int) unsafe.Pointer
	given bool // SetColumn was given the column in this tick

	// What to do with each row, as sets of 64 rows a word, so that each loop of a tick
	// visits only the rows that it works on.
	far      []uint64 // no peer holds its node: only its place is read
	placed   []uint64 // it says where its node is, and the walk can read that
	walked   []uint64 // a peer holds its node, and the walk settles the row …
	drifting []uint64 // … which changes by itself
	single   []uint64 // setSingle reads it

	// For explicit items only.
	bumped []uint64 // bumped since the last SetColumn …
	missed []uint64 // … or before that while no peer held the node, and not read yet
}

// NewColumn makes a column without rows. at returns the component of a row, nil if it is
// gone; it is called during Stream, after the column's SetColumn.
func (a *Authority) NewColumn(t *ItemType, at func(row int) unsafe.Pointer) *Column {
	rt := a.typesOf[t.Index][0]
	c := &Column{a: a, at: at, t: rt, slab: &a.slabs[rt.Index], place: &a.places[t.Index], index: uint32(len(a.columns)), explicit: t.Explicit}
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

// FreeColumn puts a column out of use. Its items stay, and must be Set from now on.
func (a *Authority) FreeColumn(c *Column) {
	c.Resize(0)
	a.columns[c.index] = nil
}

// Resize gives the column n rows; new rows are empty.
func (c *Column) Resize(n int) {
	for row := n; row < len(c.items); row++ {
		c.Put(row, NoItem)
	}
	words := (n + sheaf - 1) / sheaf
	n = words * sheaf
	c.items, c.places = resized(c.items, n, noItem), resized(c.places, n, 0)
	for _, list := range []*[]uint32{&c.slots, &c.rows, &c.blocks} {
		*list = resized(*list, n, 0)
	}
	for _, set := range []*[]uint64{&c.far, &c.placed, &c.walked, &c.drifting, &c.single, &c.bumped, &c.missed} {
		*set = resized(*set, words, 0)
	}
	c.given = false // its rows may be others' in this tick
}

func resized[T any](s []T, n int, fresh T) []T {
	for len(s) < n {
		s = append(s, fresh)
	}
	return s[:n]
}

// Put says which item a row is. NoItem is for the row of an entity that is no node, or
// whose item is Set by itself; an item that was removed counts as none. An item stands in
// at most one row: Put takes it out of the row where it stood.
func (c *Column) Put(row int, item Item) {
	it, ok := c.a.item(item)
	if !ok {
		it = noItem
	}
	if old := c.items[row]; old == it {
		return
	} else if old != noItem {
		c.a.outOfColumn(old)
	}
	if it == noItem {
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
	c.a.classify(h)
}

// outOfColumn takes an item out of its column, if it stands in one.
func (a *Authority) outOfColumn(it itemSlot) {
	h := &a.hots[it]
	if h.column == noColumn {
		return
	}
	c := a.columns[h.column]
	c.forget(h.at)
	c.items[h.at], h.column = noItem, noColumn
	if w, bit := h.at>>6, uint64(1)<<(h.at&63); (c.bumped[w]|c.missed[w])&bit != 0 { // the item takes these marks along
		h.flags |= hotBumped&uint8(mask(c.bumped[w]&bit != 0)) | hotMissed&uint8(mask(c.missed[w]&bit != 0))
		c.bumped[w] &^= bit
		c.missed[w] &^= bit
	}
}

// forget takes a row out of all sets of what is to be done.
func (c *Column) forget(row uint32) {
	w, bit := row>>6, uint64(1)<<(row&63)
	c.far[w] &^= bit
	c.placed[w] &^= bit
	c.walked[w] &^= bit
	c.drifting[w] &^= bit
	c.single[w] &^= bit
}

// classify puts an item's row into the sets of what is to be done with it.
func (a *Authority) classify(h *hot) {
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
		if !c.explicit || h.row != noRow { // else setBumped reads it
			c.single[w] |= bit
		}
	case h.flags&hotPlace == 0: // nobody holds it, and it says no place
	default:
		c.far[w] |= bit
	}
}

// SetColumn is Set for all items of a column, in a tick in which Stream follows. at
// holds the component of each row, and is not kept. Of a node that no peer holds only
// the place is read; the rest is read if Stream finds a peer for it. A column that was
// given once must be given before every Stream, and an item that leaves it must be Set.
// Of explicit items only bumped rows are read.
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
			a.leaveCourses(c.t)
		}
		if len(a.strays) >= ahead {
			a.settleStrays()
		}
	}
	a.leaveCourses(c.t)
	a.settleStrays()
}

// setSingle reads items one by one: those of several rows, and those that the walk
// takes over as soon as Schedule has settled them.
func (c *Column) setSingle(w int, here *components) {
	a := c.a
	for m := c.single[w]; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m)
		i := w*sheaf + k
		it := c.items[i]
		h := &a.hots[it]
		waits := c.explicit && c.bumped[w]>>k&1 == 0 // it is read only when bumped
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

// set reads one item by Set.
func (c *Column) set(row int, here *components) {
	w, k := row/sheaf, row%sheaf
	c.a.read(c.items[row], here[k])
	c.places[row] = 0
	c.seek(w, here, 1<<k&c.placed[w]) // the node's place is the component's, not that of the quantised words
}

// begin reads all of a row when the walk takes it over.
func (c *Column) begin(row int, here *components) {
	w, bit := row/sheaf, uint64(1)<<(row%sheaf)
	if placed := c.placed[w] & bit; placed != 0 {
		c.places[row] = 0
		c.seek(w, here, placed)
		c.compare(w, here, bit, &c.slab.walk.rest)
	} else {
		c.compare(w, here, bit, &c.slab.walk.probes)
	}
	c.settle(w, here, 0, bit, bit&c.drifting[w])
}

// An offRow is a row of the store that has left its course, with its node's slot.
type offRow struct{ slot, row uint32 }

// settleStrays updates the grid for nodes that the walk found moved.
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
