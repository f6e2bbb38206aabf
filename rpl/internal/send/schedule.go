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
	together      bool  // these are several
	held          bool  // nothing leaves but probes
	probe         bool
	short         bool  // not all that is marked was looked at and paid for
	again         bool  // updates of what the base packet told are named by runs (again.go)
	stale         bool  // the marks have changed since the peer's batch was taken
	cohort        uint8 // one more than the number of the cohort plan that its updates were planned by; 0: none
}

func (pl *plan) reset(bs *bundles) {
	pl.removals, pl.arrivals = spanAt(bs.removals), spanAt(bs.arrivals)
	pl.updates, pl.speculative = spanAt(bs.updates), spanAt(bs.speculative)
	bs.firstArriving = len(bs.arriving)
	pl.updateBits, pl.folded, pl.cohort, pl.held, pl.probe, pl.again, pl.short = 0, 0, 0, false, false, false, true
}

func (pl *plan) empty() bool {
	return pl.removals.empty() && pl.arrivals.empty() && pl.updates.empty() && pl.speculative.empty()
}

// Schedule is Authority.Schedule.
func (plr *planner) Schedule(now time.Duration) {
	plr.store.Now, plr.store.Sent = now, plr.store.Tick
	plr.sender.trimScratch()
	plr.sender.Updates.syms = plr.sender.Updates.syms[:0]
	plr.sender.Updates.recs = plr.sender.Updates.recs[:0]
	plr.sender.Updates.bundles.reset()
	plr.sender.Updates.Cohorts.reset(plr.store.Send)
	plr.burst, plr.arrivals = wire.MaxBursts, wire.MaxArrivals
	plr.joined, plr.joining = plr.joining, 0
	plr.sender.markDirty()
	plr.sender.markSharers()
	plr.sender.Tables.Learn() // after markDirty: what a column has read is committed already, and both are to have the same velocities
	var group [store.AheadPeers]*Peer
	n := 0
	for i, p := range plr.sender.All {
		if p != nil {
			group[n] = p
			n++
		}
		if n == len(group) || i == len(plr.sender.All)-1 {
			plr.scheduleSome(group[:n], now)
			n = 0
		}
	}
}

// scheduleSome schedules some peers, whose memory is touched together (ahead.go).
func (plr *planner) scheduleSome(peers []*Peer, now time.Duration) {
	plr.touchAcks(peers)
	for _, p := range peers {
		if !p.Link.AckedMuch(8 * store.Ahead) {
			plr.sender.Receiver.takeAcks(p)
		}
	}
	plr.touchPeers(peers)
	for i, p := range peers {
		if len(p.Link.Acks) > 0 { // many acks fill the caches: planning reads the same memory next
			plr.sender.Receiver.takeAcks(p)
			p.plan.stale = true
		}
		plr.schedule(p, &plr.batches[i], now)
	}
}

// schedule takes stock of one peer (losses, blocks, budget) and plans its next packets, if it
// is to have any. own is the peer's first batch of marked handles, already taken.
func (plr *planner) schedule(p *Peer, own *marks.Batch, now time.Duration) {
	pl := &p.plan
	pl.reset(&plr.sender.Updates.bundles)
	if p.busy {
		p.checks.plan = p.checks.plan[:0]
		p.RPC.paid = 0
		plr.sender.mend(p, now)
	}
	plr.sender.Receiver.judgeLosses(p, now)
	if p.busy { // a peer is busy while a block waits, and in the send after
		plr.sender.Receiver.judgeBlocks(p)
	}
	plr.sender.count(p)
	if (plr.store.Send+uint32(p.Index))%trimEvery == 0 {
		p.trim(now)
	}
	if p.kept.lives > 0 {
		p.endSome(plr.store.Tick, plr.sender.Setup.Hz)
	}
	if p.kept.bases > 0 {
		p.restSome(plr.store, len(plr.sender.All))
	}
	if plr.budget.Rate > 0 {
		p.Link.Line.Update(now, p.bucket.Short, float64(plr.budget.Rate))
		p.bucket.Refill(plr.budget, p.Link.Line.Limit(), now)
		if p.RPC.Ready.Len() > 0 {
			p.bucket.Reserve(plr.laneShare(p))
		} else {
			p.bucket.SpendAll()
		}
	}
	flight := p.Link.FlightRoom(now)
	if pl.held = p.Link.Frozen(now) || flight <= 0; pl.held {
		plr.dropCalls(p, 0)
		pl.probe = now-p.Link.LastSent >= wire.ProbeEvery
		return
	}
	if !p.bucket.Open(plr.budget, flight) {
		return // a packet's headers would take most of the budget
	}
	plr.planSend(p, own, now)
}

