package interest

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/spatial"
)

// The reach of a neighbour list: the cells of the grid that it covers, and the scan of them for its boundary
// when its observer has gone away from where it last scanned.

// cells is a rectangle of cells of the grid, both corners included.
type cells struct{ from, to [2]int }

func (c *cells) has(x, y int) bool {
	return x >= c.from[0] && x <= c.to[0] && y >= c.from[1] && y <= c.to[1]
}

// scan notes all nodes that are at the boundary now, and asks them.
func (v *scanPass) scan(reported []uint32) {
	m, p, w := v.m, v.p, v.w
	v.stand()
	w.boundary = w.boundary[:0]
	p.InGrid.Compact()
	v.touchReach()
	found := v.addReach()
	if !v.alone { // sweep finds what was left behind, and what has moved away is reported
		v.pass(reported)
		return
	}
	if found < len(p.InGrid.Slots) { // some nodes that the peer has are beyond the cells
		m.touchPositions(p.InGrid.Slots)
		m.markBoundary(w)
		for _, slot := range p.InGrid.Slots {
			if s := &m.space.Positions[slot]; w.distance(s.GridX, s.GridY) > v.Boundary[1] && !m.marks.Has(slot) {
				w.boundary = append(w.boundary, boundaryNode{s.GridX, s.GridY, slot | boundaryHeld})
			}
		}
		m.unmarkBoundary(w)
	}
	v.pass(nil)
}

// addReach adds the nodes in reach that are at the boundary to the list, and returns how many
// nodes there the peer has. No branch depends on a node. Which nodes the peer has is marked first:
// marks are the same memory for all peers, where the set of what this one shall have would come from
// afar, a line for each node.
func (v *scanPass) addReach() (had int) {
	w, g, at, marks := v.w, v.m.space.Index, &v.w.cells, &v.m.marks
	for _, slot := range v.p.InGrid.Slots {
		marks.Set(slot)
	}
	x, y := float32(v.o[0]), float32(v.o[1])
	limits, outer, has, beside := v.Boundary, v.outer, marks.W, v.beside
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
				if at := int(node.Slot >> 6); at < len(has) {
					held = int(has[at]>>(node.Slot&63)) & 1
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
	for _, slot := range v.p.InGrid.Slots {
		marks.Clear(slot)
	}
	v.m.DistanceChecks += uint64(checks)
	return had
}

// stand moves the list to where the observer is.
func (v *scanPass) stand() {
	g, w := v.m.space.Index, v.w
	var at cells
	for k, o := range v.o {
		at.from[k], at.to[k] = g.Span(o, g.Exit*w.scale+g.ObserverSlack)
		for i := range v.beside {
			from, to := g.Span(v.beside[i].o[k], g.Exit*w.scale+g.ObserverSlack)
			at.from[k], at.to[k] = min(at.from[k], from), max(at.to[k], to)
		}
		at.to[k] = min(at.to[k], at.from[k]+spatial.GridSide-1)
	}
	if before, was := w.cells, w.on; !was || at != before {
		v.m.endBut(w, at)
		w.on, w.cells = true, at
		for y := at.from[1]; y <= at.to[1]; y++ {
			for x := at.from[0]; x <= at.to[0]; x++ {
				if !was || !before.has(x, y) {
					v.m.space.Subscribe(w.id, g.BucketAt(x, y))
				}
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
func (m *Manager) endList(w *neighbourList) { m.endBut(w, cells{to: [2]int{-1, -1}}) }

// endBut ends a list but for some cells. (Two cells far apart may be one bucket: so what is not
// covered any more goes first, and what is covered from now on comes then.)
func (m *Manager) endBut(w *neighbourList, but cells) {
	if !w.on {
		return
	}
	w.on = false
	g, at := m.space.Index, &w.cells
	for y := at.from[1]; y <= at.to[1]; y++ {
		for x := at.from[0]; x <= at.to[0]; x++ {
			if !but.has(x, y) {
				m.space.Unsubscribe(w.id, g.BucketAt(x, y))
			}
		}
	}
}
