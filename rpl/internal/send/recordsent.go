package send

import (
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Recording as sent what a peer's packets carry. Updates are recorded in Schedule
// as soon as it is certain which of them leave, while their data is in the cache; what
// may still be put off is recorded in Encode.

// recordUpdates records the updates that leave, gives them their names on the wire, counts
// those names for the learner.
func (u *updates) recordUpdates(p *Peer) {
	gaps := u.sender.Tables.Learner.Gaps
	gaps[coder.GapEnd]++
	p.plan.ownershipBits, p.plan.together = 0, false
	if p.plan.updates.empty() {
		return
	}
	pl, m := &p.plan, &p.Model.Entry
	updates := pl.updates.in(u.bundles.updates)
	last, open, ownership := uint32(0), uint32(0), 0 // one past the last name, and past the last that is no secret
	lossy := p.Link.Lossy()
	pl.again = u.planRuns(p, updates)
	states, recs, tick, secrets := p.States, u.recs, uint32(u.store.Tick), u.store.Secrets
	for i := range updates {
		b := &updates[i]
		if b.skip {
			continue
		}
		if b.name != againName {
			next := b.handle + 1
			gap := next - last
			last = next
			name, sym := m.Near[gap%coder.NearGaps], coder.NearSyms[gap%coder.NearGaps]
			if gap >= coder.NearGaps || b.special {
				if b.name == cohortName {
					last, open = u.recordCohort(p, b, open)
					continue
				}
				name, sym = m.RareName(b.special, gap)
			}
			b.call(name)
			if !secrets {
				gaps[sym]++
			} else if !u.isSecret(p, b) {
				_, sym = m.RareName(b.special, next-open) // as if what is secret were not there
				gaps[sym]++
				open = next
			}
		}
		if b.urgency >= longWait {
			u.remember(p, u.recsOf(b), false)
		}
		if lossy && b.isShort() { // what is longer goes by the reliable lane, which repeats it itself
			u.beginCopies(p, u.recsOf(b))
		}
		if b.ownership {
			ownership++
			pl.ownershipBits += int32(b.bits) + wire.NameBits
		}
		if e := &states[b.handle]; e.isPlain() {
			e.one.send(recs[b.recAt].Ver, tick) // most updates are of one row
			p.Marks.Clear(marks.Dirty, b.handle)
			continue
		}
		p.sent(u.recsOf(b), u.store.Tick, u.store.Now)
	}
	if pl.together = ownership > 1; pl.together {
		u.Cohorts.close(pl)
	}
	if lossy && pl.updateBits > 8*wire.PacketRoom {
		rotate(updates, u.store.Send)
	}
}

// isSecret reports whether all that an update says is secret (store.NoteSecrets).
func (u *updates) isSecret(p *Peer, b *bundle) bool {
	e := &p.States[b.handle]
	if e.isPlain() {
		return u.store.Rows[e.row].Privacy == store.Secret
	}
	rows := u.store.Nodes[e.slot].Rows()
	return store.IsKept(u.store, e.slot) || !slices.ContainsFunc(u.recsOf(b), func(re link.Entry) bool {
		return re.Kind == recOwnership || u.store.Rows[rows[re.Row]].Privacy != store.Secret
	})
}

// recordLives records the removals and arrivals that leave, but those that may be too long to leave.
func (u *updates) recordLives(p *Peer) {
	for _, b := range p.plan.removals.in(u.bundles.removals) {
		p.sent(u.recsOf(&b), u.store.Tick, u.store.Now)
	}
	for _, b := range p.plan.arrivals.in(u.bundles.arrivals) {
		if b.isShort() {
			p.sent(u.recsOf(&b), u.store.Tick, u.store.Now)
			continue
		}
		for _, re := range u.recsOf(&b) {
			p.States[re.Handle].note(statePlanned, false)
		}
	}
}

// isShort is whether a bundle goes in packets. Of arrivals these leave for certain, so that Schedule records
// them as sent.
func (b *bundle) isShort() bool { return b.bits <= wire.PacketRoom*8 }

// sent notes that what the entries are about leaves in a packet or a block of this tick.
func (p *Peer) sent(recs []link.Entry, tick ids.Tick, now time.Duration) {
	for i := range recs {
		re := &recs[i]
		e := &p.States[re.Handle]
		switch re.Kind {
		case recRow, recSpeculative:
			p.sentRow(e, re, tick)
		case recArrival, recRemoval:
			if e.note(statePlanned, false); e.copies == 0 {
				e.begins(now)
			}
			e.copies++
			if e.inflight++; re.Kind == recArrival && p.lifeOf(e).repeat != 0 { // it carries owner and parent
				e.note(stateOwnership, false)
				p.lifeOf(e).ownershipTick = tick
				p.Marks.Clear(marks.Dirty, re.Handle)
			}
		case recForget:
			p.begin(re.Handle, int(re.Row), tick, true)
			p.row(e, int(re.Row)).flightTick = uint32(tick)
			if !e.owesOwnership() {
				p.Marks.Clear(marks.Dirty, re.Handle)
			}
		case recOwnership:
			e.note(stateOwnership, false)
			p.life(re.Handle).ownershipTick = tick
		}
	}
}

// sentRow notes that a version of a row leaves.
func (p *Peer) sentRow(e *handleState, re *link.Entry, tick ids.Tick) {
	pr := p.row(e, int(re.Row))
	pr.send(re.Ver, uint32(tick))
	if !e.owesOwnership() {
		p.Marks.Clear(marks.Dirty, re.Handle)
	}
	if e.has(stateRated) {
		p.life(re.Handle).lastSent = tick
	}
	if e.State == HandleComing && re.Kind == recRow && !pr.known() && (e.copies == 0 || pr.acked == 0) {
		pr.acked, pr.ackedTick = re.Ver, uint32(tick) // the base of speculative updates
	}
}

// send notes that the packet of a tick carries a version of the row.
func (pr *peerRow) send(ver, tick uint32) {
	pr.flight, pr.flightTick = ver, tick
	pr.rest() // its urgency starts anew; a loss restores it
	if d := tick - pr.newest; d < 64 {
		c := pr.carriers()<<(d&63) | 1
		pr.carried = [2]uint32{uint32(c), uint32(c >> 32)}
	} else {
		pr.carried = [2]uint32{1}
	}
	pr.newest = tick
}

// inBlock notes that what the entries are about leaves in a reliable message, by its number.
func (p *Peer) inBlock(recs []link.Entry, number uint64) {
	for i := range recs {
		re := &recs[i]
		v := p.life(re.Handle)
		v.fence = max(v.fence, number)
		if re.Kind == recArrival {
			v.block = number
		}
	}
}
