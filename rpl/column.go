package rpl

import "unsafe"

// Extraction by the column: the items of one type that the adapter has found
// side by side, read in one walk. What nobody sees is not computed: of a node
// that no peer holds only its place is read, for the grid. What somebody holds
// is compared with its course at once, while it is near.

// hot is what every tick reads of an item.
type hot struct {
	slot   uint32 // of its node
	row    uint32 // the one row that it is, noRow where it is more, or something else
	k      uint32 // the row's place in its slab
	at     uint32 // its place in the column that gave it last …
	column uint16 // … and that column's
	flags  uint8
}

const (
	hotHeld   = 1 << iota // some peer holds the node, or shall
	hotFresh              // not extracted yet
	hotPlace              // it says where its node is
	hotDrifts             // the row drifts
	hotWalked             // SetColumn settles it
	hotStale              // walked since Set last saw it: the shadow says nothing
)

const noColumn = ^uint16(0)

// column is what SetColumn was given in this tick.
type column struct {
	items      []Item
	components []unsafe.Pointer
}

// warm sets an item's hot part.
func (a *Authority) warm(it Item) {
	m := &a.items[it]
	n := &a.nodes[m.node]
	h := &a.hots[it]
	*h = hot{slot: m.node, row: noRow, column: noColumn, flags: hotFresh}
	if len(n.holders) > 0 {
		h.flags |= hotHeld
	}
	if n.posItem == int16(m.ord) {
		h.flags |= hotPlace
	}
	if len(m.rows) == 1 {
		if a.rows[m.rows[0]].t.walks {
			h.row, h.k = m.rows[0], a.rows[m.rows[0]].k
		}
	}
}

// held and unheld keep the flag when a node has got its first holder or lost
// one.
func (a *Authority) held(n *node) {
	for _, it := range n.items {
		if it != NoItem {
			a.hots[it].flags |= hotHeld
		}
	}
}

func (a *Authority) unheld(n *node) {
	if len(n.holders) > 0 {
		return
	}
	for _, it := range n.items {
		if it == NoItem {
			continue
		}
		h := &a.hots[it]
		h.flags &^= hotHeld
		a.unwalk(h)
		for _, i := range a.items[it].rows {
			a.rows[i].touched = true // nobody settles it until it is held again
		}
	}
}

// SetColumn is Set for items of one type, in any order, in a tick in which Stream
// follows; NoItem is passed over. The components stay where they are until Stream
// has run: while no peer holds a node, only its place is read, and the rest should
// Stream find a peer for it. An item that SetColumn has been given is given before
// every Stream, to it or to Set.
func (a *Authority) SetColumn(t *ItemType, items []Item, components []unsafe.Pointer) {
	rt := a.typesOf[t.Index][0]
	c := columnWalk{
		t: rt, slab: &a.slabs[rt.index], place: &a.places[t.Index],
		number: uint16(len(a.columns)),
	}
	a.columns = append(a.columns, column{items, components})
	for i, it := range items {
		if it == NoItem {
			continue
		}
		h := &a.hots[it]
		if h.at != uint32(i) || h.column != c.number {
			h.at, h.column = uint32(i), c.number
		}
		switch seen := h.flags&(hotHeld|hotFresh) != 0; {
		case !seen && h.flags&hotPlace == 0:
		case !seen && c.place.ok:
			if x, y := c.place.read(components[i]); x != a.spots[h.slot].x || y != a.spots[h.slot].y {
				a.moved(h.slot, x, y)
			}
		case h.flags&hotWalked == 0 && (h.row == noRow || a.rows[h.row].touched):
			a.Set(it, components[i]) // the first time, and until Schedule has settled it
		case a.walk(&c, h, components[i]):
			if a.off = append(a.off, it); len(a.off) == ahead {
				a.leave(rt)
			}
		}
	}
	a.leave(rt)
}

// columnWalk is what one SetColumn works with.
type columnWalk struct {
	t      *rowType
	slab   *slab
	place  *place
	number uint16
}

// unwalk has the next Schedule settle an item's row.
func (a *Authority) unwalk(h *hot) {
	if h.flags&hotWalked == 0 {
		return
	}
	h.flags &^= hotWalked | hotDrifts
	r := &a.rows[h.row]
	r.walked, r.touched = false, true
	a.activate(h.slot)
	if r.drifting && !r.listed {
		r.listed = true
		a.drifting = append(a.drifting, h.row)
	}
}

// catchUp extracts what was left while nobody held a node. Its place was read, so
// it stays where it is: a look may be walking over its cell.
func (a *Authority) catchUp(n *node) {
	if len(n.holders) > 0 {
		return
	}
	a.catching = true
	for _, it := range n.items {
		if it == NoItem {
			continue
		}
		h := &a.hots[it]
		if int(h.column) < len(a.columns) {
			if c := &a.columns[h.column]; int(h.at) < len(c.items) && c.items[h.at] == it {
				a.Set(it, c.components[h.at])
			}
		}
	}
	a.catching = false
}
