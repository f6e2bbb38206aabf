package send

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Nodes with a new parent. A node's place is relative to its parent, so a peer must
// never have one without the other. Until an ack shows that the peer knows the new
// parent, each update repeats it, none repeats it alone, and no update leaves before the
// peer has the parent (protocol rule 19).

// noteNewParent has a peer sent a node's new parent.
func (p *Peer) noteNewParent(h uint32, tick ids.Tick) {
	v := p.life(h)
	p.States[h].note(stateOwnership, true)
	p.Marks.Set(marks.Dirty, h)
	if v.newParent == 0 {
		p.parents.handles, p.busy = append(p.parents.handles, h), true
	}
	v.newParent = max(tick, v.ownershipTick+1) // acks of earlier packets do not count
}

// planWithParents is planUpdates, preceded by a look at the nodes with new parents.
func (a *planner) planWithParents(p *Peer, own *marks.Batch) {
	if !p.busy || len(p.parents.handles) == 0 {
		a.sender.Updates.planUpdates(p, own)
		return
	}
	p.plan.stale = true // marks change below: the batch must be taken again
	p.parents.heldBack = p.parents.heldBack[:0]
	kept := p.parents.handles[:0]
	for _, h := range p.parents.handles {
		e, v := &p.States[h], p.lifeAt(h)
		if v.newParent == 0 || !e.isHere() {
			v.newParent = 0
			continue
		}
		kept = append(kept, h)
		n := &a.store.Nodes[e.slot]
		switch {
		case e.owesOwnership() && (e.State == HandleComing || !a.sender.Updates.parentHere(p, n)):
			p.parents.heldBack = append(p.parents.heldBack, h)
			p.Marks.Clear(marks.Dirty, h)
			p.Marks.Clear(marks.Loose, h)
		case !e.owesOwnership() && (p.Marks.Has(marks.Dirty, h) || p.Marks.Has(marks.Loose, h)):
			e.note(stateOwnership, true)
			v.again = true
		}
	}
	p.parents.handles = kept
	a.sender.Updates.planUpdates(p, own)
	for _, h := range p.parents.handles {
		if v := p.lifeAt(h); v.again { // it was not planned in this send
			p.States[h].note(stateOwnership, false)
			v.again = false
		}
	}
	for _, h := range p.parents.heldBack {
		p.Marks.Set(marks.Dirty, h)
	}
}

// parentHere is whether the peer is known to have the node's parent, or the node has
// none. Until then the node keeps its old parent there.
func (a *updates) parentHere(p *Peer, n *store.Node) bool {
	if n.Parent == 0 {
		return true
	}
	h := a.store.Nodes[n.Parent].Holder(p.Index)
	return h != nil && h.Handle() != wire.NoHandle && p.States[h.Handle()].State == HandleIn
}

// ownershipArrived processes the ack of a packet that carried owner and parent.
func (v *lifecycle) ownershipArrived(tick ids.Tick) {
	if tick >= v.ownershipTick {
		v.ownershipTick = 0
	}
	if tick >= v.newParent {
		v.newParent = 0
	}
}

// knows is whether the peer is known to have the node's present owner and parent.
func (v *lifecycle) knows(e *handleState) bool { return !e.owesOwnership() && v.ownershipTick == 0 }
