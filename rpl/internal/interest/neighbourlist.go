package interest

import (
	"math"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/spatial"
)

// A neighbour list finds what comes into and goes out of the sight of one observer of a peer, or of
// some that stand together (companions.go), with a Grid or a Policy. It scans everything in reach only
// when the observer has gone away from where it last scanned. In that scan it notes the nodes near the boundary of sight:
// those that can come in or go out before the next scan without leaving their place in
// the grid. In every other send it asks (decides about) only two kinds of nodes: noted
// nodes whose place in the grid leaves it open, and nodes that the grid reports,
// because they left their place in a cell that the list covers. (Molecular dynamics
// calls this Verlet's neighbour lists: Phys. Rev. 159, 98, 1967.) A Policy is now and then
// asked about all nodes that the peer has.
//
// A peer of several lists has a node if any of its observers sees it. So of the nodes that the peer
// has, each list notes those at its own boundary only, and a node goes when no observer sees it;
// what one list decides the others note (sync). A node that is out of the sight of all and
// stays for a while, or was left behind when an observer leapt, is at no boundary: sweep finds it.
type neighbourList struct {
	was      places // of the first observer
	beside   []companion
	boundary []boundaryNode
	id       int32 // its number in the grid
	on       bool
	blind    bool // places in the grid are not relied on
	waits    bool // a node of the boundary is out of sight, but its MinStay is not over
	scale    float64
	rings    spatial.Rings // of its own, if scale is not 1
	cells    cells         // the cells of the grid of whose news it gets, while it is on
}

// usesLists reports whether a peer has neighbour lists.
func (m *Manager) usesLists(p *Viewer) bool {
	return m.space.Index.Plain && len(p.Points) > 0 && len(p.Points) <= maxLists
}

// scanPass is the work of one list in one send.
type scanPass struct {
	*spatial.Rings
	m      *Manager
	p      *Viewer
	w      *neighbourList
	o      [2]float64  // where the observer is
	beside []companion // those beside it
	policy spatial.Policy
	outer  spatial.Far // nodes that the peer has are not at the boundary beyond this
	alone  bool        // the peer has no other list
	all    bool        // every node that the peer has is asked
	now    time.Duration
}

// scanList decides which nodes come into and go out of the sight of one observer and of those
// beside it. It reports whether some may have been left behind.
func (m *Manager) scanList(p *Viewer, k int, again bool, now time.Duration) (leapt bool) {
	g, w, o := m.space.Index, p.listAt(k), &p.Points[k]
	blind := g.Rough > 0 || g.Coarse(o.X, o.Y)
	v := scanPass{Rings: &g.Rings, m: m, p: p, w: w, policy: g.Policy, o: [2]float64{o.X, o.Y}, beside: w.beside, alone: p.lists == 1, now: now}
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
	if v.outer = v.Outer; v.alone {
		v.outer = math.MaxInt32
	}
	reported := g.NewsOf(w.id)
	switch {
	case again || !w.on || w.blind != blind || !(v.away(sinceScan) <= g.ObserverSlack):
		leapt = again || !w.on || blind || !(v.away(sinceSend) <= g.ObserverSlack)
		w.blind = blind
		v.all = v.policy != nil && (again || w.waits || !w.on || !(v.away(sinceAsked) <= 2*g.ObserverSlack))
		if v.all {
			v.note(sinceAsked)
		}
		v.scan(reported)
	case p.scanned && !w.waits && len(reported) == 0 && g.Moved != m.space.Moves: // nothing has moved
	default:
		v.all = v.policy != nil && w.waits // what is refused and stays for a while is anywhere
		v.pass(reported)
	}
	v.note(sinceSend)
	return leapt
}

// pass asks the nodes of the boundary that are uncertain, and the nodes that the grid
// has reported.
func (v *scanPass) pass(reported []uint32) {
	p, w := v.p, v.w
	w.waits = false
	if v.all {
		v.m.touchShown(p.InGrid.Slots)
	}
	news := &v.m.news
	for _, slot := range reported {
		news.Set(slot)
	}
	for to := len(w.boundary); to > 0; {
		from := max(0, to-uncertainMost)
		var buf [uncertainMost]uint8
		var room [uncertainMost]uint32
		asked := v.uncertain(buf[:0], w.boundary[from:to], len(reported) > 0)
		v.m.DistanceChecks += uint64(len(asked))
		if len(asked) > 2 {
			v.touchAsked(w.boundary[from:to], asked)
		}
		due, slots := asked[:0], room[:0]
		for _, k := range asked {
			e := &w.boundary[from+int(k)]
			if len(reported) > 0 && news.Has(e.slot()) {
				news.Clear(e.slot())
				*e = boundaryAt(e.slot(), p.Wanted.Has(e.slot()))
			} else if v.stays(e) {
				continue
			}
			due, slots = append(due, k), append(slots, e.slot())
		}
		if len(due) > 1 {
			v.m.store.TouchNodes(slots)
			v.touchWanted(slots)
		}
		for k := len(due) - 1; k >= 0; k-- { // from the end: dropBoundary puts the last node in the gap
			if i := from + int(due[k]); !v.ask(&w.boundary[i]) {
				w.dropBoundary(i)
			}
		}
		to = from
	}
	if v.all {
		v.askInside()
	}
	for _, slot := range reported {
		if news.Has(slot) { // it was not at the boundary
			news.Clear(slot)
			v.m.DistanceChecks++
			if e := boundaryAt(slot, p.Wanted.Has(slot)); v.ask(&e) {
				w.boundary = append(w.boundary, e)
			}
		}
	}
}

