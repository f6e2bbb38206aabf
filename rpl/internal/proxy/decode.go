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

// Reading state packets. A packet is decoded completely into the stage before
// anything of it is applied. A packet that cannot be read changes nothing: it is
// counted, and if a node or a base was missing, the authority is asked for it.
// decodeupdate.go reads the updates; commit.go applies the stage.

// stage is what a packet says, collected until all of it has been read.
type stage struct {
	tick      ids.Tick
	removals  []removal
	arrivals  []stagedNode
	whole     []stagedRow // rows of the arrivals
	updates   []stagedRow
	ownership []stagedOwnership
	calls     []wire.WireCall
	begun     int            // where the rows of the update being read begin in updates
	said      []rowtype.Said // what these say of the row being read
	words     []int32
	vars      [][]any // values of variable length, per row that has any
	bytes     []byte
	skipped   bool
	block     bool
	overtaken bool               // a base is missing, and nothing is: newer packets have said more of all that it may have told
	forgets   []uint32           // by row number
	layouts   []*wire.NodeLayout // that are new
	defined   []*wire.NodeLayout // all that the packet defines
}

// A stagedRow is a row's new state.
type stagedRow struct {
	row   uint32   // the row's number; in an arrival, the row type's
	base  ids.Tick // the tick of the version that it was coded against
	at    int32    // index of its words in stage.words; -1 for no state
	vars  int32    // index in stage.vars plus 1; 0 for none
	newer uint8    // how many versions of the row are newer than the base
	key   bool     // a keyframe: it has no base
}

// A stagedNode is an arrival. Its rows are allocated when it is applied.
type stagedNode struct {
	r    *Replica
	rows int // index of the first in stage.whole
}

// A stagedOwnership is a node's owner and parent, the parent by handle.
type stagedOwnership struct {
	r      *Replica
	owner  ids.Peer
	parent uint32
	leapt  ids.Tick // when the node last leapt; 0: nothing is said of that
	last   bool     // of the owner in the end alone: nothing is said of the parent
}

func (s *stage) reset(t ids.Tick) {
	*s = stage{
		tick: t, removals: s.removals[:0], arrivals: s.arrivals[:0], whole: s.whole[:0], updates: s.updates[:0],
		ownership: s.ownership[:0], calls: s.calls[:0], words: s.words[:0], vars: s.vars[:0], bytes: s.bytes[:0],
		forgets: s.forgets[:0], layouts: s.layouts[:0], defined: s.defined[:0], said: s.said[:0],
	}
}

// packet reads and applies one datagram of the given packet number.
func (c *Proxy) packet(seq uint64, b []byte) error {
	var d prefix.Decoder
	d.Reset(b)
	number := d.Bits(2)
	m := c.dec.models[number]
	if m == nil || seq < c.dec.since[number] {
		return fmt.Errorf("%w: tables that were not received, or were replaced", ids.ErrPacket)
	}
	var tick, baseTick ids.Tick
	base := uint64(0)
	form := d.Symbol(m.Entry.Form.T)
	if form&coder.FormFull == 0 {
		back := uint64(coder.ReadUnsigned(&d, &m.Entry.Back))
		delta := int64(back) + int64(coder.ReadSigned(&d, &m.Entry.Delta))
		if back > seq || delta < 0 || !c.in.history.has(seq-back) {
			return fmt.Errorf("%w: base packet %d is not known", ids.ErrPacket, seq-back)
		}
		baseTick = c.in.history.tick(seq - back)
		tick = baseTick + ids.Tick(delta)
		base = seq - back
		if err := c.readWindow(&d, m, base); err != nil {
			return err
		}
	} else {
		tick, c.dec.lines = ids.Tick(d.Bits(32)), lineWindow{}
	}
	c.dec.base = base
	c.dec.timely = form&coder.FormFull != 0 && !c.in.history.overtaken(seq)
	if err := c.believes(tick); err != nil {
		return err
	}
	var echoed, kept uint32
	if form&coder.FormEcho != 0 {
		echoed, kept = d.Bits(wire.EchoBits), d.Bits(8)
	}
	c.mend.toCheck = c.mend.toCheck[:0]
	c.dec.parts, c.dec.together = false, 1
	if form&coder.FormChecks != 0 {
		c.dec.parts = d.Bits(1) == 1
		if !c.readChecks(&d, &m.Entry) {
			return fmt.Errorf("%w: more than %d checksums", ids.ErrPacket, wire.MaxChecks)
		}
	}
	if err := c.body(&d, m, form, tick, baseTick, false); err != nil {
		return err
	}
	if form&coder.FormEcho != 0 {
		c.echo(echoed, kept, c.in.history.overtaken(seq))
	}
	c.in.history.base = max(c.in.history.base, base)
	c.compare(tick)
	c.dec.estimate.note(tick, c.dec.readingAt, c.cfg.Hz)
	before := c.in.history.newest
	c.in.history.note(seq, tick, c.dec.readingAt)
	c.in.history.noteSend(tick, base, c.dec.together == 0)
	c.in.complete.note(&c.in.history, seq, tick, c.dec.together)
	c.in.complete.noteRow(&c.in.history, seq, before, c.cfg.Missing)
	c.in.named.Note(seq, &c.dec.named)
	if c.dec.stage.skipped {
		c.counters.Skipped++
		c.mend.skipped = append(c.mend.skipped, seq)
	}
	return nil
}

