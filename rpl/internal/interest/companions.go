package interest

import (
	"math"

	"github.com/tendonengine/tendon/rpl/internal/spatial"
)

// Observers that stand together, as a camera and its character, share one neighbour list: that
// of the first of them, whose boundary is that of all they see together. It is hardly longer than
// that of one, where lists of their own would note, and decide about, most nodes twice.

// Companions share a list from joinBeside of the exit radius on, until they are farther apart than
// leaveBeside of it. A list covers the rectangle around all it serves: of two that are 0.8 radii
// apart, it covers as much as lists of their own. The second leaves room to walk to and fro.
const joinBeside, leaveBeside = 0.25, 0.5

// places are where an observer was at some times.
type places [3][2]float64

const (
	sinceScan  = iota // at the last scan
	sinceSend         // in the last send
	sinceAsked        // with a Policy: when all nodes in sight were asked
)

// away is how far it has gone since one of these times, along one axis.
func (ps *places) away(o [2]float64, since int) float64 {
	return max(math.Abs(o[0]-ps[since][0]), math.Abs(o[1]-ps[since][1]))
}

// A companion is a further observer that a list serves.
type companion struct {
	point int        // which of the peer's
	o     [2]float64 // where it is …
	at    [2]float32 // … as the grid has places
	was   places
}

// now has a companion be where its observer is.
func (c *companion) now(p *Viewer) {
	at := &p.Points[c.point]
	c.o, c.at = [2]float64{at.X, at.Y}, [2]float32{float32(at.X), float32(at.Y)}
}

// away is how far the observer that has gone farthest has gone since one of their times.
func (v *scanPass) away(since int) float64 {
	far := v.w.was.away(v.o, since)
	for i := range v.beside {
		c := &v.beside[i]
		far = max(far, c.was.away(c.o, since))
	}
	return far
}

// note has one of these times be now.
func (v *scanPass) note(since int) {
	v.w.was[since] = v.o
	for i := range v.beside {
		v.beside[i].was[since] = v.beside[i].o
	}
}

// spread is how far from the first observer the farthest companion is.
func (v *scanPass) spread() (far float64) {
	for i := range v.beside {
		far = max(far, math.Hypot(v.beside[i].o[0]-v.o[0], v.beside[i].o[1]-v.o[1]))
	}
	return far
}

// companions decides which observers of a peer share a list. It returns which lists serve others
// than before, and so scan anew.
func (m *Manager) companions(p *Viewer) (anew [maxLists]bool) {
	if p.rescan { // an observer may have another number
		for k := range p.Points {
			p.first[k] = int8(k)
		}
	}
	p.lists = 0
	for k := range p.Points {
		p.first[k] = int8(m.firstOf(p, k))
		if w := p.listAt(k); int(p.first[k]) == k {
			p.lists++
		} else {
			m.endList(w)
			w.boundary = w.boundary[:0]
			w.beside = w.beside[:0]
		}
	}
	for k := range p.Points {
		if int(p.first[k]) == k {
			anew[k] = p.listAt(k).serve(p.first[:len(p.Points)], k)
		}
	}
	return anew
}

// firstOf returns which observer's list serves one of a peer's: its own, or that of an earlier one.
func (m *Manager) firstOf(p *Viewer, k int) int {
	g, o := m.space.Index, &p.Points[k]
	if g.Coarse(o.X, o.Y) {
		return k
	}
	for l := range k {
		f, most := &p.Points[l], joinBeside
		if int(p.first[l]) != l || f.Scale != o.Scale || g.Coarse(f.X, f.Y) {
			continue
		}
		if int(p.first[k]) == l {
			most = leaveBeside
		}
		if most *= g.Exit * o.Scale; square([2]float64{o.X, o.Y}, f.X, f.Y) <= most*most {
			return l
		}
	}
	return k
}

// serve has the list of observer k serve those that first says. It reports whether they are others
// than before.
func (w *neighbourList) serve(first []int8, k int) (others bool) {
	n := 0
	for l, of := range first {
		if l == k || int(of) != k {
			continue
		}
		if n == len(w.beside) {
			w.beside = append(w.beside, companion{})
			others = true
		}
		if w.beside[n].point != l {
			w.beside[n].point, others = l, true
		}
		n++
	}
	others = others || n < len(w.beside)
	w.beside = w.beside[:n]
	return others
}

// uncertainBeside is uncertain for an observer with companions.
func (v *scanPass) uncertainBeside(dst []uint8, boundary []boundaryNode) []uint8 {
	news := &v.m.news
	x, y := float32(v.o[0]), float32(v.o[1])
	limits, all := &v.Unsure, flag(v.all)
	dst = dst[:uncertainMost]
	n := 0
	for i := range boundary {
		e := &boundary[i]
		d := spatial.FarBetween(e.x-x, e.y-y)
		for k := range v.beside {
			d = min(d, spatial.FarBetween(e.x-v.beside[k].at[0], e.y-v.beside[k].at[1]))
		}
		dst[n&(uncertainMost-1)] = uint8(i)
		n += e.held()&all | departs(e.held(), d, limits) | flag(news.Has(e.slot()))
	}
	return dst[:n]
}

// distance is the square of a node's distance from the observer, or from the nearest beside it.
func (v *scanPass) distance(s *spatial.Position) float64 {
	d := square(v.o, s.X, s.Y)
	for i := range v.beside {
		d = min(d, square(v.beside[i].o, s.X, s.Y))
	}
	return d
}

func square(o [2]float64, x, y float64) float64 {
	dx, dy := x-o[0], y-o[1]
	return dx*dx + dy*dy
}
