package send

import (
	"fmt"
	"math"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The Receive stage of the authority: the datagrams and reliable messages of peers.
// Datagrams are coded with the default tables:
//
//	any? [newest packet's number 16, its age in ms 8, count, runs of acks],
//	reliable messages applied 16, model 2,
//	skipped? [age …], refused? [handle, row …], calls [bytes …]
//
// The runs go down from the packet below the newest. They are runs, by turns of packets
// that were received and applied, and of packets that were not.

// Receive is Authority.Receive.
func (rc *receiver) Receive(id ids.Peer, seq uint64, at time.Duration, b []byte) error {
	p := rc.sender.ByID.Find(id)
	if p == nil {
		return fmt.Errorf("rpl: peer %d: %w", id, ids.ErrNoPeer)
	}
	var d prefix.Decoder
	d.Reset(b)
	u, err := rc.readPacket(p, &d)
	if err != nil {
		rc.sender.Accounts.Counters.BadPackets++
		return fmt.Errorf("rpl: peer %d: %w", id, err)
	}
	u.seq = seq
	l := &p.Link
	frozen := p.Link.Frozen(at)
	u.report.Next = !l.InSeen || seq-l.InNewest <= 2 // the number between may be of a packet of the lane alone
	if !l.InSeen || seq > l.InNewest {
		l.InSeen, l.InNewest, l.InAt = true, seq, at
	} else {
		rc.overtaken(l, u, l.InNewest-seq)
	}
	l.LastReceived = max(l.LastReceived, at)
	rc.applyPacket(p, u, at)
	if frozen && u.any {
		rc.takeAcks(p)
		rc.thaw(p, true)
	}
	return nil
}

// overtaken removes from a datagram what newer datagrams have made untrue; late is by
// how many numbers it is older than the newest. The count of reliable messages has only
// 16 bits. A call names its handle with a gen of 8 bits, so it may mean an earlier node
// of the handle. A handle gets its next node only after a removal was acked, so 256 of
// them take at least as many datagrams.
func (rc *receiver) overtaken(l *link.Link, u *clientPacket, late uint64) {
	u.applied = l.Arrived
	if late >= wire.Generations {
		rc.sender.Accounts.Counters.CallsDropped += uint64(len(u.calls))
		u.calls = u.calls[:0]
	}
}

// clientPacket is a peer's datagram as read.
type clientPacket struct {
	any     bool
	seq     uint64
	report  link.Report
	applied uint64
	model   uint8
	nacks   []wire.Nack
	calls   []wire.WireCall
}

// begin empties u field by field, so that the slices' pointers are not written.
func (u *clientPacket) begin() {
	u.any = false
	u.report.Begin()
	u.nacks = u.nacks[:0]
	u.calls = u.calls[:0]
}

// readPacket reads a datagram of a peer. The result is valid until the next call.
func (rc *receiver) readPacket(p *Peer, d *prefix.Decoder) (*clientPacket, error) {
	u, l := &rc.packet, &p.Link
	u.begin()
	head := d.Peek()
	if u.any = head&1 != 0; u.any {
		u.report.Newest = link.Whole(l.Next, uint32(head>>1))
		u.report.Hold = int16(head >> 17 & 0xff)
		d.Skip(1 + 16 + 8)
		if !readAcks(&u.report, d, &rc.sender.Tables.Defaults.Entry) || u.report.Newest >= l.Next {
			return nil, fmt.Errorf("%w: it acks packet %d of %d", ids.ErrPacket, u.report.Newest, l.Next)
		}
	} else {
		d.Skip(1)
	}
	rest := d.Peek()
	u.applied = l.Arrived + uint64(uint16(rest)-uint16(l.Arrived))
	u.model = uint8(rest >> 16 & 3)
	d.Skip(16 + 2)
	if rest>>18&7 == 0 { // nearly always: nothing skipped, refused or called
		d.Skip(3)
	} else if err := rc.readLists(u, d); err != nil {
		return nil, err
	}
	if err := d.End(); err != nil {
		return nil, fmt.Errorf("%w: %w", ids.ErrPacket, err)
	}
	return u, nil
}

// readAcks reads which packets were applied, and reports whether there are not too
// many.
func readAcks(u *link.Report, d *prefix.Decoder, m *coder.EntryModel) bool {
	u.N = uint(coder.ReadUnsigned(d, &m.Length))
	if u.N > wire.AckWindow {
		return false
	}
	came := true
	for i := uint(0); i < u.N && d.Err() == nil; came = !came {
		run := u.N - i // all the rest, coded as 0
		if length := uint(coder.ReadUnsigned(d, &m.Run)); length > 0 {
			run = min(run, length-1)
		}
		if came {
			u.Came(i, run)
		}
		i += run
	}
	return true
}

// readLists reads the lists that are mostly empty: skipped, refused, calls.
func (rc *receiver) readLists(u *clientPacket, d *prefix.Decoder) error {
	m := &rc.sender.Tables.Defaults.Entry
	for n := 0; d.Bits(1) == 1; n++ {
		if n >= wire.MaxSkipped {
			return fmt.Errorf("%w: it has skipped the speculative updates of more than %d packets", ids.ErrPacket, wire.MaxSkipped)
		}
		if age := coder.ReadUnsigned(d, &m.Length); age <= wire.AckWindow {
			u.report.Skips(age)
		}
	}
	for d.Bits(1) == 1 {
		if len(u.nacks) >= wire.MaxNacks {
			return fmt.Errorf("%w: it refuses more than %d rows", ids.ErrPacket, wire.MaxNacks)
		}
		h, row := coder.ReadUnsigned(d, &m.Handle), coder.ReadUnsigned(d, &m.Length)
		if row <= math.MaxUint8 {
			u.nacks = append(u.nacks, wire.Nack{Handle: h, Row: uint8(row)})
		}
	}
	rc.packetBytes = rc.packetBytes[:0]
	for d.Bits(1) == 1 {
		if len(u.calls) >= wire.MaxCallsUp {
			return fmt.Errorf("%w: more than %d calls", ids.ErrPacket, wire.MaxCallsUp)
		}
		from := len(rc.packetBytes)
		var ok bool
		if rc.packetBytes, ok = coder.ReadBytes(d, &m.Length, wire.MaxUnreliable, rc.packetBytes); !ok {
			return fmt.Errorf("%w: a call is cut short", ids.ErrPacket)
		}
		c, err := wire.ParseCall(rc.packetBytes[from:len(rc.packetBytes):len(rc.packetBytes)], rc.store.Schema, ids.Unreliable)
		if err != nil {
			return fmt.Errorf("%w: %w", ids.ErrPacket, err)
		}
		u.calls = append(u.calls, c)
	}
	return nil
}

// applyPacket applies a datagram that could be read. Acks only ever name packets that were
// sent.
func (rc *receiver) applyPacket(p *Peer, u *clientPacket, at time.Duration) {
	l := &p.Link
	if u.applied > l.Arrived && u.applied <= p.RPC.Ready.Given() {
		l.Arrived = u.applied
		rc.blocksArrived(p)
	}
	if u.any {
		if p.Link.Full() {
			rc.takeAcks(p)
		}
		p.Link.NoteAcks(&u.report, at)
	}
	if len(u.nacks) > 0 {
		rc.takeAcks(p) // the refusals may be of rows that the acks in this datagram are about
	}
	if u.model == p.tables.newest && p.Model != rc.sender.Tables.Model && p.tables.newest == rc.sender.Tables.Model.Number && l.Arrived >= p.tables.shipped {
		// The peer has the newest tables, and not earlier ones of that number.
		p.Model, p.tables.inUse, p.tables.at = rc.sender.Tables.Model, l.Next, rc.store.Now
	}
	for _, r := range u.nacks {
		rc.nacked(p, r)
	}
	for _, c := range u.calls {
		rc.sender.Calls.called(p, c, u.seq)
	}
}

// blocksArrived processes the blocks that a peer has applied, and frees the handles whose
// fences that was.
func (rc *receiver) blocksArrived(p *Peer) {
	l := &p.Link
	for len(l.Blocks) > 0 && l.Blocks[0].Number <= l.Arrived {
		b := l.Blocks[0]
		l.Blocks = l.Blocks[1:]
		if b.Void {
			rc.sendAnew(p, &b)
		} else {
			rc.arrivedEntries(p, b.Entries, b.Tick, false)
		}
	}
	for _, h := range p.going {
		if e := &p.States[h]; e.State == HandleGoing && e.has(stateRemoved) && p.lifeOf(e).fence <= l.Arrived {
			p.freeHandle(h)
		}
	}
}

// thaw ends a peer's silence: whatever was in flight counts as lost, in the measured loss, too, if it is.
func (rc *receiver) thaw(p *Peer, lost bool) {
	rc.losses = p.Link.Thaw(rc.losses[:0], lost)
	for _, r := range rc.losses {
		rc.lost(p, r)
	}
}

// ReceiveMessage is Authority.ReceiveMessage.
func (rc *receiver) ReceiveMessage(id ids.Peer, b []byte) error {
	p := rc.sender.ByID.Find(id)
	if p == nil {
		return fmt.Errorf("rpl: peer %d: %w", id, ids.ErrNoPeer)
	}
	if len(b) == 0 || b[0] != wire.MsgCall {
		rc.sender.Accounts.Counters.BadPackets++
		return fmt.Errorf("rpl: peer %d: %w: an unknown message", id, ids.ErrPacket)
	}
	c, err := wire.ParseCall(b[1:], rc.store.Schema, ids.Reliable)
	if err != nil {
		rc.sender.Accounts.Counters.BadPackets++
		return fmt.Errorf("rpl: peer %d: %w: %w", id, ids.ErrPacket, err)
	}
	rc.sender.Calls.called(p, c, 0)
	return nil
}

// nacked answers a nack. It has a keyframe of the row sent, unless one is on its way,
// and owner and parent, which an unreadable block may have carried. Versions sent before
// are not used as bases any more, whatever acks say of them; newest and carried are kept,
// since they decide what an implicit base means. Nacks of a whole node or of all nodes
// are noted for mend (resync.go).
func (rc *receiver) nacked(p *Peer, r wire.Nack) {
	switch {
	case r.Handle == wire.AllNodes:
		p.resync.asked, p.resync.lost, p.busy = true, p.resync.lost || r.Row != 0, true
		return
	case r.Handle >= uint32(len(p.States)):
		return
	case r.Row == wire.WholeNode:
		if s := &p.resync; len(s.nodes) < wire.MaxNacks {
			s.nodes, p.busy = append(s.nodes, r.Handle), true
		}
		return
	}
	e := &p.States[r.Handle]
	if e.State != HandleIn || r.Row >= e.nrows {
		return
	}
	e.note(stateOwnership, true)
	p.Marks.Set(marks.Dirty, r.Handle)
	pr := p.row(e, int(r.Row))
	if pr.acked == 0 && pr.flight != 0 {
		return
	}
	newest, carried := pr.newest, pr.carried
	p.begin(r.Handle, int(r.Row), p.nextTick(rc.store.Tick), false)
	pr.newest, pr.carried = newest, carried
}
