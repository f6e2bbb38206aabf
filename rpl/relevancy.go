package rpl

import (
	"math"
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
		a.spreadMovers()
		for _, p := range a.peers {
			switch {
			case p == nil || !p.streaming:
			case p.frozen(now): // what moves meanwhile is not noted: it looks at everything later
				p.lookAgain, p.leavers = true, p.leavers[:0]
			default:
				a.look(p, now)
			}
		}
	}
	a.movers = a.movers[:0]
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
		if n.cell < 0 {
			a.moved(slot, n.x, n.y)
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
	n := &a.nodes[slot]
	d := p.distance(n.x, n.y)
	if !(d <= a.cfg.Interest.Reach(p.id)) {
		return false
	}
	return a.cfg.Interest.Wants(p.id, n.id, d, had)
}

// spreadMovers tells the peers whose observers stand still which of their nodes
// moved. The others look at everything anyway.
func (a *Authority) spreadMovers() {
	still := false
	for _, p := range a.peers {
		still = still || p != nil && !p.lookAgain
	}
	if !still {
		return
	}
	for _, slot := range a.movers {
		n := &a.nodes[slot]
		if !n.used || n.cell < 0 {
			continue
		}
		for i := range n.holders {
			if p := a.peers[n.holders[i].peer]; !p.lookAgain {
				p.leavers = append(p.leavers, slot)
			}
		}
	}
}

// look finds what comes into and goes out of a peer's sight.
func (a *Authority) look(p *peer, now time.Duration) {
	if !p.lookAgain && len(p.leavers) == 0 && len(p.lingering) == 0 && len(a.movers) == 0 {
		return
	}
	v := view{a: a, p: p}
	v.grid, v.plain = a.cfg.Interest.(Grid)
	v.enter2, v.exit2 = v.grid.Enter*v.grid.Enter, v.grid.Exit*v.grid.Exit
	g, reach := a.grid, a.cfg.Interest.Reach(p.id)
	for _, o := range p.points {
		x0, x1 := g.cellOf(o[0]-reach), g.cellOf(o[0]+reach)
		y0, y1 := g.cellOf(o[1]-reach), g.cellOf(o[1]+reach)
		x1, y1 = min(x1, x0+gridSide-1), min(y1, y0+gridSide-1)
		for cy := y0; cy <= y1; cy++ {
			for cx := x0; cx <= x1; cx++ {
				b := &g.buckets[g.bucketAt(cx, cy)]
				if p.lookAgain {
					v.all(b.nodes)
				} else if b.moved == a.moves {
					for i := range b.nodes {
						if b.nodes[i].moved == a.moves {
							v.one(&b.nodes[i])
						}
					}
				}
			}
		}
	}
	a.leaveSight(&v, now)
	p.lookAgain = false
	p.leavers = p.leavers[:0]
}

// view is one look of one peer.
type view struct {
	a             *Authority
	p             *peer
	grid          Grid
	plain         bool // the Interest is a Grid
	enter2, exit2 float64
	kept          int // nodes of the peer that were seen to be in sight still
}

// all looks at the nodes of a cell.
func (v *view) all(nodes []gridNode) {
	if !v.plain || len(v.p.points) != 1 {
		for i := range nodes {
			v.one(&nodes[i])
		}
		return
	}
	o := v.p.points[0]
	v.a.counters.DistanceChecks += uint64(len(nodes))
	for i := range nodes {
		e := &nodes[i]
		dx, dy := e.x-o[0], e.y-o[1]
		d := dx*dx + dy*dy
		if d > v.exit2 {
			continue
		}
		if v.p.wanted.has(e.slot) {
			v.kept++
		} else if d <= v.enter2 {
			v.a.decide(v.p, e.slot, true)
		}
	}
}

// one looks at a node that the peer may not have yet.
func (v *view) one(e *gridNode) {
	if v.p.wanted.has(e.slot) {
		return
	}
	if !v.plain {
		if v.a.wants(v.p, e.slot, false) {
			v.a.decide(v.p, e.slot, true)
		}
		return
	}
	v.a.counters.DistanceChecks++
	for _, o := range v.p.points {
		dx, dy := e.x-o[0], e.y-o[1]
		if dx*dx+dy*dy <= v.enter2 {
			v.a.decide(v.p, e.slot, true)
			return
		}
	}
}

// leaveSight checks the nodes that a peer has by distance: all of them when
// its observers moved (unless the look has just seen all of them in sight),
// else those that moved or stay on only for their time.
func (a *Authority) leaveSight(v *view, now time.Duration) {
	p := v.p
	if p.lookAgain && v.kept == len(p.near) && v.kept > 0 {
		p.lingering = p.lingering[:0]
		return
	}
	p.lingering, p.lingered = p.lingered[:0], p.lingering
	if p.lookAgain {
		for i := 0; i < len(p.near); {
			slot := p.near[i]
			a.checkOut(v, slot, now)
			if i < len(p.near) && p.near[i] == slot {
				i++
			}
		}
		return
	}
	for _, slot := range p.leavers {
		a.checkOut(v, slot, now)
	}
	for _, slot := range p.lingered {
		a.checkOut(v, slot, now)
	}
}

func (a *Authority) checkOut(v *view, slot uint32, now time.Duration) {
	p, n := v.p, &a.nodes[slot]
	if !n.used || n.cell < 0 || !p.wanted.has(slot) {
		return
	}
	if v.plain {
		a.counters.DistanceChecks++
		for _, o := range p.points {
			dx, dy := n.x-o[0], n.y-o[1]
			if dx*dx+dy*dy <= v.exit2 {
				return
			}
		}
	} else if a.wants(p, slot, true) {
		return
	}
	if a.ownsAny(p, slot) {
		return
	}
	if h := n.holder(p.index); h != nil && now-h.since < minStay {
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
