package proxy

import (
	"fmt"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Reading the updates and the speculative updates of a packet into the stage. An update carries the
// rows of one node, found by its handle; a speculative one is an update of a node whose arrival
// the authority does not know to be acked. docs/SPEC.md §5 has the layout of both.

// Errors of packets for which the proxy can name to the authority the node or row that
// is wrong, so that the authority repairs that alone.
var (
	errNotHere = fmt.Errorf("%w: the node is not here", ids.ErrPacket)
	errFormer  = fmt.Errorf("%w: the node is another, or had other items then", ids.ErrPacket)
	errNoBase  = fmt.Errorf("%w: the base is not known", ids.ErrPacket)
)

// readUpdates reads the updates, in ascending order of handles.
func (c *Proxy) readUpdates(d *prefix.Decoder, m *coder.Model, baseTick ids.Tick) error {
	at := uint32(0)
	for {
		gap, special := uint32(0), false
		switch s := d.Symbol(m.Entry.Gap.T); s {
		case coder.GapEnd:
			return nil
		case coder.GapSpecial:
			gap, special = coder.ReadUnsigned(d, &m.Entry.Far), true
		default:
			least, n := coder.AtNeighbourhood(s - coder.GapPlain)
			gap = least + d.Bits(n)
		}
		if at += gap; gap == 0 || gap > wire.MaxHandles || at > wire.MaxHandles || d.Err() != nil {
			return fmt.Errorf("%w: handles without end", ids.ErrPacket)
		}
		if err := c.readUpdate(d, m, at-1, baseTick, special); err != nil {
			return err
		}
	}
}

// readUpdate reads the update of a handle.
func (c *Proxy) readUpdate(d *prefix.Decoder, m *coder.Model, h uint32, baseTick ids.Tick, special bool) (err error) {
	if c.dec.named.Has(h) {
		return fmt.Errorf("%w: handle %d is told twice", ids.ErrPacket, h)
	}
	c.dec.stage.begun = len(c.dec.stage.updates)
	var here, ok bool
	if special {
		here, ok, err = c.readSpecial(d, m, h, baseTick)
	} else {
		here, ok, err = c.readOrdinary(d, m, h, baseTick)
	}
	c.dec.named.Add(h)
	switch {
	case err != nil:
		return err
	case !here && c.lacks(h):
		c.noteWrongNode(h)
		return fmt.Errorf("%w: handle %d", errNotHere, h)
	case !here:
		return fmt.Errorf("%w: handle %d", errFormer, h)
	case !ok:
		return fmt.Errorf("%w: handle %d", errNoBase, h)
	}
	return nil
}

// readAgain reads the updates that are named by runs of what the base packet told.
func (c *Proxy) readAgain(d *prefix.Decoder, m *coder.Model, baseTick ids.Tick) error {
	base := c.in.named.Of(c.dec.base)
	if base == nil || c.dec.stage.block {
		return fmt.Errorf("%w: it is not known what packet %d told", ids.ErrPacket, c.dec.base)
	}
	set := *base
	left := uint32(set.Len())
	h := -1
	for again, least := false, uint32(0); left > 0; again, least = !again, 1 {
		n := coder.ReadUnsigned(d, &m.Entry.Again) + least
		if n > left || n < least || d.Err() != nil {
			return fmt.Errorf("%w: a run of %d of %d handles", ids.ErrPacket, n, left)
		}
		for left -= n; n > 0; n-- {
			if h = set.After(h); again {
				if err := c.readUpdate(d, m, uint32(h), baseTick, false); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// readSpeculative reads the speculative updates. At the first one whose node or base is not here it
// stops, and the rest of the packet is skipped.
func (c *Proxy) readSpeculative(d *prefix.Decoder, m *coder.Model, baseTick ids.Tick) error {
	at, gen := uint32(0), uint8(0)
	for {
		gap := coder.ReadUnsigned(d, &m.Entry.Speculative)
		if gap == 0 {
			return nil
		}
		if at += gap; gap > wire.MaxHandles || at > wire.MaxHandles || d.Err() != nil {
			return fmt.Errorf("%w: handles without end", ids.ErrPacket)
		}
		r, rows := c.tenant(at - 1)
		if gen += uint8(coder.ReadSigned(d, &m.Entry.Gen)); r == nil || r.gen != gen || c.dec.stage.tick < r.born {
			c.dec.stage.skipped = true
			return nil
		}
		c.dec.stage.begun = len(c.dec.stage.updates)
		ok, err := c.readActions(d, m, rows, baseTick, true)
		if !ok || err != nil {
			c.dec.stage.skipped = err == nil
			return err
		}
	}
}

// rowsAt returns the rows that the packet in the stage means by a handle, in the usual
// case without looking at the node.
func (c *Proxy) rowsAt(h uint32) (rows rowRun, here bool) {
	if h < uint32(len(c.held.runs)) {
		if rows = c.held.runs[h]; rows.n > 0 && c.dec.stage.tick >= c.held.rows.rows[rows.first].laid {
			return rows, true
		}
	}
	r, rows := c.tenant(h)
	return rows, r != nil
}

// tenant returns the node that the packet in the stage means by a handle, and the node's
// rows at the packet's tick. For a late packet these are the tenant or the rows of that
// time: the packet is read against them, and what it says of them is thrown away.
func (c *Proxy) tenant(h uint32) (*Replica, rowRun) {
	if h >= uint32(len(c.held.handles)) {
		return nil, rowRun{}
	}
	e, t := &c.held.handles[h], c.dec.stage.tick
	r := e.rep
	if e.last != nil && (r == nil && t <= e.removed || r != nil && t < r.first) {
		r = e.last
	}
	switch {
	case r != nil && t >= r.laid:
		return r, r.rows
	case r != nil && r.wasLaid > 0 && t >= r.wasLaid:
		return r, r.old
	}
	return nil, rowRun{}
}

// lacks is whether a handle without a tenant at the stage's tick should have one, since
// the packet is not late.
func (c *Proxy) lacks(h uint32) bool {
	if h >= uint32(len(c.held.handles)) {
		return h < wire.MaxHandles
	}
	e := &c.held.handles[h]
	return e.rep == nil && c.dec.stage.tick > e.removed
}

// readOrdinary reads an update in which each row that it carries is a difference from its
// implicit base. here is false if there is no such node, ok is false if a base is
// missing.
func (c *Proxy) readOrdinary(d *prefix.Decoder, m *coder.Model, h uint32, baseTick ids.Tick) (here, ok bool, err error) {
	rows, here := c.rowsAt(h)
	if rows.n == 1 {
		ok, err = c.readRow(d, m, rows.first, coder.RowImplicit, baseTick, false)
		return here, ok, err
	}
	which := 0 // which of the next rows are there, a bit each
	for i := range uint32(rows.n) {
		if i%coder.PresentRows == 0 {
			which = d.Symbol(m.Entry.Present[min(uint32(rows.n)-i, coder.PresentRows)-1].T)
		}
		if which&1 != 0 {
			if ok, err = c.readRow(d, m, rows.first+i, coder.RowImplicit, baseTick, false); !ok {
				return here, ok, err
			}
		}
		which >>= 1
	}
	return here, true, nil
}

// readSpecial reads an update that has an action for each row (RowSame and so on), and
// may carry owner and parent. Its results are those of readOrdinary.
func (c *Proxy) readSpecial(d *prefix.Decoder, m *coder.Model, h uint32, baseTick ids.Tick) (here, ok bool, err error) {
	r, rows := c.tenant(h)
	if r == nil {
		return false, false, nil
	}
	if d.Bits(1) == 1 {
		ownership := stagedOwnership{r: r}
		ownership.owner, ownership.parent = c.readOwnership(d, m, d.Symbol(m.Entry.Owner.T), d.Bits(1) == 1)
		if d.Bits(1) == 1 {
			ownership.leapt = c.dec.stage.readLeap(d, m)
		}
		c.dec.stage.ownership = append(c.dec.stage.ownership, ownership)
	}
	ok, err = c.readActions(d, m, rows, baseTick, false)
	return true, ok, err
}

// readLeap reads when a node leapt.
func (st *stage) readLeap(d *prefix.Decoder, m *coder.Model) ids.Tick {
	return st.tick - min(st.tick, ids.Tick(coder.ReadUnsigned(d, &m.Entry.BaseAge)))
}

// readActions reads the action for each row of a node. It returns false if a base is
// missing.
func (c *Proxy) readActions(d *prefix.Decoder, m *coder.Model, rows rowRun, baseTick ids.Tick, speculative bool) (bool, error) {
	actions := m.Entry.Row.T
	if speculative {
		actions = m.Entry.SpeculativeRow.T
	}
	for i := rows.first; i < rows.first+uint32(rows.n); i++ {
		switch action := d.Symbol(actions); action {
		case coder.RowSame:
		case coder.RowForget:
			c.dec.stage.forgets = append(c.dec.stage.forgets, i)
		default:
			if ok, err := c.readRow(d, m, i, action, baseTick, speculative); !ok {
				return false, err
			}
		}
	}
	return true, nil
}

// readRow reads one row of an update. It returns false if the row's base is missing.
func (c *Proxy) readRow(d *prefix.Decoder, m *coder.Model, number uint32, action int, baseTick ids.Tick, speculative bool) (bool, error) {
	st := &c.dec.stage
	row := &c.held.rows.rows[number]
	c.held.rows.touch(number, row, st.tick)
	t := c.held.types[row.typ]
	staged := stagedRow{row: number, vars: st.newVars(t)}
	var dst []int32
	staged.at, dst = st.room(t.Width)
	sound := false
	if staged.key = action == coder.RowKeyframe; staged.key {
		staged.newer = wire.BaseLen
		sound = m.ReadKey(d, t, dst) && c.readVars(d, m, t, nil, st.varsOf(&staged))
	} else {
		named, exact := baseTick, action == coder.RowExplicit
		if exact {
			named = st.tick - ids.Tick(coder.ReadUnsigned(d, &m.Entry.BaseAge))
		}
		slot, newer, at, ok := c.held.rows.base(row, named)
		if !ok || exact && at != named || !exact && c.uncertain(number, named, at) {
			c.missed(number, speculative)
			return false, nil
		}
		staged.base, staged.newer = at, uint8(newer)
		if speculative { // an update after this may name an older base: another copy of the arrival
			staged.newer = wire.BaseLen
		}
		if c.dec.seconds.P = nil; !exact && m.LinesOf(t) && !c.second(row, slot, at) {
			c.missed(number, speculative)
			return false, nil
		}
		if len(c.held.rows.twins) > 0 {
			st.hear(c.held.rows.twins[number])
		}
		sound = m.ReadUpdate(d, t, c.held.rows.version(row, slot)[1:], dst, &c.dec.seconds, st.said, uint32(st.tick-at))
		if sound && len(t.Vars) > 0 {
			sound = c.readVars(d, m, t, c.held.rows.vars[number][slot], st.varsOf(&staged))
		}
	}
	if !sound {
		return false, fmt.Errorf("%w: item %s out of range", ids.ErrPacket, t.Item.Name)
	}
	st.updates = append(st.updates, staged)
	return true, nil
}

// hear notes what rows before one in its update have said of its words.
func (s *stage) hear(twins []wire.Twin) {
	s.said = s.said[:0]
	for _, w := range twins {
		if slices.ContainsFunc(s.said, func(of rowtype.Said) bool { return of.Word == w.At }) {
			continue
		}
		for i := s.begun; i < len(s.updates); i++ {
			if u := &s.updates[i]; u.row == uint32(w.Row) {
				s.said = append(s.said, rowtype.Said{Word: w.At, Value: s.words[int(u.at)+w.From]})
			}
		}
	}
}

// missed asks for a keyframe of a row whose base is missing: of all rows of the node if
// a block named the base. It does not ask for a speculative one, which acks report as skipped, nor
// for a row that nobody needs. From now on more old versions are kept.
func (c *Proxy) missed(number uint32, speculative bool) {
	switch r := c.held.rows.owners[number].r; {
	case speculative || r.gone || c.dec.stage.tick < r.laid:
		return
	case c.dec.stage.block:
		c.requestAfterBlock(r)
	default:
		c.mend.requestKeyframe(&c.held, r, int(number-r.rows.first))
	}
	c.held.rows.late = min(2*c.held.rows.late, wire.MostLate)
}
