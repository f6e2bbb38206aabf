package send

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// What a peer predicts: the nodes that it owns and that commands move, and others that it has
// named. What a packet does not carry of them has to be as the peer's acked version says: only then
// may the peer take silence for the state of that tick, and compare what it has predicted with it
// (protocol rule 34). Where a send leaves something of them out, or needs several packets, its packets say so.

// predicted is what a peer predicts.
type predicted struct {
	on      bool       // it predicts the nodes that it owns and that commands move …
	others  int32      // … and so many others, the first …
	named   []ids.Node // … of these; the rest were its own as new nodes, which its commands may have made there, too
	slots   []uint32   // scratch, also of Encode: the nodes that it may predict …
	handles []uint32   // … and of these, those of which this send has an update
}

// predicts reports whether the peer predicts a node.
func (p *Peer) predicts(n *store.Node) bool {
	return p.predicted.on && (n.Owner == p.ID && n.Layout.Commanded || slices.Contains(p.PredictedOthers(), n.ID))
}

// PredictedOthers are the nodes that the peer predicts and does not own.
func (p *Peer) PredictedOthers() []ids.Node { return p.predicted.named[:p.predicted.others] }

// unconfirmed reports whether the peer may take the row for something else than it is:
// the acked version does not lead to what it is now, or another was sent since. Of what stands, once
// its newest version is acked, that was no other.
func (u *updates) unconfirmed(r *store.Row, pr *peerRow) bool {
	return pr.acked == 0 || pr.newest > pr.ackedTick && (pr.acked != r.Head || r.Moving) || !r.Kept(pr.acked) || r.Vars != nil && !r.SameVars(pr.acked) ||
		!u.leads(r, pr.acked, pr.ackedTick)
}

// SetPredicting says that a peer predicts the nodes that it owns, and others: then every packet
// carries all that it is not known to have of them, not only of what has changed.
func (s *Sender) SetPredicting(p *Peer, others []ids.Node) {
	pr := &p.predicted
	if pr.on && slices.Equal(p.PredictedOthers(), others) {
		return
	}
	if pr.slots = pr.slots[:0]; !pr.on {
		pr.slots = s.store.Owned(p.ID, pr.slots)
	}
	pr.slots = store.AppendSlots(s.store, store.AppendSlots(s.store, pr.slots, pr.named), others) // all others are as before: a peer may say this often
	pr.on, pr.others, pr.named = true, int32(len(others)), slices.Concat(others, pr.named[pr.others:])
	for _, slot := range pr.slots {
		n := &s.store.Nodes[slot]
		if hd := n.Holder(p.Index); hd != nil && hd.Handle() != wire.NoHandle {
			s.renewPlain(p, hd.Handle(), n)
		}
	}
}

// renewPlain judges anew whether a node is plain to a peer, and has it looked at.
func (s *Sender) renewPlain(p *Peer, h uint32, n *store.Node) {
	p.States[h].judge(p, s.store, n)
	if p.predicts(n) {
		p.Marks.Set(marks.Dirty, h)
	}
}

// PredictedAtHolders judges a node anew at all peers that hold it, after it has passed from an owner.
func (s *Sender) PredictedAtHolders(n *store.Node, from ids.Peer) {
	if p := s.ByID.Find(from); p != nil && p.predicted.on && n.IsNew(s.store.Send) {
		p.predicted.named = append(p.predicted.named, n.ID)
	}
	for _, h := range n.Holders {
		if h.Handle() != wire.NoHandle {
			s.renewPlain(s.All[h.Peer()], h.Handle(), n)
		}
	}
}

