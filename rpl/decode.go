package rpl

import (
	"fmt"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Reading state packets. A packet is decoded completely into the stage before
// anything of it is applied. A packet that cannot be read changes nothing: it is
// counted, and if a node or a base was missing, the authority is asked for it.
// decodeupdate.go reads the updates; commit.go applies the stage.

// stage is what a packet says, collected until all of it has been read.
type stage struct {
	tick     Tick
	removals []removal
	arrivals []stagedNode
	whole    []stagedRow // rows of the arrivals
	updates  []stagedRow
	metas    []stagedMeta
	calls    []wireCall
	words    []int32
	vars     [][]any // values of variable length, per row that has any
	bytes    []byte
	skipped  bool
	block    bool
	forgets  []uint32 // by row number
	layouts  []*nodeLayout
}

// A stagedRow is a row's new state.
type stagedRow struct {
	row   uint32 // the row's number; in an arrival, the row type's
	base  Tick   // the tick of the version that it was coded against
	at    int32  // index of its words in stage.words; -1 for no state
	vars  int32  // index in stage.vars plus 1; 0 for none
	newer uint8  // how many versions of the row are newer than the base
	key   bool   // a keyframe: it has no base
}

// A stagedNode is an arrival. Its rows are allocated when it is applied.
type stagedNode struct {
	r    *Replica
	rows int // index of the first in stage.whole
}

// A stagedMeta is a node's owner and parent, the parent by handle.
type stagedMeta struct {
	r      *Replica
	owner  Peer
	parent uint32
}

func (s *stage) reset(t Tick) {
	*s = stage{
		tick: t, removals: s.removals[:0], arrivals: s.arrivals[:0], whole: s.whole[:0], updates: s.updates[:0],
		metas: s.metas[:0], calls: s.calls[:0], words: s.words[:0], vars: s.vars[:0], bytes: s.bytes[:0],
		forgets: s.forgets[:0], layouts: s.layouts[:0],
	}
}

// maxInPacket bounds the arrivals, and the removals, in one packet: a datagram holds
// fewer than 1,200 of the smallest.
const maxInPacket = 4096

// packet reads and applies one datagram of the given packet number.
func (c *Proxy) packet(seq uint64, b []byte) error {
	var d prefix.Decoder
	d.Reset(b)
	number := d.Bits(2)
	m := c.models[number]
	if m == nil || seq < c.since[number] {
		return fmt.Errorf("%w: tables that were not received, or were replaced", ErrPacket)
	}
	var tick, baseTick Tick
	base := uint64(0)
	form := d.Symbol(m.entry.form.t)
	if form&formFull == 0 {
		back := uint64(readUnsigned(&d, &m.entry.back))
		delta := ofDelta(readUnsigned(&d, &m.entry.delta), uint32(back))
		if back > seq || !c.heard.has(seq-back) {
			return fmt.Errorf("%w: base packet %d is not known", ErrPacket, seq-back)
		}
		baseTick = c.heard.tick(seq - back)
		tick = baseTick + Tick(delta)
		base = seq - back
	} else {
		tick = Tick(d.Bits(32))
	}
	c.timely = form&formFull != 0 && !c.heard.overtaken(seq)
	if err := c.believes(tick); err != nil {
		return err
	}
	var echoed, kept uint32
	if form&formEcho != 0 {
		echoed, kept = d.Bits(16), d.Bits(8)
	}
	c.toCheck = c.toCheck[:0]
	if form&formChecks != 0 && !c.readChecks(&d, &m.entry) {
		return fmt.Errorf("%w: more than %d checksums", ErrPacket, maxChecks)
	}
	if err := c.body(&d, m, form, tick, baseTick, false); err != nil {
		return err
	}
	if form&formEcho != 0 {
		c.echo(uint16(echoed), kept)
	}
	c.heard.base = max(c.heard.base, base)
	c.compare(tick)
	c.pace.note(tick, c.readingAt, c.cfg.Hz)
	c.heard.note(seq, tick, c.readingAt)
	if c.stage.skipped {
		c.counters.Skipped++
		c.skipped = append(c.skipped, seq)
	}
	return nil
}

// body reads the sections of a packet or a block, and applies them.
func (c *Proxy) body(d *prefix.Decoder, m *model, form int, tick, baseTick Tick, block bool) error {
	st := &c.stage
	st.reset(tick)
	st.block = block
	if form&formRemoved != 0 {
		if err := c.readRemovals(d, m); err != nil {
			return err
		}
	}
	if form&formArrived != 0 {
		if err := c.readArrivals(d, m); err != nil {
			return err
		}
	}
	if form&formCalls != 0 {
		if err := c.readCalls(d, m); err != nil {
			return err
		}
	}
	if err := c.readUpdates(d, m, baseTick); err != nil {
		return err
	}
	if form&formGuesses != 0 {
		if err := c.readGuesses(d, m, baseTick); err != nil {
			return err
		}
		if st.skipped && len(c.skipped) >= maxSkipped {
			return fmt.Errorf("%w: guesses of %d packets were skipped already", ErrPacket, maxSkipped)
		}
	}
	err := d.End()
	if st.skipped {
		err = d.Err() // the rest of the packet was not read
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPacket, err)
	}
	if c.astray.timeless && c.timely && !block {
		c.setTime(tick)
	}
	c.commit()
	return nil
}

