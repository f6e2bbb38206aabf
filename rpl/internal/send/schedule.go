package send

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/budget"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The Schedule stage decides what each peer is sent in this send. Everything that reads
// the store and codes against it happens here, on one goroutine, so that an update that
// was coded once serves all peers with the same baseline. Encode only packs what is
// planned here.

// plan is what Schedule has decided for one peer's send: where its bundles are in
// updates.bundles, and what else there is to it.
type plan struct {
	removals, arrivals, updates, speculative span

	updateBits    int32 // bits of all updates, without their names
	folded        int32 // updates beyond the first of each bundle that stands for several (cohort.go)
	ownershipBits int32 // bits of those that are sent and carry another parent or owner
	held          bool  // nothing leaves but probes
	probe         bool
	again         bool  // updates of what the base packet told are named by runs (again.go)
	stale         bool  // the marks have changed since the peer's batch was taken
	cohort        uint8 // one more than the number of the cohort plan that its updates were planned by; 0: none
}

func (pl *plan) reset(ps *bundles) {
	pl.removals, pl.arrivals = spanAt(ps.removals), spanAt(ps.arrivals)
	pl.updates, pl.speculative = spanAt(ps.updates), spanAt(ps.speculative)
	ps.firstArriving = len(ps.arriving)
	pl.updateBits, pl.folded, pl.cohort, pl.held, pl.probe, pl.again = 0, 0, 0, false, false, false
}

func (pl *plan) empty() bool {
	return pl.removals.empty() && pl.arrivals.empty() && pl.updates.empty() && pl.speculative.empty()
}

// Schedule is Authority.Schedule.
func (a *planner) Schedule(now time.Duration) {
	a.store.Now, a.store.Sent = now, a.store.Tick
	a.sender.trimScratch()
	a.sender.Updates.syms = a.sender.Updates.syms[:0]
	a.sender.Updates.recs = a.sender.Updates.recs[:0]
	a.sender.Updates.bundles.reset()
	a.sender.Updates.Cohorts.reset(a.store.Send)
	a.burst, a.arrivals = wire.MaxBursts, wire.MaxArrivals
	a.joined, a.joining = a.joining, 0
	a.sender.markDirty()
	a.sender.markSharers()
	a.sender.Tables.Learn() // after markDirty: what a column has read is committed already, and both are to have the same velocities
	var group [store.AheadPeers]*Peer
	n := 0
	for i, p := range a.sender.All {
		if p != nil {
			group[n] = p
			n++
		}
		if n == len(group) || i == len(a.sender.All)-1 {
			a.scheduleSome(group[:n], now)
			n = 0
		}
	}
}

// scheduleSome schedules some peers, whose memory is touched together (ahead.go).
func (a *planner) scheduleSome(peers []*Peer, now time.Duration) {
	a.touchAcks(peers)
	for _, p := range peers {
		if !p.Link.AckedMuch(8 * store.Ahead) {
			a.sender.Receiver.takeAcks(p)
		}
	}
	a.touchPeers(peers)
	for i, p := range peers {
		if len(p.Link.Acks) > 0 { // many acks fill the caches: planning reads the same memory next
			a.sender.Receiver.takeAcks(p)
			p.plan.stale = true
		}
		a.schedule(p, &a.batches[i], now)
	}
}

// schedule takes stock of one peer (losses, blocks, budget) and plans its next packets, if it
// is to have any. own is the peer's first batch of marked handles, already taken.
func (a *planner) schedule(p *Peer, own *marks.Batch, now time.Duration) {
	pl := &p.plan
	pl.reset(&a.sender.Updates.bundles)
	if p.busy {
		p.checks.plan = p.checks.plan[:0]
		p.RPC.paid = 0
		a.sender.mend(p, now)
	}
	a.sender.Receiver.judgeLosses(p, now)
	if p.busy { // a peer is busy while a block waits, and in the send after
		a.sender.Receiver.judgeBlocks(p)
	}
	a.sender.count(p)
	if (a.store.Send+uint32(p.Index))%trimEvery == 0 {
		p.trim(now)
	}
	if p.kept.lives > 0 {
		p.endSome(a.store.Tick, a.sender.Setup.Hz)
	}
	if p.kept.bases > 0 {
		p.restSome(a.store, len(a.sender.All))
	}
	if a.budget.Rate > 0 {
		l := &p.Link.Line
		if short, again := p.bucket.Refill(a.budget, l.Limit(), now); again {
			l.Update(now, short, float64(a.budget.Rate))
		}
		if p.busy {
			p.bucket.Reserve(a.laneShare(p))
		} else {
			p.bucket.Reserve(0)
		}
	}
	flight := p.Link.FlightRoom(now)
	if pl.held = p.Link.Frozen(now) || flight <= 0; pl.held {
		a.dropCalls(p, 0)
		pl.probe = now-p.Link.LastSent >= wire.ProbeEvery
		return
	}
	if !p.bucket.Open(a.budget, flight) {
		return // a packet's headers would take most of the budget
	}
	a.planSend(p, own, now)
}

