package store

import (
	"math/bits"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// A walk reads a Column's components, of plain fields, each into its one row, and
// commits the rows. Most of a tick is spent on it. So it compares sums to see whether a
// component has changed, quantises only what may differ, and looks only at rows that
// can have departed from their prediction. A changed component has the same sum once in 2^64
// changes.
//
// It takes 64 rows at a time, and does one step for all of them before the next. Such
// short loops keep what they need in registers, and the processor can wait for the
// memory of many rows at once.

// sheaf is how many rows a walk takes at a time: the bits of a word.
const sheaf = 64

// components are the addresses of the components of a sheaf's rows.
type components = [sheaf]unsafe.Pointer

// walk reads the rows of sheaf w that asked names. Of rows that no peer holds it reads
// only the position, of the others what has changed.
func (c *Column) walk(w int, here *components, asked uint64) {
	held, placed, far := c.walked[w], c.placed[w], c.far[w]&asked
	asked &= held
	moved := c.place.compare(here, c.seen(w), far|asked&placed, c.calm) // of all at once: that is mostly all rows
	c.calm = bits.OnesCount64(moved) < sheaf/8
	c.note(w, here, moved&far)
	if held == 0 {
		return
	}
	moved &= asked
	c.note(w, here, moved)
	changed := c.compare(w, here, asked&placed, &c.Slab.Walk.rest)
	if asked&^placed != 0 {
		changed |= c.compare(w, here, asked&^placed, &c.Slab.Walk.probes)
	}
	c.commit(w, here, moved, changed, held&c.moving[w])
}

// seek returns which of the given rows have another position than before, and notes the
// new ones.
func (c *Column) seek(w int, here *components, rows uint64) (moved uint64) {
	moved = c.place.compare(here, c.seen(w), rows, false)
	c.note(w, here, moved)
	return moved
}

// seen is the sums of where the rows of sheaf w were last.
func (c *Column) seen(w int) *[sheaf]uint64 { return (*[sheaf]uint64)(c.places[w*sheaf:]) }

// note notes the new positions of the rows of sheaf w that have moved.
func (c *Column) note(w int, here *components, moved uint64) {
	if moved == 0 {
		return
	}
	st := c.st
	slots := (*[sheaf]uint32)(c.slots[w*sheaf:])
	slack := 0.
	if st.Space.Unstamped {
		slack = st.Space.Index.Slack
	}
	displaced := c.place.note(st.Space.Positions, slots, here, moved, slack)
	if st.Space.Unstamped {
		st.Space.Index.Moved = st.Space.Moves
	} else {
		displaced = moved
	}
	found := st.Displaced
	for m := displaced; m != 0; m &= m - 1 {
		slot := slots[bits.TrailingZeros64(m)]
		s := &st.Space.Positions[slot]
		s.X, s.Y = c.place.clamped(s.X), c.place.clamped(s.Y)
		found = append(found, slot)
	}
	st.Displaced = found
}

// compare returns which of the given rows have a component that differs from before, as
// far as some probes see.
func (c *Column) compare(w int, here *components, rows uint64, p *probes) (changed uint64) {
	return p.changed(here, rows, c.Slab.sums, (*[sheaf]uint32)(c.Blocks[w*sheaf:]))
}

// commit reads the rows that moved or changed (that have another position or differ in
// something else). Of these and of the moving rows it finds those that have
// departed from their predictions.
func (c *Column) commit(w int, here *components, moved, changed, moving uint64) {
	if moved|changed|moving == 0 {
		return
	}
	t, s, tick := c.t, c.Slab, uint32(c.st.Tick)
	blocks := (*[sheaf]uint32)(c.Blocks[w*sheaf:])
	moved = c.readPlaces(blocks, here, moved&^changed)
	changed = c.readRows(w, blocks, here, changed)
	rows, departed := moved|changed|moving, uint64(0)
	if len(t.Borrowed) > 0 {
		changed |= c.borrow(w, rows)
	}
	if !s.Walk.glides {
		changed |= moved
	}
	if len(s.Walk.Axes) > 0 {
		departed = s.steer(t, blocks, rows, c.checkStill(w, changed), tick)
	} else {
		departed = s.follow(t, blocks, rows, tick)
		departed |= c.checkStill(w, rows) // an inferred velocity may have changed
	}
	for m := departed; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		c.st.departed = append(c.st.departed, departedRow{c.slots[w*sheaf+i], c.rows[w*sheaf+i]})
	}
}

