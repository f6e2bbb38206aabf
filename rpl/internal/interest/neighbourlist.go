package interest

import (
	"math"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/spatial"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A neighbour list finds what comes into and goes out of the sight of one observer of a peer, or of
// some that stand together (companions.go), with a Grid or a Policy. It scans everything in reach only when the observer has gone away
// from where it last scanned. In that scan it notes the nodes near the boundary of sight:
// those that can come in or go out before the next scan without leaving their place in
// the grid. In every other send it asks (decides about) only two kinds of nodes: noted
// nodes whose place in the grid leaves it open, and nodes that the grid reports,
// because they left their place in a cell that the list covers. (Molecular dynamics
// calls this Verlet's neighbour lists: Phys. Rev. 159, 98, 1967.)
//
// A peer of several lists has a node if any of its observers sees it. So of the nodes that the peer
// has, each list notes those at its own boundary only, and a node goes when no observer sees it;
// what one list decides the others note (sync). A node that is out of the sight of all and
// stays for a while, or was left behind when an observer leapt, is at no boundary: sweep finds it.
type neighbourList struct {
	was        places // of the first observer
	beside     []companion
	boundary   []boundaryNode
	id         int32 // its number in the grid
	on         bool
	blind      bool // places in the grid are not relied on
	waits      bool // a node of the boundary is out of sight, but its MinStay is not over
	scale      float64
	rings      spatial.Rings // of its own, if scale is not 1
	inBoundary wire.Bitset   // slots of boundary
	cells      cells         // the cells of the grid of whose news it gets, while it is on
}

// cells is a rectangle of cells of the grid, both corners included.
type cells struct{ from, to [2]int }

func (c *cells) has(x, y int) bool {
	return x >= c.from[0] && x <= c.to[0] && y >= c.from[1] && y <= c.to[1]
}

// A boundaryNode is a node near the boundary of a peer's sight. It stays right until the grid
// reports the node.
type boundaryNode struct {
	x, y float32 // its place in the grid
	who  uint32  // its slot, with boundaryHeld if the peer should hold it
}

const boundaryHeld = 1 << 31 // a bit that no slot has

func boundaryAt(slot uint32, held bool) boundaryNode {
	return boundaryNode{who: slot | uint32(flag(held))<<31}
}

func (e *boundaryNode) slot() uint32 { return e.who &^ boundaryHeld }

// held is 1 if the peer should hold the node, else 0.
func (e *boundaryNode) held() int { return int(e.who >> 31) }

// departs is 1 if a node is held and farther than limits[1], or not held and not
// farther than limits[0]; else 0.
func departs(held int, d spatial.Far, limits *[2]spatial.Far) int {
	return held ^ flag(d <= limits[held&1])
}

// usesLists reports whether a peer has neighbour lists.
func (a *Manager) usesLists(p *Viewer) bool {
	return a.space.Index.Plain && len(p.Points) > 0 && len(p.Points) <= maxLists
}

// scanPass is the work of one list in one send.
type scanPass struct {
	*spatial.Rings
	a      *Manager
	p      *Viewer
	w      *neighbourList
	o      [2]float64  // where the observer is
	beside []companion // those beside it
	outer  spatial.Far // nodes that the peer has are not at the boundary beyond this
	limits [2]spatial.Far
	alone  bool // the peer has no other list
	all    bool // every node of the boundary is asked
	now    time.Duration
}

// scanList decides which nodes come into and go out of the sight of one observer and of those
// beside it. It reports whether some may have been left behind.
func (a *Manager) scanList(p *Viewer, k int, again bool, now time.Duration) (leapt bool) {
	g, w, o := a.space.Index, p.listAt(k), &p.Points[k]
	blind := g.Rough > 0 || g.Coarse(o.X, o.Y)
	v := scanPass{Rings: &g.Rings, a: a, p: p, w: w, o: [2]float64{o.X, o.Y}, beside: w.beside, alone: p.lists == 1, now: now}
	for i := range v.beside {
		v.beside[i].now(p)
	}
	switch {
	case o.Scale != 1:
		if w.scale != o.Scale || w.blind != blind {
			w.scale, w.rings, again = o.Scale, g.Scaled(o.Scale, blind), true
		}
		v.Rings = &w.rings
	case blind:
		v.Rings = &g.Blind
	}
	if o.Scale == 1 && w.scale != 1 {
		w.scale, again = 1, true
	}
	if v.limits, v.outer = v.Boundary, v.Outer; v.alone {
		v.outer = math.MaxInt32
	}
	if g.Policy != nil { // any node that the peer has may be refused
		v.limits[1] = -1
	}
	reported := g.NewsOf(w.id)
	switch {
	case again || !w.on || w.blind != blind || !(v.away(sinceScan) <= g.ObserverSlack):
		leapt = again || !w.on || blind || !(v.away(sinceSend) <= g.ObserverSlack)
		w.blind = blind
		v.all = g.Policy != nil && (again || w.waits || !w.on || !(v.away(sinceAsked) <= 2*g.ObserverSlack))
		if v.all {
			v.note(sinceAsked)
		}
		v.scan(reported)
	case p.scanned && !w.waits && len(reported) == 0 && g.Moved != a.space.Moves: // nothing has moved
	default:
		v.all = g.Policy != nil && w.waits // what is refused and stays for a while is anywhere
		v.pass(reported)
	}
	v.note(sinceSend)
	return leapt
}

// uncertainMost is how many nodes of the boundary are checked together.
const uncertainMost = 64

// pass asks the nodes of the boundary that are uncertain, and the nodes that the grid
// has reported.
func (v *scanPass) pass(reported []uint32) {
	p, w := v.p, v.w
	w.waits = false
	var news slotFilter
	for _, slot := range reported {
		if w.inBoundary.Has(slot) {
			news.add(slot)
		}
	}
	for to := len(w.boundary); to > 0; {
		from := max(0, to-uncertainMost)
		var buf [uncertainMost]uint8
		var room [uncertainMost]uint32
		asked := v.uncertain(buf[:0], w.boundary[from:to], &news)
		v.a.DistanceChecks += uint64(len(asked))
		due, slots := asked[:0], room[:0]
		for _, k := range asked {
			e := &w.boundary[from+int(k)]
			if news.some && news.may(e.slot()) {
				*e = boundaryAt(e.slot(), p.Wanted.Has(e.slot()))
			} else if v.stays(e) && !(v.all && e.held() != 0 && !v.allows(e.slot(), v.distance(&v.a.space.Positions[e.slot()]), true)) {
				continue
			}
			due, slots = append(due, k), append(slots, e.slot())
		}
		if len(due) > 1 {
			v.a.store.TouchNodes(slots)
		}
		for k := len(due) - 1; k >= 0; k-- { // from the end: dropBoundary puts the last node in the gap
			if i := from + int(due[k]); !v.ask(&w.boundary[i]) {
				w.dropBoundary(i)
			}
		}
		to = from
	}
	for _, slot := range reported {
		if !w.inBoundary.Has(slot) {
			v.a.DistanceChecks++
			if e := boundaryAt(slot, p.Wanted.Has(slot)); v.ask(&e) {
				w.addBoundary(e)
			}
		}
	}
}

// uncertain returns the indices in boundary of the nodes that their places in the grid do
// not decide, and of those with news. It appends them to dst, which has room. No branch
// depends on a node.
func (v *scanPass) uncertain(dst []uint8, boundary []boundaryNode, news *slotFilter) []uint8 {
	if len(v.beside) > 0 {
		return v.uncertainBeside(dst, boundary, news)
	}
	x, y := float32(v.o[0]), float32(v.o[1])
	limits := &v.Unsure
	dst = dst[:uncertainMost]
	n := 0
	if v.all {
		for i := range boundary {
			e := &boundary[i]
			dst[n&(uncertainMost-1)] = uint8(i)
			n += e.held() | departs(e.held(), spatial.FarBetween(e.x-x, e.y-y), limits) | flag(news.may(e.slot()))
		}
		v.touchShown(dst[:n], boundary)
		return dst[:n]
	}
	if !news.some {
		for i := range boundary {
			e := &boundary[i]
			dst[n&(uncertainMost-1)] = uint8(i)
			n += departs(e.held(), spatial.FarBetween(e.x-x, e.y-y), limits)
		}
		return dst[:n]
	}
	for i := range boundary {
		e := &boundary[i]
		dst[n&(uncertainMost-1)] = uint8(i)
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

func (w *neighbourList) addBoundary(e boundaryNode) {
	w.inBoundary.Set(e.slot())
	w.boundary = append(w.boundary, e)
}

func (w *neighbourList) forgetBoundary() {
	for i := range w.boundary {
		w.inBoundary.Clear(w.boundary[i].slot())
	}
	w.boundary = w.boundary[:0]
}

// dropBoundary takes a node out of the boundary; the last one takes its place.
func (w *neighbourList) dropBoundary(i int) {
	boundary := w.boundary
	w.inBoundary.Clear(boundary[i].slot())
	last := len(boundary) - 1
	boundary[i] = boundary[last]
	w.boundary = boundary[:last]
}

// stays reports whether a node of the boundary, of which the grid reports nothing, still is
// in sight if it is held, or out of sight if not. Mostly it is, and nothing is to be
// noted.
func (v *scanPass) stays(e *boundaryNode) bool {
	s, held := &v.a.space.Positions[e.slot()], e.held()
	return s.Cell >= 0 && flag(v.distance(s) <= v.Sight[held&1]) == held
}

// ask decides about a node, and reports whether the node is at the boundary.
func (v *scanPass) ask(e *boundaryNode) bool {
	a, p, slot := v.a, v.p, e.slot()
	s := &a.space.Positions[slot]
	if s.Cell < 0 {
		return false
	}
	d := v.distance(s)
	e.x, e.y = s.GridX, s.GridY
	switch {
	case e.held() == 0:
		if d <= v.Sight[0] && v.allows(slot, d, false) && !a.hides(p, slot) {
			a.decide(p, slot, true)
			e.who = slot | boundaryHeld
			if !v.alone {
				a.sync(p, v.w, slot)
			}
		}
	case d <= v.Sight[1] && v.allows(slot, d, true):
	case !v.alone && a.inSight(p, slot): // of another observer
	case !v.keeps(slot):
		a.decide(p, slot, false)
		e.who = slot
		if !v.alone {
			a.sync(p, v.w, slot)
		}
	}
	return v.atBoundary(e.held(), v.w.distance(e.x, e.y)) != 0
}

// allows is whether the Policy, if there is one, lets the peer have a node in sight.
func (v *scanPass) allows(slot uint32, square float64, had bool) bool {
	if v.a.space.Index.Policy == nil {
		return true
	}
	if len(v.beside) > 0 {
		return v.a.policyWants(v.p, slot, had)
	}
	return v.a.allows(v.p, slot, &spatial.Observer{X: v.o[0], Y: v.o[1], Scale: 1}, square, had)
}

// atBoundary is 1 if a node at a distance from where the observer was at the last scan is at the
// boundary, else 0.
func (v *scanPass) atBoundary(held int, d spatial.Far) int {
	return departs(held, d, &v.limits) & flag(d <= v.outer)
}

// keeps reports whether the peer keeps a node that is out of sight: because it owns a
// node of the tree or is shown it, or because MinStay is not over.
func (v *scanPass) keeps(slot uint32) bool {
	if v.a.holdsOn(v.p, slot) {
		return true
	}
	waits := v.a.lingers(v.p, slot, v.now)
	v.w.waits = v.w.waits || waits
	v.p.sweeps = v.p.sweeps || waits && !v.alone
	return waits
}

// distance is the square of the distance between a place in the grid and where the
// observer, or the nearest beside it, was at the last scan.
func (w *neighbourList) distance(x, y float32) spatial.Far {
	at := w.was[sinceScan]
	d := spatial.FarBetween(x-float32(at[0]), y-float32(at[1]))
	for i := range w.beside {
		at := w.beside[i].was[sinceScan]
		d = min(d, spatial.FarBetween(x-float32(at[0]), y-float32(at[1])))
	}
	return d
}

// scan notes all nodes that are at the boundary now, and asks them.
func (v *scanPass) scan(reported []uint32) {
	a, p, w := v.a, v.p, v.w
	v.stand()
	w.forgetBoundary()
	v.touchReach()
	found := v.addReach()
	for i := range w.boundary {
		w.inBoundary.Set(w.boundary[i].slot())
	}
	if !v.alone { // sweep finds what was left behind, and what has moved away is reported
		v.pass(reported)
		return
	}
	p.InGrid.Compact()
	if found < len(p.InGrid.Slots) { // some nodes that the peer has are beyond the cells
		a.touchPositions(p.InGrid.Slots)
		for _, slot := range p.InGrid.Slots {
			if s := &a.space.Positions[slot]; w.distance(s.GridX, s.GridY) > v.limits[1] && !w.inBoundary.Has(slot) {
				w.addBoundary(boundaryNode{s.GridX, s.GridY, slot | boundaryHeld})
			}
		}
	}
	v.pass(nil)
}

// addReach adds the nodes in reach that are at the boundary to the list, and returns how many
// nodes there the peer has. No branch depends on a node.
func (v *scanPass) addReach() (had int) {
	w, g, at := v.w, v.a.space.Index, &v.w.cells
	x, y := float32(v.o[0]), float32(v.o[1])
	limits, outer, wanted, beside := v.limits, v.outer, v.p.Wanted.W, v.beside
	boundary, n, checks := w.boundary, len(w.boundary), 0
	for cy := at.from[1]; cy <= at.to[1]; cy++ {
		for cx := at.from[0]; cx <= at.to[0]; cx++ {
			nodes := g.Buckets[g.BucketAt(cx, cy)]
			if len(nodes) == 0 {
				continue
			}
			checks += len(nodes)
			if cap(boundary)-n < len(nodes) {
				boundary = slices.Grow(boundary[:n], len(nodes))
			}
			room := boundary[n : n+len(nodes)]
			k := 0
			for i := range nodes {
				node := &nodes[i]
				held := 0
				if at := int(node.Slot >> 6); at < len(wanted) {
					held = int(wanted[at]>>(node.Slot&63)) & 1
				}
				e := &room[k]
				e.x, e.y, e.who = node.X, node.Y, node.Slot|uint32(held)<<31
				d := spatial.FarBetween(node.X-x, node.Y-y)
				for i := range beside {
					d = min(d, spatial.FarBetween(node.X-beside[i].at[0], node.Y-beside[i].at[1]))
				}
				k += departs(held, d, &limits) & flag(d <= outer)
				had += held
			}
			n += k
		}
	}
	w.boundary = boundary[:n]
	v.a.DistanceChecks += uint64(checks)
	return had
}

// stand moves the list to where the observer is.
func (v *scanPass) stand() {
	g, w := v.a.space.Index, v.w
	var at cells
	for k, o := range v.o {
		at.from[k], at.to[k] = g.Span(o, g.Exit*w.scale+g.ObserverSlack)
		for i := range v.beside {
			from, to := g.Span(v.beside[i].o[k], g.Exit*w.scale+g.ObserverSlack)
			at.from[k], at.to[k] = min(at.from[k], from), max(at.to[k], to)
		}
		at.to[k] = min(at.to[k], at.from[k]+spatial.GridSide-1)
	}
	if !w.on || at != w.cells {
		v.a.endBut(w, at)
		w.on, w.cells = true, at
		for y := at.from[1]; y <= at.to[1]; y++ {
			for x := at.from[0]; x <= at.to[0]; x++ {
				v.a.space.Subscribe(w.id, g.BucketAt(x, y))
			}
		}
	}
	v.note(sinceScan)
	inner := v.Inner
	if g.Policy != nil { // every move in sight is news
		inner = -1
	}
	*g.SightOf(w.id) = spatial.Sight{X: float32(v.o[0]), Y: float32(v.o[1]), Inner: inner, Outer: v.Outer.Beyond(v.spread())}
}

// endList ends a list: the grid no longer reports anything to it.
func (a *Manager) endList(w *neighbourList) { a.endBut(w, cells{to: [2]int{-1, -1}}) }

// endBut ends a list but for some cells. (Two cells far apart may be one bucket: so what is not
// covered any more goes first, and what is covered from now on comes then.)
func (a *Manager) endBut(w *neighbourList, but cells) {
	if !w.on {
		return
	}
	w.on = false
	g, at := a.space.Index, &w.cells
	for y := at.from[1]; y <= at.to[1]; y++ {
		for x := at.from[0]; x <= at.to[0]; x++ {
			if !but.has(x, y) {
				a.space.Unsubscribe(w.id, g.BucketAt(x, y))
			}
		}
	}
}
