package interest

import (
	"cmp"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
)

// Large nodes: castles, ships, whatever is in sight by its edge and not by its middle. They
// do not stand in the grid, whose lists go by points. They stand in a list by their x, and a
// peer scans the stretch of it in its reach after it has moved, or one of them has. So they
// cost what is near in one direction: a world has hundreds of them, not tens of thousands.

// leastExtent is how far a node must reach to be a large one, in slacks of the grid: an eighth of
// the distance to enter. Crates and trees are points.
const leastExtent = 4

// A large is a large node.
type large struct {
	x, y   float64 // where it was at the last scan
	extent float64
	slot   uint32
}

// larges are the large nodes of a world.
type larges struct {
	extents map[uint32]float64 // by slot, of all nodes that have one
	list    []large            // those that are had for their distance, by x
	widest  float64            // no extent in list is greater
	stale   bool               // list lacks some, or has some that it should not have
	holders []*Viewer          // scratch
}

// SetExtent is Authority.SetExtent. extent is not negative.
func (m *Manager) SetExtent(slot uint32, extent float64) {
	l := &m.larges
	if g := m.space.Index; g == nil || extent <= leastExtent*g.Slack {
		extent = 0
	}
	if l.extents[slot] == extent {
		return
	}
	if extent == 0 {
		delete(l.extents, slot)
	} else {
		if l.extents == nil {
			l.extents = make(map[uint32]float64)
		}
		l.extents[slot] = extent
	}
	l.stale = true
	m.Rejudge(slot)
}

// extentOf is how far a node reaches round its place: 0 for most.
func (m *Manager) extentOf(slot uint32) float64 {
	if len(m.larges.extents) == 0 {
		return 0
	}
	return m.larges.extents[slot]
}

// forgetExtent forgets a node that is about to be removed.
func (m *Manager) forgetExtent(slot uint32) {
	if m.extentOf(slot) > 0 {
		delete(m.larges.extents, slot)
		m.larges.stale = true
	}
}

// isNear is whether a node is had for its distance: the grid has it, or it is large.
func (m *Manager) isNear(slot uint32) bool {
	n := &m.store.Nodes[slot]
	return n.Parent == 0 && n.Spawn.Relevance == ids.Near && n.PosItem >= 0
}

// gather brings the list up to date, and reports whether a node has moved or come.
func (m *Manager) gather() (moved bool) {
	l := &m.larges
	if l.stale {
		l.stale, moved = false, true
		l.list, l.widest = l.list[:0], 0
		for slot, extent := range l.extents {
			if m.store.Nodes[slot].Used && m.isNear(slot) {
				s := &m.space.Positions[slot]
				l.list = append(l.list, large{s.X, s.Y, extent, slot})
				l.widest = max(l.widest, extent)
			}
		}
		slices.SortFunc(l.list, func(x, y large) int { return cmp.Compare(x.slot, y.slot) })
	}
	for i := range l.list {
		n, s := &l.list[i], &m.space.Positions[l.list[i].slot]
		if n.x != s.X || n.y != s.Y {
			n.x, n.y, moved = s.X, s.Y, true
		}
	}
	byX := func(x, y large) int { return cmp.Compare(x.x, y.x) }
	if moved && !slices.IsSortedFunc(l.list, byX) {
		slices.SortStableFunc(l.list, byX)
	}
	return moved
}

// streamLarge decides about the large nodes.
func (m *Manager) streamLarge(now time.Duration) {
	l := &m.larges
	if len(l.extents) == 0 && !l.stale {
		return
	}
	moved := m.gather()
	for i := range l.list {
		m.leaveLarge(l.list[i].slot, moved, now)
	}
	for _, v := range m.Viewers {
		if v == nil || v.sawLarge && !moved {
			continue
		}
		v.sawLarge = true
		for i := 0; i < len(v.Points) && !v.Silent; i++ {
			m.scanLarge(v, &v.Points[i])
		}
	}
}

// leaveLarge takes a large node from the peers that see it no more.
func (m *Manager) leaveLarge(slot uint32, moved bool, now time.Duration) {
	l := &m.larges
	l.holders = l.holders[:0]
	for _, h := range m.store.Nodes[slot].Holders {
		if v := m.Viewers[h.Peer()]; moved || !v.sawLarge || v.keepsLarge {
			l.holders = append(l.holders, v)
		}
	}
	for _, v := range l.holders {
		switch {
		case m.wants(v, slot, true) || m.holdsOn(v, slot):
		case m.lingers(v, slot, now):
			v.keepsLarge = true
		default:
			m.decide(v, slot, false)
		}
	}
}

// scanLarge gives a peer the large nodes that one of its observers sees.
func (m *Manager) scanLarge(v *Viewer, o *spatial.Observer) {
	list := m.larges.list
	reach := m.Rule.Reach(v.ID)*o.Scale + m.larges.widest
	from, _ := slices.BinarySearchFunc(list, o.X-reach, func(n large, x float64) int { return cmp.Compare(n.x, x) })
	for i := from; i < len(list) && !(list[i].x > o.X+reach); i++ {
		if slot := list[i].slot; !v.Wanted.Has(slot) && !m.hides(v, slot) && m.wants(v, slot, false) {
			m.decide(v, slot, true)
		}
	}
}