// readPlaces quantises the positions of some rows, and returns the rows whose words
// changed.
func (c *Column) readPlaces(blocks *[sheaf]uint32, here *components, rows uint64) (changed uint64) {
	pl, s, atX, atY := c.place, c.Slab, c.t.Pos[0], c.t.Pos[1]
	bias, scale, lo, hi, block := pl.q.Bias, pl.q.Scale, pl.q.Lo, pl.q.Hi, s.all()
	_, _ = here[0], blocks[0] // spares the loop the check for nil
	for m := rows; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		row := block.at(blocks[i])
		wasX, wasY := (*int32)(nthWord(row, atX)), (*int32)(nthWord(row, atY))
		x, y := pl.see(here[i])
		x, y = float64((x-bias)*scale), float64((y-bias)*scale)
		nowX, nowY := schema.Rounded(x), schema.Rounded(y)
		if !(x > lo && x < hi && y > lo && y < hi) {
			nowX, nowY = pl.q.Rounded(x), pl.q.Rounded(y)
		}
		if nowX != *wasX || nowY != *wasY {
			*wasX, *wasY = nowX, nowY
			changed |= 1 << i
		}
	}
	return changed
}

// readRows quantises all words of some rows, and returns the rows of which a word
// changed.
func (c *Column) readRows(w int, blocks *[sheaf]uint32, here *components, rows uint64) (changed uint64) {
	t, block := c.t, c.Slab.all()
	words := c.st.scratch[:len(t.Item.Words)]
	item := rowtype.WordsOf(words, len(words))
	for m := rows; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		now := rowtype.Words{P: block.at(blocks[i])}
		t.Item.Layout.Extract(here[i], words, nil, nil)
		changed |= t.Take(now, item) << i
		if !c.place.ok {
			c.notePosition(c.Items[w*sheaf+i], now)
		}
	}
	return changed
}

// notePosition notes the position of a node whose place cannot be read from the component's
// bytes but only from its words; now is its row.
func (c *Column) notePosition(it itemSlot, now rowtype.Words) {
	h, step := &c.st.Hots[it], c.t.Item.PosStep
	if h.Flags&hotPlace == 0 {
		return
	}
	x, y := float64(*now.Word(c.t.Pos[0]))*step, float64(*now.Word(c.t.Pos[1]))*step
	if s := &c.st.Space.Positions[h.slot]; x != s.X || y != s.Y {
		c.st.setPosition(h.slot, x, y)
	}
}

// checkStill looks at the words that nothing predicts. It returns the rows of which one such
// word differs from the newest version, and notes which rows have begun or ceased to
// move by themselves.
func (c *Column) checkStill(w int, rows uint64) (departed uint64) {
	st, t, s := c.st, c.t, c.Slab
	for m := rows; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		block := c.Blocks[w*sheaf+i]
		now := s.Now(block)
		if last, _ := s.Reference(block); !t.Stands(last, now) {
			departed |= 1 << i
		}
		if moving := t.IsMoving(now); moving != (c.moving[w]>>i&1 != 0) {
			h := &st.Hots[c.Items[w*sheaf+i]]
			h.Flags ^= hotMoving
			st.Rows[h.row].Moving = moving
			st.classify(h)
		}
	}
	return departed
}

// newVersions makes new versions of the rows that the walk found to have departed, and notes
// that their nodes are dirty.
func (st *Store) newVersions(t *rowtype.Type) {
	for departed := st.departed; len(departed) > 0; departed = departed[min(Ahead, len(departed)):] {
		some := departed[:min(Ahead, len(departed))]
		st.touchDeparted(t, some)
		for _, e := range some {
			r := &st.Rows[e.row]
			r.Touched = false
			st.newVersion(r)
			st.dirty = append(st.dirty, e.slot)
		}
	}
	st.departed = st.departed[:0]
}