// readRemovals reads the removals into the stage.
func (c *Proxy) readRemovals(d *prefix.Decoder, m *model) error {
	st := &c.stage
	for says := d.Symbol(m.entry.remove.t); says > 0; says = d.Symbol(m.entry.remove.t) {
		if len(st.removals) == maxInPacket || d.Err() != nil {
			return fmt.Errorf("%w: removals without end", ErrPacket)
		}
		r := removal{handle: readUnsigned(d, &m.entry.handle), gen: uint8(d.Bits(8)), tick: st.tick}
		r.destroyed = (says-1)&removeDestroyed != 0
		if r.fenced = (says-1)&removeFenced != 0; r.fenced {
			r.fence = d.Bits(16)
		}
		if r.handle >= maxHandles {
			return fmt.Errorf("%w: handle %d", ErrPacket, r.handle)
		}
		st.removals = append(st.removals, r)
	}
	return nil
}

// readArrivals reads the arrivals into the stage.
func (c *Proxy) readArrivals(d *prefix.Decoder, m *model) error {
	for says := d.Symbol(m.entry.arrive.t); says > 0; says = d.Symbol(m.entry.arrive.t) {
		if len(c.stage.arrivals) == maxInPacket || d.Err() != nil {
			return fmt.Errorf("%w: arrivals without end", ErrPacket)
		}
		if err := c.readArrival(d, m, says-1); err != nil {
			return err
		}
	}
	return nil
}

// readCalls reads the unreliable calls into the stage.
func (c *Proxy) readCalls(d *prefix.Decoder, m *model) error {
	st := &c.stage
	for d.Bits(1) == 1 {
		from := len(st.bytes)
		var ok bool
		if st.bytes, ok = readBytes(d, &m.entry.length, maxUnreliable, st.bytes); !ok || len(st.calls) >= maxCalls {
			return fmt.Errorf("%w: a call is cut short", ErrPacket)
		}
		call, err := parseCall(append([]byte(nil), st.bytes[from:]...), c.cfg.Schema, Unreliable)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrPacket, err)
		}
		st.calls = append(st.calls, call)
	}
	return nil
}

// readArrival reads one node into the stage.
func (c *Proxy) readArrival(d *prefix.Decoder, m *model, says int) error {
	st := &c.stage
	r := &Replica{proxy: c, handle: readUnsigned(d, &m.entry.handle), gen: uint8(d.Bits(8)), born: st.tick, meta: st.tick}
	slot, tenant := readUnsigned(d, &m.entry.id), readUnsigned(d, &m.entry.tenant)
	r.ID = makeNode(slot, tenant)
	number := readUnsigned(d, &m.entry.layout)
	if r.handle >= maxHandles || slot >= MaxNodes || tenant == 0 || number >= MaxLayouts {
		return fmt.Errorf("%w: arrival of %v as handle %d, layout %d", ErrPacket, r.ID, r.handle, number)
	}
	l := c.layouts[number]
	if says&arriveDefined != 0 {
		def, err := c.readLayout(d, m, number)
		if err != nil {
			return err
		}
		l = def
	} else if l == nil || st.tick < l.since {
		return fmt.Errorf("%w: layout %d is not known, or was another", ErrPacket, number)
	}
	r.layout, r.Items = l, l.types
	if l.prefab > 0 {
		r.Prefab = c.cfg.Schema.Prefabs()[l.prefab-1]
	}
	r.Owner, r.parent = c.readMeta(d, m, says/arriveOwner, says&arriveParent != 0)
	if says&arriveName != 0 {
		b, ok := readBytes(d, &m.entry.length, MaxName, nil)
		if !ok {
			return fmt.Errorf("%w: a name is cut short or too long", ErrPacket)
		}
		r.Name = string(b)
	}
	if says&arriveArgs != 0 {
		b, ok := readBytes(d, &m.entry.length, MaxArgs, nil)
		if !ok {
			return fmt.Errorf("%w: prefab arguments are cut short or too long", ErrPacket)
		}
		r.Args = b
	}
	node := stagedNode{r: r, rows: len(st.whole)}
	for _, t := range l.rows {
		if err := c.readWhole(d, m, t); err != nil {
			return err
		}
	}
	st.arrivals = append(st.arrivals, node)
	return d.Err()
}

