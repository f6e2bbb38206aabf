package rpl

import (
	"math"
	"slices"
	"time"
)

// A watch finds what comes into and goes out of the sight of a peer with one observer
// and a Grid. It looks at everything in reach only when the observer has drifted away
// from where it last looked. At that look it notes the nodes near the edge of sight:
// those that can come in or go out before the next look without leaving their place in
// the grid. In every other send it asks (decides about) only two kinds of nodes: noted
// nodes whose place in the grid leaves a doubt, and nodes of which the grid tells,
// because they left their place in a cell that the peer watches. (Molecular dynamics
// calls this Verlet's neighbour lists: Phys. Rev. 159, 98, 1967.)
type watch struct {
	at    [2]float64 // where the observer was at the last look
	edge  []edgeNode
	on    bool
	blind bool // places in the grid are not relied on
	waits bool // a node of the edge is out of sight, but its minStay is not over
}

// cells is a rectangle of cells of the grid, both corners included.
type cells struct{ from, to [2]int }

// An edgeNode is a node near the edge of a peer's sight. It stays right until the grid
// tells of the node.
type edgeNode struct {
	x, y float32 // its place in the grid
	who  uint32  // its slot, with edgeHeld if the peer should hold it
}

const edgeHeld = 1 << 31 // a bit that no slot has

func edgeAt(slot uint32, held bool) edgeNode {
	return edgeNode{who: slot | uint32(flag(held))<<31}
}

func (e *edgeNode) slot() uint32 { return e.who &^ edgeHeld }

// held is 1 if the peer should hold the node, else 0.
func (e *edgeNode) held() int { return int(e.who >> 31) }

// rings are the squares of the distances by which a watch decides. In each pair the
// first is for nodes that the peer does not hold, the second for those that it holds.
type rings struct {
	sight [2]float64 // between true positions: to enter, and to exit

	// From the observer to a place in the grid. A node that is not held and farther
	// than the first is surely out of sight; a node that is held and not farther than
	// the second is surely in sight.
	doubt [2]far

	// The same from where the observer was at the look, valid wherever it goes before
	// the next look.
	edge [2]far

	inner, outer far // no node within inner or beyond outer is at the edge
}

// newRings makes the rings of a Grid. doubt leaves room for the slack of the grid;
// edge, inner and outer leave room for the drift of the observer as well.
func newRings(sight Grid, slack, drift float64) rings {
	both := slack + drift
	return rings{
		sight: [2]float64{sight.Enter * sight.Enter, sight.Exit * sight.Exit},
		doubt: [2]far{farOf(sight.Enter + slack), farOf(sight.Exit - slack)},
		edge:  [2]far{farOf(sight.Enter + both), farOf(sight.Exit - both)},
		inner: farOf(sight.Enter - both), outer: farOf(sight.Exit + both),
	}
}

// A far is the square of a distance as an integer with the same order. Two of them are
// compared in one instruction; floats, which may be NaN, take several.
type far int32

func farBetween(dx, dy float32) far {
	return far(math.Float32bits(dx*dx+dy*dy) &^ (1 << 31)) // NaN is beyond all
}

// farOf is the far of a distance. Nothing is as near as a negative distance.
func farOf(d float64) far {
	switch {
	case d < 0:
		return -1
	case math.IsInf(d, 1):
		return math.MaxInt32
	}
	return farBetween(float32(d), 0)
}

// departs is 1 if a node is held and farther than limits[1], or not held and not
// farther than limits[0]; else 0.
func departs(held int, d far, limits *[2]far) int { return held ^ flag(d <= limits[held&1]) }

// watches reports whether a peer keeps watch.
func (a *Authority) watches(p *peer) bool { return a.grid.plain && len(p.points) == 1 }

// vigil is the work of one peer's watch in one send.
type vigil struct {
	*rings
	a   *Authority
	p   *peer
	o   [2]float64 // where the observer is
	now time.Duration
}

// keepWatch decides which nodes come into and go out of the peer's sight.
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

// doubts is how many nodes of the edge are checked together.
const doubts = 64

