package send

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/marks"
)

// What an entry of a packet is about.
const (
	recRow     = iota // a version of a row
	recArrival        // a node; the versions of its rows come before it as recRow
	recRemoval
	recOwnership   // owner and parent
	recForget      // a row is taken away from the peer
	recLayout      // the definition of a layout: handle is its number, ver its edition
	recSpeculative // a version of a row that builds on an arrival that is not acked
	recCheck       // a checksum that the peer asked for
)

// What acks and losses mean: records.go in link has what packets carried, as entries; here
// is what their peers are known to have by that.

// takeAcks processes the acks that a peer's link has noted.
func (rc *receiver) takeAcks(p *Peer) {
	l := &p.Link
	for i := range l.Acks {
		r, late := l.Take(&l.Acks[i])
		if r == nil {
			continue
		}
		if late {
			rc.sender.Accounts.Counters.LateAcks++
		}
		rc.arrivedEntries(p, r.Entries, r.Tick, l.Acks[i].Skipped)
		l.Recycle(r)
	}
	l.Taken()
}

// judgeLosses has what was lost sent again.
func (rc *receiver) judgeLosses(p *Peer, now time.Duration) {
	rc.losses = p.Link.Judge(rc.losses[:0], now, rc.sender.Planner.sendPeriod)
	for _, r := range rc.losses {
		rc.lost(p, r)
	}
}

// lost processes the loss of a packet: what it carried is sent again if that is still
// needed. It counts with the peer, since packets are lost in Encode, too.
func (rc *receiver) lost(p *Peer, r *link.Record) {
	p.plan.stale = true // more handles are marked
	p.tally.lost++
	rc.lostEntries(p, r.Entries, r.Tick)
}

// arrivedEntries processes the ack of what a packet or a block carried: versions of rows here,
// the rest in arrivedOther.
func (rc *receiver) arrivedEntries(p *Peer, states []link.Entry, tick ids.Tick, skipped bool) {
	held := p.States
	for i := range states {
		re := &states[i]
		if re.Handle >= uint32(len(held)) && re.Kind != recLayout {
			continue // late by far (trim.go)
		}
		if re.Kind == recRow {
			// The usual ack: of the only row of a node that the peer was known to have, in a version
			// newer than what was acked and no newer than what is on its way.
			e := &held[re.Handle]
			if pr := &e.one; e.gen == re.Gen && e.nrows == 1 && re.Row == 0 && e.life == 0 &&
				pr.known() && uint32(tick) > pr.ackedTick && uint32(tick) <= pr.flightTick && pr.flight != 0 {
				pr.confirm(re, uint32(tick))
				continue
			}
		}
		if re.Kind != recRow && (re.Kind != recSpeculative || skipped) {
			rc.arrivedOther(p, re, states[:i], tick)
			continue
		}
		e := &p.States[re.Handle]
		if e.gen != re.Gen || re.Row >= e.nrows || tick < p.fromOf(e, int(re.Row)) {
			continue // the handle has another node or other items by now, or the peer shall not hold it any more: then it has no rows
		}
		pr := p.row(e, int(re.Row))
		// Before a row's first ack its acked version is only assumed: one that is known
		// now replaces it even if it is older.
		if uint32(tick) > pr.ackedTick || pr.acked == 0 || !pr.known() && e.State == HandleComing {
			pr.confirm(re, uint32(tick))
		} else if pr.known() && uint32(tick) < pr.ackedTick {
			pr.confirmOlder(re, uint32(tick))
		}
		pr.notes |= rowKnown
		if pr.flightTick < pr.ackedTick || pr.flight == 0 {
			// The packet was judged lost and an older version was found to be right.
			// The peer shows this version after all, so the row must be looked at
			// again.
			pr.flight, pr.flightTick = pr.acked, pr.ackedTick
			p.Marks.Set(marks.Dirty, re.Handle)
		}
	}
}

// arrivedOther processes the ack of an entry that is not a row's version, or of a speculative
// that the peer skipped. before are the record's entries before this one.
func (rc *receiver) arrivedOther(p *Peer, re *link.Entry, before []link.Entry, tick ids.Tick) {
	if re.Kind == recLayout {
		if rc.store.Layouts.Numbered[re.Handle].Edition == re.Ver { // else the number is another layout's by now
			p.tables.layouts.Set(re.Handle)
		}
		return
	}
	e := &p.States[re.Handle]
	if e.gen != re.Gen || tick < p.lifeOf(e).laid {
		return
	}
	switch re.Kind {
	case recSpeculative:
		rc.lostRow(p, e, re, tick)
	case recArrival:
		if e.State == HandleComing && !e.has(statePlain) { // a plain node shows the same to everyone
			rc.arrivalShowed(p, re.Handle, before, tick)
		} else if e.State == HandleIn {
			rc.copyShowed(p, re.Handle, before, tick)
			p.Marks.Set(marks.Dirty, re.Handle)
		}
		p.ownershipArrived(e, tick)
		rc.noteArrived(p, re.Handle, e)
	case recOwnership:
		p.ownershipArrived(e, tick)
	case recForget:
		if re.Row >= e.nrows {
			break
		}
		if pr := p.row(e, int(re.Row)); pr.hidden() && uint32(tick) >= pr.flightTick {
			pr.flightTick = 0
		}
	case recRemoval:
		if e.State == HandleGoing {
			if e.note(stateRemoved, true); p.Link.Arrived >= p.lifeOf(e).fence {
				p.freeHandle(re.Handle)
			}
		}
	}
}

