package rpl

import (
	"fmt"
	"math"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Receive takes a datagram of a peer: its sequence number, when it came, its bytes.
// Errors wrap ErrPacket, which is counted, or ErrNoPeer. They need no action: nothing
// was applied.
func (a *Authority) Receive(id Peer, seq uint64, at time.Duration, b []byte) error {
	p := a.byID.find(id)
	if p == nil {
		return fmt.Errorf("rpl: peer %d: %w", id, ErrNoPeer)
	}
	var d prefix.Decoder
	d.Reset(b)
	u, err := a.readUp(p, &d)
	if err != nil {
		a.counters.BadPackets++
		return fmt.Errorf("rpl: peer %d: %w", id, err)
	}
	l := &p.link
	frozen := p.frozen(at)
	u.next = !l.inSeen || seq-l.inNewest <= 2 // the number between may be of a packet of the lane alone
	if !l.inSeen || seq > l.inNewest {
		l.inSeen, l.inNewest, l.inAt = true, seq, at
	} else {
		a.overtaken(l, u, l.inNewest-seq)
	}
	l.heard = max(l.heard, at)
	a.applyUp(p, u, at)
	if frozen && u.any {
		a.takeAcks(p)
		a.thaw(p)
	}
	return nil
}

// overtaken removes from a datagram what newer datagrams have made untrue; late is by
// how many numbers it is older than the newest. The count of reliable messages has only
// 16 bits. A call names its handle with a gen of 8 bits, so it may mean an earlier node
// of the handle. A handle gets its next node only after a removal was acked, so 256 of
// them take at least as many datagrams.
func (a *Authority) overtaken(l *peerLink, u *up, late uint64) {
	u.applied = l.arrived
	if late >= wire.Generations {
		a.counters.CallsDropped += uint64(len(u.calls))
		u.calls = u.calls[:0]
	}
}

// up is a peer's datagram as read.
type up struct {
	any     bool
	newest  uint64
	hold    int16                       // milliseconds since the newest packet came
	acks    [wire.AckWindow / 64]uint64 // bit i: newest-1-i was applied
	n       uint
	applied uint64
	model   uint8
	skipped [wire.AckWindow/64 + 1]uint64 // bit i: newest-i was applied, except for its guesses
	some    bool                          // skipped has any
	next    bool                          // hardly any datagram was lost right before it
	refused []wire.Refusal
	calls   []wire.WireCall
}

// begin empties u field by field, so that the slices' pointers are not written.
func (u *up) begin() {
	u.any, u.newest, u.hold, u.n = false, 0, 0, 0
	clear(u.acks[:])
	if u.some {
		u.some = false
		clear(u.skipped[:])
	}
	u.refused = u.refused[:0]
	u.calls = u.calls[:0]
}

// came notes that n packets were applied, down from newest-1-i.
func (u *up) came(i, n uint) {
	for n > 0 {
		some := min(n, 64-i%64)
		u.acks[i/64] |= ^uint64(0) >> ((64 - some) & 63) << (i % 64)
		i, n = i+some, n-some
	}
}

// readUp reads a datagram of a peer. The result is valid until the next call.
func (a *Authority) readUp(p *peer, d *prefix.Decoder) (*up, error) {
	u, l := &a.up, &p.link
	u.begin()
	head := d.Peek()
	if u.any = head&1 != 0; u.any {
		u.newest = nearest(l.next, uint32(head>>1))
		u.hold = int16(head >> 17 & 0xff)
		d.Skip(1 + 16 + 8)
		if !u.readAcks(d, &a.defaults.Entry) || u.newest >= l.next {
			return nil, fmt.Errorf("%w: it acks packet %d of %d", ErrPacket, u.newest, l.next)
		}
	} else {
		d.Skip(1)
	}
	rest := d.Peek()
	u.applied = l.arrived + uint64(uint16(rest)-uint16(l.arrived))
	u.model = uint8(rest >> 16 & 3)
	d.Skip(16 + 2)
	if rest>>18&7 == 0 { // nearly always: nothing skipped, refused or called
		d.Skip(3)
	} else if err := a.readLists(u, d); err != nil {
		return nil, err
	}
	if err := d.End(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPacket, err)
	}
	return u, nil
}

// readAcks reads which packets were applied, and reports whether there are not too
// many.
func (u *up) readAcks(d *prefix.Decoder, m *coder.EntryModel) bool {
	u.n = uint(coder.ReadUnsigned(d, &m.Length))
	if u.n > wire.AckWindow {
		return false
	}
	came := true
	for i := uint(0); i < u.n && d.Err() == nil; came = !came {
		run := u.n - i // all the rest, coded as 0
		if told := uint(coder.ReadUnsigned(d, &m.Run)); told > 0 {
			run = min(run, told-1)
		}
		if came {
			u.came(i, run)
		}
		i += run
	}
	return true
}

