package send

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Booking: noting as sent what a peer's packets carry. Updates are booked in Schedule
// as soon as it is certain which of them leave, while their data is in the cache; what
// may still be put off is booked in Encode.

// bookUpdates books the updates that leave, gives them their names on the wire, counts
// those names for the learner, and moves updates with a new parent or owner to the
// front.
func (a *updates) bookUpdates(p *Peer) {
	gaps := a.sender.Tables.Learner.Gaps
	gaps[coder.GapEnd]++
	p.plan.metaBits = 0
	if p.plan.updates.empty() {
		return
	}
	pl, m := &p.plan, &p.Model.Entry
	updates := pl.updates.in(a.pieces.updates)
	last, metas := uint32(0), 0
	lossy := p.Link.Lossy()
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
		if e := &p.Entries[u.handle]; e.isPlain() {
			e.one.send(a.recs[u.recAt].Ver, uint32(a.store.Tick)) // most updates are of one row
			p.Marks.clear(MarkDirty, u.handle)
			continue
		}
		p.sent(a.recsOf(u), a.store.Tick, a.store.Now)
	}
	if metas > 1 {
		metaFirst(updates)
		a.Alikes.close(pl)
	}
	if lossy && pl.updateBits > 8*wire.PacketRoom {
		turnRound(updates, a.store.Send)
	}
}

// sent notes that what the entries are about leaves in a packet or a block of this tick.
func (p *Peer) sent(recs []link.Entry, tick ids.Tick, now time.Duration) {
	for i := range recs {
		re := &recs[i]
		if re.Kind == recLayout {
			continue
		}
		e := &p.Entries[re.Handle]
		switch re.Kind {
		case recRow, recGuess:
			p.sentRow(e, re, tick)
		case recArrival, recRemoval:
			v := &p.visits[re.Handle]
			if v.copies == 0 {
				v.round = now
			}
			v.copies++
			v.inflight++
		case recForget:
			*p.row(e, int(re.Row)) = peerRow{hidden: true, from: uint32(tick)}
			if !e.meta {
				p.Marks.clear(MarkDirty, re.Handle)
			}
		case recMeta:
			e.meta, p.visits[re.Handle].metaTick = false, tick
		}
	}
}

// sentRow notes that a version of a row leaves.
func (p *Peer) sentRow(e *entry, re *link.Entry, tick ids.Tick) {
	pr := p.row(e, int(re.Row))
	pr.send(re.Ver, uint32(tick))
	if !e.meta {
		p.Marks.clear(MarkDirty, re.Handle)
	}
	if !e.plain {
		p.visits[re.Handle].told = tick
	}
	if e.State == EntryComing && re.Kind == recRow && !pr.known && (p.visits[re.Handle].copies == 0 || pr.acked == 0) {
		pr.acked, pr.ackedTick = re.Ver, uint32(tick) // the base of guesses
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
func (p *Peer) inBlock(recs []link.Entry, number uint64) {
	for i := range recs {
		re := &recs[i]
		if re.Kind == recLayout {
			continue
		}
		v := &p.visits[re.Handle]
		v.fence = max(v.fence, number)
		if re.Kind == recArrival {
			v.block = number
		}
	}
}
