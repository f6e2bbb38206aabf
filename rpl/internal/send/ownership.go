package send

import (
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Nodes with a new owner or a new parent. A node's place is relative to its parent, and what a game
// changes with an owner goes with the owner, so a peer must never have one without the other. Until
// an ack shows that the peer knows them, each update repeats both, none repeats them alone, and no
// update leaves before the peer has the parent (protocol rule 19).

// noteOwnership has a peer sent a node's owner and parent, of a tick that is not sent yet. newParent
// is whether the parent is new, or the node has leapt.
func (p *Peer) noteOwnership(h uint32, tick ids.Tick, newParent bool) {
	v := p.life(h)
	p.States[h].note(stateOwnership, true)
	p.Marks.Set(marks.Dirty, h)
	if v.repeat == 0 {
		p.ownerships.handles, p.busy = append(p.ownerships.handles, h), true
	}
	v.repeat = max(tick, v.ownershipTick+1) // acks of earlier packets do not count
	v.newParent = v.newParent || newParent
}

// planWithOwnership is planUpdates, preceded by a look at the nodes with new owners and parents.
func (plr *planner) planWithOwnership(p *Peer, own *marks.Batch) {
	if !p.busy || len(p.ownerships.handles) == 0 {
		plr.sender.Updates.planUpdates(p, own)
		return
	}
	p.plan.stale = true // marks change below: the batch must be taken again
	p.ownerships.heldBack = p.ownerships.heldBack[:0]
	kept := p.ownerships.handles[:0]
	for _, h := range p.ownerships.handles {
		e, v := &p.States[h], p.lifeAt(h)
		if v.repeat == 0 || !e.isHere() {
			if e.life != 0 {
				v.repeat, v.newParent = 0, false
			}
			continue
		}
		kept = append(kept, h)
		n := &plr.store.Nodes[e.slot]
		switch {
		case e.State == HandleComing: // its arrival carries both
		case !plr.sender.Updates.parentHere(p, n): // nothing leaves without both, also where the parent was here and goes
			p.ownerships.heldBack = append(p.ownerships.heldBack, h)
			p.Marks.Clear(marks.Dirty, h)
			p.Marks.Clear(marks.Loose, h)
		case !e.owesOwnership() && (p.Marks.Has(marks.Dirty, h) || p.Marks.Has(marks.Loose, h)):
			e.note(stateOwnership, true)
			v.again = true
		}
	}
	p.ownerships.handles = kept
	plr.sender.Updates.planUpdates(p, own)
	for _, h := range p.ownerships.handles {
		if v := p.lifeAt(h); v.again { // it was not planned in this send
			p.States[h].note(stateOwnership, false)
			v.again = false
		}
	}
	for _, h := range p.ownerships.heldBack {
		p.Marks.Set(marks.Dirty, h)
	}
}

// addUnderway has an update that carries a new owner or parent also carry each row of which a version or
// a forget is under way: an earlier packet that carries both may be lost. A peer that knows the parent
// alone has the node in a wrong place; one that knows the owner alone has what is another's by now
// (protocol rules 19 and 23). It is like the first result of chooseActions: whether an ordinary update
// cannot say it.
func (u *updates) addUnderway(p *Peer, h uint32, e *handleState, n *store.Node) (rare bool) {
	for i, action := range u.actions {
		pr := p.row(e, i)
		if action != coder.RowSame || pr.flight == pr.acked && pr.flightTick == pr.ackedTick {
			continue
		}
		if u.actions[i] = coder.RowForget; !pr.hidden() {
			u.actions[i] = u.baseOf(p, h, i, &u.store.Rows[n.Rows()[i]], pr, false)
		}
		rare = rare || u.actions[i] > coder.RowImplicit
	}
	return rare
}

// parentHere is whether the peer is known to have the node's parent, or the node has
// none. Until then the node keeps its old parent there.
func (u *updates) parentHere(p *Peer, n *store.Node) bool {
	if n.Parent == 0 {
		return true
	}
	h := u.store.Nodes[n.Parent].Holder(p.Index)
	return h != nil && h.Handle() != wire.NoHandle && p.States[h.Handle()].State == HandleIn
}

// ownershipArrived processes the ack of a packet that carried owner and parent.
func (p *Peer) ownershipArrived(e *handleState, tick ids.Tick) {
	if e.life == 0 {
		return
	}
	v := p.lifeOf(e)
	if tick >= v.ownershipTick {
		v.ownershipTick = 0
	}
	if tick >= v.repeat {
		v.repeat, v.newParent = 0, false
	}
}

// knows is whether the peer is known to have the node's present owner and parent.
func (v *lifecycle) knows(e *handleState) bool { return !e.owesOwnership() && v.ownershipTick == 0 }