// planSend plans what a peer is sent, in the order in which the room pays for it.
func (a *planner) planSend(p *Peer, own *marks.Batch, now time.Duration) {
	p.Link.Sends.SetWindow(&p.Link, a.store.Send, p.Model.Lines())
	if p.busy {
		a.planChecks(p)
	}
	if len(p.copies) > 0 {
		a.sender.Updates.planCopies(p)
	}
	if p.went {
		p.went = a.planRemovals(p, now, false)
	}
	if p.came {
		p.came = a.planAgain(p, now, false)
	}
	if p.busy {
		a.payCalls(p)
		a.planQueue(p, now)
		a.sender.Calls.callWaiting(p)
	}
	if a.sender.interest.Rates != nil {
		a.putAside(p)
		a.planWithOwnership(p, own)
		p.putBack()
	} else {
		a.planWithOwnership(p, own)
	}
	if p.busy {
		a.sender.holdLong(p)
	}
	a.fitUpdates(p)
	if p.busy {
		a.sparedCalls(p)
	}
	a.sender.Updates.recordUpdates(p)
	a.offerTables(p)
	if p.Link.Lossy() {
		a.planRemovals(p, now, true)
		a.planAgain(p, now, true)
	}
	a.fitSpeculative(p)
	a.planNextCheck(p, now)
	p.busy = p.busy && p.isBusy()
}

// planRemovals plans the first copies of removals and those of a new round or, if copies is set, further
// copies. It reports whether any was due, even if the budget did not pay for it. If none was, the peer
// need not look again until one more node is removed, or a packet with a removal is acked or lost.
func (a *planner) planRemovals(p *Peer, now time.Duration, copies bool) (any bool) {
	u, kept, most := &a.sender.Updates, p.going[:0], p.Link.CopiesFor()
	for _, h := range p.going {
		e, v := &p.States[h], p.lifeAt(h)
		if e.State != HandleGoing {
			continue
		}
		kept = append(kept, h)
		if v.removed || v.due(now, most) != dueAs(copies) {
			continue
		}
		any = true
		begun := u.cursor()
		u.appendRemoval(p, h, e, v, now)
		b := u.bundle(h, begun)
		if !a.afford(p, int(b.bits)) {
			u.rewind(begun)
			continue
		}
		u.bundles.removals = append(u.bundles.removals, b)
		p.plan.removals.to++
		a.sender.Accounts.RemovalBits += uint64(b.bits)
		a.sender.Accounts.Counters.Removals++
		a.sender.Accounts.Counters.Repeats += uint64(flag(copies))
	}
	p.going = p.going[:len(kept)]
	return any
}

// What is due for an arrival or a removal.
const (
	dueNothing = iota
	dueFirst   // the first copy, or a new round after all were lost
	dueCopy    // a further copy, because of the measured loss
)

func dueAs(copies bool) int {
	if copies {
		return dueCopy
	}
	return dueFirst
}

// due is what is due for an arrival or a removal that is sent in so many copies.
func (v *lifecycle) due(now time.Duration, copies uint8) int {
	switch {
	case v.copies == 0:
		return dueFirst
	case v.inflight == 0:
		v.copies = 0
		return dueFirst
	case v.copies < copies && now-v.round >= link.CopyDue(v.copies, copies):
		return dueCopy
	}
	return dueNothing
}

// planAgain plans arrivals that were lost or, if copies is set, further copies, with
// the current state of the nodes. It reports whether any was due, as planRemovals does.
func (a *planner) planAgain(p *Peer, now time.Duration, copies bool) (any bool) {
	most, room := p.Link.CopiesFor(), a.burstRoom(p)
	kept := p.coming[:0]
	calm := int(p.arrivals.calm)
	if copies || p.arrivals.lost {
		calm = 0
	}
	for i, h := range p.coming {
		if p.States[h].State != HandleComing {
			continue
		}
		if kept = append(kept, h); i < calm {
			continue
		}
		v := p.lifeAt(h)
		if v.block != 0 || v.planned == a.store.Send || v.due(now, most) != dueAs(copies) {
			continue
		}
		any = true
		if room <= 0 || p.bucket.Left <= 0 && !p.plan.empty() {
			continue // where many wait, do not code what has no room
		}
		if n := &a.store.Nodes[p.States[h].slot]; n.Parent != 0 && a.sender.Updates.parentAt(p, n) == wire.NoHandle {
			continue // its place is relative to a parent that the peer is not sent yet (protocol rule 19)
		}
		begun, from := a.sender.Updates.cursor(), a.sender.Updates.arrivalCursor(0)
		n := a.sender.Updates.appendArrival(p, h)
		if n > 8*wire.MaxLong { // no block can hold it: others shall not wait for room that it does not use
			a.sender.noteTooLong(a.store.Nodes[p.States[h].slot].ID)
			a.sender.Updates.rewindArrival(begun)
			continue
		}
		if !a.afford(p, n) {
			a.sender.Updates.rewindArrival(begun)
			continue
		}
		room -= n
		v.planned = a.store.Send
		a.sender.Accounts.Counters.Repeats++
		a.arrives(p, a.sender.Updates.arrivalOf(from, a.sender.Updates.arrivalCursor(n)))
	}
	p.coming = p.coming[:len(kept)]
	p.arrivals.calm, p.arrivals.lost = int32(len(kept)), any || copies
	return any
}

