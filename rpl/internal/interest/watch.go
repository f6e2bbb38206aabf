package interest

import (
	"math"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/spatial"
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

// departs is 1 if a node is held and farther than limits[1], or not held and not
// farther than limits[0]; else 0.
func departs(held int, d spatial.Far, limits *[2]spatial.Far) int {
	return held ^ flag(d <= limits[held&1])
}

// watches reports whether a peer keeps watch.
func (a *Manager) watches(p *Viewer) bool { return a.space.Index.Plain && len(p.Points) == 1 }

// vigil is the work of one peer's watch in one send.
type vigil struct {
	*spatial.Rings
	a   *Manager
	p   *Viewer
	o   [2]float64 // where the observer is
	now time.Duration
}

// keepWatch decides which nodes come into and go out of the peer's sight.
func (a *Manager) keepWatch(p *Viewer, now time.Duration) {
	g, w, o := a.space.Index, &p.watch, p.Points[0]
	blind := g.Rough > 0 || g.Coarse(o[0], o[1])
	v := vigil{Rings: &g.Rings, a: a, p: p, o: o, now: now}
	if blind {
		v.Rings = &g.Blind
	}
	told := g.ToldOf(p.index)
	away := max(math.Abs(o[0]-w.at[0]), math.Abs(o[1]-w.at[1]))
	switch {
	case p.lookAgain || !w.on || w.blind != blind || !(away <= g.Drift):
		w.blind = blind
		v.look()
	case p.looked && !w.waits && len(told) == 0 && g.Moved != a.space.Moves: // nothing has moved
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
		v.a.DistanceChecks += uint64(len(asked))
		for k := len(asked) - 1; k >= 0; k-- { // from the end: dropEdge puts the last node in the gap
			i := from + int(asked[k])
			e := &w.edge[i]
			if news.some && news.may(e.slot()) {
				*e = edgeAt(e.slot(), p.Wanted.Has(e.slot()))
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
			v.a.DistanceChecks++
			if e := edgeAt(slot, p.Wanted.Has(slot)); v.ask(&e) {
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
	limits := &v.Doubt
	dst = dst[:doubts]
	n := 0
	if !news.some {
		for i := range edge {
			e := &edge[i]
			dst[n&(doubts-1)] = uint8(i)
			n += departs(e.held(), spatial.FarBetween(e.x-x, e.y-y), limits)
		}
		return dst[:n]
	}
	for i := range edge {
		e := &edge[i]
		dst[n&(doubts-1)] = uint8(i)
		n += departs(e.held(), spatial.FarBetween(e.x-x, e.y-y), limits) | flag(news.may(e.slot()))
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

func (p *Viewer) addEdge(e edgeNode) {
	p.edging.Set(e.slot())
	p.watch.edge = append(p.watch.edge, e)
}

// dropEdge takes a node out of the edge; the last one takes its place.
func (p *Viewer) dropEdge(i int) {
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
	s, held := &v.a.space.Spots[e.slot()], e.held()
	return s.Cell >= 0 && flag(v.distance(s) <= v.Sight[held&1]) == held
}

// distance is the square of a node's distance from the observer.
func (v *vigil) distance(s *spatial.Spot) float64 {
	dx, dy := s.X-v.o[0], s.Y-v.o[1]
	return dx*dx + dy*dy
}

// ask decides about a node, and reports whether the node is at the edge.
func (v *vigil) ask(e *edgeNode) bool {
	a, p, slot := v.a, v.p, e.slot()
	s := &a.space.Spots[slot]
	if s.Cell < 0 {
		return false
	}
	d := v.distance(s)
	e.x, e.y = s.GridX, s.GridY
	switch {
	case e.held() == 0 && d <= v.Sight[0]:
		a.decide(p, slot, true)
		e.who = slot | edgeHeld
	case e.held() != 0 && !(d <= v.Sight[1]) && !v.keeps(slot):
		a.decide(p, slot, false)
		e.who = slot
	}
	return departs(e.held(), p.watch.distance(e.x, e.y), &v.Edge) != 0
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
func (w *watch) distance(x, y float32) spatial.Far {
	return spatial.FarBetween(x-float32(w.at[0]), y-float32(w.at[1]))
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
			found += v.edgeOf(a.space.Index.Buckets[a.space.Index.BucketAt(x, y)])
		}
	}
	for i := range w.edge {
		p.edging.Set(w.edge[i].slot())
	}
	p.Near.Settle()
	if found < len(p.Near.Slots) { // some nodes that the peer has are beyond the cells
		a.touchSpots(p.Near.Slots)
		for _, slot := range p.Near.Slots {
			if s := &a.space.Spots[slot]; w.distance(s.GridX, s.GridY) > v.Edge[1] && !p.edging.Has(slot) {
				p.addEdge(edgeNode{s.GridX, s.GridY, slot | edgeHeld})
			}
		}
	}
	v.pass(nil)
}

// edgeOf adds the nodes of a cell that are at the edge to the watch, and returns how
// many nodes of the cell the peer has. No branch depends on a node.
func (v *vigil) edgeOf(nodes []spatial.Placed) (had int) {
	v.a.DistanceChecks += uint64(len(nodes))
	w, wanted := &v.p.watch, &v.p.Wanted
	n := len(w.edge)
	edge := slices.Grow(w.edge, len(nodes))[:n+len(nodes)]
	x, y := float32(v.o[0]), float32(v.o[1])
	limits := &v.Rings.Edge
	for i := range nodes {
		g := &nodes[i]
		held := wanted.Has(g.Slot)
		e := &edge[n]
		e.x, e.y, e.who = g.X, g.Y, g.Slot|uint32(flag(held))<<31
		n += departs(flag(held), spatial.FarBetween(g.X-x, g.Y-y), limits)
		had += flag(held)
	}
	w.edge = edge[:n]
	return had
}

// stand moves the watch to where the observer is.
func (v *vigil) stand() {
	g, p, w := v.a.space.Index, v.p, &v.p.watch
	var at cells
	for k, o := range v.o {
		at.from[k], at.to[k] = g.Span(o, g.Exit+g.Drift)
	}
	if !w.on || at != p.watched {
		v.a.endWatch(p)
		w.on, p.watched = true, at
		for y := at.from[1]; y <= at.to[1]; y++ {
			for x := at.from[0]; x <= at.to[0]; x++ {
				g.Watchers.Of(g.BucketAt(x, y)).Set(p.index)
			}
		}
	}
	w.at = v.o
	*g.SightOf(p.index) = spatial.Sight{X: float32(v.o[0]), Y: float32(v.o[1]), Inner: v.Inner, Outer: v.Outer}
}

// endWatch ends the watch: the grid no longer tells the peer of anything.
func (a *Manager) endWatch(p *Viewer) {
	if !p.watch.on {
		return
	}
	p.watch.on = false
	g, at := a.space.Index, &p.watched
	for y := at.from[1]; y <= at.to[1]; y++ {
		for x := at.from[0]; x <= at.to[0]; x++ {
			g.Watchers.Of(g.BucketAt(x, y)).Clear(p.index)
		}
	}
}
