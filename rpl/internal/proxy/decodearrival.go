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

// Reading the arrivals of a state packet into the stage.

// readArrivals reads the arrivals into the stage.
func (c *Proxy) readArrivals(d *prefix.Decoder, m *coder.Model) error {
	before, layout := coder.NoArrival, (*wire.NodeLayout)(nil)
	for says := d.Symbol(m.Entry.Arrive.T); says > 0; says = d.Symbol(m.Entry.Arrive.T) {
		if len(c.dec.stage.arrivals) == wire.MaxInPacket || d.Err() != nil {
			return fmt.Errorf("%w: arrivals without end", ids.ErrPacket)
		}
		head := m.Entry.ReadHead(d, says-1, &before)
		l, err := c.readLayoutOf(d, m, head.Layout, says-1, layout)
		if err != nil {
			return err
		}
		if err := c.readArrival(d, m, says-1, &head, l); err != nil {
			return err
		}
		before, layout = head, l
	}
	return nil
}

// readLayoutOf returns the layout of an arrival: as it is defined there, or before in the packet,
// or as it is known. before is the layout of the arrival before.
func (c *Proxy) readLayoutOf(d *prefix.Decoder, m *coder.Model, number uint32, says int, before *wire.NodeLayout) (*wire.NodeLayout, error) {
	st := &c.dec.stage
	if says&coder.ArriveDefined != 0 {
		l, err := c.readLayout(d, m, number)
		if err == nil {
			st.defined = append(st.defined, l)
		}
		return l, err
	}
	if before != nil && before.Number == number {
		return before, nil
	}
	for _, l := range st.defined {
		if l.Number == number {
			return l, nil
		}
	}
	l := c.held.layouts[number]
	if l == nil || st.tick < l.Since {
		return nil, fmt.Errorf("%w: layout %d is not known, or was another", ids.ErrPacket, number)
	}
	return l, nil
}

// readArrival reads one node into the stage, whose head and layout are read.
func (c *Proxy) readArrival(d *prefix.Decoder, m *coder.Model, says int, head *coder.ArrivalHead, l *wire.NodeLayout) error {
	st := &c.dec.stage
	r := &Replica{proxy: c, handle: head.Handle, gen: head.Gen, born: st.tick, ownershipTick: st.tick}
	r.ID = ids.MakeNode(head.Slot, head.Tenant)
	if r.handle >= wire.MaxHandles || head.Slot >= wire.MaxNodes || head.Tenant == 0 {
		return fmt.Errorf("%w: arrival of %v as handle %d", ids.ErrPacket, r.ID, r.handle)
	}
	r.layout, r.Items = l, l.Types
	if l.Prefab > 0 {
		r.Prefab = c.cfg.Schema.Prefabs()[l.Prefab-1]
	}
	r.Owner, r.parent = c.readOwnership(d, m, says/coder.ArriveOwner, says&coder.ArriveParent != 0)
	if says&coder.ArriveLeapt != 0 {
		r.Leapt = c.dec.stage.readLeap(d, m)
	}
	if says&coder.ArriveName != 0 {
		b, ok := coder.ReadBytes(d, &m.Entry.Length, wire.MaxName, nil)
		if !ok {
			return fmt.Errorf("%w: a name is cut short or too long", ids.ErrPacket)
		}
		r.Name = string(b)
	}
	if says&coder.ArriveArgs != 0 {
		b, ok := coder.ReadBytes(d, &m.Entry.Length, wire.MaxArgs, nil)
		if !ok {
			return fmt.Errorf("%w: prefab arguments are cut short or too long", ids.ErrPacket)
		}
		r.Args = b
	}
	node := stagedNode{r: r, rows: len(st.whole)}
	for _, t := range l.Rows {
		if err := c.readWhole(d, m, t); err != nil {
			return err
		}
	}
	st.arrivals = append(st.arrivals, node)
	return d.Err()
}

// readWhole reads one row of an arrival: a keyframe, or no state where the peer may
// not see it.
func (c *Proxy) readWhole(d *prefix.Decoder, m *coder.Model, t *rowtype.Type) error {
	st := &c.dec.stage
	row := stagedRow{row: uint32(t.Index), at: -1}
	if t.Audience == ids.Everyone || d.Bits(1) == 1 {
		var words []int32
		row.at, words = st.room(t.Width)
		row.vars = st.newVars(t)
		if !m.ReadKey(d, t, words) {
			return fmt.Errorf("%w: item %s out of range", ids.ErrPacket, t.Item.Name)
		}
		if !c.readVars(d, m, t, nil, st.varsOf(&row)) {
			return fmt.Errorf("%w: item %s: a value cannot be read", ids.ErrPacket, t.Item.Name)
		}
	}
	st.whole = append(st.whole, row)
	return nil
}

// readLayout reads the definition of a layout. The authority repeats a definition until
// it is acked, so mostly the layout is known already.
func (c *Proxy) readLayout(d *prefix.Decoder, m *coder.Model, number uint32) (*wire.NodeLayout, error) {
	prefab, n := coder.ReadUnsigned(d, &m.Entry.Length), coder.ReadUnsigned(d, &m.Entry.Length)
	if number >= wire.MaxLayouts || n > wire.MaxItems || prefab > uint32(len(c.cfg.Schema.Prefabs())) {
		return nil, fmt.Errorf("%w: layout %d", ids.ErrPacket, number)
	}
	var room [wire.MaxItems]int
	items := room[:n]
	for i := range items {
		k := coder.ReadUnsigned(d, &m.Entry.Length)
		if k > uint32(len(c.held.typesOf)) {
			return nil, fmt.Errorf("%w: layout %d names item type %d", ids.ErrPacket, number, k)
		}
		items[i] = int(k) - 1
	}
	if l := c.held.layouts[number]; l != nil && l.Is(int(prefab), items) {
		return l, nil
	}
	st := &c.dec.stage
	for _, l := range st.layouts {
		if l.Number == number && l.Is(int(prefab), items) {
			return l, nil
		}
	}
	l := wire.NewLayout(c.cfg.Schema.Items(), c.held.typesOf, number, int(prefab), slices.Clone(items))
	if len(l.Rows) > wire.MaxRows {
		return nil, fmt.Errorf("%w: layout %d has %d rows", ids.ErrPacket, number, len(l.Rows))
	}
	st.layouts = append(st.layouts, l)
	return l, nil
}
