package rpl

import (
	"math"
	"slices"
	"time"
)

// A peer with one observer and a Grid keeps watch: it looks at all that is in
// reach only when its observer has drifted off, and notes those nodes that can
// come in or go out before it looks again, without leaving their place in the
// grid: those near the edge of its sight. In every other send it asks of these
// those whose place in the grid leaves a doubt, and those of which the grid
// tells: who has left its place in a cell that the peer watches. (Verlet's
// neighbour lists, as molecular dynamics has them: Phys. Rev. 159, 98, 1967.)
type watch struct {
	at    [2]float64 // where the observer was at the last look
	edge  []edgeNode
	on    bool
	blind bool // it goes by nothing that the grid says
	waits bool // one of the edge is out of sight, and its least stay is not over
}

// cells are those of the grid from one corner to another.
type cells struct{ from, to [2]int }

// An edgeNode is a node at the edge of a peer's sight. All of it is right as long
// as the grid does not tell of the node.
type edgeNode struct {
	x, y float32 // in the grid
	who  uint32  // its slot, and edgeHeld where the peer should hold it
}

const edgeHeld = 1 << 31 // no slot

func edgeAt(slot uint32, held bool) edgeNode {
	return edgeNode{who: slot | uint32(flag(held))<<31}
}

func (e *edgeNode) slot() uint32 { return e.who &^ edgeHeld }

// held is whether the peer should hold the node, as a number.
func (e *edgeNode) held() int { return int(e.who >> 31) }

// rings are the squares of the distances by which a watch decides.
type rings struct {
	sight [2]float64 // in truth: to enter, and to exit, of what is held

	// From the observer to a place in the grid, of what is not held, and of what
	// is: who is not held and farther is out of sight, who is held and not farther
	// is in it.
	doubt [2]far

	// The same from where the observer was at the look, wherever it goes before
	// the next one.
	edge [2]far

	inner, outer far // there is no edge within inner and beyond outer
}

// newRings leaves room for the slack of the grid, and for what an observer may
// have drifted.
func newRings(sight Grid, slack, drift float64) rings {
	both := slack + drift
	return rings{
		sight: [2]float64{sight.Enter * sight.Enter, sight.Exit * sight.Exit},
		doubt: [2]far{farOf(sight.Enter + slack), farOf(sight.Exit - slack)},
		edge:  [2]far{farOf(sight.Enter + both), farOf(sight.Exit - both)},
		inner: farOf(sight.Enter - both), outer: farOf(sight.Exit + both),
	}
}

// A far is the square of a distance, as an integer of the same order: two of them
// are compared in one instruction, floats that may be no numbers in several.
type far int32

func farBetween(dx, dy float32) far {
	return far(math.Float32bits(dx*dx+dy*dy) &^ (1 << 31)) // no number is beyond all
}

// farOf is of a distance; nothing is as near as a negative one.
func farOf(d float64) far {
	switch {
	case d < 0:
		return -1
	case math.IsInf(d, 1):
		return math.MaxInt32
	}
	return farBetween(float32(d), 0)
}

// departs is whether a node is held and farther than one limit, or not held and not
// farther than the other.
func departs(held int, d far, limits *[2]far) int { return held ^ flag(d <= limits[held&1]) }

// watches is whether a peer keeps watch.
func (a *Authority) watches(p *peer) bool { return a.grid.plain && len(p.points) == 1 }

// vigil is a peer's watch in one send.
type vigil struct {
	*rings
	a   *Authority
	p   *peer
	o   [2]float64 // where the observer is
	now time.Duration
}

// keepWatch brings what the peer should hold up to date.
func (a *Authority) keepWatch(p *peer, now time.Duration) {
	g, w, o := a.grid, &p.watch, p.points[0]
	blind := g.rough > 0 || g.coarse(o[0], o[1])
	v := vigil{rings: &g.rings, a: a, p: p, o: o, now: now}
	if blind {
		v.rings = &g.blind
	}
	told := g.toldOf(p.index)
	away := max(math.Abs(o[0]-w.at[0]), math.Abs(o[1]-w.at[1]))
	switch {
	case p.lookAgain || !w.on || w.blind != blind || !(away <= g.drift):
		w.blind = blind
		v.look()
	case p.looked && !w.waits && len(told) == 0 && g.moved != a.moves: // nothing has moved
	default:
		v.pass(told)
	}
	p.looked = true
}

