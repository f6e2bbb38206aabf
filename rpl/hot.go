package rpl

import (
	"math"
	"unsafe"
)

// hot is the part of an item that every tick may read, kept by itself so that this
// touches few cache lines.
type hot struct {
	slot   uint32 // of its node
	row    uint32 // its row if it is a single one that can be walked, else noRow
	column uint32 // the Column that it stands in, else noColumn …
	at     uint32 // … and its row there
	flags  uint8
}

const (
	hotHeld   = 1 << iota // some peer holds the node, or wants it
	hotFresh              // the next Set must extract it
	hotPlace              // it says where its node is
	hotDrifts             // the row changes by itself
	hotWalked             // SetColumn settles the row, not Schedule
	hotStale              // walked since the last Set, so its shadow is out of date
	hotBumped             // of an explicit item in no column: its mark in Column.bumped …
	hotMissed             // … and in Column.missed
)

const noColumn = ^uint32(0)

// warm sets up the hot part of a new item.
func (a *Authority) warm(it itemSlot) {
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
	if len(m.rows) == 1 && a.slabs[a.rows[m.rows[0]].t.Index].walks {
		h.row = m.rows[0]
	}
}

// noteHeld sets hotHeld after a node got its first holder; noteUnheld clears it after the
// node lost its last.
func (a *Authority) noteHeld(n *node) {
	if len(n.holders) > 1 {
		return
	}
	for _, it := range n.items {
		if it != noItem {
			h := &a.hots[it]
			h.flags |= hotHeld
			a.classify(h)
			a.overdue(h)
		}
	}
}

func (a *Authority) noteUnheld(n *node) {
	if len(n.holders) > 0 {
		return
	}
	for _, it := range n.items {
		if it == noItem {
			continue
		}
		h := &a.hots[it]
		h.flags &^= hotHeld
		a.unwalk(it)
		a.classify(h)
		for _, i := range a.items[it].rows {
			a.rows[i].touched = true // not settled until a peer holds the node again
		}
	}
}

// beginWalk passes the settling of a row from Schedule to SetColumn; unwalk passes it
// back.
func (a *Authority) beginWalk(it itemSlot) {
	h := &a.hots[it]
	r := &a.rows[h.row]
	a.bringNear(h.row, it)
	h.flags |= hotWalked | hotStale
	if r.drifting {
		h.flags |= hotDrifts
	}
	a.classify(h)
}

func (a *Authority) unwalk(it itemSlot) {
	h := &a.hots[it]
	if h.flags&hotWalked == 0 {
		return
	}
	h.flags &^= hotWalked | hotDrifts
	a.classify(h)
	a.sendAway(h.row)
	r := &a.rows[h.row]
	r.touched = true
	a.activate(h.slot)
	if r.drifting && !r.listed {
		r.listed = true
		a.drifting = append(a.drifting, h.row)
	}
}

// catchUp extracts what SetColumn left unread while nobody held the node. The node
// stays where it is in the grid, because a look may be iterating over its cell.
func (a *Authority) catchUp(n *node) {
	if len(n.holders) > 0 {
		return
	}
	a.catching = true
	for _, it := range n.items {
		if it == noItem {
			continue
		}
		if component := a.component(it); component != nil && a.mayRead(it) {
			a.read(it, component)
		}
	}
	a.catching = false
}

// unplace makes the next walk note where an item's node is.
func (a *Authority) unplace(h *hot) {
	if h.column != noColumn {
		a.columns[h.column].places[h.at] = 0
	}
}

// component is an item's component if SetColumn was given its column in this tick, else
// nil.
func (a *Authority) component(it itemSlot) unsafe.Pointer {
	h := &a.hots[it]
	if h.column == noColumn {
		return nil
	}
	if c := a.columns[h.column]; c.given {
		return c.at(int(h.at))
	}
	return nil
}

// placeByNext makes another item of the node say where it is, from that item's next Set
// on. Without one the node is nowhere.
func (a *Authority) placeByNext(slot uint32) {
	n := &a.nodes[slot]
	n.posItem = -1
	for ord, it := range n.items {
		if it == noItem || a.items[it].t.Pos[0] < 0 {
			continue
		}
		n.posItem = int16(ord)
		h := &a.hots[it]
		h.flags |= hotPlace | hotFresh
		a.classify(h)
		break
	}
	if a.regrid(slot); n.posItem < 0 { // any next place differs from this one
		s := &a.spots[slot]
		s.gridX, s.gridY = float32(math.NaN()), float32(math.NaN())
	}
	a.rejudge(slot)
}
