package rpl

import "math/bits"

// Groups: sets of peers that nodes, and parts of items, are kept to.

// SetGroup puts a peer into a group or takes it out; SetNodeGroup does it for a
// node whose Relevance is Grouped. It costs what the group may see, not what there
// is.
func (a *Authority) SetGroup(id Peer, g Audience, in bool) {
	p := a.byID.find(id)
	if p == nil || g < FirstGroup {
		return
	}
	before := p.groups
	if setBit(&p.groups, g-FirstGroup, in); p.groups == before {
		return
	}
	for k, some := range a.grouped.w {
		for ; some != 0; some &= some - 1 {
			if slot := uint32(k<<6 + bits.TrailingZeros64(some)); a.nodes[slot].groups>>(g-FirstGroup)&1 != 0 {
				a.rejudge(slot)
			}
		}
	}
	a.lookAtRights(p, g)
}

// Condition makes a group's membership a function of the viewer, asked once a
// send and peer, in Stream; nil gives it back to SetGroup.
func (a *Authority) Condition(g Audience, fn func(Peer) bool) {
	if g >= FirstGroup && int(g-FirstGroup) < maxGroups {
		a.conditions[g-FirstGroup] = fn
		a.conditional = a.conditional || fn != nil
	}
}

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

// lookAtRights has every node that the peer holds, and that has something which a
// group alone may see, asked for what it may see.
func (a *Authority) lookAtRights(p *peer, g Audience) {
	for h := range p.entries {
		e := &p.entries[h]
		if e.plain || e.state != entryIn && e.state != entryComing {
			continue
		}
		if a.nodes[e.node.Slot()].layout.groups>>(g-FirstGroup)&1 != 0 {
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

// noteGrouped notes whether a slot's node is relevant by its groups.
func (a *Authority) noteGrouped(slot uint32) {
	if a.nodes[slot].spawn.Relevance == Grouped {
		a.grouped.set(slot)
	} else {
		a.grouped.clear(slot)
	}
}
