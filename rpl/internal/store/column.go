package store

import (
	"math/bits"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// A Column is items of one type that the adapter keeps side by side, row by row, as an
// ECS keeps its components. Put says which item each row is; SetColumn gives the
// components in every tick that sends and reads them in one walk. What nobody sees is
// not computed: of a node that no peer holds only the place is read, for the grid. A
// held row is compared with its prediction at once, while it is in the cache. Of
// explicit items only dirty rows are read. The rules for calling the Authority's
// methods apply to a Column's.
type Column struct {
	st       *Store
	t        *rowtype.Type
	Slab     *slab
	place    *place
	index    uint32
	explicit bool

	// By row: its item and where the item's data is, one list for each, as few rows
	// need all.
	Items  []itemSlot // NoItem where a row is empty
	slots  []uint32   // of the items' nodes
	rows   []uint32   // of the store; noRow for an item of several rows
	Blocks []uint32   // of these rows; kept up to date only while they are walked
	places []uint64   // sums of where the items were last seen; 0: nowhere yet

	at    func(row int) unsafe.Pointer
	given bool // SetColumn was given the column in this tick
	calm  bool // few of the rows that were compared last had moved

	// What to do with each row, as sets of 64 rows a word, so that each loop of a tick
	// visits only the rows that it works on.
	far    []uint64 // no peer holds its node: only its place is read
	placed []uint64 // it says where its node is, and the walk can read that
	walked []uint64 // a peer holds its node, and the walk commits the row …
	moving []uint64 // … which changes by itself
	single []uint64 // setSingle reads it
	rests  []uint64 // of explicit items: setSingle reads it once it is dirty

	inOrder []order // by 64 rows: whether the slots of their nodes follow one another

	// For explicit items only.
	dirty  []uint64 // Bump since the last SetColumn …
	missed []uint64 // … or before that while no peer held the node, and not read yet
}

// NewColumn is Authority.NewColumn.
func (st *Store) NewColumn(t *schema.ItemType, at func(row int) unsafe.Pointer) *Column {
	rt := st.typesOf[t.Index][0]
	c := &Column{st: st, at: at, t: rt, Slab: &st.Slabs[rt.Index], place: &st.places[t.Index], index: uint32(len(st.Columns)), explicit: t.Explicit}
	for i, other := range st.Columns {
		if other == nil {
			c.index = uint32(i)
			st.Columns[i] = c
			return c
		}
	}
	st.Columns = append(st.Columns, c)
	return c
}

// FreeColumn is Authority.FreeColumn.
func (st *Store) FreeColumn(c *Column) {
	c.Resize(0)
	st.Columns[c.index] = nil
}

// Resize gives the column n rows; new rows are empty.
func (c *Column) Resize(n int) {
	for row := n; row < len(c.Items); row++ {
		c.Put(row, NoItem)
	}
	words := (n + sheaf - 1) / sheaf
	n = words * sheaf
	c.Items, c.places = resized(c.Items, n, NoSlot), resized(c.places, n, 0)
	for _, list := range []*[]uint32{&c.slots, &c.rows, &c.Blocks} {
		*list = resized(*list, n, 0)
	}
	c.inOrder = resized(c.inOrder, words, orderUnknown)
	for _, set := range []*[]uint64{&c.far, &c.placed, &c.walked, &c.moving, &c.single, &c.rests, &c.dirty, &c.missed} {
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
	it, ok := c.st.Item(item)
	if !ok {
		it = NoSlot
	}
	if old := c.Items[row]; old == it {
		return
	} else if old != NoSlot {
		c.st.outOfColumn(old)
	}
	if it == NoSlot {
		return
	}
	c.st.outOfColumn(it)
	h := &c.st.Hots[it]
	c.Items[row], c.slots[row], c.rows[row], c.places[row] = it, h.slot, h.row, 0
	if h.row != noRow {
		c.Blocks[row] = c.st.Rows[h.row].Block
	}
	h.column, h.at = c.index, uint32(row)
	w, bit := row/sheaf, uint64(1)<<(row%sheaf)
	c.inOrder[w] = orderUnknown
	c.dirty[w] |= bit & mask(h.Flags&hotDirty != 0)
	c.missed[w] |= bit & mask(h.Flags&hotMissed != 0)
	h.Flags &^= hotDirty | hotMissed
	c.st.classify(h)
}

// outOfColumn takes an item out of its column, if it stands in one.
func (st *Store) outOfColumn(it itemSlot) {
	h := &st.Hots[it]
	if h.column == noColumn {
		return
	}
	c := st.Columns[h.column]
	c.forget(h.at)
	c.Items[h.at], h.column = NoSlot, noColumn
	if w, bit := h.at>>6, uint64(1)<<(h.at&63); (c.dirty[w]|c.missed[w])&bit != 0 { // the item takes these marks along
		h.Flags |= hotDirty&uint8(mask(c.dirty[w]&bit != 0)) | hotMissed&uint8(mask(c.missed[w]&bit != 0))
		c.dirty[w] &^= bit
		c.missed[w] &^= bit
	}
}

// forget takes a row out of all sets of what is to be done.
func (c *Column) forget(row uint32) {
	w, bit := row>>6, uint64(1)<<(row&63)
	c.far[w] &^= bit
	c.placed[w] &^= bit
	c.walked[w] &^= bit
	c.moving[w] &^= bit
	c.single[w] &^= bit
	c.rests[w] &^= bit
}

// classify puts an item's row into the sets of what is to be done with it.
func (st *Store) classify(h *hot) {
	if h.column == noColumn {
		return
	}
	c := st.Columns[h.column]
	c.forget(h.at)
	w, bit := h.at>>6, uint64(1)<<(h.at&63)
	c.placed[w] |= bit & mask(h.Flags&hotPlace != 0 && c.place.ok)
	switch {
	case h.Flags&HotWalked != 0:
		c.walked[w] |= bit
		c.moving[w] |= bit & mask(h.Flags&hotMoving != 0)
	case h.Flags&(hotHeld|hotFresh) != 0, h.Flags&hotPlace != 0 && !c.place.ok:
		switch {
		case !c.explicit || h.row != noRow && st.Rows[h.row].Moving:
			c.single[w] |= bit
		case h.row != noRow: // else setDirty reads it
			c.rests[w] |= bit
		}
	case h.Flags&hotPlace == 0: // nobody holds it, and it says no place
	default:
		c.far[w] |= bit
	}
}

// farTurns is the sends in which the place of a node that nobody is near is read once (package
// spatial, watched.go): at 60 a second it may come into sight an eighth of a second late, if
// within that time it has come all the way from where nobody was near.
const farTurns = 8

// ReadColumn reads the components of a column (Authority.SetColumn).
func (st *Store) ReadColumn(c *Column, at []unsafe.Pointer) {
	c.given = true
	if c.Slab.outOfOrder() {
		st.orderBlocks(c.Slab)
	}
	st.Space.Unstamped = st.Space.Index != nil && st.Space.Index.Plain && !st.Space.NeedsStamps
	var last components
	turn := st.Send % farTurns
	for w := range c.far {
		if c.explicit && c.dirty[w]|c.moving[w]|c.single[w] == 0 {
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
			asked = c.dirty[w]
			c.single[w] |= asked & c.rests[w]
		}
		if far := asked & c.far[w]; far != 0 && st.Space.Unstamped && uint32(w)%farTurns != turn {
			asked &^= far & c.unwatched(w, far)
		}
		c.Slab.read += uint32(bits.OnesCount64((asked | c.moving[w]) & c.walked[w]))
		c.walk(w, here, asked)
		if c.single[w] != 0 {
			c.setSingle(w, here)
		}
		if c.explicit && asked != 0 {
			c.setDirty(w, here, asked)
		}
		if len(st.departed) >= Ahead {
			st.newVersions(c.t)
		}
	}
	st.newVersions(c.t)
}

// order is whether the slots of 64 rows' nodes follow one another, as those of nodes do that
// were made one after another.
type order uint8

const (
	orderUnknown order = iota
	ordered
	scattered
)

// unwatched returns the rows of sheaf w that nobody is near, at least those of some.
func (c *Column) unwatched(w int, some uint64) uint64 {
	slots := (*[sheaf]uint32)(c.slots[w*sheaf:])
	if c.inOrder[w] == orderUnknown {
		c.inOrder[w] = ordered
		for i, slot := range slots {
			if slot != slots[0]+uint32(i) && c.Items[w*sheaf+i] != NoSlot {
				c.inOrder[w] = scattered
				break
			}
		}
	}
	if c.inOrder[w] == ordered {
		return c.st.Space.UnwatchedFrom(slots[0])
	}
	return c.st.Space.UnwatchedOf(slots, some)
}

// setSingle reads items one by one: those of several rows, and those that the walk
// takes over as soon as Schedule has committed them, or an explicit item that does not move by
// itself once it is dirty: most of those come and go without ever being.
func (c *Column) setSingle(w int, here *components) {
	st := c.st
	for m := c.single[w]; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m)
		i := w*sheaf + k
		it := c.Items[i]
		h := &st.Hots[it]
		waits := c.explicit && c.dirty[w]>>k&1 == 0 // it is read only when dirty
		switch {
		case h.row == noRow || st.Rows[h.row].Touched:
			if !waits {
				c.set(i, here)
			}
		case waits && !st.Rows[h.row].Moving:
			c.single[w] &^= m & -m
			c.rests[w] |= m & -m
		case waits:
			st.beginWalk(it)
			c.places[i], c.Slab.sums[c.Blocks[i]] = 0, unread
			c.commit(w, here, 0, 0, m&-m&c.moving[w])
		default:
			st.beginWalk(it)
			c.begin(i, here)
		}
	}
}

// set reads one item by Set.
func (c *Column) set(row int, here *components) {
	w, k := row/sheaf, row%sheaf
	c.st.Read(c.Items[row], here[k])
	c.places[row] = 0
	c.seek(w, here, 1<<k&c.placed[w]) // the node's place is the component's, not that of the quantised words
}

// begin reads all of a row when the walk takes it over.
func (c *Column) begin(row int, here *components) {
	w, bit := row/sheaf, uint64(1)<<(row%sheaf)
	if placed := c.placed[w] & bit; placed != 0 {
		c.places[row] = 0
		c.seek(w, here, placed)
		c.compare(w, here, bit, &c.Slab.Walk.rest)
	} else {
		c.compare(w, here, bit, &c.Slab.Walk.probes)
	}
	c.commit(w, here, 0, bit, bit&c.moving[w])
}

// An departedRow is a row of the store that has departed from its prediction, with its node's slot.
type departedRow struct{ slot, row uint32 }

// flag is 1 if b is true, else 0. It compiles to no branch.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mask is all bits if b is true, else none.
func mask(b bool) uint64 { return -uint64(flag(b)) }
