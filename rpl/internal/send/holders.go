package send

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// What becomes of a node at the peers that hold it: they are sent changes to the node
// itself, other than of its rows.

// Apply carries out what was decided since the last call: which peers shall have a node
// from now on, and which shall have it no longer.
func (a *Sender) Apply() {
	a.peaks.decisions = max(a.peaks.decisions, len(a.interest.Decisions))
	for i := range a.interest.Decisions {
		d := &a.interest.Decisions[i]
		p, n := a.All[d.Peer], &a.store.Nodes[d.Slot]
		if d.In {
			p.arrivals.queue, p.busy = append(p.arrivals.queue, d.Slot), true
		} else if d.Handle != wire.NoHandle {
			a.dropHandle(n, p, d.Handle)
			p.startRemoval(n, d.Handle, a.store.Tick, false)
		}
		if a.OnDecide != nil {
			a.OnDecide(p.ID, n.ID, d.In)
		}
	}
	a.interest.Decisions = a.interest.Decisions[:0]
	for _, m := range a.interest.Regrouped {
		a.checkRights(a.All[m.Peer], m.Group)
	}
	a.interest.Regrouped = a.interest.Regrouped[:0]
}

// RemoveAtHolders starts the removal of a node, for a reason of the game, at all peers that
// hold it.
func (a *Sender) RemoveAtHolders(n *store.Node, reason uint8) {
	if n.Shared {
		a.unshare(n)
	}
	u := &a.Updates
	u.ends = append(u.ends[:0], make([]*store.LastRow, len(n.Rows()))...)
	for _, h := range n.Holders {
		if h.Handle() != wire.NoHandle {
			p := a.All[h.Peer()]
			v := p.life(h.Handle())
			last, ago := u.lastOf(p, h.Handle(), n, u.ends, v.last[:0])
			v.last, v.rows, v.reason, v.since = last, uint8(len(n.Rows())), reason, v.unknown()
			p.startRemoval(n, h.Handle(), a.store.Tick-ids.Tick(ago), true)
		}
	}
	clear(u.ends)
}

// RefreshAtHolders has the peers that hold a node sent its new set of items.
func (a *Sender) RefreshAtHolders(slot uint32) {
	for _, h := range a.store.Nodes[slot].Holders {
		if h.Handle() != wire.NoHandle {
			a.All[h.Peer()].refresh(a, h.Handle())
		}
	}
}

// OwnershipAtHolders has the peers that hold a node sent its owner and parent, of a tick that is not
// sent yet. newParent is whether the parent is new, or the node has leapt.
func (a *Sender) OwnershipAtHolders(slot uint32, tick ids.Tick, newParent bool) {
	for _, h := range a.store.Nodes[slot].Holders {
		if h.Handle() != wire.NoHandle {
			a.All[h.Peer()].noteOwnership(h.Handle(), tick, newParent)
		}
	}
}

// PlainAtHolders notes at the peers that hold a node whether it is still of the usual kind.
func (a *Sender) PlainAtHolders(n *store.Node) {
	for _, h := range n.Holders {
		if h.Handle() != wire.NoHandle {
			a.renewPlain(a.All[h.Peer()], h.Handle(), n)
		}
	}
}

// ForgetLayouts notes that the peers do not know the layouts that have got the numbers of
// others.
func (a *Sender) ForgetLayouts() {
	for _, number := range a.store.Layouts.Renumbered {
		for _, p := range a.All {
			if p != nil {
				p.tables.layouts.Clear(number)
			}
		}
	}
	a.store.Layouts.Renumbered = a.store.Layouts.Renumbered[:0]
}

// checkRights marks every node that the peer holds and that has a row for the group,
// so that the peer's rights to it are looked at again.
func (a *Sender) checkRights(p *Peer, g ids.Audience) {
	for h := range p.States {
		e := &p.States[h]
		if e.has(statePlain) || !e.isHere() {
			continue
		}
		if a.store.Nodes[e.slot].Layout.Groups>>(g-ids.FirstGroup)&1 != 0 {
			p.Marks.Set(marks.Dirty, uint32(h))
		}
	}
}
