package rpl

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/rate"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// What the authority knows of the packets to a peer: what each carried, which have
// arrived, and which are judged lost (protocol rules 11 to 16).

// peerLink is the state of the datagrams to and from one peer: first what every send
// reads, then what acks and packets need, then what is rarely used.
type peerLink struct {
	next     uint64        // one past the newest sequence number sent
	heard    time.Duration // when the peer last said anything
	lastSent time.Duration
	oldest   uint64        // no packet below it is in flight; 0: none is
	base     uint64        // the newest packet known to have arrived; at first the one before the first
	quiet    time.Duration // until then no packet in flight times out; 0: check them
	loss     float64       // share of packets lost, smoothed over some 200
	acks     []ack         // those that came since the last Schedule, in few or in many

	model    *coder.Model   // codes the packets to the peer
	records  []packetRecord // of the newest packets; a record's place is its number modulo their count
	open     uint64         // bit i: packet next-1-i was sent and not acked
	inNewest uint64         // the newest packet from the peer
	inAt     time.Duration
	echoed   time.Duration

	ackedAt  time.Duration // when base was sent
	baseTick Tick          // tick of base; 0: none yet
	told     Tick          // tick of the last packet
	arrived  uint64        // reliable messages that the peer has applied
	sent     uint64        // reliable messages sent
	inSeen   bool
	judged   uint8         // packets counted in loss, at most lossWindow
	few      [1]ack        // mostly enough for acks
	trip     wire.Estimate // of the round trip
	answer   wire.Estimate // of the time from a packet to its ack, which a peer that acts rarely holds for long

	many   []ack
	spare  [][]recEntry    // lists of finished records, for reuse
	late   []*packetRecord // of lost packets whose places newer ones have taken, by ascending number
	idle   []*packetRecord // unused records for late
	blocks []blockRecord

	line rate.Line // what it carries
}

// blockRecord is what a reliable message carried in place of a packet.
type blockRecord struct {
	number  uint64
	tick    Tick
	void    bool // the block was replaced by an empty one
	entries []recEntry
}

// frozen is whether the peer has been silent for so long that it is sent nothing but
// probes.
func (p *peer) frozen(now time.Duration) bool {
	return p.link.next > 0 && now-p.link.heard > wire.Silence
}

// acked processes the ack of a packet. skipped says that the peer left out its guesses.
func (a *Authority) acked(p *peer, r *packetRecord, skipped bool) {
	late := 0
	if r.state == recLost {
		a.counters.LateAcks++
		p.link.unlose()
		late = 1
	}
	p.link.line.Count(1, -late)
	r.state = recAcked
	p.purse.arrived++
	p.link.quiet = 0
	p.link.observe(0)
	if r.seq > p.link.base || p.link.baseTick == 0 {
		p.link.base, p.link.baseTick, p.link.ackedAt = r.seq, r.tick, r.at
	}
	a.arrivedEntries(p, r.entries, r.tick, skipped)
	p.link.recycle(r)
}

// arrivedEntries processes the ack of what a packet or a block carried: versions of rows here,
// the rest in arrivedOther.
func (a *Authority) arrivedEntries(p *peer, entries []recEntry, tick Tick, skipped bool) {
	for i := range entries {
		re := &entries[i]
		if re.kind == recRow && p.entries[re.handle].confirm(re, uint32(tick)) {
			continue
		}
		if re.kind != recRow && (re.kind != recGuess || skipped) {
			a.arrivedOther(p, re, entries[:i], tick)
			continue
		}
		e := &p.entries[re.handle]
		if e.gen != re.gen || tick < e.laid || re.row >= e.nrows {
			continue // the handle has another node or other items by now, or the peer shall not hold it any more: then it has no rows
		}
		pr := p.row(e, int(re.row))
		if uint32(tick) < pr.from {
			continue
		}
		// Before a row's first ack its acked version is only a guess: one that is known
		// now replaces it even if it is older.
		if uint32(tick) > pr.ackedTick || pr.acked == 0 || !pr.known && e.state == entryComing {
			pr.acked, pr.ackedTick = re.ver, uint32(tick)
		}
		pr.known = true
		if pr.flightTick < pr.ackedTick || pr.flight == 0 {
			// The packet was judged lost and an older version was found to be right.
			// The peer shows this version after all, so the row must be looked at
			// again.
			pr.flight, pr.flightTick = pr.acked, pr.ackedTick
			p.marks.set(markDirty, re.handle)
		}
	}
}