// planSend plans what a peer is sent, in the order in which the room pays for it.
func (plr *planner) planSend(p *Peer, own *marks.Batch, now time.Duration) {
	p.Link.Sends.SetWindow(&p.Link, plr.store.Send, p.Model.Lines())
	if p.busy {
		plr.planChecks(p)
	}
	if len(p.copies) > 0 {
		plr.sender.Updates.planCopies(p)
	}
	if p.went {
		p.went = plr.planRemovals(p, now, false)
	}
	if p.came {
		p.came = plr.planAgain(p, now, false)
	}
	if p.busy {
		plr.payCalls(p)
		plr.planQueue(p, now)
		plr.sender.Calls.callWaiting(p)
	}
	held := p.bucket.Hold(p.Link.Line.Spare(now))
	if plr.sender.interest.Rates != nil {
		plr.putAside(p)
		plr.planWithOwnership(p, own)
		p.putBack()
	} else {
		plr.planWithOwnership(p, own)
	}
	if p.busy {
		plr.sender.holdLong(p)
	}
	p.plan.short = !plr.fitUpdates(p) || plr.sender.interest.Rates != nil || len(p.overload.priorities) > 0 || p.busy && len(p.ownerships.heldBack) > 0
	p.bucket.Release(held)
	if p.busy {
		plr.sparedCalls(p)
	}
	plr.sender.Updates.recordUpdates(p)
	plr.offerTables(p)
	if p.Link.Lossy() {
		plr.planRemovals(p, now, true)
		plr.planAgain(p, now, true)
	}
	plr.fitSpeculative(p)
	plr.planNextCheck(p, now)
	plr.sender.Updates.recordLives(p)
	p.busy = p.busy && p.isBusy()
}

// planRemovals plans the first copies of removals and those of a new round or, if copies is set, further
// copies. It reports whether any was due, even if the budget did not pay for it. If none was, the peer
// need not look again until one more node is removed, or a packet with a removal is acked or lost.
func (plr *planner) planRemovals(p *Peer, now time.Duration, copies bool) (any bool) {
	u, kept, most := &plr.sender.Updates, p.going[:0], p.Link.CopiesFor()
	for _, h := range p.going {
		e := &p.States[h]
		if e.State != HandleGoing {
			continue
		}
		kept = append(kept, h)
		if e.has(stateRemoved) || e.due(now, most) != dueFirst+flag(copies) {
			continue
		}
		any = true
		begun := u.cursor()
		u.appendRemoval(p, h, e, p.lifeOf(e), now)
		b := u.bundle(h, begun)
		if !plr.afford(p, int(b.bits)) {
			u.rewind(begun)
			continue
		}
		u.bundles.removals = append(u.bundles.removals, b)
		p.plan.removals.to++
		plr.sender.Accounts.RemovalBits += uint64(b.bits)
		plr.sender.Accounts.Counters.Removals++
		plr.sender.Accounts.Counters.Repeats += uint64(flag(copies))
	}
	p.going = p.going[:len(kept)]
	return any
}

// What is due for an arrival or a removal.
const (
	dueNothing = iota
	dueFirst   // the first copy, or a new round after all were lost
	dueCopy    // a further copy, because of the measured loss: one more than dueFirst
)

// due is what is due for an arrival or a removal that is sent in so many copies.
func (t *transit) due(now time.Duration, copies uint8) int {
	switch {
	case t.copies == 0:
		return dueFirst
	case t.inflight == 0:
		t.copies = 0
		return dueFirst
	case t.copies < copies && t.since(now) >= link.CopyDue(t.copies, copies):
		return dueCopy
	}
	return dueNothing
}

// planAgain plans arrivals that were lost or, if copies is set, further copies, with
// the current state of the nodes. It reports whether any was due, as planRemovals does.
func (plr *planner) planAgain(p *Peer, now time.Duration, copies bool) (any bool) {
	most, room := p.Link.CopiesFor(), plr.lineRoom(p)
	if copies {
		room -= 8 * wire.CopiesLeave
	}
	kept := p.coming[:0]
	calm := int(p.arrivals.calm)
	if copies || p.arrivals.lost {
		calm = 0
	}
	for i, c := range p.coming {
		e := &p.States[c.handle]
		if e.State != HandleComing {
			continue
		}
		if kept = append(kept, c); i < calm {
			continue
		}
		if e.has(statePlanned) || p.lifeOf(e).block != 0 || e.due(now, most) != dueFirst+flag(copies) {
			continue
		}
		if copies && e.copies > 1 && e.copies+wire.LongFewer >= most && store.ArrivalBytes(plr.store, e.slot, p.Index) > wire.LongArrival {
			continue // where all are lost, that is seen a round trip later
		}
		any = true
		if room <= 0 || p.bucket.Left <= 0 && !p.plan.empty() {
			continue // where many wait, do not code what has no room
		}
		room -= plr.arriveAgain(p, c.handle)
	}
	p.coming = p.coming[:len(kept)]
	p.arrivals.calm, p.arrivals.lost = int32(len(kept)), any || copies
	return any
}