// planQueue plans the first arrivals of wanted nodes, the peer's own first, then the
// nearest. They may take at most three quarters of the room that is left, and what is left
// of MaxBurst and of MaxBursts, and a share of MaxArrivals with the others that wait.
func (a *planner) planQueue(p *Peer, now time.Duration) {
	if len(p.arrivals.queue) == 0 {
		return
	}
	a.sortQueue(p, now)
	bucket := &p.bucket
	room := bucket.Left * 3 / 4
	if room <= 0 && bucket.Room > 0 && p.plan.empty() {
		room = 1 // overdraw once
	}
	room = min(room, max(a.burst, wire.PacketRoom*8), float64(a.burstRoom(p)))
	given := room
	a.joining++
	most := max(wire.LeastArrivals, min(a.arrivals, wire.MaxArrivals/max(1, a.joined)))
	waiting := p.arrivals.queue[:0]
	for i, slot := range p.arrivals.queue {
		n := &a.store.Nodes[slot]
		if !n.Used {
			continue
		}
		hd := n.Holder(p.Index)
		if hd == nil || hd.Handle() != wire.NoHandle {
			continue
		}
		if room <= 0 || most <= 0 || !p.hasHandle() {
			if waiting = append(waiting, p.arrivals.queue[i:]...); room > 0 && most > 0 {
				a.sender.noteHandlesOut(p)
			}
			break
		}
		if _, still := p.goingOf[n.ID]; still {
			waiting = append(waiting, slot) // a node has one handle at a time
			continue
		}
		if n.Parent != 0 {
			if ph := a.store.Nodes[n.Parent].Holder(p.Index); ph == nil || ph.Handle() == wire.NoHandle {
				waiting = append(waiting, slot) // the parent comes first
				continue
			}
		}
		cost := budget.BundleCost(a.admitTree(p, slot))
		room -= cost
		most -= len(a.group)
		a.arrivals -= len(a.group)
		bucket.Left -= cost
	}
	a.burst -= given - room
	p.arrivals.queue = p.arrivals.queue[:len(waiting)]
	p.arrivals.before = int32(len(p.arrivals.queue))
}

// admitTree plans the arrival of a node and of all wanted nodes below it, and returns the
// bits. They are one bundle, or several if the tree is more than a message may hold.
func (a *planner) admitTree(p *Peer, slot uint32) int {
	u := &a.sender.Updates
	begun := u.arrivalCursor(0)
	at, to := begun, begun // where the bundle begins and ends
	a.group = a.group[:0]
	a.admitBelow(p, slot)
	for _, h := range a.group {
		n := u.appendArrival(p, h)
		p.life(h).planned = a.store.Send
		if k := to.nodes - at.nodes; k == wire.MaxInPacket || k > 0 && to.bits+n-at.bits > wire.MaxTreeBits {
			a.arrives(p, u.arrivalOf(at, to))
			at = to
		}
		to = u.arrivalCursor(to.bits + n)
	}
	a.arrives(p, u.arrivalOf(at, to))
	if len(p.arrivals.queue) > longQueue {
		u.remember(p, u.recs[begun.recs:], true)
	}
	return to.bits
}

// burstRoom is how many bits of arrivals may yet be planned for a peer in this send.
func (a *planner) burstRoom(p *Peer) int {
	room := wire.MaxBurst
	for _, pc := range p.plan.arrivals.in(a.sender.Updates.bundles.arrivals) {
		if pc.bits <= wire.PacketRoom*8 { // others go by the reliable lane
			room -= int(pc.bits)
		}
	}
	return room
}

// arrives adds an arrival to a peer's plan.
func (a *planner) arrives(p *Peer, pc bundle) {
	a.sender.Updates.bundles.arrivals = append(a.sender.Updates.bundles.arrivals, pc)
	p.plan.arrivals.to++
}

// admitBelow gives handles to a node and to all wanted nodes below it, and adds them to
// a.group, parents first.
func (a *planner) admitBelow(p *Peer, slot uint32) {
	a.group = append(a.group, p.admit(a.sender, slot))
	for _, c := range a.store.Nodes[slot].Children() {
		if hd := a.store.Nodes[c].Holder(p.Index); hd != nil && hd.Handle() == wire.NoHandle && p.hasHandle() {
			if _, still := p.goingOf[a.store.Nodes[c].ID]; !still {
				a.admitBelow(p, c)
			}
		}
	}
}
