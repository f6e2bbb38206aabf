package rpl

import (
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Nodes with a new parent. A node's place is relative to its parent, so a peer must
// never have one without the other. Until an ack shows that the peer knows the new
// parent, each update repeats it, none repeats it alone, and no update leaves before the
// peer has the parent (protocol rule 19).

// noteNewParent has a peer sent a node's new parent.
func (p *peer) noteNewParent(h uint32, tick Tick) {
	v := &p.visits[h]
	p.entries[h].meta = true
	p.marks.set(markDirty, h)
	if v.newParent == 0 {
		p.newParents, p.busy = append(p.newParents, h), true
	}
	v.newParent = max(tick, v.metaTick+1) // acks of earlier packets do not count
}

// planWithParents is planUpdates, preceded by a look at the nodes with new parents.
func (a *Authority) planWithParents(p *peer, own *batch) {
	if !p.busy || len(p.newParents) == 0 {
		a.planUpdates(p, own)
		return
	}
	p.plan.stale = true // marks change below: the batch must be taken again
	p.heldBack = p.heldBack[:0]
	kept := p.newParents[:0]
	for _, h := range p.newParents {
		e, v := &p.entries[h], &p.visits[h]
		if v.newParent == 0 || e.state != entryComing && e.state != entryIn {
			v.newParent = 0
			continue
		}
		kept = append(kept, h)
		n := &a.nodes[e.node.Slot()]
		switch {
		case e.meta && (e.state == entryComing || !a.parentHere(p, n)):
			p.heldBack = append(p.heldBack, h)
			p.marks.clear(markDirty, h)
			p.marks.clear(markLoose, h)
		case !e.meta && (p.marks.has(markDirty, h) || p.marks.has(markLoose, h)):
			e.meta, v.again = true, true
		}
	}
	p.newParents = kept
	a.planUpdates(p, own)
	for _, h := range p.newParents {
		if v := &p.visits[h]; v.again { // its turn has not come in this send
			p.entries[h].meta, v.again = false, false
		}
	}
	for _, h := range p.heldBack {
		p.marks.set(markDirty, h)
	}
}

// parentHere is whether the peer is known to have the node's parent, or the node has
// none. Until then the node keeps its old parent there.
func (a *Authority) parentHere(p *peer, n *node) bool {
	if n.parent == 0 {
		return true
	}
	h := a.nodes[n.parent].holder(p.index)
	return h != nil && h.handle != wire.NoHandle && p.entries[h.handle].state == entryIn
}

// metaArrived processes the ack of a packet that carried owner and parent.
func (v *visit) metaArrived(tick Tick) {
	if tick >= v.metaTick {
		v.metaTick = 0
	}
	if tick >= v.newParent {
		v.newParent = 0
	}
}

// knows is whether the peer is known to have the node's present owner and parent.
func (v *visit) knows(e *entry) bool { return !e.meta && v.metaTick == 0 }
