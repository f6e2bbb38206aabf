package send

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
)

// Rates by distance (spatial.Rater): the marks of nodes whose send this is not are put aside
// while updates are planned. Each handle has sends of its own, so that the nodes at one
// distance do not all leave in the same send. Without a Rater nothing of this runs.

// sparse is what is kept of one peer.
type sparse struct {
	every []uint8      // by handle: the logarithm of the sends from one update to the next
	next  uint32       // the handle whose distance is asked for next
	aside []marks.Mark // marks that are put aside, by their place among all
}

// putAside puts the marks of the nodes aside that are not sent in this send.
func (plr *planner) putAside(p *Peer) {
	s := &p.sparse
	plr.measure(p)
	for len(s.aside) < len(p.Marks.Of) {
		s.aside = append(s.aside, marks.Mark{})
	}
	for k := p.Marks.Next(0); k < len(p.Marks.Of); k = p.Marks.Next(k + 1) {
		m := &p.Marks.Of[k]
		for w := m[marks.Dirty] | m[marks.Loose]; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w)
			h := uint32(k<<6 + i)
			if h >= uint32(len(s.every)) {
				break
			}
			if every := s.every[h]; every > 0 && (plr.store.Send+h)&(1<<every-1) != 0 && !p.States[h].owesOwnership() {
				for which := range m {
					s.aside[k][which] |= m[which] & (1 << i)
					m[which] &^= 1 << i
				}
				p.plan.stale = true // the batch was taken before
			}
		}
	}
}

// putBack undoes putAside, once updates are planned.
func (p *Peer) putBack() {
	s := &p.sparse
	for k := range s.aside {
		if m := &s.aside[k]; m[marks.Dirty]|m[marks.Loose] != 0 {
			p.Marks.Of[k][marks.Dirty] |= m[marks.Dirty]
			p.Marks.Of[k][marks.Loose] |= m[marks.Loose]
			p.Marks.Some |= 1 << (k / marks.Sheaf)
			*m = marks.Mark{}
		}
	}
}

// measure asks for the rates of some of the nodes that a peer has: of all of them within some
// 32 sends.
func (plr *planner) measure(p *Peer) {
	s := &p.sparse
	for len(s.every) < len(p.States) {
		s.every = append(s.every, 0)
	}
	s.every = s.every[:len(p.States)]
	for range min(len(p.States), 16+len(p.States)/32) {
		if s.next++; s.next >= uint32(len(p.States)) {
			s.next = 0
		}
		if e := &p.States[s.next]; e.State == HandleIn {
			s.every[s.next] = plr.sparseness(p, e)
		}
	}
}

// sparseness is the logarithm of the sends from one update of a node to the next.
func (plr *planner) sparseness(p *Peer, e *handleState) uint8 {
	n := &plr.store.Nodes[e.slot]
	top := plr.store.Root(e.slot)
	if n.ID == ids.SessionNode || n.Owner == p.ID || plr.store.Space.Index == nil || len(p.view.Points) == 0 || plr.store.Nodes[top].PosItem < 0 {
		return 0
	}
	at := &plr.store.Space.Positions[top]
	return spatial.Sparseness(plr.sender.interest.Rates, p.ID, p.view.Distance(at.X, at.Y))
}
