package interest

import (
	"time"
)

// The watches of a peer, one for each of its observers, and what they have in common.

// maxWatches is the most observers of which each keeps a watch. Armies of more share one look
// at everything in reach (look.go).
const maxWatches = 8

// watchAt returns the watch of an observer, by its place among the peer's.
func (p *Viewer) watchAt(k int) *watch {
	if k == 0 {
		return &p.watch
	}
	return p.more[k-1]
}

// present is how many watches a peer has, on or not.
func (p *Viewer) present() int { return 1 + len(p.more) }

// newWatch returns a number for one more watch.
func (a *Manager) newWatch() (id int32) {
	if n := len(a.freeWatches); n > 0 {
		id = a.freeWatches[n-1]
		a.freeWatches = a.freeWatches[:n-1]
		return id
	}
	a.numbered++
	a.space.Index.Reach(a.numbered - 1)
	return a.numbered - 1
}

// keepWatches decides which nodes come into and go out of the sight of a peer.
func (a *Manager) keepWatches(p *Viewer, now time.Duration) {
	n := len(p.Points)
	for len(p.more) < n-1 {
		p.more = append(p.more, &watch{id: a.newWatch()})
	}
	a.endWatches(p, n)
	again, leapt := p.lookAgain, p.lookAgain
	p.lookAgain = false
	for k := range p.Points {
		leapt = a.keepWatch(p, k, again, now) || leapt
	}
	if n > 1 && (leapt || p.sweeps) {
		a.sweep(p, now)
	}
	p.looked = true
}

// sweep takes away the nodes that no observer of the peer sees.
func (a *Manager) sweep(p *Viewer, now time.Duration) {
	p.sweeps = false
	p.Near.Settle()
	a.touchSpots(p.Near.Slots)
	for i := 0; i < len(p.Near.Slots); {
		slot := p.Near.Slots[i]
		if !a.inSight(p, slot) && !a.holdsOn(p, slot) {
			if !a.lingers(p, slot, now) {
				a.decide(p, slot, false)
				a.sync(p, nil, slot)
				if i < len(p.Near.Slots) && p.Near.Slots[i] != slot {
					continue // another stands in its place
				}
			} else {
				p.sweeps = true
			}
		}
		i++
	}
}

// inSight is whether any observer of a peer still sees a node that the peer has.
func (a *Manager) inSight(p *Viewer, slot uint32) bool {
	g, s := a.space.Index, &a.space.Positions[slot]
	if s.Cell < 0 {
		return true // it is not had for its distance
	}
	if g.Policy != nil {
		return a.policyWants(p, slot, true)
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

// sync has the watches of a peer, but for one, note what was decided about a node.
func (a *Manager) sync(p *Viewer, but *watch, slot uint32) {
	s, held := &a.space.Positions[slot], p.Wanted.Has(slot)
	for k := range p.Points {
		w := p.watchAt(k)
		if w == but || !w.on {
			continue
		}
		e := edgeAt(slot, held)
		e.x, e.y = s.GridX, s.GridY
		if w.edging.Has(slot) {
			for i := range w.edge {
				if w.edge[i].slot() == slot {
					w.edge[i] = e
					break
				}
			}
		} else {
			w.addEdge(e)
		}
	}
}

// endWatches ends the watches of a peer from one on.
func (a *Manager) endWatches(p *Viewer, from int) {
	for k := from; k < p.present(); k++ {
		a.endWatch(p.watchAt(k))
	}
}