// doubts is how many of the edge are looked over at once.
const doubts = 64

// pass asks those at the edge of which there is doubt, and those of which the
// grid has told.
func (v *vigil) pass(told []uint32) {
	p, w := v.p, &v.p.watch
	w.waits = false
	var news slotFilter
	for _, slot := range told {
		if p.edging.has(slot) {
			news.add(slot)
		}
	}
	for to := len(w.edge); to > 0; {
		from := max(0, to-doubts)
		var buf [doubts]uint8
		asked := v.doubtful(buf[:0], w.edge[from:to], &news)
		v.a.counters.DistanceChecks += uint64(len(asked))
		for k := len(asked) - 1; k >= 0; k-- { // those behind have been asked, one of them may take the place
			i := from + int(asked[k])
			e := &w.edge[i]
			if news.some && news.may(e.slot()) {
				*e = edgeAt(e.slot(), p.wanted.has(e.slot()))
			} else if v.stays(e) {
				continue
			}
			if !v.ask(e) {
				p.dropEdge(i)
			}
		}
		to = from
	}
	for _, slot := range told {
		if !p.edging.has(slot) {
			v.a.counters.DistanceChecks++
			if e := edgeAt(slot, p.wanted.has(slot)); v.ask(&e) {
				p.addEdge(e)
			}
		}
	}
}

// doubtful are the nodes that their places in the grid do not settle, and those
// of which there is news: their places in the edge, appended to dst, which has
// room. No branch depends on a node.
func (v *vigil) doubtful(dst []uint8, edge []edgeNode, news *slotFilter) []uint8 {
	x, y := float32(v.o[0]), float32(v.o[1])
	limits := &v.doubt
	dst = dst[:doubts]
	n := 0
	if !news.some {
		for i := range edge {
			e := &edge[i]
			dst[n&(doubts-1)] = uint8(i)
			n += departs(e.held(), farBetween(e.x-x, e.y-y), limits)
		}
		return dst[:n]
	}
	for i := range edge {
		e := &edge[i]
		dst[n&(doubts-1)] = uint8(i)
		n += departs(e.held(), farBetween(e.x-x, e.y-y), limits) | flag(news.may(e.slot()))
	}
	return dst[:n]
}

// slotFilter is a set of slots that may take others for its own.
type slotFilter struct {
	bits [4]uint64
	some bool
}

func (f *slotFilter) add(slot uint32) {
	f.bits[slot>>6&3] |= 1 << (slot & 63)
	f.some = true
}

func (f *slotFilter) may(slot uint32) bool { return f.bits[slot>>6&3]>>(slot&63)&1 != 0 }

func (p *peer) addEdge(e edgeNode) {
	p.edging.set(e.slot())
	p.watch.edge = append(p.watch.edge, e)
}

// dropEdge takes one of the edge out; the last one takes its place.
func (p *peer) dropEdge(i int) {
	edge := p.watch.edge
	p.edging.clear(edge[i].slot())
	last := len(edge) - 1
	edge[i] = edge[last]
	p.watch.edge = p.watch.edge[:last]
}

// stays is whether a node of the edge of which the grid tells nothing is what it
// is, in sight or out of it: mostly, and then nothing is to be noted.
func (v *vigil) stays(e *edgeNode) bool {
	s, held := &v.a.spots[e.slot()], e.held()
	return s.cell >= 0 && flag(v.distance(s) <= v.sight[held&1]) == held
}

// distance is the square of a node's from the observer.
func (v *vigil) distance(s *spot) float64 {
	dx, dy := s.x-v.o[0], s.y-v.o[1]
	return dx*dx + dy*dy
}

