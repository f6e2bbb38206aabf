package rpl

import (
	"math"
	"math/bits"
	"time"
)

// A peer with one observer and a Grid keeps watch: it looks at all that is in
// reach only when its observer has moved by the grid's slack, and notes those
// nodes that can come in or go out before it looks again, without leaving their
// place in the grid: those near the edge of its sight. In every other send it
// asks these, and those of which the grid tells: who has left its place in a
// cell that the peer watches. (Verlet's neighbour lists, as molecular dynamics
// has them: Phys. Rev. 159, 98, 1967.)
type watch struct {
	on       bool
	at       [2]float64 // where the observer was at the last look …
	margin   float64    // … and how far off a distance from there could be
	from, to [2]int     // cells that are watched
	edge     []uint32   // slots that are asked in every send
	edging   bitset     // the same
	told     []uint32   // slots of which the grid has told since
	waits    bool       // one of the edge is out of sight, and its least stay is not over
}

// watches is whether a peer keeps watch.
func (a *Authority) watches(p *peer) bool { return a.grid.plain && len(p.points) == 1 }

// square of a distance; what is negative is nearer than everything.
func square(d float64) float32 {
	if d < 0 {
		return -1
	}
	return float32(d * d)
}

// vigil is a peer's watch in one send. Distances are squared.
type vigil struct {
	a           *Authority
	p           *peer
	o           [2]float64 // where the observer is
	now         time.Duration
	enter, exit float64

	// In the grid, from where the observer was, wherever it and a node have gone
	// since: what is held stays, what is not held may come, what is held may stay.
	stays, comes, far float32
}

// keepWatch brings what the peer should hold up to date.
func (a *Authority) keepWatch(p *peer, now time.Duration) {
	g, w, o := a.grid, &p.watch, p.points[0]
	m := 2 * g.margin // the node's slack and the observer's
	if g.exact || g.rough(o[0]) || g.rough(o[1]) {
		m = math.Inf(1)
	}
	v := vigil{
		a: a, p: p, o: o, now: now, enter: g.enter * g.enter, exit: g.exit * g.exit,
		stays: square(g.exit - m), comes: square(g.enter + m), far: square(g.exit + m),
	}
	away := max(math.Abs(o[0]-w.at[0]), math.Abs(o[1]-w.at[1]))
	switch {
	case p.lookAgain || !w.on || w.margin != m || !(away <= g.slack):
		w.margin = m
		v.look()
	case p.looked && !w.waits && len(w.told) == 0 && g.moved != a.moves: // nothing has moved
	default:
		v.pass()
	}
	p.looked = true
}

// pass asks those at the edge, and those of which the grid has told.
func (v *vigil) pass() {
	w := &v.p.watch
	v.a.touchSpots(w.edge)
	w.waits = false
	kept := w.edge[:0]
	for _, slot := range w.edge {
		if v.ask(slot) {
			kept = append(kept, slot)
		} else {
			w.edging.clear(slot)
		}
	}
	w.edge = kept
	for _, slot := range w.told {
		if !w.edging.has(slot) && v.ask(slot) {
			w.add(slot)
		}
	}
	w.told = w.told[:0] // with what was decided here
}

// tell has a node asked at the next watch.
func (w *watch) tell(slot uint32) {
	if w.on {
		w.told = append(w.told, slot)
	}
}

func (w *watch) add(slot uint32) {
	if !w.edging.has(slot) {
		w.edging.set(slot)
		w.edge = append(w.edge, slot)
	}
}

// ask decides about a node, and reports whether it is to be asked again before
// the grid tells of it or the peer looks.
func (v *vigil) ask(slot uint32) bool {
	a, p := v.a, v.p
	s := &a.spots[slot]
	if s.cell < 0 {
		return false
	}
	a.counters.DistanceChecks++
	dx, dy := s.x-v.o[0], s.y-v.o[1]
	d := dx*dx + dy*dy
	has := p.wanted.has(slot)
	switch {
	case !has && d <= v.enter:
		a.decide(p, slot, true)
		has = true
	case has && !(d <= v.exit) && !a.ownsAny(p, slot):
		if a.lingers(p, slot, v.now) {
			p.watch.waits = true
			return true
		}
		a.decide(p, slot, false)
		has = false
	}
	e := p.watch.distance(s)
	return has && !(e <= v.stays) || !has && e <= v.comes
}