// confirm processes the ack of the usual kind: the only row of a node that the peer was known
// to have, in a version newer than what was acked and no newer than what is on its way. It
// reports false, and does nothing, for any other.
func (e *entry) confirm(re *recEntry, tick uint32) bool {
	pr := &e.one
	if e.gen != re.gen || e.nrows != 1 || re.row != 0 || tick < uint32(e.laid) || tick < pr.from ||
		!pr.known || tick <= pr.ackedTick || tick > pr.flightTick || pr.flight == 0 {
		return false
	}
	pr.acked, pr.ackedTick = re.ver, tick
	return true
}

// arrivedOther processes the ack of an entry that is not a row's version, or of a guess
// that the peer skipped. before are the record's entries before this one.
func (a *Authority) arrivedOther(p *peer, re *recEntry, before []recEntry, tick Tick) {
	if re.kind == recLayout {
		if a.numbered[re.handle].Edition == re.ver { // else the number is another layout's by now
			p.layouts.Set(re.handle)
		}
		return
	}
	e := &p.entries[re.handle]
	if e.gen != re.gen || tick < e.laid {
		return
	}
	switch re.kind {
	case recGuess:
		a.lostRow(p, e, re, tick)
	case recArrival:
		if e.state == entryComing && !e.plain { // a plain node shows the same to everyone
			a.arrivalShowed(p, e, before, tick)
		} else if e.state == entryIn {
			a.copyShowed(p, e, before, tick)
			p.marks.set(markDirty, re.handle)
		}
		a.noteArrived(p, re.handle, e)
	case recMeta:
		p.visits[re.handle].metaArrived(tick)
	case recRemoval:
		if e.state == entryGoing {
			v := &p.visits[re.handle]
			if v.removed = true; p.link.arrived >= v.fence {
				p.freeHandle(re.handle)
			}
		}
	}
}

// showed reports whether an arrival contained row i of its node. before are the entries of
// the packet's record before the arrival's own; the last of them are its rows.
func (p *peer) showed(e *entry, before []recEntry, i int) bool {
	for _, re := range before[max(0, len(before)-int(e.nrows)):] {
		if re.kind == recRow && re.row == uint8(i) && p.entries[re.handle].node == e.node {
			return true
		}
	}
	return false
}

// arrivalShowed notes which rows the acked copy of an arrival contained: rights may have
// changed between copies.
func (a *Authority) arrivalShowed(p *peer, e *entry, before []recEntry, tick Tick) {
	slot, ok := a.slot(e.node)
	if !ok {
		return
	}
	for i, ri := range a.nodes[slot].rows {
		if a.rows[ri].t.Audience == Everyone {
			continue
		}
		if pr := p.row(e, i); p.showed(e, before, i) {
			pr.hidden = false
		} else {
			*pr = peerRow{hidden: true, from: uint32(tick) + 1}
		}
	}
}

// copyShowed processes a late ack of another copy of an arrival, made with the rights
// of its time. A row that it contained and the peer may not see now is taken away
// again; a row that it lacked and the peer may see now is sent anew.
func (a *Authority) copyShowed(p *peer, e *entry, before []recEntry, tick Tick) {
	slot, ok := a.slot(e.node)
	if !ok {
		return
	}
	n := &a.nodes[slot]
	for i, ri := range n.rows {
		who := a.rows[ri].t.Audience
		if who == Everyone {
			continue
		}
		switch pr := p.row(e, i); {
		case pr.hidden && uint32(tick) < pr.from: // a later copy, which lacked it, was acked before
		case p.showed(e, before, i):
			pr.hidden = false // the peer has it now; if it may not see it, the next update takes it away
		case pr.hidden:
			pr.from = uint32(tick) + 1
		case a.sees(p, n, who) && pr.ackedTick < uint32(tick):
			*pr = peerRow{from: uint32(a.tick)}
		}
	}
}

// noteArrived notes that the arrival of a handle's node is acked.
func (a *Authority) noteArrived(p *peer, h uint32, e *entry) {
	if e.state != entryComing {
		return
	}
	v := &p.visits[h]
	e.state, v.relayout, p.came = entryIn, false, true
	p.heldNoMore(v)
	p.marks.set(markDirty, h) // the node may have changed since
}

// lost processes the loss of a packet: what it carried is sent again if that is still
// needed.
func (a *Authority) lost(p *peer, r *packetRecord) {
	r.state = recLost
	p.plan.stale = true // more handles are marked
	p.link.observe(1)
	p.link.line.Count(0, 1)
	p.tally.lost++
	a.lostEntries(p, r.entries, r.tick)
}