// showed reports whether an arrival contained row i of its node. before are the entries of
// the packet's record before the arrival's own; the last of them are its rows.
func (p *Peer) showed(h uint32, before []link.Entry, i int) bool {
	e := &p.States[h]
	for _, re := range before[max(0, len(before)-int(e.nrows)):] {
		if re.Kind == recRow && re.Row == uint8(i) && re.Handle == h {
			return true
		}
	}
	return false
}

// arrivalShowed notes which rows the acked copy of an arrival contained: rights may have
// changed between copies.
func (rc *receiver) arrivalShowed(p *Peer, h uint32, before []link.Entry, tick ids.Tick) {
	e := &p.States[h]
	for i, ri := range rc.store.Nodes[e.slot].Rows() {
		if rc.store.Rows[ri].Type.Audience == ids.Everyone {
			continue
		}
		switch pr, from := p.row(e, i), p.fromOf(e, i); {
		case !p.showed(h, before, i):
			p.begin(h, i, tick+1, pr.newest <= uint32(tick)) // else a later copy that shows it may come yet
		case tick < from:
			p.begin(h, i, from, false) // a later copy lacks it, and may be there, too
		default:
			pr.hide(false)
		}
	}
}

// copyShowed processes a late ack of another copy of an arrival, made with the rights
// of its time. A row that it contained and the peer may not see now is taken away
// again; a row that it lacked and the peer may see now is sent anew.
func (rc *receiver) copyShowed(p *Peer, h uint32, before []link.Entry, tick ids.Tick) {
	e := &p.States[h]
	n := &rc.store.Nodes[e.slot]
	for i, ri := range n.Rows() {
		who := rc.store.Rows[ri].Type.Audience
		if who == ids.Everyone {
			continue
		}
		switch pr := p.row(e, i); {
		case tick < p.fromOf(e, i): // of a later copy, which lacks it, or a later update more is known
		case p.showed(h, before, i):
			pr.hide(false) // the peer has it now; if it may not see it, the next update takes it away
		case pr.hidden():
			p.life(h).setFrom(i, tick+1, &p.Link)
		case p.Sees(n, who) && pr.ackedTick < uint32(tick):
			p.begin(h, i, rc.store.Tick, false)
		}
	}
}

// noteArrived notes that the arrival of a handle's node is acked.
func (rc *receiver) noteArrived(p *Peer, h uint32, e *handleState) {
	if e.State != HandleComing {
		return
	}
	e.State, p.came = HandleIn, true
	p.Marks.Set(marks.Dirty, h) // the node may have changed since
	if e.life != 0 {
		p.setRelayout(p.lifeOf(e), false)
		p.heldNoMore(p.lifeOf(e))
		p.endIfOver(h, rc.store.Tick, rc.sender.Setup.Hz)
	}
}

// lostEntries has what a packet or a void block carried sent again.
func (rc *receiver) lostEntries(p *Peer, states []link.Entry, tick ids.Tick) {
	for i := range states {
		re := &states[i]
		if re.Kind == recLayout || re.Handle >= uint32(len(p.States)) {
			continue
		}
		e := &p.States[re.Handle]
		if e.gen != re.Gen || tick < p.lifeOf(e).laid && re.Kind != recRemoval {
			continue
		}
		switch re.Kind {
		case recRow, recSpeculative:
			rc.lostRow(p, e, re, tick)
		case recArrival:
			if e.State == HandleComing && e.inflight > 0 {
				e.inflight--
				p.came, p.arrivals.lost = true, true
			}
			fallthrough
		case recOwnership:
			if p.lifeOf(e).ownershipTick == tick && e.isHere() {
				e.note(stateOwnership, true)
				p.Marks.Set(marks.Dirty, re.Handle)
			}
		case recRemoval:
			if e.State == HandleGoing && e.inflight > 0 {
				e.inflight--
				p.went = true
			}
		case recCheck:
			p.check(re.Handle)
		case recForget:
			if re.Row >= e.nrows {
				continue
			}
			if pr := p.row(e, int(re.Row)); pr.hidden() && pr.flightTick == uint32(tick) { // else a later one is under way, or one has come
				pr.hide(false) // the peer may still have it: take it away again
				p.Marks.Set(marks.Dirty, re.Handle)
			}
		}
	}
}

// lostRow takes back that a version of a row is on its way, if no newer one is.
func (rc *receiver) lostRow(p *Peer, e *handleState, re *link.Entry, tick ids.Tick) {
	if !e.isHere() || re.Row >= e.nrows {
		return
	}
	pr := p.row(e, int(re.Row))
	if pr.flightTick == uint32(tick) {
		pr.flight, pr.flightTick = pr.acked, pr.ackedTick
		pr.pendSince(tick)
		if e.State == HandleComing {
			pr.flight, pr.flightTick = 0, 0 // acked is only assumed and may be wrong
		}
		p.Marks.Set(marks.Dirty, re.Handle)
	}
}