// scanPredicted looks at what the send has of the nodes that the peer predicts. Their updates are
// recorded by now.
func (k *packer) scanPredicted() {
	p, s := k.p, k.sender
	c, now := &k.complete, uint32(s.store.Tick)
	if !p.predicted.on {
		c.Left = s.Updates.leavesCounts(p)
		return
	}
	c.Left = p.plan.held || p.plan.probe
	p.predicted.slots, p.predicted.handles = s.store.Owned(p.ID, p.predicted.slots[:0]), p.predicted.handles[:0]
	p.predicted.named = store.KeepNew(s.store, p.predicted.named, int(p.predicted.others))
	p.predicted.slots = store.AppendSlots(s.store, p.predicted.slots, p.predicted.named)
	for _, slot := range p.predicted.slots {
		n := &s.store.Nodes[slot]
		hd := n.Holder(p.Index)
		if hd == nil {
			continue
		}
		h := hd.Handle()
		c.Left = c.Left || n.IsNew(s.store.Send) && (h == wire.NoHandle || // it may not be in the send's first packet
			p.States[h].State == HandleComing && (!p.maybeArrived(&p.States[h]) || p.States[h].since(k.now) == 0 && s.Planner.burstRoom(p) < wire.MaxBurst-smallBits))
		if !p.predicts(n) || h == wire.NoHandle || n.Transient {
			continue
		}
		switch e := &p.States[h]; {
		case e.State == HandleIn:
			if carried, left := s.Updates.updatedOf(p, e, n, now); left || e.owesOwnership() {
				c.Left = true
			} else if carried {
				p.predicted.handles = append(p.predicted.handles, h)
			}
		case e.isHere() && p.lifeOf(e).relayout: // it may have the former set of items, but for what arrives now
			c.Arrives = true
			c.Left = c.Left || !p.arrivesNow(e, n, now)
		}
	}
	c.Any = len(p.predicted.handles) > 0
	if c.Any {
		c.Begins = -1
		slices.Sort(p.predicted.handles)
		for i, b := range p.plan.updates.in(s.Updates.bundles.updates) {
			if b.skip || b.name == cohortName {
				continue
			}
			if _, is := slices.BinarySearch(p.predicted.handles, b.handle); is {
				if c.Ends = i + 1; c.Begins < 0 {
					c.Begins = i
				}
				c.Runs = c.Runs || b.name == againName
			}
		}
	}
}

// arrivesNow reports whether a send has the arrival of a node that is here with another set of items:
// it alone tells of the rows, and of all of them.
func (p *Peer) arrivesNow(e *handleState, n *store.Node, now uint32) bool {
	for i := range n.Rows() {
		if pr := p.row(e, i); !pr.hidden() {
			return pr.newest == now
		}
	}
	return false
}

// updatedOf reports whether a send has an update of a node that its peer predicts, and whether it
// leaves out any row that the peer may take for something else than it is.
func (u *updates) updatedOf(p *Peer, e *handleState, n *store.Node, now uint32) (carried, left bool) {
	for i, ri := range n.Rows() {
		r, pr := &u.store.Rows[ri], p.row(e, i)
		switch who := r.Type.Audience; {
		case who != ids.Everyone && (who != ids.OwnerSees || n.Owner != p.ID): // it is not compared there
		case !u.unconfirmed(r, pr):
		case pr.newest == now:
			carried = true
		default:
			left = true
		}
	}
	return carried, left
}

// fitsWhole reports whether all that the send has fits this packet for sure.
func (k *packer) fitsWhole(room int) bool {
	pl := &k.p.plan
	if pl.ownershipBits > 0 || !pl.removals.empty() || !pl.arrivals.empty() { // these go in front
		return false
	}
	bits := k.p.updatesMost() + wire.EndBits
	if k.p.busy {
		for _, c := range k.p.RPC.Unreliable[:k.p.RPC.paid] {
			bits += 8*len(c) + wire.NameBits
		}
		bits += len(k.p.checks.plan) * checkBits
	}
	return bits <= 8*room-wire.HeaderBits
}

// updatesMost is more than the bits of all updates of a plan.
func (p *Peer) updatesMost() int {
	return int(p.plan.updateBits) + (p.plan.updates.len()+int(p.plan.folded))*wire.NameBits
}

// checkBits is more than a checksum takes in a packet.
const checkBits = 100

// putCompleteness writes how complete the packet is.
func (k *packer) putCompleteness() {
	if n, says := k.complete.End(k.rec.Seq, k.arrival == k.p.plan.arrivals.len(), k.update, k.form&coder.FormAgain != 0); says {
		k.p.enc.PutOne(coder.Unsigned(&k.p.Model.Entry.Length, uint32(n)))
	}
}