// lostEntries has what a packet or a void block carried told again.
func (a *Authority) lostEntries(p *peer, entries []recEntry, tick Tick) {
	for i := range entries {
		re := &entries[i]
		if re.kind == recLayout {
			continue
		}
		e := &p.entries[re.handle]
		if e.gen != re.gen || tick < e.laid && re.kind != recRemoval {
			continue
		}
		switch re.kind {
		case recRow, recGuess:
			a.lostRow(p, e, re, tick)
		case recMeta:
			if p.visits[re.handle].metaTick == tick && (e.state == entryIn || e.state == entryComing) {
				e.meta = true
				p.marks.set(markDirty, re.handle)
			}
		case recArrival:
			if v := &p.visits[re.handle]; e.state == entryComing && v.inflight > 0 {
				v.inflight--
				p.came = true
			}
		case recRemoval:
			if v := &p.visits[re.handle]; e.state == entryGoing && v.inflight > 0 {
				v.inflight--
				p.went = true
			}
		case recCheck:
			p.check(re.handle)
		case recForget:
			if (e.state == entryIn || e.state == entryComing) && re.row < e.nrows {
				p.row(e, int(re.row)).hidden = false // the peer may still have it: take it away again
				p.marks.set(markDirty, re.handle)
			}
		}
	}
}

// lostRow takes back that a version of a row is on its way, if no newer one is.
func (a *Authority) lostRow(p *peer, e *entry, re *recEntry, tick Tick) {
	if (e.state != entryIn && e.state != entryComing) || re.row >= e.nrows {
		return
	}
	pr := p.row(e, int(re.row))
	if pr.flightTick == uint32(tick) {
		pr.flight, pr.flightTick, pr.since = pr.acked, pr.ackedTick, tick
		if e.state == entryComing {
			pr.flight, pr.flightTick = 0, 0 // acked is only a guess and may be wrong
		}
		p.marks.set(markDirty, re.handle)
	}
}

// judgeLosses decides which packets in flight are lost: those that were sent
// reorderTime or more before an acked one, and those that have timed out. On a line with a
// deep queue, round trips may take many seconds. If what waits there counted as lost, it
// would be sent again, and keep the queue full for ever.
func (a *Authority) judgeLosses(p *peer, now time.Duration) {
	l := &p.link
	if l.oldest == 0 || now <= l.quiet {
		return
	}
	l.quiet = 0
	timeout := wire.Silence
	if l.trip.Mean != 0 {
		timeout = max(l.trip.Time()*3/2, l.answer.Most()) + a.sendPeriod + wire.ReorderTime
	}
	for seq := l.oldest; seq < l.next; seq++ {
		r := l.record(seq)
		if r.seq != seq || r.state != recFlight {
			if seq == l.oldest {
				l.oldest++
			}
			continue
		}
		if (l.baseTick != 0 && r.seq < l.base && r.at+wire.ReorderTime <= l.ackedAt) || now-r.at > timeout {
			a.lost(p, r)
			if seq == l.oldest {
				l.oldest++
			}
			continue
		}
		if l.quiet == 0 {
			l.quiet = r.at + timeout
		}
		if r.seq >= l.base {
			break // later packets have not timed out either
		}
	}
	if l.oldest == l.next {
		l.oldest = 0
	}
}

// observe adds one packet's fate to the loss: the mean of the first packets, smoothed
// after that.
func (l *peerLink) observe(lost float64) {
	l.judged = min(l.judged+1, wire.LossWindow)
	l.loss += (lost - l.loss) / float64(max(l.judged, wire.LossFirst))
}

// unlose takes a packet that was not lost after all out of the loss.
func (l *peerLink) unlose() { l.loss = max(0, l.loss-1/float64(max(l.judged, wire.LossFirst))) }

// lossy is whether so much is lost that what is told once is told again unasked.
func (l *peerLink) lossy() bool { return l.copiesFor() > 1 }

// copiesFor is how many copies of an arrival or a removal to send at the measured loss
// (protocol §5).
func (l *peerLink) copiesFor() uint8 {
	switch {
	case l.loss < 0.005:
		return 1
	case l.loss < 0.03:
		return 2
	case l.loss < 0.1:
		return 4
	}
	return 5
}

// copyDue is how long after the first copy the n-th one (counted from 0) may leave: at
// 60 Hz 0, 1, 3, 7 sends later; under heavy loss 0, 1, 2, 3, 7.
func copyDue(n, copies uint8) time.Duration {
	if copies > 4 {
		return wire.CopyUnit * [...]time.Duration{0, 1, 2, 3, 7}[n]
	}
	return wire.CopyUnit * (1<<n - 1)
}
