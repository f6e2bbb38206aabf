package store

import (
	"unsafe"
)

// hot is the part of an item that every tick may read, kept by itself so that this
// touches few cache lines.
type hot struct {
	slot   uint32 // of its node
	row    uint32 // its row if it is a single one that can be walked, else noRow
	column uint32 // the Column that it stands in, else noColumn …
	at     uint32 // … and its row there
	Flags  uint8
}

const (
	hotHeld   = 1 << iota // some peer holds the node, or wants it
	hotFresh              // the next Set must extract it
	hotPlace              // it says where its node is
	hotMoving             // the row changes by itself
	HotWalked             // SetColumn commits the row, not Schedule
	hotStale              // walked since the last Set, so its shadow is out of date
	hotDirty              // of an explicit item in no column: its mark in Column.dirty …
	hotMissed             // … and in Column.missed
)

const noColumn = ^uint32(0)

// warm sets up the hot part of a new item.
func (st *Store) warm(it itemSlot) {
	m := &st.Items[it]
	n := &st.Nodes[m.Node]
	h := &st.Hots[it]
	*h = hot{slot: m.Node, row: noRow, column: noColumn, Flags: hotFresh}
	if len(n.Holders) > 0 {
		h.Flags |= hotHeld
	}
	if n.PosItem == int16(m.Ord) {
		h.Flags |= hotPlace
	}
	if len(m.Rows()) == 1 && st.Slabs[st.Rows[m.Rows()[0]].Type.Index].walks {
		h.row = m.Rows()[0]
	}
}

// noteHeld sets hotHeld after a node got its first holder; noteUnheld clears it after the
// node lost its last.
func (st *Store) noteHeld(n *Node) {
	if len(n.Holders) > 1 {
		return
	}
	st.noteAudience(n)
	for _, it := range n.Items() {
		if it != NoSlot {
			h := &st.Hots[it]
			h.Flags |= hotHeld
			st.classify(h)
			st.overdue(h)
		}
	}
}

func (st *Store) noteUnheld(n *Node) {
	if len(n.Holders) > 0 {
		return
	}
	st.noteAudience(n)
	for _, it := range n.Items() {
		if it == NoSlot {
			continue
		}
		h := &st.Hots[it]
		h.Flags &^= hotHeld
		st.unwalk(it)
		st.classify(h)
	}
	for _, i := range n.Rows() {
		st.Rows[i].Touched = true // not committed until a peer holds the node again
	}
}

// beginWalk passes the commits of a row from Schedule to SetColumn; unwalk passes it
// back.
func (st *Store) beginWalk(it itemSlot) {
	h := &st.Hots[it]
	r := &st.Rows[h.row]
	st.moveToWalked(h.row, it)
	h.Flags |= HotWalked | hotStale
	if r.Moving {
		h.Flags |= hotMoving
	}
	st.classify(h)
}

// rouse has the walk take over a row that has begun to move by itself.
func (st *Store) rouse(i uint32) {
	for _, it := range st.Nodes[st.Rows[i].node].Items() {
		if it != NoSlot && st.Hots[it].row == i {
			st.classify(&st.Hots[it])
		}
	}
}

func (st *Store) unwalk(it itemSlot) {
	h := &st.Hots[it]
	if h.Flags&HotWalked == 0 {
		return
	}
	h.Flags &^= HotWalked | hotMoving
	st.classify(h)
	st.moveFromWalked(h.row)
	r := &st.Rows[h.row]
	r.Touched = true
	st.activate(h.slot)
	if r.Moving && !r.listed {
		r.listed = true
		st.moving = append(st.moving, h.row)
	}
}

// catchUp extracts what SetColumn left unread while nobody held the node. The node
// stays where it is in the grid, because a look may be iterating over its cell.
func (st *Store) catchUp(n *Node) {
	if len(n.Holders) > 0 {
		return
	}
	st.catching = true
	for _, it := range n.Items() {
		if it == NoSlot || !st.mayRead(it) { // to find the component takes longer
			continue
		}
		if component := st.component(it); component != nil {
			st.noteRead(it)
			st.Read(it, component)
		}
	}
	st.catching = false
}

// unplace makes the next walk note where an item's node is.
func (st *Store) unplace(h *hot) {
	if h.column != noColumn {
		st.Columns[h.column].places[h.at] = 0
	}
}

// component is an item's component if SetColumn was given its column in this tick, else
// nil.
func (st *Store) component(it itemSlot) unsafe.Pointer {
	h := &st.Hots[it]
	if h.column == noColumn {
		return nil
	}
	if c := st.Columns[h.column]; c.given {
		return c.at(int(h.at))
	}
	return nil
}

// placeByNext makes another item of the node say where it is, from that item's next Set
// on. Without one the node is nowhere.
func (st *Store) placeByNext(n *Node) {
	n.PosItem = -1
	for ord, it := range n.Items() {
		if it == NoSlot || st.Items[it].Type.Pos[0] < 0 {
			continue
		}
		n.PosItem = int16(ord)
		h := &st.Hots[it]
		h.Flags |= hotPlace | hotFresh
		st.classify(h)
		break
	}
}
