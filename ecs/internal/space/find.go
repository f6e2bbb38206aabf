package space

// find: what is in a rectangle, within a radius, or touches a shape. The numbers are appended
// to a list that the caller keeps, so that what it does with them may change the index.

import (
	"math"
	"math/bits"
	"slices"
)

// A span is the cells that a question looks into.
type span struct{ x0, y0, x1, y1 int32 }

func (l *level) span(x0, y0, x1, y1 float64) span {
	return span{l.along(x0 - l.around(x0)), l.along(y0 - l.around(y0)), l.along(x1 + l.around(x1)), l.along(y1 + l.around(y1))}
}

// around is how far from an edge there may be the place of something that reaches it, with
// room for rounding.
func (l *level) around(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return l.most + rounding*(l.most+math.Abs(v)) + tiny
}

// rounding is more than the rounding of a few sums, as a share of what is added.
const (
	rounding = 1e-14
	tiny     = 1e-150 // the square of less may be 0
)

// cells is which cells of a page a span has.
func (s *span) cells(px, py int32) uint64 {
	px, py = px<<pageBits, py<<pageBits
	row := upTo(s.x1-px) &^ upTo(s.x0-px-1)
	all := row * 0x0101010101010101
	first, last := max(s.y0-py, 0), min(s.y1-py, pageSide-1)
	return all & (^uint64(0) << (first * pageSide)) & (^uint64(0) >> ((pageSide - 1 - last) * pageSide))
}

// upTo is the bits of the cells of a row from the first up to this one.
func upTo(n int32) uint64 {
	return uint64(1)<<min(max(n+1, 0), pageSide) - 1
}

// each calls fn for the pages that a span touches, with the span's cells that have something.
func (l *level) each(s span, fn func(p *page, cells uint64)) {
	if l.count == 0 {
		return
	}
	x0, y0, x1, y1 := s.x0>>pageBits, s.y0>>pageBits, s.x1>>pageBits, s.y1>>pageBits
	if int64(x1-x0+1)*int64(y1-y0+1) > int64(len(l.pages)) {
		for i := range l.pages {
			if p := &l.pages[i]; p.filled != 0 && p.x >= x0 && p.x <= x1 && p.y >= y0 && p.y <= y1 {
				if c := p.filled & s.cells(p.x, p.y); c != 0 {
					fn(p, c)
				}
			}
		}
		return
	}
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			if p := l.pageAt(x, y); p != nil {
				if c := p.filled & s.cells(x, y); c != 0 {
					fn(p, c)
				}
			}
		}
	}
}

// InRect appends what touches a rectangle. The order is that of the index.
func (ix *Index) InRect(x0, y0, x1, y1 float64, to []uint32) []uint32 {
	if !(x0 <= x1 && y0 <= y1) { // NaN too
		return to
	}
	for n := range ix.levels {
		l := &ix.levels[n]
		if l.count == 0 {
			continue
		}
		l.each(l.span(x0, y0, x1, y1), func(p *page, cells uint64) {
			for ; cells != 0; cells &= cells - 1 {
				for b := p.heads[bits.TrailingZeros64(cells)]; b != none; b = l.blocks[b].next {
					k := &l.blocks[b]
					if cap(to)-len(to) < blockRoom {
						to = slices.Grow(to, 8*blockRoom)
					}
					room := (*[blockRoom]uint32)(to[len(to):][:blockRoom])
					found := 0
					for i := range k.items[:k.n&15] {
						it := &k.items[i]
						room[found&(blockRoom-1)] = it.id
						switch {
						case it.x >= x0 && it.x <= x1 && it.y >= y0 && it.y <= y1:
							found++
						case it.size != 0 && it.near(x0, y0, x1, y1) && ix.things[it.id].touchesRect(x0, y0, x1, y1):
							found++
						}
					}
					to = to[:len(to)+found]
				}
			}
		})
	}
	return to
}

// near reports whether what holds the item's shape may touch a rectangle, without a look at the
// shape.
func (it *item) near(x0, y0, x1, y1 float64) bool {
	size := math.Abs(float64(it.size)) * (1 + 1e-9)
	pad := size + rounding*(math.Abs(it.x)+math.Abs(it.y)+size) + tiny
	return it.x+pad >= x0 && it.x-pad <= x1 && it.y+pad >= y0 && it.y-pad <= y1
}

// touchesRect is Touches with a rectangle that is given by its edges.
func (s *Shape) touchesRect(x0, y0, x1, y1 float64) bool {
	if s.Round {
		dx, dy := max(x0-s.X, s.X-x1, 0), max(y0-s.Y, s.Y-y1, 0)
		return square(dx, dy) <= float64(s.HX*s.HX)
	}
	return s.X+s.HX >= x0 && s.X-s.HX <= x1 && s.Y+s.HY >= y0 && s.Y-s.HY <= y1
}

// Within appends what has its edge within r of a point.
func (ix *Index) Within(x, y, r float64, to []uint32) []uint32 {
	if !(r >= 0) || x-x+y-y != 0 {
		return to
	}
	rr := float64(r * r)
	for n := range ix.levels {
		l := &ix.levels[n]
		if l.count == 0 {
			continue
		}
		l.each(l.span(x-r, y-r, x+r, y+r), func(p *page, cells uint64) {
			for ; cells != 0; cells &= cells - 1 {
				for b := p.heads[bits.TrailingZeros64(cells)]; b != none; b = l.blocks[b].next {
					k := &l.blocks[b]
					if cap(to)-len(to) < blockRoom {
						to = slices.Grow(to, 8*blockRoom)
					}
					room := (*[blockRoom]uint32)(to[len(to):][:blockRoom])
					found := 0
					for i := range k.items[:k.n&15] {
						it := &k.items[i]
						room[found&(blockRoom-1)] = it.id
						switch {
						case square(it.x-x, it.y-y) <= rr:
							found++
						case it.size != 0 && it.near(x-r, y-r, x+r, y+r) && ix.things[it.id].WithinOf(x, y, r):
							found++
						}
					}
					to = to[:len(to)+found]
				}
			}
		})
	}
	return to
}

// Touching appends what touches a shape, without the thing that has it.
func (ix *Index) Touching(s Shape, but uint32, to []uint32) []uint32 {
	if !s.Allowed() {
		return to
	}
	hx, hy := s.Half()
	hx, hy = hx+rounding*(hx+math.Abs(s.X))+tiny, hy+rounding*(hy+math.Abs(s.Y))+tiny
	from := len(to)
	to = ix.InRect(s.X-hx, s.Y-hy, s.X+hx, s.Y+hy, to)
	kept := to[:from]
	for _, id := range to[from:] {
		if id != but && s.Touches(&ix.things[id].Shape) {
			kept = append(kept, id)
		}
	}
	return kept
}