// readLists reads the lists that are mostly empty: skipped, refused, calls.
func (a *Authority) readLists(u *up, d *prefix.Decoder) error {
	m := &a.defaults.Entry
	for n := 0; d.Bits(1) == 1; n++ {
		if n >= wire.MaxSkipped {
			return fmt.Errorf("%w: it has skipped the guesses of more than %d packets", ErrPacket, wire.MaxSkipped)
		}
		if age := coder.ReadUnsigned(d, &m.Length); age <= wire.AckWindow {
			u.some = true
			u.skipped[age/64] |= 1 << (age % 64)
		}
	}
	for d.Bits(1) == 1 {
		if len(u.refused) >= wire.MaxRefusals {
			return fmt.Errorf("%w: it refuses more than %d rows", ErrPacket, wire.MaxRefusals)
		}
		h, row := coder.ReadUnsigned(d, &m.Handle), coder.ReadUnsigned(d, &m.Length)
		if row <= math.MaxUint8 {
			u.refused = append(u.refused, wire.Refusal{Handle: h, Row: uint8(row)})
		}
	}
	a.upBytes = a.upBytes[:0]
	for d.Bits(1) == 1 {
		if len(u.calls) >= wire.MaxDue {
			return fmt.Errorf("%w: more than %d calls", ErrPacket, wire.MaxDue)
		}
		from := len(a.upBytes)
		var ok bool
		if a.upBytes, ok = coder.ReadBytes(d, &m.Length, wire.MaxUnreliable, a.upBytes); !ok {
			return fmt.Errorf("%w: a call is cut short", ErrPacket)
		}
		c, err := wire.ParseCall(a.upBytes[from:len(a.upBytes):len(a.upBytes)], a.cfg.Schema, Unreliable)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrPacket, err)
		}
		u.calls = append(u.calls, c)
	}
	return nil
}

// applyUp applies a datagram that could be read. Acks only ever name packets that were
// sent.
func (a *Authority) applyUp(p *peer, u *up, at time.Duration) {
	l := &p.link
	if u.applied > l.arrived && u.applied <= p.given() {
		l.arrived = u.applied
		a.blocksArrived(p)
	}
	if u.any {
		a.noteAcks(p, u, at)
	}
	if len(u.refused) > 0 {
		a.takeAcks(p) // the refusals may be of rows that the acks in this datagram are about
	}
	if u.model == p.tables && p.link.model != a.model && p.tables == a.model.Number && l.arrived >= p.shipped {
		// The peer has the newest tables, and not earlier ones of that number.
		p.link.model, p.turned, p.tablesAt = a.model, l.next, a.now
	}
	for _, r := range u.refused {
		a.refused(p, r)
	}
	for _, c := range u.calls {
		a.called(p, c)
	}
}

// blocksArrived processes the blocks that a peer has applied, and frees the handles whose
// fences that was.
func (a *Authority) blocksArrived(p *peer) {
	l := &p.link
	for len(l.blocks) > 0 && l.blocks[0].number <= l.arrived {
		b := l.blocks[0]
		l.blocks = l.blocks[1:]
		if b.void {
			a.sayAnew(p, &b)
		} else {
			a.arrivedEntries(p, b.entries, b.tick, false)
		}
	}
	for _, h := range p.going {
		if v := &p.visits[h]; p.entries[h].state == entryGoing && v.fence <= l.arrived && v.removed {
			p.freeHandle(h)
		}
	}
}

// thaw ends a peer's silence: whatever was in flight counts as lost.
func (a *Authority) thaw(p *peer) {
	for i := range p.link.records {
		if r := &p.link.records[i]; r.state == recFlight {
			a.lost(p, r)
		}
	}
}

// nearest is the highest number below limit with the given low 16 bits.
func nearest(limit uint64, low uint32) uint64 {
	n := limit&^0xffff | uint64(low&0xffff)
	if n >= limit && n >= 1<<16 {
		n -= 1 << 16
	}
	return n
}

// ReceiveMessage takes a message of a peer's reliable lane. Errors are those of
// Receive.
func (a *Authority) ReceiveMessage(id Peer, b []byte) error {
	p := a.byID.find(id)
	if p == nil {
		return fmt.Errorf("rpl: peer %d: %w", id, ErrNoPeer)
	}
	if len(b) == 0 || b[0] != wire.MsgCall {
		a.counters.BadPackets++
		return fmt.Errorf("rpl: peer %d: %w: an unknown message", id, ErrPacket)
	}
	c, err := wire.ParseCall(b[1:], a.cfg.Schema, Reliable)
	if err != nil {
		a.counters.BadPackets++
		return fmt.Errorf("rpl: peer %d: %w: %w", id, ErrPacket, err)
	}
	a.called(p, c)
	return nil
}
