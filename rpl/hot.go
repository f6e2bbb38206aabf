package rpl

import (
	"math"
	"unsafe"
)

// hot is what every tick may read of an item.
type hot struct {
	slot   uint32 // of its node
	row    uint32 // the one row that it is, noRow where it is more, or something else
	column uint32 // the Column that it stands in, noColumn where in none …
	at     uint32 // … and its row there
	flags  uint8
}

const (
	hotHeld   = 1 << iota // some peer holds the node, or shall
	hotFresh              // not extracted yet
	hotPlace              // it says where its node is
	hotDrifts             // the row drifts
	hotWalked             // SetColumn settles it
	hotStale              // walked since Set last saw it: the shadow says nothing
	hotBumped             // of an explicit item that stands in no column now: as the column had it …
	hotMissed             // … the same
)

const noColumn = ^uint32(0)

// warm sets the hot part of a new item.
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
			h.row = m.rows[0]
		}
	}
}

// held and unheld keep the flag when a node has got its first holder or lost
// one.
func (a *Authority) held(n *node) {
	if len(n.holders) > 1 {
		return
	}
	for _, it := range n.items {
		if it != NoItem {
			h := &a.hots[it]
			h.flags |= hotHeld
			a.sort(h)
			a.overdue(h)
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
		a.unwalk(it)
		a.sort(h)
		for _, i := range a.items[it].rows {
			a.rows[i].touched = true // nobody settles it until it is held again
		}
	}
}

// beginWalk hands a row's settling over from Schedule; unwalk gives it back to
// the next one.
func (a *Authority) beginWalk(it Item) {
	h := &a.hots[it]
	r := &a.rows[h.row]
	a.bringNear(h.row, it)
	h.flags |= hotWalked | hotStale
	if r.drifting {
		h.flags |= hotDrifts
	}
	a.sort(h)
}

func (a *Authority) unwalk(it Item) {
	h := &a.hots[it]
	if h.flags&hotWalked == 0 {
		return
	}
	h.flags &^= hotWalked | hotDrifts
	a.sort(h)
	a.sendAway(h.row)
	r := &a.rows[h.row]
	r.touched = true
	a.activate(h.slot)
	if r.drifting && !r.listed {
		r.listed = true
		a.drifting = append(a.drifting, h.row)
	}
}

// catchUp extracts what was left while nobody held a node. It stays in its place:
// a look may be walking over its cell.
func (a *Authority) catchUp(n *node) {
	if len(n.holders) > 0 {
		return
	}
	a.catching = true
	for _, it := range n.items {
		if it == NoItem {
			continue
		}
		if component := a.component(it); component != nil && a.mayRead(it) {
			a.Set(it, component)
		}
	}
	a.catching = false
}

// unplace has the next walk note where an item's node is.
func (a *Authority) unplace(h *hot) {
	if h.column != noColumn {
		a.columns[h.column].places[h.at] = 0
	}
}

// component is where an item's is that SetColumn was given in this tick, nil if it
// was not.
func (a *Authority) component(it Item) unsafe.Pointer {
	h := &a.hots[it]
	if h.column == noColumn {
		return nil
	}
	if c := a.columns[h.column]; c.given {
		return c.at(int(h.at))
	}
	return nil
}

// placeByNext has a node be where another of its items says, when that is set next;
// nowhere without one.
func (a *Authority) placeByNext(slot uint32) {
	n := &a.nodes[slot]
	n.posItem = -1
	for ord, it := range n.items {
		if it == NoItem || a.items[it].t.Pos[0] < 0 {
			continue
		}
		n.posItem = int16(ord)
		h := &a.hots[it]
		h.flags |= hotPlace | hotFresh
		a.sort(h)
		break
	}
	if a.place(slot); n.posItem < 0 { // so that wherever it is next is elsewhere
		s := &a.spots[slot]
		s.gridX, s.gridY = float32(math.NaN()), float32(math.NaN())
	}
	a.rejudge(slot)
}
