package rpl

import (
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Reading the updates of a packet, and its guesses, into the stage.

// readUpdates reads the updates, by ascending handle.
func (c *Proxy) readUpdates(d *prefix.Decoder, m *model, baseTick Tick) error {
	at := uint32(0)
	for {
		gap, special := uint32(0), false
		switch s := d.Symbol(m.entry.gap.t); s {
		case gapEnd:
			return nil
		case gapSpecial:
			gap, special = readUnsigned(d, &m.entry.far), true
		default:
			least, n := atNeighbourhood(s - gapPlain)
			gap = least + d.Bits(n)
		}
		if at += gap; gap == 0 || gap > maxHandles || at > maxHandles || d.Err() != nil {
			return fmt.Errorf("%w: handles without end", ErrPacket)
		}
		r, rows := c.tenant(at - 1)
		if r == nil {
			return fmt.Errorf("%w: handle %d is empty, or had other items", ErrPacket, at-1)
		}
		if ok, err := c.readUpdate(d, m, r, rows, baseTick, special, false); err != nil {
			return err
		} else if !ok {
			return fmt.Errorf("%w: a base of %v is not known", ErrPacket, r.ID)
		}
	}
}

// readGuesses reads the guesses up to one whose node or base is not here.
func (c *Proxy) readGuesses(d *prefix.Decoder, m *model, baseTick Tick) error {
	at := uint32(0)
	for {
		gap := readUnsigned(d, &m.entry.far)
		if gap == 0 {
			return nil
		}
		if at += gap; gap > maxHandles || at > maxHandles || d.Err() != nil {
			return fmt.Errorf("%w: handles without end", ErrPacket)
		}
		r, rows := c.tenant(at - 1)
		if gen := uint8(d.Bits(8)); r == nil || r.gen != gen || c.stage.tick < r.born {
			c.stage.skipped = true
			return nil
		}
		ok, err := c.readUpdate(d, m, r, rows, baseTick, true, true)
		if !ok || err != nil {
			c.stage.skipped = err == nil
			return err
		}
	}
}

// tenant is the node that a packet of the stage's tick means by a handle, and
// its rows at that tick.
func (c *Proxy) tenant(h uint32) (*Replica, rowRun) {
	if int(h) >= len(c.entries) {
		return nil, rowRun{}
	}
	if e := &c.entries[h]; e.rep != nil && c.stage.tick >= e.laid {
		return e.rep, e.rows
	}
	return c.former(&c.entries[h])
}

// former is what a late packet means: the tenant or its rows of then, which are
// read and thrown away.
func (c *Proxy) former(e *proxyEntry) (*Replica, rowRun) {
	r, t := e.rep, c.stage.tick
	if e.last != nil && (r == nil && t <= e.removed || r != nil && t < r.first) {
		r = e.last
	}
	switch {
	case r != nil && t >= r.laid:
		return r, r.rows
	case r != nil && r.relaid && t >= r.wasLaid:
		return r, r.old
	}
	return nil, rowRun{}
}

// readUpdate reads one entry; false where its base is not here.
func (c *Proxy) readUpdate(d *prefix.Decoder, m *model, r *Replica, rows rowRun, baseTick Tick, special, guess bool) (bool, error) {
	st := &c.stage
	if special && !guess && d.Bits(1) == 1 {
		owner, parent := c.readMeta(d, m, d.Symbol(m.entry.owner.t), d.Bits(1) == 1)
		st.metas = append(st.metas, stagedMeta{r, owner, parent})
	}
	told := 0 // of the next rows of an ordinary update, a bit each
	n := int(rows.n)
	for i := range n {
		action := rowImplicit
		switch {
		case special:
			action = d.Symbol(m.entry.row.t)
		case n > 1:
			if i%toldRows == 0 {
				told = d.Symbol(m.entry.told[min(n-i, toldRows)-1].t)
			}
			if told&1 == 0 {
				action = rowSame
			}
			told >>= 1
		}
		switch action {
		case rowSame:
			continue
		case rowForget:
			st.forgets = append(st.forgets, rows.first+uint32(i))
			continue
		}
		if ok, err := c.readRow(d, m, r, i, rows.first+uint32(i), action, baseTick, guess); !ok {
			return false, err
		}
	}
	return true, nil
}

// readRow reads a row of an update, the node's i-th; false where its base is not
// here.
func (c *Proxy) readRow(d *prefix.Decoder, m *model, r *Replica, i int, number uint32, action int, baseTick Tick, guess bool) (bool, error) {
	st := &c.stage
	row := &c.rows.rows[number]
	t := c.types[row.typ]
	up := stagedRow{row: number, vars: newVars(t)}
	var dst []int32
	up.at, dst = st.room(t.width)
	sound := false
	if up.key = action == rowKeyframe; up.key {
		sound = m.readKey(d, t, dst) && c.readVars(d, m, t, nil, up.vars)
	} else {
		named, exact := baseTick, action == rowExplicit
		if exact {
			named = st.tick - Tick(readUnsigned(d, &m.entry.baseAge))
		}
		slot, newer, at, ok := c.rows.base(row, named)
		if !ok || exact && at != named {
			c.missed(r, i, guess)
			return false, nil
		}
		up.base, up.newer = at, uint8(newer)
		sound = m.readUpdate(d, t, c.rows.version(row, slot)[1:], dst, uint32(st.tick-at))
		if sound && len(t.vars) > 0 {
			sound = c.readVars(d, m, t, c.rows.vars[number][slot], up.vars)
		}
	}
	if !sound {
		return false, fmt.Errorf("%w: item %s out of range", ErrPacket, t.item.Name)
	}
	st.updates = append(st.updates, up)
	return true, nil
}

// missed asks for a keyframe of a row whose base is not here, unless that is
// said otherwise, or nobody needs it.
func (c *Proxy) missed(r *Replica, i int, guess bool) {
	switch {
	case guess || r.gone || c.stage.tick < r.laid:
	case c.stage.block:
		c.doubtBlock(r)
	default:
		c.doubt(r, i)
	}
}
