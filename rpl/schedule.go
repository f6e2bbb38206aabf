package rpl

import (
	"cmp"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/proxy"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The Schedule stage decides what each peer is told in this send. Everything that reads
// the store and codes against it happens here, on one goroutine, so that an update that
// was coded once serves all peers with the same baseline. Encode only packs what is
// planned here.

// plan is what Schedule has decided for one peer's send: where its pieces are in
// Authority.pieces, and what else there is to it.
type plan struct {
	removals, arrivals, updates, guesses span

	updateBits int32 // bits of all updates, without their names
	folded     int32 // updates beyond the first of each piece that stands for several (alike.go)
	metaBits   int32 // bits of those that are sent and tell of another parent or owner
	held       bool  // nothing leaves but probes
	probe      bool
	stale      bool  // the marks have changed since the peer's batch was taken
	like       uint8 // one more than the number of the likeness that its updates were planned by; 0: none
}

func (pl *plan) reset(ps *pieces) {
	pl.removals, pl.arrivals = spanAt(ps.removals), spanAt(ps.arrivals)
	pl.updates, pl.guesses = spanAt(ps.updates), spanAt(ps.guesses)
	pl.updateBits, pl.folded, pl.like, pl.held, pl.probe = 0, 0, 0, false, false
}

func (pl *plan) empty() bool {
	return pl.removals.empty() && pl.arrivals.empty() && pl.updates.empty() && pl.guesses.empty()
}

// Schedule plans the next packets of every peer.
func (a *Authority) Schedule(now time.Duration) {
	a.now = now
	a.syms = a.syms[:0]
	a.recs = a.recs[:0]
	a.pieces.reset()
	a.alikes.reset(a.send)
	a.burst = wire.MaxBursts
	a.learn()
	a.wake()
	a.tellSharers()
	var group [aheadPeers]*peer
	n := 0
	for i, p := range a.peers {
		if p != nil {
			group[n] = p
			n++
		}
		if n == len(group) || i == len(a.peers)-1 {
			a.scheduleSome(group[:n], now)
			n = 0
		}
	}
	a.active = a.active[:0]
	a.round++
}

// scheduleSome schedules some peers, whose memory is touched together (ahead.go).
func (a *Authority) scheduleSome(peers []*peer, now time.Duration) {
	a.touchAcks(peers)
	for _, p := range peers {
		if !p.link.ackedMuch() {
			a.takeAcks(p)
		}
	}
	a.touchPeers(peers)
	for i, p := range peers {
		if len(p.link.acks) > 0 { // many acks fill the caches: planning reads the same entries next
			a.takeAcks(p)
			p.plan.stale = true
		}
		a.schedule(p, &a.batches[i], now)
	}
}

// schedule takes stock of one peer (losses, blocks, budget) and plans its next packets, if it
// is to have any. own is the peer's first batch of marked handles, already taken.
func (a *Authority) schedule(p *peer, own *batch, now time.Duration) {
	pl := &p.plan
	pl.reset(&a.pieces)
	if p.busy {
		p.checks.plan = p.checks.plan[:0]
		p.rpc.paid = 0
		a.mend(p, now)
	}
	a.judgeLosses(p, now)
	if p.busy { // a peer is busy while a block waits, and in the send after
		a.judgeBlocks(p)
	}
	a.count(p)
	if a.cfg.Budget > 0 {
		a.refill(p, now)
	}
	if !p.streaming {
		return
	}
	flight := p.flightRoom(now)
	if pl.held = p.frozen(now) || flight <= 0; pl.held {
		a.dropCalls(p, 0)
		pl.probe = now-p.link.lastSent >= wire.ProbeEvery
		return
	}
	if !p.purse.open(flight, a.cfg.Budget > 0) {
		return // a packet's headers would take most of the budget
	}
	a.planSend(p, own, now)
}

// planSend plans what a peer is told, in the order in which the room pays for it.
func (a *Authority) planSend(p *peer, own *batch, now time.Duration) {
	if p.busy {
		a.planChecks(p)
	}
	if len(p.copies) > 0 {
		a.planCopies(p)
	}
	if p.went {
		p.went = a.planRemovals(p, now, false)
	}
	if p.came {
		p.came = a.planAgain(p, now, false)
	}
	if p.busy {
		a.payCalls(p)
		a.planQueue(p)
		a.callWaiting(p)
	}
	a.planWithParents(p, own)
	if p.busy {
		a.holdLong(p)
	}
	a.fitUpdates(p)
	if p.busy {
		a.sparedCalls(p)
	}
	a.bookUpdates(p)
	a.offerTables(p)
	if p.link.lossy() {
		a.planRemovals(p, now, true)
		a.planAgain(p, now, true)
	}
	a.fitGuesses(p)
	a.planTurn(p, now)
	p.busy = p.busy && p.isBusy()
}

// wake settles the rows that changed or drift, and marks the nodes of rows that left
// their course for the peers that hold them. Rows of nodes that no peer holds wait
// until a peer does.
func (a *Authority) wake() {
	kept := a.drifting[:0]
	for _, i := range a.drifting {
		r := &a.rows[i]
		if r.gone || r.walked || !r.drifting {
			r.listed = false
			continue
		}
		r.touched = true
		n := &a.nodes[r.node]
		if len(n.holders) == 0 {
			r.listed, r.drifting = false, false
			continue
		}
		kept = append(kept, i)
		a.activate(r.node)
	}
	a.drifting = kept
	for _, slot := range a.active {
		n := &a.nodes[slot]
		if !n.used || len(n.holders) == 0 {
			continue
		}
		off := false
		for _, i := range n.rows {
			if a.rows[i].touched && a.settle(i) {
				off = true
			}
		}
		if off {
			a.tellHolders(n)
		}
	}
}

// planRemovals plans the first copies of removals and those of a new round or, if
// copies is set, further copies. It reports whether any was due, even if the budget did
// not pay for it. If none was, the peer need not look again until one more node is
// removed, or a packet with a removal is acked or lost.
func (a *Authority) planRemovals(p *peer, now time.Duration, copies bool) (any bool) {
	kept := p.going[:0]
	most := p.link.copiesFor()
	for _, h := range p.going {
		e, v := &p.entries[h], &p.visits[h]
		if e.state != entryGoing {
			continue
		}
		kept = append(kept, h)
		if v.removed || v.due(now, most) != dueAs(copies) {
			continue
		}
		any = true
		m := p.link.model
		at := len(a.syms)
		fenced := v.fence > p.link.arrived && (v.copies == 0 || now-v.round < wire.FenceAge)
		says := coder.RemoveDestroyed*flag(v.destroyed) | coder.RemoveFenced*flag(fenced)
		a.syms = append(a.syms, m.Entry.Remove.Sym(1+says), coder.Unsigned(&m.Entry.Handle, h), prefix.Raw(uint32(e.gen), 8))
		if fenced {
			a.syms = append(a.syms, prefix.Raw(uint32(v.fence), 16))
		}
		rec := len(a.recs)
		a.note(h, 0, recRemoval, e.gen, 0)
		pc := a.piece(h, at, rec)
		if !a.afford(p, int(pc.bits)) {
			a.syms, a.recs = a.syms[:at], a.recs[:rec]
			continue
		}
		a.pieces.removals = append(a.pieces.removals, pc)
		p.plan.removals.to++
		a.removalBits += uint64(pc.bits)
		a.counters.Removals++
		if copies {
			a.counters.Repeats++
		}
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
func (v *visit) due(now time.Duration, copies uint8) int {
	switch {
	case v.copies == 0:
		return dueFirst
	case v.inflight == 0:
		v.copies = 0
		return dueFirst
	case v.copies < copies && now-v.round >= copyDue(v.copies, copies):
		return dueCopy
	}
	return dueNothing
}

// planAgain plans arrivals that were lost or, if copies is set, further copies, with
// the current state of the nodes. It reports whether any was due, as planRemovals does.
func (a *Authority) planAgain(p *peer, now time.Duration, copies bool) (any bool) {
	most, room := p.link.copiesFor(), a.burstRoom(p)
	kept := p.coming[:0]
	for _, h := range p.coming {
		v := &p.visits[h]
		if p.entries[h].state != entryComing {
			continue
		}
		kept = append(kept, h)
		if v.block != 0 || v.planned == a.send || v.due(now, most) != dueAs(copies) {
			continue
		}
		any = true
		if room <= 0 || p.purse.left <= 0 && !p.plan.empty() {
			continue // where many wait, do not code what has no room
		}
		at, rec := len(a.syms), len(a.recs)
		a.appendArrival(p, h)
		pc := a.piece(h, at, rec)
		if pc.bits > 8*wire.MaxLong { // no block can hold it: others shall not wait for room that it does not use
			a.noteTooLong(p.entries[h].node)
			a.syms, a.recs = a.syms[:at], a.recs[:rec]
			continue
		}
		if !a.afford(p, int(pc.bits)) {
			a.syms, a.recs = a.syms[:at], a.recs[:rec]
			continue
		}
		room -= int(pc.bits)
		v.planned = a.send
		a.counters.Repeats++
		a.arrives(p, pc)
	}
	p.coming = p.coming[:len(kept)]
	return any
}

// planQueue plans the first arrivals of wanted nodes, the peer's own first, then the
// nearest. They may take at most three quarters of the room that is left, and what is left
// of maxBurst and of maxBursts.
func (a *Authority) planQueue(p *peer) {
	if len(p.queue) == 0 {
		return
	}
	if len(p.points) > 0 && len(p.queue) > 1 {
		a.sortQueue(p)
	}
	purse := &p.purse
	room := purse.left * 3 / 4
	if room <= 0 && purse.room > 0 && p.plan.empty() {
		room = 1 // overdraw once
	}
	room = min(room, max(a.burst, PacketRoom*8), float64(a.burstRoom(p)))
	given := room
	waiting := p.queue[:0]
	for i, slot := range p.queue {
		n := &a.nodes[slot]
		if !n.used || !p.wanted.Has(slot) {
			continue
		}
		hd := n.holder(p.index)
		if hd == nil || hd.handle != wire.NoHandle {
			continue
		}
		if room <= 0 || !p.hasHandle() {
			if waiting = append(waiting, p.queue[i:]...); room > 0 {
				a.noteHandlesOut(p)
			}
			break
		}
		if _, still := p.goingOf[n.id]; still {
			waiting = append(waiting, slot) // a node has one handle at a time
			continue
		}
		if n.parent != 0 {
			if ph := a.nodes[n.parent].holder(p.index); ph == nil || ph.handle == wire.NoHandle {
				waiting = append(waiting, slot) // the parent comes first
				continue
			}
		}
		cost := pieceBits(a.admitTree(p, slot))
		room -= cost
		purse.left -= cost
	}
	a.burst -= given - room
	p.queue = p.queue[:len(waiting)]
}

// admitTree plans the arrival of a node and of all wanted nodes below it, and returns the
// bits. They are one piece, or several if the tree is more than a message may hold.
func (a *Authority) admitTree(p *peer, slot uint32) int {
	begun := len(a.recs)
	at, rec, first := len(a.syms), begun, 0 // where the piece begins
	bits, all := 0, 0
	a.group = a.group[:0]
	a.admitBelow(p, slot)
	for i, h := range a.group {
		from, recFrom := len(a.syms), len(a.recs)
		a.appendArrival(p, h)
		p.visits[h].planned = a.send
		n := symBits(a.syms[from:])
		if i > first && (i-first == proxy.MaxInPacket || bits+n > wire.MaxTreeBits) {
			a.arrives(p, a.pieceOf(a.group[first], a.syms[:from], at, a.recs[:recFrom], rec))
			at, rec, bits, first = from, recFrom, 0, i
		}
		bits, all = bits+n, all+n
	}
	a.arrives(p, a.piece(a.group[first], at, rec))
	if len(p.queue) > longQueue {
		a.remember(p, a.recs[begun:])
	}
	return all
}

// burstRoom is how many bits of arrivals may yet be planned for a peer in this send.
func (a *Authority) burstRoom(p *peer) int {
	room := wire.MaxBurst
	for _, pc := range p.plan.arrivals.in(a.pieces.arrivals) {
		if pc.bits <= PacketRoom*8 { // others go by the reliable lane
			room -= int(pc.bits)
		}
	}
	return room
}

// arrives adds an arrival to a peer's plan.
func (a *Authority) arrives(p *peer, pc piece) {
	a.pieces.arrivals = append(a.pieces.arrivals, pc)
	p.plan.arrivals.to++
}

// admitBelow gives handles to a node and to all wanted nodes below it, and adds them to
// a.group, parents first.
func (a *Authority) admitBelow(p *peer, slot uint32) {
	a.group = append(a.group, p.admit(a, slot))
	for _, c := range a.nodes[slot].children {
		if hd := a.nodes[c].holder(p.index); hd != nil && hd.handle == wire.NoHandle && p.hasHandle() {
			if _, still := p.goingOf[a.nodes[c].id]; !still {
				a.admitBelow(p, c)
			}
		}
	}
}

// A distant is a node that waits for its arrival, with its distance from the observer.
type distant struct {
	far  float64
	slot uint32
}

// sortQueue orders a peer's queue: own nodes first, then the nearest.
func (a *Authority) sortQueue(p *peer) {
	a.queueing = a.queueing[:0]
	for _, slot := range p.queue {
		far := -1.
		if a.nodes[slot].owner != p.id {
			root := &a.spots[a.root(slot)]
			far = p.distance(root.x, root.y)
		}
		a.queueing = append(a.queueing, distant{far, slot})
	}
	slices.SortStableFunc(a.queueing, func(x, y distant) int { return cmp.Compare(x.far, y.far) })
	for i := range a.queueing {
		p.queue[i] = a.queueing[i].slot
	}
}