// planQueue plans the first arrivals of wanted nodes, the peer's own first, then the
// nearest. They may take at most three quarters of the room that is left, and what is left
// of MaxBurst and of MaxBursts, and a share of MaxArrivals with the others that wait.
func (plr *planner) planQueue(p *Peer, now time.Duration) {
	if len(p.arrivals.queue) == 0 {
		return
	}
	plr.sortQueue(p, now)
	plr.findLeaving(p)
	bucket := &p.bucket
	room := bucket.Left * 3 / 4
	if room <= 0 && bucket.Room > 0 && p.plan.empty() {
		room = 1 // overdraw once
	}
	room = min(room, max(plr.burst, wire.PacketRoom*8), float64(plr.burstRoom(p)))
	given, line := room, float64(plr.lineRoom(p))
	plr.joining++
	most := max(wire.LeastArrivals, min(plr.arrivals, wire.MaxArrivals/max(1, plr.joined)))
	lane := bucket.LaneAhead(plr.budget) - int(p.RPC.Ready.Bytes)
	waiting := p.arrivals.queue[:0]
	for i, slot := range p.arrivals.queue {
		n := &plr.store.Nodes[slot]
		if !n.Used {
			continue
		}
		hd := n.Holder(p.Index)
		if hd == nil || hd.Handle() != wire.NoHandle {
			continue
		}
		none := room <= 0 || most <= 0 || line <= 0 && n.Owner != p.ID // own nodes come first
		if none || !p.hasHandle() {
			if waiting = append(waiting, p.arrivals.queue[i:]...); !none {
				plr.sender.noteHandlesOut(p)
			}
			break
		}
		if plr.leaving.Has(n.ID) || lane <= 0 && store.ArrivalBytes(plr.store, slot, p.Index) > wire.PacketRoom {
			waiting = append(waiting, slot) // a node has one handle at a time, and what is long is chosen late
			continue
		}
		if n.Parent != 0 {
			if ph := plr.store.Nodes[n.Parent].Holder(p.Index); ph == nil || ph.Handle() == wire.NoHandle {
				waiting = append(waiting, slot) // the parent comes first
				continue
			}
		}
		cost := budget.BundleCost(plr.admitTree(p, slot))
		room, line = room-cost, line-cost
		lane -= int(cost) / 8 * flag(cost > 8*wire.PacketRoom)
		most -= len(plr.group)
		plr.arrivals -= len(plr.group)
		bucket.Left -= cost
	}
	plr.burst -= given - room
	p.arrivals.queue = p.arrivals.queue[:len(waiting)]
	p.arrivals.before = int32(len(p.arrivals.queue))
}

// findLeaving finds the nodes whose removal a peer has not acked.
func (plr *planner) findLeaving(p *Peer) {
	plr.leaving.Begin(len(p.going))
	for _, h := range p.going {
		if e := &p.States[h]; e.State == HandleGoing {
			plr.leaving.Add(e.leavingNode())
		}
	}
}

// admitTree plans the arrival of a node and of all wanted nodes below it, and returns the
// bits. They are one bundle, or several if the tree is more than a message may hold.
func (plr *planner) admitTree(p *Peer, slot uint32) int {
	u := &plr.sender.Updates
	begun := u.arrivalCursor(0)
	at, to := begun, begun // where the bundle begins and ends
	plr.group = plr.group[:0]
	plr.admitBelow(p, slot)
	for _, h := range plr.group {
		n := u.appendArrival(p, h)
		p.States[h].note(statePlanned, true)
		if k := to.nodes - at.nodes; k == wire.MaxInPacket || k > 0 && to.bits+n-at.bits > wire.MaxTreeBits {
			plr.arrives(p, u.arrivalOf(at, to))
			at = to
		}
		to = u.arrivalCursor(to.bits + n)
	}
	plr.arrives(p, u.arrivalOf(at, to))
	if len(p.arrivals.queue) > longQueue {
		u.remember(p, u.recs[begun.recs:], true)
	}
	return to.bits
}

// burstRoom is how many bits of arrivals may yet be planned for a peer in this send.
func (plr *planner) burstRoom(p *Peer) int {
	room := wire.MaxBurst
	for _, b := range p.plan.arrivals.in(plr.sender.Updates.bundles.arrivals) {
		if b.bits <= wire.PacketRoom*8 { // others go by the reliable lane
			room -= int(b.bits)
		}
	}
	return room
}

// lineRoom is the same as far as the peer's line is known to carry it.
func (plr *planner) lineRoom(p *Peer) int {
	room := plr.burstRoom(p)
	if plr.budget.Rate == 0 {
		return room
	}
	return room + int(min(8*p.Link.Line.Room(plr.store.Now), wire.MaxBurst)) - wire.MaxBurst
}

// arrives adds an arrival to a peer's plan.
func (plr *planner) arrives(p *Peer, b bundle) {
	plr.sender.Updates.bundles.arrivals = append(plr.sender.Updates.bundles.arrivals, b)
	p.plan.arrivals.to++
}

// admitBelow gives handles to a node and to all wanted nodes below it, and adds them to
// plr.group, parents first.
func (plr *planner) admitBelow(p *Peer, slot uint32) {
	plr.group = append(plr.group, p.admit(plr.sender, slot))
	for _, c := range plr.store.Nodes[slot].Children() {
		if hd := plr.store.Nodes[c].Holder(p.Index); hd != nil && hd.Handle() == wire.NoHandle && p.hasHandle() {
			if !plr.leaving.Has(plr.store.Nodes[c].ID) {
				plr.admitBelow(p, c)
			}
		}
	}
}
