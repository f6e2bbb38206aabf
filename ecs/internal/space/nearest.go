package space

// nearest: the k things whose edges are nearest to a point. Cells are looked at in rings round
// the point's, first one by one, then, where there is little, by pages.

import (
	"math"
	"math/bits"
)

// A closeBy is a thing and how far it is.
type closeBy struct {
	far   float64
	order uint32
	id    uint32
}

func (a closeBy) beats(b closeBy) bool { return a.far < b.far || a.far == b.far && a.order < b.order }

// cellRings is how many rings are looked at by cells: the inside of about one page.
const cellRings = 3

// A seeker is a search in progress.
type seeker struct {
	ix   *Index
	x, y float64
	k    int
	most float64 // nothing farther counts
	keep func(id uint32) bool
	heap []closeBy // the farthest first
}

// Nearest appends the k things nearest to a point, the nearest first, of those that keep
// takes (nil: all) and whose edges are within most. far, if it is not nil, gets their
// distances.
func (ix *Index) Nearest(x, y float64, k int, most float64, keep func(id uint32) bool, to []uint32, far []float64) ([]uint32, []float64) {
	if k <= 0 || x-x+y-y != 0 || !(most >= 0) {
		return to, far
	}
	s := seeker{ix: ix, x: x, y: y, k: k, most: most, keep: keep, heap: ix.heap[:0]}
	ix.heap = nil // keep may ask too
	for n := range ix.levels {
		if ix.levels[n].count > 0 {
			s.level(&ix.levels[n])
		}
	}
	from := len(to)
	for range s.heap {
		to, far = append(to, 0), append(far, 0)
	}
	to, out := to[:from+len(s.heap)], far[len(far)-len(s.heap):]
	for n := len(s.heap); n > 0; n-- {
		top := s.heap[0]
		to[from+n-1], out[n-1] = top.id, top.far
		s.heap[0] = s.heap[n-1]
		s.heap = s.heap[:n-1]
		s.sink()
	}
	ix.heap = s.heap[:0]
	return to, far
}

// limit is how near a thing must be to count.
func (s *seeker) limit() float64 {
	if len(s.heap) < s.k {
		return s.most
	}
	return s.heap[0].far
}

func (s *seeker) level(l *level) {
	cx, cy := l.along(s.x), l.along(s.y)
	// How far the point is from the nearest edge of its cell; a ring is that and whole cells away.
	fx, fy := s.x-float64(cx)*l.cell, s.y-float64(cy)*l.cell
	inner := min(fx, l.cell-fx, fy, l.cell-fy)
	if inner < 0 { // beyond the farthest cell
		inner = 0
	}
	around := l.around(math.Abs(s.x) + math.Abs(s.y))
	away := func(ring int32) float64 { // of what is in the ring
		return max(float64(ring-1)*l.cell+inner, 0)*(1-1e-9) - around
	}
	for ring := int32(0); ring <= cellRings; ring++ {
		if ring > 0 && away(ring) > s.limit() {
			return
		}
		s.cellRing(l, cx, cy, ring)
	}
	px, py := cx>>pageBits, cy>>pageBits
	for ring := int32(0); ; ring++ {
		if ring > 0 && away((ring-1)*pageSide+1) > s.limit() {
			return
		}
		if perimeter := 8 * int(ring); perimeter > l.used {
			s.restOf(l, cx, cy, px, py, ring)
			return
		}
		for y := py - ring; y <= py+ring; y++ {
			step := int32(1)
			if y != py-ring && y != py+ring {
				step = max(2*ring, 1)
			}
			for x := px - ring; x <= px+ring; x += step {
				if p := l.pageAt(x, y); p != nil {
					s.page(l, p, cx, cy)
				}
			}
		}
	}
}

// restOf looks at all pages from a ring on.
func (s *seeker) restOf(l *level, cx, cy, px, py, ring int32) {
	for i := range l.pages {
		if p := &l.pages[i]; p.filled != 0 && max(abs(p.x-px), abs(p.y-py)) >= ring {
			s.page(l, p, cx, cy)
		}
	}
}

func abs(v int32) int32 { return max(v, -v) }

func (s *seeker) cellRing(l *level, cx, cy, ring int32) {
	var p *page
	x0, y0 := int32(math.MinInt32), int32(0)
	for y := cy - ring; y <= cy+ring; y++ {
		step := int32(1)
		if y != cy-ring && y != cy+ring {
			step = max(2*ring, 1)
		}
		for x := cx - ring; x <= cx+ring; x += step {
			if x>>pageBits != x0 || y>>pageBits != y0 {
				x0, y0 = x>>pageBits, y>>pageBits
				p = l.pageAt(x0, y0)
			}
			if p == nil {
				continue
			}
			if c := cellIn(x, y); p.filled>>c&1 != 0 {
				s.cell(l, p.heads[c], x, y)
			}
		}
	}
}

// page looks at the cells of a page that the rings of cells have left out.
func (s *seeker) page(l *level, p *page, cx, cy int32) {
	for cells := p.filled; cells != 0; cells &= cells - 1 {
		c := bits.TrailingZeros64(cells)
		x, y := p.x<<pageBits+int32(c&(pageSide-1)), p.y<<pageBits+int32(c>>pageBits)
		if max(abs(x-cx), abs(y-cy)) > cellRings {
			s.cell(l, p.heads[c], x, y)
		}
	}
}

func (s *seeker) cell(l *level, b, x, y int32) {
	limit, around := s.limit(), l.around(math.Abs(s.x)+math.Abs(s.y))
	if x > -farthest && x < farthest && y > -farthest && y < farthest {
		half := l.cell / 2
		dx := beyond((float64(x)+0.5)*l.cell-s.x, half*(1+1e-9))
		dy := beyond((float64(y)+0.5)*l.cell-s.y, half*(1+1e-9))
		if reach := (limit + around) * (1 + 1e-9); square(dx, dy) > reach*reach {
			return
		}
	}
	limit2 := float64(limit*limit) * (1 + 1e-9)
	for ; b != none; b = l.blocks[b].next {
		k := &l.blocks[b]
		for i := range k.items[:k.n&15] {
			it := &k.items[i]
			d := square(it.x-s.x, it.y-s.y)
			if it.size == 0 {
				if d > limit2 {
					continue
				}
				d = math.Sqrt(d)
			} else {
				d = s.ix.things[it.id].Distance(s.x, s.y)
			}
			if d > limit || s.keep != nil && !s.keep(it.id) {
				continue
			}
			s.take(closeBy{d, s.ix.things[it.id].order, it.id})
			limit = s.limit()
			limit2 = float64(limit*limit) * (1 + 1e-9)
		}
	}
}

// take adds a thing in place of the farthest.
func (s *seeker) take(n closeBy) {
	if len(s.heap) < s.k {
		s.heap = append(s.heap, n)
		for i := len(s.heap) - 1; i > 0; {
			up := (i - 1) / 2
			if !s.heap[up].beats(s.heap[i]) {
				break
			}
			s.heap[up], s.heap[i] = s.heap[i], s.heap[up]
			i = up
		}
		return
	}
	if n.beats(s.heap[0]) {
		s.heap[0] = n
		s.sink()
	}
}

func (s *seeker) sink() {
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(s.heap) {
			return
		}
		if c+1 < len(s.heap) && s.heap[c].beats(s.heap[c+1]) {
			c++
		}
		if !s.heap[i].beats(s.heap[c]) {
			return
		}
		s.heap[i], s.heap[c] = s.heap[c], s.heap[i]
		i = c
	}
}
