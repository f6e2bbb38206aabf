package rpl

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Booking: noting as sent what a peer's packets carry. Updates are booked in Schedule
// as soon as it is certain which of them leave, while their data is in the cache; what
// may still be put off is booked in Encode.

// bookUpdates books the updates that leave, gives them their names on the wire, counts
// those names for the learner, and moves updates with a new parent or owner to the
// front.
func (a *Authority) bookUpdates(p *peer) {
	gaps := a.learner.Gaps
	gaps[coder.GapEnd]++
	p.plan.metaBits = 0
	if p.plan.updates.empty() {
		return
	}
	pl, m := &p.plan, &p.link.model.Entry
	updates := pl.updates.in(a.pieces.updates)
	last, metas := uint32(0), 0
	lossy := p.link.lossy()
	for i := range updates {
		u := &updates[i]
		if u.skip {
			continue
		}
		next := u.handle + 1
		gap := next - last
		last = next
		name, sym := m.Near[gap%coder.NearGaps], coder.NearSyms[gap%coder.NearGaps]
		if gap >= coder.NearGaps || u.special {
			if u.name == alikeName {
				last = a.bookAlike(p, u)
				continue
			}
			name, sym = m.RareName(u.special, gap)
		}
		u.call(name)
		gaps[sym]++
		if u.urgency >= longWait {
			a.remember(p, a.recsOf(u))
		}
		if lossy {
			a.beginCopies(p, a.recsOf(u))
		}
		if u.meta {
			metas++
			pl.metaBits += int32(u.bits) + wire.NameBits
		}
		if e := &p.entries[u.handle]; e.isPlain() {
			e.one.send(a.recs[u.recAt].ver, uint32(a.tick)) // most updates are of one row
			p.marks.clear(markDirty, u.handle)
			continue
		}
		p.sent(a.recsOf(u), a.tick, a.now)
	}
	if metas > 1 {
		metaFirst(updates)
		a.alikes.close(pl)
	}
	if lossy && pl.updateBits > 8*PacketRoom {
		turnRound(updates, a.send)
	}
}

// sent notes that what the entries are about leaves in a packet or a block of this tick.
func (p *peer) sent(recs []recEntry, tick Tick, now time.Duration) {
	for i := range recs {
		re := &recs[i]
		if re.kind == recLayout {
			continue
		}
		e := &p.entries[re.handle]
		switch re.kind {
		case recRow, recGuess:
			p.sentRow(e, re, tick)
		case recArrival, recRemoval:
			v := &p.visits[re.handle]
			if v.copies == 0 {
				v.round = now
			}
			v.copies++
			v.inflight++
		case recForget:
			*p.row(e, int(re.row)) = peerRow{hidden: true, from: uint32(tick)}
			if !e.meta {
				p.marks.clear(markDirty, re.handle)
			}
		case recMeta:
			e.meta, p.visits[re.handle].metaTick = false, tick
		}
	}
}

// sentRow notes that a version of a row leaves.
func (p *peer) sentRow(e *entry, re *recEntry, tick Tick) {
	pr := p.row(e, int(re.row))
	pr.send(re.ver, uint32(tick))
	if !e.meta {
		p.marks.clear(markDirty, re.handle)
	}
	if !e.plain {
		p.visits[re.handle].told = tick
	}
	if e.state == entryComing && re.kind == recRow && !pr.known && (p.visits[re.handle].copies == 0 || pr.acked == 0) {
		pr.acked, pr.ackedTick = re.ver, uint32(tick) // the base of guesses
	}
}

// send notes that the packet of a tick carries a version of the row.
func (pr *peerRow) send(ver, tick uint32) {
	pr.flight, pr.flightTick = ver, tick
	pr.since = 0 // its urgency starts anew; a loss restores it
	if d := tick - pr.newest; d < 64 {
		pr.carried = pr.carried<<(d&63) | 1
	} else {
		pr.carried = 1
	}
	pr.newest = tick
}

// inBlock notes that what the entries are about leaves in a reliable message, by its number.
func (p *peer) inBlock(recs []recEntry, number uint64) {
	for i := range recs {
		re := &recs[i]
		if re.kind == recLayout {
			continue
		}
		v := &p.visits[re.handle]
		v.fence = max(v.fence, number)
		if re.kind == recArrival {
			v.block = number
		}
	}
}
