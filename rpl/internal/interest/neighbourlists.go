package interest

import (
	"slices"
	"time"
)

// The neighbour lists of a peer, one for each of its observers or for some that stand together, and
// what they have in common.

// maxLists is the most observers that have lists. Armies of more share one scan
// at everything in reach (fullscan.go).
const maxLists = 8

// listAt returns the list of an observer, by its place among the peer's.
func (p *Viewer) listAt(k int) *neighbourList {
	if k == 0 {
		return &p.list
	}
	return p.more[k-1]
}

// present is how many lists a peer has, on or not.
func (p *Viewer) present() int { return 1 + len(p.more) }

// newList returns a number for one more list.
func (m *Manager) newList() (id int32) {
	if n := len(m.freeLists); n > 0 {
		id = m.freeLists[n-1]
		m.freeLists = m.freeLists[:n-1]
		return id
	}
	m.numbered++
	m.space.Index.Reach(m.numbered - 1)
	return m.numbered - 1
}

// scanLists decides which nodes come into and go out of the sight of a peer.
func (m *Manager) scanLists(p *Viewer, now time.Duration) {
	n := len(p.Points)
	for len(p.more) < n-1 {
		p.more = append(p.more, &neighbourList{id: m.newList()})
	}
	m.endLists(p, n)
	again, leapt := p.rescan, p.rescan
	var anew [maxLists]bool
	if p.rescan || n > 1 && !p.scanned {
		anew = m.companions(p)
	}
	p.rescan = false
	for k := range p.Points {
		if int(p.first[k]) == k {
			leapt = m.scanList(p, k, again || anew[k], now) || leapt
		}
	}
	if p.lists > 1 && (leapt || p.sweeps) {
		m.sweep(p, now)
	}
	p.scanned = true
}

// sweep takes away the nodes that no observer of the peer sees.
func (m *Manager) sweep(p *Viewer, now time.Duration) {
	p.sweeps = false
	p.InGrid.Compact()
	m.touchPositions(p.InGrid.Slots)
	for _, slot := range p.InGrid.Slots {
		switch {
		case m.inSight(p, slot) || m.holdsOn(p, slot):
		case m.lingers(p, slot, now):
			p.sweeps = true
		default:
			m.decide(p, slot, false)
			m.sync(p, nil, slot)
		}
	}
}

// inSight is whether any observer of a peer still sees a node that the peer has.
func (m *Manager) inSight(p *Viewer, slot uint32) bool {
	g, s := m.space.Index, &m.space.Positions[slot]
	if s.Cell < 0 {
		return true // it is not had for its distance
	}
	if g.Policy != nil {
		want, _ := m.policyWants(p, slot, true)
		return want
	}
	limit := g.Rings.Sight[1]
	for i := range p.Points {
		o := &p.Points[i]
		if dx, dy := s.X-o.X, s.Y-o.Y; dx*dx+dy*dy <= limit*o.Scale*o.Scale {
			return true
		}
	}
	return false
}

// sync has the lists of a peer, but for one, note what was decided about a node.
func (m *Manager) sync(p *Viewer, but *neighbourList, slot uint32) {
	s, held := &m.space.Positions[slot], p.Wanted.Has(slot)
	for k := range p.Points {
		w := p.listAt(k)
		if w == but || !w.on {
			continue
		}
		e := boundaryAt(slot, held)
		e.x, e.y = s.GridX, s.GridY
		if i := slices.IndexFunc(w.boundary, func(e boundaryNode) bool { return e.slot() == slot }); i >= 0 {
			w.boundary[i] = e
		} else {
			w.boundary = append(w.boundary, e)
		}
	}
}

// endLists ends the lists of a peer from one on.
func (m *Manager) endLists(p *Viewer, from int) {
	for k := from; k < p.present(); k++ {
		m.endList(p.listAt(k))
	}
}