// distance is the square of a node's, in the grid, from where the observer was.
func (w *watch) distance(s *spot) float32 {
	dx, dy := s.gridX-float32(w.at[0]), s.gridY-float32(w.at[1])
	return dx*dx + dy*dy
}

// look asks all in reach, and notes those at the edge.
func (v *vigil) look() {
	a, p := v.a, v.p
	w := &p.watch
	p.lookAgain = false
	w.stand(a, p, v.o)
	for _, slot := range w.edge {
		w.edging.clear(slot)
	}
	w.edge, w.told, w.waits = w.edge[:0], w.told[:0], false
	had, found := len(p.near), 0
	for y := w.from[1]; y <= w.to[1]; y++ {
		for x := w.from[0]; x <= w.to[0]; x++ {
			found += v.cell(a.grid.buckets[a.grid.bucketAt(x, y)])
		}
	}
	if found < had { // some are farther than the cells
		a.touchSpots(p.near)
		for i := 0; i < len(p.near); {
			slot := p.near[i]
			if !(w.distance(&a.spots[slot]) <= v.stays) && !w.edging.has(slot) && v.ask(slot) {
				w.add(slot)
			}
			if i < len(p.near) && p.near[i] == slot {
				i++
			}
		}
	}
	w.told = w.told[:0] // what was decided here
}

// cell looks at the nodes of a cell, and counts those that the peer had.
func (v *vigil) cell(nodes []gridNode) (had int) {
	p := v.p
	v.a.counters.DistanceChecks += uint64(len(nodes))
	x, y := float32(v.o[0]), float32(v.o[1])
	for i := range nodes {
		e := &nodes[i]
		dx, dy := e.x-x, e.y-y
		d := dx*dx + dy*dy
		if !(d <= v.far) {
			continue
		}
		has := p.wanted.has(e.slot)
		had += flag(has)
		if (has && !(d <= v.stays) || !has && d <= v.comes) && v.ask(e.slot) {
			p.watch.add(e.slot)
		}
	}
	return had
}

// stand moves the watch to where the observer is.
func (w *watch) stand(a *Authority, p *peer, o [2]float64) {
	g := a.grid
	var from, to [2]int
	for k := range o {
		from[k], to[k] = g.span(o[k], g.exit+g.slack)
	}
	if !w.on || from != w.from || to != w.to {
		w.end(a, p)
		w.on, w.from, w.to = true, from, to
		for y := from[1]; y <= to[1]; y++ {
			for x := from[0]; x <= to[0]; x++ {
				g.watchers.of(g.bucketAt(x, y)).set(p.index)
			}
		}
	}
	w.at = o
}

// end lets the grid tell the peer of nothing any more.
func (w *watch) end(a *Authority, p *peer) {
	if !w.on {
		return
	}
	w.on, w.told = false, w.told[:0]
	g := a.grid
	for y := w.from[1]; y <= w.to[1]; y++ {
		for x := w.from[0]; x <= w.to[0]; x++ {
			g.watchers.of(g.bucketAt(x, y)).clear(p.index)
		}
	}
}

// watchers are the peers that watch each bucket of the grid: so many words of
// bits a bucket.
type watchers struct {
	words int
	bits  []uint64
}

type watcherSet []uint64

func (s watcherSet) set(peer int32)   { s[peer>>6] |= 1 << (peer & 63) }
func (s watcherSet) clear(peer int32) { s[peer>>6] &^= 1 << (peer & 63) }

func (w *watchers) of(bucket int32) watcherSet {
	at := int(bucket) * w.words
	return watcherSet(w.bits[at : at+w.words])
}

// reach makes room for a peer.
func (w *watchers) reach(peer int32) {
	words := int(peer)>>6 + 1
	if words <= w.words {
		return
	}
	wider := watchers{words: words, bits: make([]uint64, words*gridSide*gridSide)}
	for i := range int32(gridSide * gridSide) {
		if w.words > 0 {
			copy(wider.of(i), w.of(i))
		}
	}
	*w = wider
}

// tellWatchers tells those that watch a bucket of a node that has left its place
// in the grid.
func (a *Authority) tellWatchers(bucket int32, slot uint32) {
	for k, w := range a.grid.watchers.of(bucket) {
		for ; w != 0; w &= w - 1 {
			a.peers[k<<6+bits.TrailingZeros64(w)].watch.tell(slot)
		}
	}
}