// ask decides about a node, and reports whether it is of the edge.
func (v *vigil) ask(e *edgeNode) bool {
	a, p, slot := v.a, v.p, e.slot()
	s := &a.spots[slot]
	if s.cell < 0 {
		return false
	}
	d := v.distance(s)
	e.x, e.y = s.gridX, s.gridY
	switch {
	case e.held() == 0 && d <= v.sight[0]:
		a.decide(p, slot, true)
		e.who = slot | edgeHeld
	case e.held() != 0 && !(d <= v.sight[1]) && !v.keeps(slot):
		a.decide(p, slot, false)
		e.who = slot
	}
	return departs(e.held(), p.watch.distance(e.x, e.y), &v.edge) != 0
}

// keeps is whether a node that is out of sight is held on to.
func (v *vigil) keeps(slot uint32) bool {
	if v.a.ownsAny(v.p, slot) {
		return true
	}
	waits := v.a.lingers(v.p, slot, v.now)
	v.p.watch.waits = v.p.watch.waits || waits
	return waits
}

// distance is the square of a place's, in the grid, from where the observer was.
func (w *watch) distance(x, y float32) far {
	return farBetween(x-float32(w.at[0]), y-float32(w.at[1]))
}

// look notes all that is at the edge now, and asks these.
func (v *vigil) look() {
	a, p := v.a, v.p
	w := &p.watch
	p.lookAgain = false
	v.stand()
	for i := range w.edge {
		p.edging.clear(w.edge[i].slot())
	}
	w.edge = w.edge[:0]
	found := 0
	v.touchReach()
	at := &p.watched
	for y := at.from[1]; y <= at.to[1]; y++ {
		for x := at.from[0]; x <= at.to[0]; x++ {
			found += v.edgeOf(a.grid.buckets[a.grid.bucketAt(x, y)])
		}
	}
	for i := range w.edge {
		p.edging.set(w.edge[i].slot())
	}
	if found < len(p.near) { // some are farther than the cells
		a.touchSpots(p.near)
		for _, slot := range p.near {
			if s := &a.spots[slot]; w.distance(s.gridX, s.gridY) > v.edge[1] && !p.edging.has(slot) {
				p.addEdge(edgeNode{s.gridX, s.gridY, slot | edgeHeld})
			}
		}
	}
	v.pass(nil)
}

// edgeOf notes the nodes of a cell that are at the edge, and counts those that
// the peer has. No branch depends on a node.
func (v *vigil) edgeOf(nodes []gridNode) (had int) {
	v.a.counters.DistanceChecks += uint64(len(nodes))
	w, wanted := &v.p.watch, &v.p.wanted
	n := len(w.edge)
	edge := slices.Grow(w.edge, len(nodes))[:n+len(nodes)]
	x, y := float32(v.o[0]), float32(v.o[1])
	limits := &v.rings.edge
	for i := range nodes {
		g := &nodes[i]
		held := wanted.has(g.slot)
		e := &edge[n]
		e.x, e.y, e.who = g.x, g.y, g.slot|uint32(flag(held))<<31
		n += departs(flag(held), farBetween(g.x-x, g.y-y), limits)
		had += flag(held)
	}
	w.edge = edge[:n]
	return had
}

// stand moves the watch to where the observer is.
func (v *vigil) stand() {
	g, p, w := v.a.grid, v.p, &v.p.watch
	var at cells
	for k, o := range v.o {
		at.from[k], at.to[k] = g.span(o, g.exit+g.drift)
	}
	if !w.on || at != p.watched {
		p.endWatch(v.a)
		w.on, p.watched = true, at
		for y := at.from[1]; y <= at.to[1]; y++ {
			for x := at.from[0]; x <= at.to[0]; x++ {
				g.watchers.of(g.bucketAt(x, y)).set(p.index)
			}
		}
	}
	w.at = v.o
	*g.sightOf(p.index) = sight{float32(v.o[0]), float32(v.o[1]), v.inner, v.outer}
}

// endWatch lets the grid tell the peer of nothing any more.
func (p *peer) endWatch(a *Authority) {
	if !p.watch.on {
		return
	}
	p.watch.on = false
	g, at := a.grid, &p.watched
	for y := at.from[1]; y <= at.to[1]; y++ {
		for x := at.from[0]; x <= at.to[0]; x++ {
			g.watchers.of(g.bucketAt(x, y)).clear(p.index)
		}
	}
}
