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
func (s *Sender) Apply() {
	s.peaks.decisions = max(s.peaks.decisions, len(s.interest.Decisions))
	for i := range s.interest.Decisions {
		d := &s.interest.Decisions[i]
		p, n := s.All[d.Peer], &s.store.Nodes[d.Slot]
		if d.In {
			p.arrivals.queue, p.busy = append(p.arrivals.queue, d.Slot), true
		} else if d.Handle != wire.NoHandle {
			s.dropHandle(n, p, d.Handle)
			p.startRemoval(n, d.Handle, s.store.Tick, false)
		}
		if s.OnDecide != nil {
			s.OnDecide(p.ID, n.ID, d.In)
		}
	}
	s.interest.Decisions = s.interest.Decisions[:0]
	for _, m := range s.interest.Regrouped {
		s.checkRights(s.All[m.Peer], m.Group)
	}
	s.interest.Regrouped = s.interest.Regrouped[:0]
}

// RemoveAtHolders starts the removal of a node, for a reason of the game, at all peers that
// hold it.
func (s *Sender) RemoveAtHolders(n *store.Node, reason uint8) {
	if n.Shared {
		s.unshare(n)
	}
	u := &s.Updates
	u.ends = append(u.ends[:0], make([]*store.LastRow, len(n.Rows()))...)
	for _, h := range n.Holders {
		if h.Handle() != wire.NoHandle {
			p := s.All[h.Peer()]
			v := p.life(h.Handle())
			last, ago := u.lastOf(p, h.Handle(), n, u.ends, v.last[:0])
			v.last, v.rows, v.reason, v.since = last, uint8(len(n.Rows())), reason, v.unknown()
			p.startRemoval(n, h.Handle(), s.store.Tick-ids.Tick(ago), true)
		}
	}
	clear(u.ends)
}

// RefreshAtHolders has the peers that hold a node sent its new set of items.
func (s *Sender) RefreshAtHolders(slot uint32) {
	for _, h := range s.store.Nodes[slot].Holders {
		if h.Handle() != wire.NoHandle {
			s.All[h.Peer()].refresh(s, h.Handle())
		}
	}
}

// OwnershipAtHolders has the peers that hold a node sent its owner and parent, of a tick that is not
// sent yet. newParent is whether the parent is new, or the node has leapt.
func (s *Sender) OwnershipAtHolders(slot uint32, tick ids.Tick, newParent bool) {
	for _, h := range s.store.Nodes[slot].Holders {
		if h.Handle() != wire.NoHandle {
			s.All[h.Peer()].noteOwnership(h.Handle(), tick, newParent)
		}
	}
}

// PlainAtHolders notes at the peers that hold a node whether it is still of the usual kind.
func (s *Sender) PlainAtHolders(n *store.Node) {
	for _, h := range n.Holders {
		if h.Handle() != wire.NoHandle {
			s.renewPlain(s.All[h.Peer()], h.Handle(), n)
		}
	}
}

// ForgetLayouts notes that the peers do not know the layouts that have got the numbers of
// others.
func (s *Sender) ForgetLayouts() {
	for _, number := range s.store.Layouts.Renumbered {
		for _, p := range s.All {
			if p != nil {
				p.tables.layouts.Clear(number)
			}
		}
	}
	s.store.Layouts.Renumbered = s.store.Layouts.Renumbered[:0]
}

// checkRights marks every node that the peer holds and that has a row for the group,
// so that the peer's rights to it are looked at again.
func (s *Sender) checkRights(p *Peer, g ids.Audience) {
	for h := range p.States {
		e := &p.States[h]
		if e.has(statePlain) || !e.isHere() {
			continue
		}
		if s.store.Nodes[e.slot].Layout.Groups>>(g-ids.FirstGroup)&1 != 0 {
			p.Marks.Set(marks.Dirty, uint32(h))
		}
	}
}