// pass asks the nodes of the edge that are in doubt, and the nodes of which the grid
// has told.
func (v *vigil) pass(told []uint32) {
	p, w := v.p, &v.p.watch
	w.waits = false
	var news slotFilter
	for _, slot := range told {
		if p.edging.Has(slot) {
			news.add(slot)
		}
	}
	for to := len(w.edge); to > 0; {
		from := max(0, to-doubts)
		var buf [doubts]uint8
		asked := v.doubtful(buf[:0], w.edge[from:to], &news)
		v.a.counters.DistanceChecks += uint64(len(asked))
		for k := len(asked) - 1; k >= 0; k-- { // from the end: dropEdge puts the last node in the gap
			i := from + int(asked[k])
			e := &w.edge[i]
			if news.some && news.may(e.slot()) {
				*e = edgeAt(e.slot(), p.wanted.Has(e.slot()))
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
		if !p.edging.Has(slot) {
			v.a.counters.DistanceChecks++
			if e := edgeAt(slot, p.wanted.Has(slot)); v.ask(&e) {
				p.addEdge(e)
			}
		}
	}
}

// doubtful returns the indices in edge of the nodes that their places in the grid do
// not settle, and of those with news. It appends them to dst, which has room. No branch
// depends on a node.
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

// slotFilter is a set of slots that may answer yes for a slot that is not in it.
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
	p.edging.Set(e.slot())
	p.watch.edge = append(p.watch.edge, e)
}

// dropEdge takes a node out of the edge; the last one takes its place.
func (p *peer) dropEdge(i int) {
	edge := p.watch.edge
	p.edging.Clear(edge[i].slot())
	last := len(edge) - 1
	edge[i] = edge[last]
	p.watch.edge = p.watch.edge[:last]
}

// stays reports whether a node of the edge, of which the grid tells nothing, still is
// in sight if it is held, or out of sight if not. Mostly it is, and nothing is to be
// noted.
func (v *vigil) stays(e *edgeNode) bool {
	s, held := &v.a.spots[e.slot()], e.held()
	return s.cell >= 0 && flag(v.distance(s) <= v.sight[held&1]) == held
}

// distance is the square of a node's distance from the observer.
func (v *vigil) distance(s *spot) float64 {
	dx, dy := s.x-v.o[0], s.y-v.o[1]
	return dx*dx + dy*dy
}

// ask decides about a node, and reports whether the node is at the edge.
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

// keeps reports whether the peer keeps a node that is out of sight: because it owns a
// node of the tree, or because minStay is not over.
func (v *vigil) keeps(slot uint32) bool {
	if v.a.ownsAny(v.p, slot) {
		return true
	}
	waits := v.a.lingers(v.p, slot, v.now)
	v.p.watch.waits = v.p.watch.waits || waits
	return waits
}

// distance is the square of the distance between a place in the grid and where the
// observer was at the last look.
func (w *watch) distance(x, y float32) far {
	return farBetween(x-float32(w.at[0]), y-float32(w.at[1]))
}

// look notes all nodes that are at the edge now, and asks them.
func (v *vigil) look() {
	a, p := v.a, v.p
	w := &p.watch
	p.lookAgain = false
	v.stand()
	for i := range w.edge {
		p.edging.Clear(w.edge[i].slot())
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
		p.edging.Set(w.edge[i].slot())
	}
	p.near.settle()
	if found < len(p.near.slots) { // some nodes that the peer has are beyond the cells
		a.touchSpots(p.near.slots)
		for _, slot := range p.near.slots {
			if s := &a.spots[slot]; w.distance(s.gridX, s.gridY) > v.edge[1] && !p.edging.Has(slot) {
				p.addEdge(edgeNode{s.gridX, s.gridY, slot | edgeHeld})
			}
		}
	}
	v.pass(nil)
}

// edgeOf adds the nodes of a cell that are at the edge to the watch, and returns how
// many nodes of the cell the peer has. No branch depends on a node.
func (v *vigil) edgeOf(nodes []gridNode) (had int) {
	v.a.counters.DistanceChecks += uint64(len(nodes))
	w, wanted := &v.p.watch, &v.p.wanted
	n := len(w.edge)
	edge := slices.Grow(w.edge, len(nodes))[:n+len(nodes)]
	x, y := float32(v.o[0]), float32(v.o[1])
	limits := &v.rings.edge
	for i := range nodes {
		g := &nodes[i]
		held := wanted.Has(g.slot)
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

// endWatch ends the watch: the grid no longer tells the peer of anything.
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