// readWhole reads one row of an arrival: a keyframe, or no state where the peer may
// not see it.
func (c *Proxy) readWhole(d *prefix.Decoder, m *model, t *rowType) error {
	st := &c.stage
	row := stagedRow{row: uint32(t.index), at: -1}
	if t.audience == Everyone || d.Bits(1) == 1 {
		var words []int32
		row.at, words = st.room(t.width)
		row.vars = st.newVars(t)
		if !m.readKey(d, t, words) {
			return fmt.Errorf("%w: item %s out of range", ErrPacket, t.item.Name)
		}
		if !c.readVars(d, m, t, nil, st.varsOf(&row)) {
			return fmt.Errorf("%w: item %s: a value cannot be read", ErrPacket, t.item.Name)
		}
	}
	st.whole = append(st.whole, row)
	return nil
}

// room reserves n words in the stage, and returns their index and the words.
func (s *stage) room(n int) (at int32, words []int32) {
	from := len(s.words)
	s.words = slices.Grow(s.words, n)[:from+n]
	return int32(from), s.words[from:]
}

// newVars reserves room for a row's values of variable length, and returns its index
// plus 1, as stagedRow.vars has it; 0 for a row without such values.
func (s *stage) newVars(t *rowType) int32 {
	if len(t.vars) == 0 {
		return 0
	}
	s.vars = append(s.vars, make([]any, len(t.vars)))
	return int32(len(s.vars))
}

// varsOf returns a row's values of variable length, nil if it has none.
func (s *stage) varsOf(u *stagedRow) []any {
	if u.vars == 0 {
		return nil
	}
	return s.vars[u.vars-1]
}

// readLayout reads the definition of a layout. The authority repeats a definition until
// it is acked, so mostly the layout is known already.
func (c *Proxy) readLayout(d *prefix.Decoder, m *model, number uint32) (*nodeLayout, error) {
	prefab, n := readUnsigned(d, &m.entry.length), readUnsigned(d, &m.entry.length)
	if n > MaxItems || prefab > uint32(len(c.cfg.Schema.Prefabs())) {
		return nil, fmt.Errorf("%w: layout %d", ErrPacket, number)
	}
	var room [MaxItems]int
	items := room[:n]
	for i := range items {
		k := readUnsigned(d, &m.entry.length)
		if k > uint32(len(c.typesOf)) {
			return nil, fmt.Errorf("%w: layout %d names item type %d", ErrPacket, number, k)
		}
		items[i] = int(k) - 1
	}
	if l := c.layouts[number]; l != nil && l.is(int(prefab), items) {
		return l, nil
	}
	st := &c.stage
	for _, l := range st.layouts {
		if l.number == number && l.is(int(prefab), items) {
			return l, nil
		}
	}
	l := newLayout(c.cfg.Schema.Items(), c.typesOf, number, int(prefab), slices.Clone(items))
	if len(l.rows) > maxRows {
		return nil, fmt.Errorf("%w: layout %d has %d rows", ErrPacket, number, len(l.rows))
	}
	st.layouts = append(st.layouts, l)
	return l, nil
}

// readMeta reads a node's owner and, if hung, its parent's handle. whose is one of
// ownerNobody, ownerYou, ownerOther.
func (c *Proxy) readMeta(d *prefix.Decoder, m *model, whose int, hung bool) (owner Peer, parent uint32) {
	switch whose {
	case ownerYou:
		owner = c.me
	case ownerOther:
		owner = Peer(d.Bits(32))
	}
	parent = noHandle
	if hung {
		parent = readUnsigned(d, &m.entry.handle)
	}
	return owner, parent
}

// readVars reads a row's values of variable length into vars: as differences from base,
// or whole where base is nil. It returns false if one cannot be read.
func (c *Proxy) readVars(d *prefix.Decoder, m *model, rt *rowType, base, vars []any) bool {
	for k := range rt.vars {
		t := rt.vars[k].Type
		if base != nil && d.Bits(1) == 0 {
			vars[k] = base[k]
			continue
		}
		b, ok := readBytes(d, &m.entry.length, maxVar, c.stage.bytes)
		if !ok {
			return false
		}
		from := len(c.stage.bytes)
		c.stage.bytes = b
		var v any
		var err error
		if base != nil {
			v, err = t.ParseDelta(b[from:], base[k])
		} else {
			v, err = t.Parse(b[from:])
		}
		if err != nil {
			return false
		}
		vars[k] = v
	}
	return true
}
