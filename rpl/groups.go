package rpl

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/schema"
)

// Groups are sets of peers. A node, or a part of an item, can be kept to the peers of a
// group.

// SetGroup puts a peer into a group or takes it out. SetNodeGroup does the same for a
// node whose Relevance is Grouped. SetGroup costs what the group may see, however large
// the world is. It does nothing for a peer that is not connected.
func (a *Authority) SetGroup(id Peer, g Audience, in bool) {
	p := a.byID.find(id)
	if p == nil || g < FirstGroup {
		return
	}
	before := p.groups
	if setBit(&p.groups, g-FirstGroup, in); p.groups == before {
		return
	}
	for k, some := range a.grouped.W {
		for ; some != 0; some &= some - 1 {
			if slot := uint32(k<<6 + bits.TrailingZeros64(some)); a.nodes[slot].groups>>(g-FirstGroup)&1 != 0 {
				a.rejudge(slot)
			}
		}
	}
	a.lookAtRights(p, g)
}

// Condition makes a group's membership a function of the viewer, which Stream calls
// once per send and peer. With nil, SetGroup decides again.
func (a *Authority) Condition(g Audience, fn func(Peer) bool) {
	if g >= FirstGroup && int(g-FirstGroup) < schema.MaxGroups {
		a.conditions[g-FirstGroup] = fn
		a.conditional = a.conditional || fn != nil
	}
}

// askConditions sets the memberships that functions decide.
func (a *Authority) askConditions() {
	if !a.conditional {
		return
	}
	for g, fn := range a.conditions {
		if fn == nil {
			continue
		}
		for _, p := range a.peers {
			if p != nil {
				if in := fn(p.id); in != (p.groups>>g&1 != 0) {
					a.SetGroup(p.id, FirstGroup+Audience(g), in)
				}
			}
		}
	}
}

// lookAtRights marks every node that the peer holds and that has a row for the group,
// so that the peer's rights to it are looked at again.
func (a *Authority) lookAtRights(p *peer, g Audience) {
	for h := range p.entries {
		e := &p.entries[h]
		if e.plain || e.state != entryIn && e.state != entryComing {
			continue
		}
		if a.nodes[e.node.Slot()].layout.Groups>>(g-FirstGroup)&1 != 0 {
			p.marks.set(markDirty, uint32(h))
		}
	}
}

// SetNodeGroup puts a node into a group or takes it out.
func (a *Authority) SetNodeGroup(n Node, g Audience, in bool) {
	if slot, ok := a.slot(n); ok && g >= FirstGroup {
		setBit(&a.nodes[slot].groups, g-FirstGroup, in)
		a.rejudge(slot)
	}
}

func setBit(w *uint64, i Audience, on bool) {
	if on {
		*w |= 1 << i
	} else {
		*w &^= 1 << i
	}
}

// noteGrouped notes whether a slot's node has Relevance Grouped.
func (a *Authority) noteGrouped(slot uint32) {
	if a.nodes[slot].spawn.Relevance == Grouped {
		a.grouped.Set(slot)
	} else {
		a.grouped.Clear(slot)
	}
}
