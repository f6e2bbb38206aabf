package space

// index: everything that has a place. Things are kept on levels by their size, each a grid
// with cells at least twice as large as what is in it, so that a question looks only half a
// cell farther than it asks; points are on the first. The first level's cells follow the
// density: where most things are, a cell has about perCell of them.

import "math"

const (
	levels    = 12
	levelStep = 4 // a level's cells over those of the level before

	// perCell is how many there are in the cell of the average thing: half a block and more.
	perCell = 5.0
	// fewest and most are how far that may change before the cells change; near is how close
	// it is brought then.
	fewest, most, near = perCell / 2.5, perCell * 2.5, 1.5

	firstCell = 64.0
)

// An Index finds things by place.
type Index struct {
	things []thing // by number
	levels [levels]level
	count  int

	changes int     // since the cells were last sized
	finest  float64 // crowding at which smaller cells have not helped

	heap []closeBy // scratch of Nearest
}

// A thing is what the index knows of a thing.
type thing struct {
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
	ix.things = ix.things[:0]
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
	if int(id) >= len(ix.things) || ix.things[id].level == none {
		return s, false
	}
	return ix.things[id].Shape, true
}

// Put places a thing, new or known. order decides between things that are equally far, the
// lower first. A shape that is not Allowed takes the thing out.
func (ix *Index) Put(id, order uint32, s Shape) {
	for int(id) >= len(ix.things) {
		ix.things = append(ix.things, thing{level: none})
	}
	at := &ix.things[id]
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

func (ix *Index) insert(id uint32, at *thing) {
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
	if int(id) >= len(ix.things) || ix.things[id].level == none {
		return
	}
	at := &ix.things[id]
	l := &ix.levels[at.level]
	if moved, ok := l.remove(l.along(at.X), l.along(at.Y), at.block, id); ok {
		ix.things[moved].block = at.block
	}
	at.level = none
	ix.count--
	ix.changes++
}

// meanPerCell is how many there are in the cell of the average thing.
func (l *level) meanPerCell() float64 { return float64(l.squares) / float64(max(l.count, 1)) }

// Resize sizes the cells anew where the density has changed much. It looks at every thing,
// but only after about as many changes, so that a change costs no more for it.
func (ix *Index) Resize() {
	if ix.changes < max(32, ix.count/2) {
		return
	}
	ix.changes = 0
	low, high := fewest, max(most, 2*ix.finest)
	for range 6 {
		l := &ix.levels[0]
		now := l.meanPerCell()
		if l.count < 16 || now >= low && now <= high {
			return
		}
		low, high = perCell/near, perCell*near
		cell := l.cell * min(max(math.Sqrt(perCell/now), 1./16), 16)
		if !(cell > 1e-6 && cell < 1e12) {
			return
		}
		ix.resize(cell)
		if after := ix.levels[0].meanPerCell(); now > most && after > now/1.5 {
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
	for id := range ix.things {
		if at := &ix.things[id]; at.level != none {
			ix.insert(uint32(id), at)
		}
	}
	for i := range ix.levels {
		ix.levels[i].tidy(func(id uint32, to int32) { ix.things[id].block = to })
	}
}
