package rpl

import (
	"math"
	"slices"
	"time"
)

// The Stream stage: which nodes each peer should hold. It judges trees by
// their root. A tick costs what has moved, appeared or changed its rules, never
// nodes × peers.

// Observe replaces the points round which a peer sees.
func (a *Authority) Observe(id Peer, points ...[2]float64) {
	p := a.byID[id]
	if p == nil || samePoints(p.points, points) {
		return
	}
	p.points = append(p.points[:0], points...)
	p.lookAgain = true
}

func samePoints(a, b [][2]float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// rejudge has a node's tree asked about at the next Stream, for every peer.
func (a *Authority) rejudge(slot uint32) {
	r := a.root(slot)
	if n := &a.nodes[r]; !n.judge {
		n.judge = true
		a.judged = append(a.judged, r)
	}
}

// Stream decides what each peer should hold, and starts what comes and goes.
func (a *Authority) Stream(now time.Duration) {
	a.send++
	a.now = now
	a.askConditions()
	for _, slot := range a.judged {
		n := &a.nodes[slot]
		if !n.judge {
			continue
		}
		n.judge = false
		if !n.used {
			continue
		}
		a.place(slot)
		if n.parent != 0 {
			a.rejudgeNow(a.root(slot))
			continue
		}
		a.rejudgeNow(slot)
	}
	a.judged = a.judged[:0]
	if a.grid != nil {
		for _, p := range a.peers {
			switch {
			case p == nil || !p.streaming:
			case p.frozen(now): // it looks at everything later
				p.lookAgain = true
			default:
				a.look(p, now)
			}
		}
	}
	if g := a.grid; g != nil {
		g.crossed = g.crossed[:0]
	}
	a.moves++
	a.routeEarly()
}

// place puts a node into the grid or takes it out, as its relevance says now.
func (a *Authority) place(slot uint32) {
	n := &a.nodes[slot]
	if a.grid == nil {
		return
	}
	if n.parent == 0 && n.spawn.Relevance == Near && n.posItem >= 0 {
		if a.spots[slot].cell < 0 {
			a.enterCell(slot)
		}
	} else {
		a.leaveGrid(slot)
	}
}

func (a *Authority) rejudgeNow(root uint32) {
	for _, p := range a.peers {
		if p != nil && p.streaming {
			a.decide(p, root, a.judgeTree(p, root))
		}
	}
}

// judgeTree is whether a peer should have a tree: by its root's rule, or
// because it owns a node of it.
func (a *Authority) judgeTree(p *peer, root uint32) bool {
	n := &a.nodes[root]
	if a.ownsAny(p, root) {
		return true
	}
	switch n.spawn.Relevance {
	case Always:
		return true
	case OwnerOnly:
		return false
	case Grouped:
		return n.groups&p.groups != 0
	}
	if a.grid == nil || n.posItem < 0 {
		return true // no interest set, or nowhere: everyone
	}
	return a.wants(p, root, p.wanted.has(root))
}

func (a *Authority) ownsAny(p *peer, slot uint32) bool {
	n := &a.nodes[slot]
	if n.owner == p.id {
		return true
	}
	for _, c := range n.children {
		if a.ownsAny(p, c) {
			return true
		}
	}
	return false
}

// distance is the least one from any observer, +Inf without observers.
func (p *peer) distance(x, y float64) float64 {
	best := math.Inf(1)
	for _, o := range p.points {
		dx, dy := x-o[0], y-o[1]
		if d := dx*dx + dy*dy; d < best {
			best = d
		}
	}
	return math.Sqrt(best)
}

func (a *Authority) wants(p *peer, slot uint32, had bool) bool {
	a.counters.DistanceChecks++
	n, s := &a.nodes[slot], &a.spots[slot]
	d := p.distance(s.x, s.y)
	if !(d <= a.cfg.Interest.Reach(p.id)) {
		return false
	}
	return a.cfg.Interest.Wants(p.id, n.id, d, had)
}

// look finds what comes into and goes out of a peer's sight: all that is in
// reach where an observer has moved, else what has moved itself.
func (a *Authority) look(p *peer, now time.Duration) {
	if !p.lookAgain && a.grid.moved != a.moves && len(p.lingering) == 0 {
		return
	}
	v := view{a: a, p: p, now: now, reach: a.cfg.Interest.Reach(p.id), all: p.lookAgain}
	v.measure()
	p.lookAgain = false
	p.lingering, p.lingered = p.lingered[:0], p.lingering
	for _, slot := range p.lingered {
		v.checkOut(slot)
	}
	if v.all || a.grid.moved == a.moves {
		for _, o := range p.points {
			v.around(o)
		}
	}
	switch {
	case !v.all:
		for _, slot := range a.grid.crossed {
			if p.wanted.has(slot) {
				v.checkOut(slot)
			}
		}
	case v.kept+len(p.lingering) != len(p.near) || !v.plain:
		a.touchSpots(p)
		for i := 0; i < len(p.near); {
			slot := p.near[i]
			v.checkOut(slot)
			if i < len(p.near) && p.near[i] == slot {
				i++
			}
		}
	}
}

// view is one look of one peer.
type view struct {
	a     *Authority
	p     *peer
	now   time.Duration
	reach float64
	all   bool // look at everything, not at what moved
	plain bool // the Interest is a Grid, and there is one observer
	kept  int  // nodes of the peer that were seen to be in sight still

	// Squares of distances in the grid: in sight for sure, perhaps to be let in,
	// kept for sure, perhaps kept.
	enter, mayEnter, stay, mayStay float32
	enter2, exit2                  float64 // squares of the true ones
}

func (v *view) measure() {
	g, ok := v.a.cfg.Interest.(Grid)
	v.plain = ok && len(v.p.points) == 1
	v.enter2, v.exit2 = g.Enter*g.Enter, g.Exit*g.Exit
	m := v.a.grid.margin
	for _, o := range v.p.points {
		if v.a.grid.exact || v.a.grid.rough(o[0]) || v.a.grid.rough(o[1]) {
			m = math.Inf(1)
		}
	}
	v.enter, v.stay = square(g.Enter-m), square(g.Exit-m)
	v.mayEnter, v.mayStay = square(g.Enter+m), square(g.Exit+m)
}

// square of a distance; what is negative is nearer than everything.
func square(d float64) float32 {
	if d < 0 {
		return -1
	}
	return float32(d * d)
}

// around looks at the cells round one observer: those where something moved,
// unless it looks at all.
func (v *view) around(o [2]float64) {
	g := v.a.grid
	x0, x1 := g.span(o[0], v.reach)
	y0, y1 := g.span(o[1], v.reach)
	for cy := y0; cy <= y1; cy++ {
		for cx := x0; cx <= x1; cx++ {
			if i := g.bucketAt(cx, cy); v.all || g.stamps[i] == v.a.moves {
				v.cell(g.buckets[i], o)
			}
		}
	}
}

// cell looks at the nodes of a cell, for one observer.
func (v *view) cell(nodes []gridNode, o [2]float64) {
	p := v.p
	if !v.plain {
		for i := range nodes {
			if slot := nodes[i].slot; p.wanted.has(slot) {
				v.checkOut(slot)
			} else if v.a.wants(p, slot, false) {
				v.a.decide(p, slot, true)
			}
		}
		return
	}
	v.a.counters.DistanceChecks += uint64(len(nodes))
	x, y := float32(o[0]), float32(o[1])
	far, stay, mayEnter := v.mayStay, v.stay, v.mayEnter
	if !v.all {
		far = float32(math.Inf(1)) // who has moved may have left
	}
	for i := range nodes {
		e := &nodes[i]
		dx, dy := e.x-x, e.y-y
		d := dx*dx + dy*dy
		switch {
		case d > far:
		case p.wanted.has(e.slot):
			if d <= stay || v.distance2(e.slot, o) <= v.exit2 {
				v.kept++
			} else if !v.all {
				v.checkOut(e.slot)
			}
		case d <= mayEnter && (d <= v.enter || v.distance2(e.slot, o) <= v.enter2):
			v.a.decide(p, e.slot, true)
			v.kept++
		}
	}
}

// distance2 is the square of a node's true distance.
func (v *view) distance2(slot uint32, o [2]float64) float64 {
	s := &v.a.spots[slot]
	dx, dy := s.x-o[0], s.y-o[1]
	return dx*dx + dy*dy
}

// checkOut takes a node from a peer that it has by distance, if it is out of
// its sight.
func (v *view) checkOut(slot uint32) {
	a, p := v.a, v.p
	if a.spots[slot].cell < 0 || !p.wanted.has(slot) {
		return
	}
	if v.plain {
		a.counters.DistanceChecks++
		if v.distance2(slot, p.points[0]) <= v.exit2 {
			return
		}
	} else if a.wants(p, slot, true) {
		return
	}
	if a.ownsAny(p, slot) || slices.Contains(p.lingering, slot) {
		return
	}
	if h := a.nodes[slot].holder(p.index); h != nil && v.now-h.since < minStay {
		p.lingering = append(p.lingering, slot)
		return
	}
	a.decide(p, slot, false)
}

// decide makes a tree wanted or not by a peer.
func (a *Authority) decide(p *peer, slot uint32, want bool) {
	n := &a.nodes[slot]
	if has := p.wanted.has(slot); want && !has {
		p.want(a, slot)
	} else if !want && has {
		p.unwant(a, slot)
	}
	for _, c := range n.children {
		a.decide(p, c, want)
	}
}

// OnDecide has fn told whenever Stream decides that a peer shall or shall no
// longer have a node: for measurement.
func (a *Authority) OnDecide(fn func(p Peer, n Node, in bool)) { a.onDecide = fn }