// askInside asks the nodes that the peer has and that are neither at the boundary nor reported: the
// Policy may refuse any of them. What it allows is where it was, and so is not at the boundary now.
func (v *scanPass) askInside() {
	m, p, w := v.m, v.p, v.w
	p.InGrid.Compact()
	m.markBoundary(w)
	for _, slot := range p.InGrid.Slots {
		s := &m.space.Positions[slot]
		if m.marks.Has(slot) || m.news.Has(slot) || s.Cell < 0 || !v.alone && w.distance(s.GridX, s.GridY) > v.outer {
			continue
		}
		m.DistanceChecks++
		if v.sees(slot, s, 1) {
			continue
		}
		if e := boundaryAt(slot, true); v.decide(&e, s, false) {
			w.boundary = append(w.boundary, e)
		}
	}
	m.unmarkBoundary(w)
}

// stays reports whether a node of the boundary, of which the grid reports nothing, still is
// in sight if it is held, or out of sight if not. Mostly it is, and nothing is to be
// noted.
func (v *scanPass) stays(e *boundaryNode) bool {
	s, held := &v.m.space.Positions[e.slot()], e.held()
	if v.all && held != 0 {
		return s.Cell >= 0 && v.sees(e.slot(), s, 1)
	}
	return s.Cell >= 0 && flag(v.distance(s) <= v.Sight[held&1]) == held
}

// ask decides about a node, and reports whether the node is at the boundary.
func (v *scanPass) ask(e *boundaryNode) bool {
	s := &v.m.space.Positions[e.slot()]
	return s.Cell >= 0 && v.decide(e, s, v.sees(e.slot(), s, e.held()))
}

// decide takes whether the observer sees a node, and reports whether the node is at the boundary.
func (v *scanPass) decide(e *boundaryNode, s *spatial.Position, sees bool) bool {
	m, p, slot := v.m, v.p, e.slot()
	e.x, e.y = s.GridX, s.GridY
	switch {
	case e.held() == 0:
		if sees && !m.hides(p, slot) {
			m.decide(p, slot, true)
			e.who = slot | boundaryHeld
			if !v.alone {
				m.sync(p, v.w, slot)
			}
		}
	case sees:
	case !v.alone && m.inSight(p, slot): // of another observer
	case !v.keeps(slot):
		m.decide(p, slot, false)
		e.who = slot
		if !v.alone {
			m.sync(p, v.w, slot)
		}
	}
	return v.atBoundary(e.held(), v.w.distance(e.x, e.y)) != 0
}

// sees reports whether the observer sees a node that is in the grid, and that the peer holds or not
// (1 or 0): it is in sight, and the Policy, if there is one, allows it.
func (v *scanPass) sees(slot uint32, s *spatial.Position, held int) bool {
	d := v.distance(s)
	if !(d <= v.Sight[held&1]) || v.policy == nil {
		return d <= v.Sight[held&1]
	}
	if len(v.beside) > 0 {
		want, _ := v.m.policyWants(v.p, slot, held != 0)
		return want
	}
	return v.policy.Sees(spatial.View{
		Viewer: v.p.ID, Node: v.m.store.Nodes[slot].ID, X: s.X, Y: s.Y, From: v.o, Distance: math.Sqrt(d), Had: held != 0,
	})
}

// atBoundary is 1 if a node at a distance from where the observer was at the last scan is at the
// boundary, else 0.
func (v *scanPass) atBoundary(held int, d spatial.Far) int {
	return departs(held, d, &v.Boundary) & flag(d <= v.outer)
}

// keeps reports whether the peer keeps a node that is out of sight: because it owns a
// node of the tree or is shown it, or because MinStay is not over.
func (v *scanPass) keeps(slot uint32) bool {
	if v.m.holdsOn(v.p, slot) {
		return true
	}
	waits := v.m.lingers(v.p, slot, v.now)
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
