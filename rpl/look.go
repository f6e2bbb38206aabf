package rpl

import (
	"math"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A look finds the nodes that come into or go out of a peer's sight, for any Interest
// and any number of observers. After an observer has moved it checks all nodes in
// reach, else those that have moved themselves. A peer with one observer and a Grid
// keeps watch instead (watch.go).
type look struct {
	a   *Authority
	p   *peer
	now time.Duration
}

// look finds what comes into or goes out of the sight of a peer.
func (a *Authority) look(p *peer, now time.Duration) {
	p.endWatch(a)
	a.looks = true
	all := p.lookAgain || !p.looked || a.unstamped
	moved := a.grid.moved == a.moves
	if !all && !moved && len(p.lingering) == 0 {
		return
	}
	p.lookAgain, p.looked = false, true
	if a.views == nil {
		a.views = new(views)
	}
	l := look{a, p, now}
	a.views.open(a, p)
	p.lingering, p.lingered = p.lingered[:0], p.lingering
	for _, slot := range p.lingered {
		l.checkOut(slot)
	}
	if all || moved {
		a.views.each(func(bucket int32) { l.lookInto(bucket, all) })
	}
	if all {
		near := &p.near
		near.settle()
		a.touchSpots(near.slots)
		for i := 0; i < len(near.slots); {
			slot := near.slots[i]
			l.checkOut(slot)
			if i < len(near.slots) && near.slots[i] == slot {
				i++
			}
		}
	} else {
		for _, slot := range a.grid.crossed {
			l.checkOut(slot)
		}
	}
	for _, slot := range p.lingering {
		a.views.late.Clear(slot)
	}
}

// lookInto checks the nodes in a bucket, if all is to be checked or one of them has
// moved.
func (l *look) lookInto(bucket int32, all bool) {
	g := l.a.grid
	if !all && g.stamps[bucket] != l.a.moves {
		return
	}
	for k := range g.buckets[bucket] {
		if slot := g.buckets[bucket][k].slot; l.p.wanted.Has(slot) {
			l.checkOut(slot)
		} else if l.wants(slot, false) {
			l.a.decide(l.p, slot, true)
		}
	}
}

// checkOut takes away a node that the peer has by distance, if it is out of sight.
func (l *look) checkOut(slot uint32) {
	a, p := l.a, l.p
	switch {
	case a.spots[slot].cell < 0 || !p.wanted.Has(slot) || l.wants(slot, true):
	case a.ownsAny(p, slot) || a.views.late.Has(slot):
	case a.lingers(p, slot, l.now):
		p.lingering = append(p.lingering, slot)
		a.views.late.Set(slot)
	default:
		a.decide(p, slot, false)
	}
}

// wants is Authority.wants for a node in the grid. It asks only the observers that
// reach the node's bucket.
func (l *look) wants(slot uint32, had bool) bool {
	a, s := l.a, &l.a.spots[slot]
	a.counters.DistanceChecks++
	v, in := a.views, a.cfg.Interest
	near := v.near(s.cell)
	if a.grid.plain {
		limit := a.grid.rings.sight[flag(had)]
		for _, i := range near {
			o := &v.points[i]
			if dx, dy := s.x-o[0], s.y-o[1]; dx*dx+dy*dy <= limit {
				return true
			}
		}
		return false
	}
	best := math.Inf(1)
	for _, i := range near {
		o := &v.points[i]
		dx, dy := s.x-o[0], s.y-o[1]
		if d := dx*dx + dy*dy; d < best {
			best = d
		}
	}
	best = math.Sqrt(best)
	return best <= in.Reach(l.p.id) && in.Wants(l.p.id, a.nodes[slot].id, best, had)
}

// lingers is whether a node out of sight has not yet stayed for minStay.
func (a *Authority) lingers(p *peer, slot uint32, now time.Duration) bool {
	h := a.nodes[slot].holder(p.index)
	return h != nil && now < h.since+wire.MinStay
}

// views sorts the observers of the peer that looks by the grid's buckets that they
// reach. So each node is asked about once, against the observers that may see it, and
// not once for each observer, or against all of them.
type views struct {
	points   [][2]float64
	lists    [gridSide * gridSide][]int32 // by bucket: the points that reach it
	reached  []int32                      // buckets that have a list
	all      []int32                      // all points, if each counts as reaching everything; else nil
	everyone []int32
	late     wire.Bitset // slots that peer.lingering has during a look
}

// maxView is the most buckets that one point may reach for lists to be kept. One that
// reaches more mostly reaches all of them, and then all are looked into.
const maxView = gridSide * gridSide / 8

// open sets up views for a peer's present observers.
func (v *views) open(a *Authority, p *peer) {
	for _, b := range v.reached {
		v.lists[b] = v.lists[b][:0]
	}
	v.reached, v.all, v.points = v.reached[:0], nil, p.points
	g, reach := a.grid, a.cfg.Interest.Reach(p.id)
	for i, o := range p.points {
		x0, x1 := g.span(o[0], reach)
		y0, y1 := g.span(o[1], reach)
		if (x1-x0+1)*(y1-y0+1) > maxView {
			v.takeAll()
			return
		}
		for cy := y0; cy <= y1; cy++ {
			for cx := x0; cx <= x1; cx++ {
				v.add(g.bucketAt(cx, cy), int32(i), g.covers(o, cx, cy))
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

// near is the points that may see something in a bucket.
func (v *views) near(bucket int32) []int32 {
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

// covers is whether a point sees all of a cell, or nearly all.
func (g *grid) covers(o [2]float64, cx, cy int) bool {
	dx, dy := (float64(cx)+0.5)*g.size-o[0], (float64(cy)+0.5)*g.size-o[1]
	most := g.exit - g.size
	return most > 0 && dx*dx+dy*dy < most*most
}
