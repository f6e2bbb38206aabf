package rpl

import (
	"math"
	"math/bits"
	"time"
)

// The Stream stage decides which nodes each peer should hold. It judges trees by their
// root. Its cost goes with the nodes that have moved, appeared or changed their rules,
// not with nodes × peers.

// Observe replaces the points round which a peer sees.
func (a *Authority) Observe(id Peer, points ...[2]float64) {
	p := a.byID.find(id)
	if p == nil || samePoints(p.points, points) {
		return
	}
	p.points = append(p.points[:0], points...)
	p.looked = false
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

// rejudge has the tree of a node judged anew for every peer at the next Stream.
func (a *Authority) rejudge(slot uint32) {
	r := a.root(slot)
	if n := &a.nodes[r]; !n.judge {
		n.judge = true
		a.judged = append(a.judged, r)
	}
}

// Stream decides which nodes each peer should hold, and starts arrivals and removals.
func (a *Authority) Stream(now time.Duration) {
	a.send++
	a.now = now
	a.askConditions()
	for i := 0; i < len(a.judged); i++ {
		slot := a.judged[i]
		n := &a.nodes[slot]
		if !n.judge {
			continue
		}
		n.judge = false
		if !n.used {
			continue
		}
		a.regrid(slot)
		if n.parent != 0 { // its new tree is judged once, however many nodes have come under it
			a.rejudge(slot)
			continue
		}
		a.rejudgeNow(slot)
	}
	a.judged = a.judged[:0]
	a.looks = false
	if a.grid != nil {
		a.streamAll(now)
	}
	if g := a.grid; g != nil {
		g.crossed = g.crossed[:0]
	}
	a.moves++
	a.routeEarly()
}

// streamAll decides by distance, for some peers at a time (ahead.go).
func (a *Authority) streamAll(now time.Duration) {
	a.grid.sortNews()
	var buf [aheadPeers]*peer
	group := buf[:0]
	for i, p := range a.peers {
		if p != nil && p.streaming {
			group = append(group, p)
		}
		if len(group) == cap(group) || i == len(a.peers)-1 {
			a.touchWatches(group)
			for _, p := range group {
				a.streamTo(p, now)
			}
			group = group[:0]
		}
	}
	a.grid.news = a.grid.news[:0] // including the news of these decisions
}

// streamTo decides by distance for one peer.
func (a *Authority) streamTo(p *peer, now time.Duration) {
	switch {
	case p.frozen(now): // it looks at everything when it is back
		p.lookAgain = true
	case a.watches(p):
		a.keepWatch(p, now)
	default:
		a.look(p, now)
	}
}

// regrid puts a node into the grid or takes it out, by its relevance.
func (a *Authority) regrid(slot uint32) {
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

// judge judges a node's tree now if Stream would have to, for an RPC: it must reach a
// peer that has just been let in, and not one that has just been put out. A tree made
// since the last Stream is not judged, because its place is not known yet.
func (a *Authority) judge(slot uint32) {
	root := a.root(slot)
	if n := &a.nodes[root]; n.judge && n.born != a.send {
		n.judge = false
		a.regrid(root)
		a.rejudgeNow(root)
	}
}

// rejudgeNow decides about a tree for every peer that its new place or rules may concern.
func (a *Authority) rejudgeNow(root uint32) {
	cell := a.spots[root].cell
	for _, p := range a.peers {
		if p == nil || !p.streaming || cell >= 0 && p.watch.on {
			continue
		}
		a.decide(p, root, a.judgeTree(p, root))
	}
	if cell < 0 {
		return
	}
	// Of the peers that keep watch, only those that see its cell, or hold or own a node
	// of the tree, can want it.
	a.tellWatchers(cell, root)
	a.noteConcerned(root)
	for k, w := range a.concerned.W {
		for a.concerned.W[k] = 0; w != 0; w &= w - 1 {
			if p := a.peers[k<<6+bits.TrailingZeros64(w)]; p.watch.on {
				a.decide(p, root, a.judgeTree(p, root))
			}
		}
	}
}

// noteConcerned notes the peers that hold or own a node of a tree.
func (a *Authority) noteConcerned(slot uint32) {
	n := &a.nodes[slot]
	for _, h := range n.holders {
		a.concerned.Set(uint32(h.peer))
	}
	if n.owner != 0 {
		if p := a.byID.find(n.owner); p != nil {
			a.concerned.Set(uint32(p.index))
		}
	}
	for _, c := range n.children {
		a.noteConcerned(c)
	}
}

// judgeTree reports whether a peer should have a tree: by its root's rule, or because
// it owns a node of it.
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
		return true // no Interest is set, or the node has no position: everyone
	}
	return a.wants(p, root, p.wanted.Has(root))
}

// ownsAny reports whether a peer owns a node or any node below it.
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

// distance is the distance from the nearest observer, +Inf without observers.
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

// wants asks the Interest about a node; had says whether the peer has it now.
func (a *Authority) wants(p *peer, slot uint32, had bool) bool {
	a.counters.DistanceChecks++
	n, s := &a.nodes[slot], &a.spots[slot]
	d := p.distance(s.x, s.y)
	if !(d <= a.cfg.Interest.Reach(p.id)) {
		return false
	}
	return a.cfg.Interest.Wants(p.id, n.id, d, had)
}

// decide makes a tree wanted or not wanted by a peer.
func (a *Authority) decide(p *peer, slot uint32, want bool) {
	n := &a.nodes[slot]
	if has := p.wanted.Has(slot); want && !has {
		p.want(a, slot)
	} else if !want && has {
		p.unwant(a, slot)
	}
	for _, c := range n.children {
		a.decide(p, c, want)
	}
}

// OnDecide sets a function that is called whenever Stream decides that a peer shall
// have a node (in) or shall no longer have it. It is meant for measurements.
func (a *Authority) OnDecide(fn func(p Peer, n Node, in bool)) { a.onDecide = fn }
