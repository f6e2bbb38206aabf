package space

// ray: the first thing that a ray hits. The cells that it may hit something of are looked at
// row by row along its longer axis, until nothing in the next rows can be hit before what was
// hit.

import "math"

// Trace returns the first hit on the way from a place to another, of the things that keep
// takes (nil: all). Of hits at one place the one of the lowest order is the first.
func (ix *Index) Trace(x, y, toX, toY float64, keep func(id uint32) bool) (first Hit, ok bool) {
	r := ray{ix: ix, x: x, y: y, dx: toX - x, dy: toY - y, keep: keep}
	if d := r.dx - r.dx + r.dy - r.dy + x - x + y - y; d != 0 {
		return first, false
	}
	r.first.Share = 1
	r.length, r.across = math.Sqrt(square(r.dx, r.dy))*(1+1e-9), (math.Abs(r.dx)+math.Abs(r.dy))*(1+1e-9)
	for n := range ix.levels {
		if l := &ix.levels[n]; l.count > 0 && l.most > 0 {
			r.level(l)
		}
	}
	return r.first, r.hit
}

type ray struct {
	ix           *Index
	x, y, dx, dy float64
	length       float64 // a circle that is passed by more than this times its size is not hit …
	across       float64 // … and a box by more than this
	keep         func(id uint32) bool
	first        Hit
	order        uint32
	hit          bool
}

// level looks at a level's cells. Along the longer axis (u) cells come one after the other;
// across it (v) are those that the ray passes at less than the largest size.
func (r *ray) level(l *level) {
	flip := math.Abs(r.dy) > math.Abs(r.dx)
	u, v, du, dv := r.x, r.y, r.dx, r.dy
	if flip {
		u, v, du, dv = v, u, dv, du
	}
	slope := 0.0
	if du != 0 {
		slope = dv / du
	}
	around := l.around(math.Abs(u) + math.Abs(du))
	way, from, to := int32(1), l.along(u-around), l.along(u+du+around)
	if du < 0 {
		way, from, to = -1, l.along(u+around), l.along(u+du-around)
	}
	if int64(abs(to-from)) > 64+int64(pageSide*l.used) {
		r.all(l) // longer than the world: what there is is less than the cells on the way
		return
	}
	var p *page
	px, py := int32(math.MinInt32), int32(0)
	low, high := min(u, u+du), max(u, u+du)
	for c := from; ; c += way {
		// The part of the way on which something of this row can be hit.
		a, b := float64(c)*l.cell-around, float64(c+1)*l.cell+around
		if c <= -farthest {
			a = math.Inf(-1)
		}
		if c >= farthest {
			b = math.Inf(1)
		}
		a, b = within(a, low, high), within(b, low, high)
		if r.hit && du != 0 {
			enter := (a - u) / du
			if du < 0 {
				enter = (b - u) / du
			}
			if enter > r.first.Share {
				return
			}
		}
		va, vb := v+(a-u)*slope, v+(b-u)*slope
		margin := l.most + 1e-9*(math.Abs(va)+math.Abs(vb))
		if va > vb {
			va, vb = vb, va
		}
		first, last := l.along(va-margin), l.along(vb+margin)
		for w := first; w <= last; w++ {
			x, y := c, w
			if flip {
				x, y = w, c
			}
			if x>>pageBits != px || y>>pageBits != py {
				px, py = x>>pageBits, y>>pageBits
				p = l.pageAt(px, py)
			}
			if p == nil {
				w |= pageSide - 1 // to the end of the page
				continue
			}
			if k := cellIn(x, y); p.filled>>k&1 != 0 {
				r.cell(l, p.heads[k])
			}
		}
		if c == to {
			return
		}
	}
}

// within is v or the nearer of low and high; none is NaN.
func within(v, low, high float64) float64 {
	if v < low {
		return low
	}
	if v > high {
		return high
	}
	return v
}

// all looks at everything on a level.
func (r *ray) all(l *level) {
	for i := range l.pages {
		p := &l.pages[i]
		for k := range p.heads {
			if p.filled>>k&1 != 0 {
				r.cell(l, p.heads[k])
			}
		}
	}
}

func (r *ray) cell(l *level, b int32) {
	for ; b != none; b = l.blocks[b].next {
		k := &l.blocks[b]
		for i := range k.items[:k.n&15] {
			it := &k.items[i]
			if it.size == 0 {
				continue
			}
			p, q := float64(r.dx*(it.y-r.y)), float64(r.dy*(it.x-r.x))
			most := float64(it.size) * r.length
			if it.size < 0 {
				most = float64(-it.size) * r.across
			}
			if d := math.Abs(p - q); d > most && d > most+1e-12*(math.Abs(p)+math.Abs(q)) {
				continue
			}
			if r.keep != nil && !r.keep(it.id) { // first, since most that come so near are hit
				continue
			}
			at := &r.ix.things[it.id]
			h, ok := at.HitBy(r.x, r.y, r.dx, r.dy)
			if !ok || h.Share > r.first.Share || r.hit && h.Share == r.first.Share && at.order > r.order {
				continue
			}
			h.ID = it.id
			r.first, r.order, r.hit = h, at.order, true
		}
	}
}