// body reads the sections of a packet or a block, and applies them.
func (c *Proxy) body(d *prefix.Decoder, m *coder.Model, form int, tick, baseTick ids.Tick, block bool) error {
	st := &c.dec.stage
	st.reset(tick)
	st.block = block
	c.dec.named = wire.SentSet{}
	if form&coder.FormRemoved != 0 {
		if err := c.readRemovals(d, m); err != nil {
			return err
		}
	}
	if form&coder.FormArrived != 0 {
		if err := c.readArrivals(d, m); err != nil {
			return err
		}
	}
	if form&coder.FormCalls != 0 {
		if err := c.readCalls(d, m); err != nil {
			return err
		}
	}
	if form&coder.FormAgain != 0 {
		if err := c.readAgain(d, m, baseTick); err != nil {
			return err
		}
	}
	if err := c.readUpdates(d, m, baseTick); err != nil {
		return err
	}
	if form&coder.FormSpeculative != 0 {
		if err := c.readSpeculative(d, m, baseTick); err != nil {
			return err
		}
		if st.skipped && len(c.mend.skipped) >= wire.MaxSkipped {
			return fmt.Errorf("%w: guesses of %d packets were skipped already", ids.ErrPacket, wire.MaxSkipped)
		}
	}
	if c.dec.parts && !block {
		if c.dec.together = coder.ReadUnsigned(d, &m.Entry.Length); st.skipped {
			c.dec.together = 0
		}
	}
	err := d.End()
	if st.skipped {
		err = d.Err() // the rest of the packet was not read
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ids.ErrPacket, err)
	}
	if c.mend.desync.timeless && c.dec.timely && !block {
		c.setTime(tick)
	}
	c.commit()
	return nil
}

// readRemovals reads the removals into the stage.
func (c *Proxy) readRemovals(d *prefix.Decoder, m *coder.Model) error {
	st := &c.dec.stage
	for says := d.Symbol(m.Entry.Remove.T); says > 0; says = d.Symbol(m.Entry.Remove.T) {
		if len(st.removals) == wire.MaxInPacket || d.Err() != nil {
			return fmt.Errorf("%w: removals without end", ids.ErrPacket)
		}
		r := removal{handle: coder.ReadUnsigned(d, &m.Entry.Handle), gen: uint8(d.Bits(8)), tick: st.tick}
		r.destroyed = (says-1)&coder.RemoveDestroyed != 0
		if r.fenced = (says-1)&coder.RemoveFenced != 0; r.fenced {
			r.fence = d.Bits(16)
		}
		if (says-1)&coder.RemoveReason != 0 {
			r.reason = uint8(d.Bits(8))
		}
		if (says-1)&coder.RemoveEarlier != 0 {
			ago := ids.Tick(coder.ReadUnsigned(d, &m.Entry.Run))
			if ago >= st.tick {
				return fmt.Errorf("%w: the end of handle %d is %d ticks before tick %d", ids.ErrPacket, r.handle, ago, st.tick)
			}
			r.tick -= ago + 1
		}
		if r.handle >= wire.MaxHandles {
			return fmt.Errorf("%w: handle %d", ids.ErrPacket, r.handle)
		}
		if (says-1)&coder.RemoveLast != 0 {
			if err := c.readLast(d, m, &r); err != nil {
				return err
			}
		}
		st.removals = append(st.removals, r)
	}
	return nil
}

// readLast reads what a node that is removed was in the end, as updates of its rows. It is skipped
// if the node is not here, or is not what the authority means, as after a damaged packet, or has other
// items, because the arrival with those that it got lately is lost: the node goes all the same, and to
// refuse the packet would have it sent again for ever.
func (c *Proxy) readLast(d *prefix.Decoder, m *coder.Model, of *removal) error {
	bits := int(coder.ReadUnsigned(d, &m.Entry.Length))
	if bits > wire.MaxLastBits+wire.MaxRows {
		return fmt.Errorf("%w: a last state of %d bits", ids.ErrPacket, bits)
	}
	end := d.At() + bits
	laid, hung := c.dec.stage.readSince(d, m), c.dec.stage.readSince(d, m)
	if r, rows := c.tenant(of.handle); r != nil && r.gen == of.gen && r.laid >= laid {
		begun, was, fits := *d, c.dec.stage, true
		for i := rows.first; i < rows.first+uint32(rows.n) && fits; i++ {
			if d.Bits(1) == 1 {
				if fits, _ = c.readRow(d, m, i, coder.RowKeyframe, 0, false); fits && r.ownershipTick < hung {
					c.dec.stage.stayPut(&c.held)
				}
				if fits && c.dec.stage.tick > r.ownershipTick {
					c.dec.stage.ownLast(c, r, i)
				}
			}
		}
		if !fits || d.At() != end {
			*d, c.dec.stage.updates = begun, c.dec.stage.updates[:len(was.updates)]
			c.dec.stage.ownership, c.dec.stage.forgets = c.dec.stage.ownership[:len(was.ownership)], c.dec.stage.forgets[:len(was.forgets)]
		}
	}
	if d.At() > end {
		return fmt.Errorf("%w: a last state of %d bits, which are more", ids.ErrPacket, bits)
	}
	for left := end - d.At(); left > 0; left = end - d.At() {
		d.Bits(min(left, 32))
	}
	return nil
}

