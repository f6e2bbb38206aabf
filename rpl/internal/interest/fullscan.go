package interest

import (
	"math"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/spatial"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A full scan finds the nodes that come into or go out of a peer's sight, for any Interest
// and any number of observers. After an observer has moved it checks all nodes in
// reach, else those that have moved themselves. A peer with a few observers and a Grid or
// a Policy has neighbour lists instead (neighbourlist.go).
type fullScan struct {
	m   *Manager
	p   *Viewer
	now time.Duration
}

// fullScan finds what comes into or goes out of the sight of a peer.
func (m *Manager) fullScan(p *Viewer, now time.Duration) {
	m.endLists(p, 0)
	p.sweeps = false
	m.space.NeedsStamps = true
	all := p.rescan || !p.scanned || m.space.Unstamped
	moved := m.space.Index.Moved == m.space.Moves
	if !all && !moved && len(p.lingering) == 0 {
		return
	}
	p.rescan, p.scanned = false, true
	if m.views == nil {
		m.views = new(views)
	}
	l := fullScan{m, p, now}
	m.views.open(m, p)
	p.lingering, p.lingered = p.lingered[:0], p.lingering
	for _, slot := range p.lingered {
		l.checkOut(slot)
	}
	if all || moved {
		m.views.each(func(bucket int32) { l.scanCell(bucket, all) })
	}
	if all {
		near := &p.InGrid
		near.Compact()
		m.touchPositions(near.Slots)
		for _, slot := range near.Slots {
			l.checkOut(slot)
		}
	} else {
		for _, slot := range m.space.Index.Crossed {
			l.checkOut(slot)
		}
	}
	for _, slot := range p.lingering {
		m.views.late.Clear(slot)
	}
}

// scanCell checks the nodes in a bucket, if all is to be checked or one of them has
// moved.
func (l *fullScan) scanCell(bucket int32, all bool) {
	g := l.m.space.Index
	if !all && g.Stamps[bucket] != l.m.space.Moves {
		return
	}
	for k := range g.Buckets[bucket] {
		if slot := g.Buckets[bucket][k].Slot; l.p.Wanted.Has(slot) {
			l.checkOut(slot)
		} else if l.wants(slot, false) && !l.m.hides(l.p, slot) {
			l.m.decide(l.p, slot, true)
		}
	}
}

// checkOut takes away a node that the peer has by distance, if it is out of sight.
func (l *fullScan) checkOut(slot uint32) {
	m, p := l.m, l.p
	switch {
	case m.space.Positions[slot].Cell < 0 || !p.Wanted.Has(slot) || l.wants(slot, true):
	case m.holdsOn(p, slot) || m.views.late.Has(slot):
	case m.lingers(p, slot, l.now):
		p.lingering = append(p.lingering, slot)
		m.views.late.Set(slot)
	default:
		m.decide(p, slot, false)
	}
}

// wants is Manager.wants for a node in the grid. It asks only the observers that
// reach the node's bucket.
func (l *fullScan) wants(slot uint32, had bool) bool {
	m, s := l.m, &l.m.space.Positions[slot]
	m.DistanceChecks++
	v, in := m.views, m.Rule
	near := v.pointsNear(s.Cell)
	if m.space.Index.Plain {
		limit := m.space.Index.Rings.Sight[flag(had)]
		for _, i := range near {
			o := &v.points[i]
			dx, dy := s.X-o.X, s.Y-o.Y
			if d := dx*dx + dy*dy; d <= limit*o.Scale*o.Scale && (m.space.Index.Policy == nil || m.allows(l.p, slot, o, d, had)) {
				return true
			}
		}
		return false
	}
	best := math.Inf(1)
	for _, i := range near {
		o := &v.points[i]
		dx, dy := s.X-o.X, s.Y-o.Y
		if d := (dx*dx + dy*dy) / (o.Scale * o.Scale); d < best {
			best = d
		}
	}
	best = math.Sqrt(best)
	return best <= in.Reach(l.p.ID) && in.Wants(l.p.ID, m.store.Nodes[slot].ID, best, had)
}

// lingers is whether a node out of sight has not yet stayed for MinStay. None does where the game has
// had the Interest asked anew: what a policy refuses since then may be a secret.
func (m *Manager) lingers(p *Viewer, slot uint32, now time.Duration) bool {
	h := m.store.Nodes[slot].Holder(p.index)
	return h != nil && p.asked != m.space.Moves && h.Held(now) < wire.MinStay
}

// views sorts the observers of the peer being scanned by the grid's buckets that they
// reach. So each node is asked about once, against the observers that may see it, and
// not once for each observer, or against all of them.
type views struct {
	points   []spatial.Observer
	lists    [spatial.GridSide * spatial.GridSide][]int32 // by bucket: the points that reach it
	reached  []int32                                      // buckets that have a list
	all      []int32                                      // all points, if each counts as reaching everything; else nil
	everyone []int32
	late     wire.Bitset // slots that peer.lingering has during a scan
}

// maxView is the most buckets that one point may reach for lists to be kept. One that
// reaches more mostly reaches all of them, and then all are scanned.
const maxView = spatial.GridSide * spatial.GridSide / 8

// open sets up views for a peer's present observers.
func (v *views) open(m *Manager, p *Viewer) {
	for _, b := range v.reached {
		v.lists[b] = v.lists[b][:0]
	}
	v.reached, v.all, v.points = v.reached[:0], nil, p.Points
	g, reach := m.space.Index, m.Rule.Reach(p.ID)
	for i, o := range p.Points {
		x0, x1 := g.Span(o.X, reach*o.Scale)
		y0, y1 := g.Span(o.Y, reach*o.Scale)
		if (x1-x0+1)*(y1-y0+1) > maxView {
			v.takeAll()
			return
		}
		for cy := y0; cy <= y1; cy++ {
			for cx := x0; cx <= x1; cx++ {
				v.add(g.BucketAt(cx, cy), int32(i), g.Covers([2]float64{o.X, o.Y}, cx, cy) && o.Scale >= 1)
			}
		}
	}
}

// add notes that a point reaches a bucket. A point that sees most of the bucket goes
// first: mostly no other need be asked.
func (v *views) add(bucket, point int32, covers bool) {
	list := v.lists[bucket]
	if len(list) == 0 {
		v.reached = append(v.reached, bucket)
	}
	if list = append(list, point); covers {
		last := len(list) - 1
		list[0], list[last] = list[last], list[0]
	}
	v.lists[bucket] = list
}

func (v *views) takeAll() {
	v.everyone = v.everyone[:0]
	for i := range v.points {
		v.everyone = append(v.everyone, int32(i))
	}
	v.all = v.everyone
}

// pointsNear returns the points that may see something in a bucket.
func (v *views) pointsNear(bucket int32) []int32 {
	if v.all != nil {
		return v.all
	}
	return v.lists[bucket]
}

// each calls fn for every bucket that is reached.
func (v *views) each(fn func(bucket int32)) {
	if v.all == nil {
		for _, b := range v.reached {
			fn(b)
		}
		return
	}
	for b := range int32(len(v.lists)) {
		fn(b)
	}
}
