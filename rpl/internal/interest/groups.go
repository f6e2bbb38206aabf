package interest

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Groups are sets of peers. A node, or a part of an item, can be kept to the peers of a
// group.

// SetGroup puts a peer into a group or takes it out. SetNodeGroup does the same for a
// node whose Relevance is Grouped. SetGroup costs what the group may see, however large
// the world is. It does nothing for a peer that is not connected.
func (m *Manager) SetGroup(id ids.Peer, g ids.Audience, in bool) {
	v := m.viewOf.Find(id)
	if v == nil || g < ids.FirstGroup {
		return
	}
	before := v.Groups
	if SetBit(&v.Groups, g-ids.FirstGroup, in); v.Groups == before {
		return
	}
	for k, some := range m.grouped.W {
		for ; some != 0; some &= some - 1 {
			if slot := uint32(k<<6 + bits.TrailingZeros64(some)); m.store.Nodes[slot].RareView().Groups>>(g-ids.FirstGroup)&1 != 0 {
				m.Rejudge(slot)
			}
		}
	}
	m.Regrouped = append(m.Regrouped, membership{v.index, g})
}

// A membership is a peer, by its index, and a group that it has come into or gone out of.
type membership struct {
	Peer  int32
	Group ids.Audience
}

// Condition is Authority.Condition.
func (m *Manager) Condition(g ids.Audience, fn func(ids.Peer) bool) {
	if g >= ids.FirstGroup && int(g-ids.FirstGroup) < schema.MaxGroups {
		m.conditions[g-ids.FirstGroup] = fn
		m.conditional = m.conditional || fn != nil
	}
}

// AskConditions sets the memberships that functions decide.
func (m *Manager) AskConditions() {
	if !m.conditional {
		return
	}
	for g, fn := range m.conditions {
		if fn == nil {
			continue
		}
		for _, v := range m.Viewers {
			if v != nil {
				if in := fn(v.ID); in != (v.Groups>>g&1 != 0) {
					m.SetGroup(v.ID, ids.FirstGroup+ids.Audience(g), in)
				}
			}
		}
	}
}

func SetBit(w *uint64, i ids.Audience, on bool) {
	if on {
		*w |= 1 << i
	} else {
		*w &^= 1 << i
	}
}

// NoteGrouped notes whether a slot's node has Relevance Grouped.
func (m *Manager) NoteGrouped(slot uint32) {
	if m.store.Nodes[slot].Spawn.Relevance == ids.Grouped {
		m.grouped.Set(slot)
	} else {
		m.grouped.Clear(slot)
	}
}
