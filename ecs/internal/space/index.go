package space

// index: everything that has a place. Things are kept on levels by their size, each a grid
// with cells at least twice as large as what is in it, so that a question looks only half a
// cell farther than it asks; points are on the first. The first level's cells follow the
// density: where most things are, a cell has about crowd of them.

import "math"

const (
	levels    = 12
	levelStep = 4 // a level's cells over those of the level before

	// crowd is how many there are in the cell of the average thing: half a block and more.
	crowd = 5.0
	// fewest and most are how far that may drift before the cells change; near is how close
	// it is brought then.
	fewest, most, near = crowd / 2.5, crowd * 2.5, 1.5

	firstCell = 64.0
)

// An Index finds things by place.
type Index struct {
	spots  []spot // by number
	levels [levels]level
	count  int

	changes int     // since the cells were last sized
	finest  float64 // crowding at which smaller cells have not helped

	heap []closeBy // scratch of Nearest
}

// A spot is what the index knows of a thing.
type spot struct {
	Shape
	order uint32 // among things that are equally far
	block int32
	level int8 // none: not in the index
}

// NewIndex makes an empty index.
func NewIndex() *Index {
	ix := &Index{}
	ix.Clear()
	return ix
}

// Clear empties the index.
func (ix *Index) Clear() {
	ix.spots = ix.spots[:0]
	for i := range ix.levels {
		ix.levels[i] = newLevel(firstCell * math.Pow(levelStep, float64(i)))
	}
	ix.count, ix.changes, ix.finest = 0, 0, 0
}

// Len is how many things there are.
func (ix *Index) Len() int { return ix.count }

// Cell is the width of the first level's cells.
func (ix *Index) Cell() float64 { return ix.levels[0].cell }

// Shape is what a thing that is in the index occupies.
func (ix *Index) Shape(id uint32) (s Shape, ok bool) {
	if int(id) >= len(ix.spots) || ix.spots[id].level == none {
		return s, false
	}
	return ix.spots[id].Shape, true
}

// Put places a thing, new or known. order decides between things that are equally far, the
// lower first. A shape that is not Allowed takes the thing out.
func (ix *Index) Put(id, order uint32, s Shape) {
	for int(id) >= len(ix.spots) {
		ix.spots = append(ix.spots, spot{level: none})
	}
	at := &ix.spots[id]
	if !s.Allowed() {
		ix.Remove(id)
		return
	}
	if at.level != none {
		if at.order = order; at.Shape == s {
			return
		}
		l := &ix.levels[at.level]
		if at.HX == s.HX && at.HY == s.HY && at.Round == s.Round && l.along(at.X) == l.along(s.X) && l.along(at.Y) == l.along(s.Y) {
			at.Shape = s
			it := &l.blocks[at.block]
			k := it.lane(id)
			it.items[k].x, it.items[k].y = s.X, s.Y
			return
		}
		ix.Remove(id)
	}
	at.Shape, at.order = s, order
	ix.insert(id, at)
	ix.count++
	ix.changes++
}

func (ix *Index) insert(id uint32, at *spot) {
	hx, hy := at.Half()
	size := max(hx, hy)
	n := 0
	for n < levels-1 && size > ix.levels[n].cell/2 {
		n++
	}
	l := &ix.levels[n]
	at.level = int8(n)
	it := item{at.X, at.Y, notLess(size), id}
	if !at.Round {
		it.size = -it.size
	}
	at.block = l.add(l.along(at.X), l.along(at.Y), it)
}

// notLess is the least float32 that is not less than v.
func notLess(v float64) float32 {
	f := float32(v)
	if float64(f) < v {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return f
}

// Remove takes a thing out, if it is in.
func (ix *Index) Remove(id uint32) {
	if int(id) >= len(ix.spots) || ix.spots[id].level == none {
		return
	}
	at := &ix.spots[id]
	l := &ix.levels[at.level]
	if moved, ok := l.remove(l.along(at.X), l.along(at.Y), at.block, id); ok {
		ix.spots[moved].block = at.block
	}
	at.level = none
	ix.count--
	ix.changes++
}

// crowding is how many there are in the cell of the average thing.
func (l *level) crowding() float64 { return float64(l.squares) / float64(max(l.count, 1)) }

// Settle sizes the cells anew where the density has changed much. It looks at every thing,
// but only after about as many changes, so that a change costs no more for it.
func (ix *Index) Settle() {
	if ix.changes < max(32, ix.count/2) {
		return
	}
	ix.changes = 0
	low, high := fewest, max(most, 2*ix.finest)
	for range 6 {
		l := &ix.levels[0]
		now := l.crowding()
		if l.count < 16 || now >= low && now <= high {
			return
		}
		low, high = crowd/near, crowd*near
		cell := l.cell * min(max(math.Sqrt(crowd/now), 1./16), 16)
		if !(cell > 1e-6 && cell < 1e12) {
			return
		}
		ix.resize(cell)
		if after := ix.levels[0].crowding(); now > most && after > now/1.5 {
			ix.finest = after // they stand on each other
			return
		}
		ix.finest = 0
	}
}

func (ix *Index) resize(cell float64) {
	for i := range ix.levels {
		ix.levels[i].reset(cell)
		cell *= levelStep
	}
	for id := range ix.spots {
		if at := &ix.spots[id]; at.level != none {
			ix.insert(uint32(id), at)
		}
	}
	for i := range ix.levels {
		ix.levels[i].tidy(func(id uint32, to int32) { ix.spots[id].block = to })
	}
}