// ownLast keeps a node's owner and what is its owner's in agreement where a removal tells the row that was staged
// last, and no owner: the packet with that may be lost. Who is sent what is its owner's owns the node. What is all
// others' does not tell whose it is, so who takes itself for the owner goes without.
func (s *stage) ownLast(c *Proxy, r *Replica, row uint32) {
	switch c.held.types[c.held.rows.rows[row].typ].Audience {
	case ids.OwnerSees:
		if n := len(s.ownership); r.Owner != c.me && (n == 0 || s.ownership[n-1].r != r) {
			s.ownership = append(s.ownership, stagedOwnership{r: r, owner: c.me, last: true})
			for k, t := range r.layout.Rows {
				if t.Audience == ids.OthersSee {
					s.forgets = append(s.forgets, r.rows.first+uint32(k))
				}
			}
		}
	case ids.OthersSee:
		if r.Owner == c.me {
			s.updates = s.updates[:len(s.updates)-1]
		}
	}
}

// readSince reads since when something is so at the authority that this proxy may not have: 0 if it has.
func (s *stage) readSince(d *prefix.Decoder, m *coder.Model) ids.Tick {
	if d.Bits(1) == 0 {
		return 0
	}
	return s.tick - min(ids.Tick(coder.ReadUnsigned(d, &m.Entry.Run)), s.tick)
}

// stayPut gives the row that was staged last the place that it has here, and what else of it is drawn between
// samples, as the direction beside a place: its own are below a parent that is not.
func (s *stage) stayPut(of *holdings) {
	u := &s.updates[len(s.updates)-1]
	t, words := of.types[of.rows.rows[u.row].typ], s.words[u.at:]
	here := of.rows.at(u.row, s.tick)
	if t.Pos[0] < 0 || here == nil {
		return
	}
	for k, from := range t.From {
		if from >= 0 && t.Moves(k) {
			words[k] = here[k]
		}
	}
}

// readCalls reads the unreliable calls into the stage.
func (c *Proxy) readCalls(d *prefix.Decoder, m *coder.Model) error {
	st := &c.dec.stage
	for d.Bits(1) == 1 {
		from := len(st.bytes)
		var ok bool
		if st.bytes, ok = coder.ReadBytes(d, &m.Entry.Length, wire.MaxUnreliable, st.bytes); !ok || len(st.calls) >= wire.MaxCalls {
			return fmt.Errorf("%w: a call is cut short", ids.ErrPacket)
		}
		call, err := wire.ParseCall(st.bytes[from:], c.cfg.Schema, ids.Unreliable)
		if err != nil {
			return fmt.Errorf("%w: %w", ids.ErrPacket, err)
		}
		st.calls = append(st.calls, call)
	}
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
func (s *stage) newVars(t *rowtype.Type) int32 {
	if len(t.Vars) == 0 {
		return 0
	}
	s.vars = append(s.vars, make([]any, len(t.Vars)))
	return int32(len(s.vars))
}

// varsOf returns a row's values of variable length, nil if it has none.
func (s *stage) varsOf(u *stagedRow) []any {
	if u.vars == 0 {
		return nil
	}
	return s.vars[u.vars-1]
}

// readOwnership reads a node's owner and, if hung, its parent's handle. whose is one of
// OwnerNobody, OwnerYou, OwnerOther.
func (c *Proxy) readOwnership(d *prefix.Decoder, m *coder.Model, whose int, hung bool) (owner ids.Peer, parent uint32) {
	switch whose {
	case coder.OwnerYou:
		owner = c.me
	case coder.OwnerOther:
		owner = ids.Peer(d.Bits(32))
	}
	parent = wire.NoHandle
	if hung {
		parent = coder.ReadUnsigned(d, &m.Entry.Handle)
	}
	return owner, parent
}

// readVars reads a row's values of variable length into vars: as differences from base,
// or whole where base is nil. It returns false if one cannot be read.
func (c *Proxy) readVars(d *prefix.Decoder, m *coder.Model, rt *rowtype.Type, base, vars []any) bool {
	for k := range rt.Vars {
		t := rt.Vars[k].Type
		if base != nil && d.Bits(1) == 0 {
			vars[k] = base[k]
			continue
		}
		b, ok := coder.ReadBytes(d, &m.Entry.Length, wire.MaxVar, c.dec.stage.bytes)
		if !ok {
			return false
		}
		from := len(c.dec.stage.bytes)
		c.dec.stage.bytes = b
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
