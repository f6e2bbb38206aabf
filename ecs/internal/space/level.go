package space

// level: one grid of cells of one size. Eight by eight cells are a page, with a bit for each
// cell that has something, so that emptiness costs little; pages are found by a hash of where
// they are, so that a world needs no bounds.

import (
	"math"
	"math/bits"
)

const (
	pageBits  = 3
	pageSide  = 1 << pageBits
	blockRoom = 8
	none      = -1

	// farthest is the outermost cell along each axis: what is beyond shares it.
	farthest = 1 << 28
)

// An item is a thing in a block.
type item struct {
	x, y float64
	size float32 // not less than half of what holds its shape, below 0 for a box; 0: a point
	id   uint32
}

// A block is room for the things of one cell. All blocks of a cell but the first are full.
type block struct {
	n     int32
	next  int32
	items [blockRoom]item
}

type page struct {
	heads  [pageSide * pageSide]int32 // the first block of each cell whose bit is set
	filled uint64
	x, y   int32
}

// A level is a grid.
type level struct {
	cell, perUnit float64
	most          float64 // the largest size that was in it since it was empty
	count         int
	squares       int64 // the sum of the squares of what cells have

	pages     []page
	freePages []int32
	table     []int32 // pages by hash; a power of two, at most half full
	used      int     // pages in the table

	blocks    []block
	freeBlock int32
}

func newLevel(cell float64) level {
	return level{cell: cell, perUnit: 1 / cell, freeBlock: none}
}

// along is the cell that a coordinate is in, along one axis. It is what a ray does most, and
// so does without math.Floor, min and max, which look for NaN.
func (l *level) along(v float64) int32 {
	f := v * l.perUnit
	switch {
	case f >= farthest:
		return farthest
	case !(f >= -farthest):
		return -farthest
	}
	n := int32(f)
	if float64(n) > f {
		n--
	}
	return n
}

func hashOf(x, y int32) uint64 {
	h := (uint64(uint32(x))<<32 | uint64(uint32(y))) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// pageAt finds a page, nil where there is none.
func (l *level) pageAt(x, y int32) *page {
	if len(l.table) == 0 {
		return nil
	}
	mask := uint64(len(l.table) - 1)
	for at := hashOf(x, y) & mask; ; at = (at + 1) & mask {
		i := l.table[at]
		if i == none {
			return nil
		}
		if p := &l.pages[i]; p.x == x && p.y == y {
			return p
		}
	}
}

func (l *level) makePage(x, y int32) *page {
	if 2*(l.used+1) > len(l.table) {
		l.rehash(max(16, 2*len(l.table)))
	}
	var i int32
	if n := len(l.freePages); n > 0 {
		i, l.freePages = l.freePages[n-1], l.freePages[:n-1]
	} else {
		i = int32(len(l.pages))
		l.pages = append(l.pages, page{})
	}
	l.pages[i].x, l.pages[i].y = x, y
	l.enter(i)
	l.used++
	return &l.pages[i]
}

func (l *level) enter(i int32) {
	mask := uint64(len(l.table) - 1)
	at := hashOf(l.pages[i].x, l.pages[i].y) & mask
	for l.table[at] != none {
		at = (at + 1) & mask
	}
	l.table[at] = i
}

func (l *level) rehash(size int) {
	old := l.table
	l.table = make([]int32, size)
	for i := range l.table {
		l.table[i] = none
	}
	for _, i := range old {
		if i != none {
			l.enter(i)
		}
	}
}

// dropPage takes an empty page out of the table, and closes the gap.
func (l *level) dropPage(p *page) {
	mask := uint64(len(l.table) - 1)
	at := hashOf(p.x, p.y) & mask
	for l.pages[l.table[at]].x != p.x || l.pages[l.table[at]].y != p.y {
		at = (at + 1) & mask
	}
	l.freePages = append(l.freePages, l.table[at])
	l.used--
	for next := (at + 1) & mask; l.table[next] != none; next = (next + 1) & mask {
		q := &l.pages[l.table[next]]
		home := hashOf(q.x, q.y) & mask
		if (next-home)&mask >= (next-at)&mask {
			l.table[at], at = l.table[next], next
		}
	}
	l.table[at] = none
}

// add puts an item into a cell and returns its block.
func (l *level) add(cx, cy int32, it item) int32 {
	p := l.pageAt(cx>>pageBits, cy>>pageBits)
	if p == nil {
		p = l.makePage(cx>>pageBits, cy>>pageBits)
	}
	c := cellIn(cx, cy)
	if p.filled>>c&1 == 0 {
		p.filled |= 1 << c
		p.heads[c] = l.takeBlock(none)
	}
	b := p.heads[c]
	if l.blocks[b].n == blockRoom {
		b = l.takeBlock(b)
		p.heads[c] = b
	}
	k := &l.blocks[b]
	k.items[k.n] = it
	k.n++
	l.count++
	l.squares += 2*l.has(b) - 1
	l.most = max(l.most, math.Abs(float64(it.size)))
	return b
}

// has is how many items a cell has whose first block this is.
func (l *level) has(first int32) int64 {
	n := int64(l.blocks[first].n)
	for b := l.blocks[first].next; b != none; b = l.blocks[b].next {
		n += blockRoom
	}
	return n
}

func cellIn(cx, cy int32) uint32 {
	return uint32(cy&(pageSide-1))<<pageBits | uint32(cx&(pageSide-1))
}

func (l *level) takeBlock(next int32) int32 {
	b := l.freeBlock
	if b == none {
		b = int32(len(l.blocks))
		l.blocks = append(l.blocks, block{})
	} else {
		l.freeBlock = l.blocks[b].next
	}
	l.blocks[b].n, l.blocks[b].next = 0, next
	return b
}

// remove takes an item out of a cell. Another takes its place, which was in the block that
// is returned; moved is its number.
func (l *level) remove(cx, cy int32, b int32, id uint32) (moved uint32, ok bool) {
	p := l.pageAt(cx>>pageBits, cy>>pageBits)
	c := cellIn(cx, cy)
	head := p.heads[c]
	l.squares -= 2*l.has(head) - 1
	l.count--
	k, h := &l.blocks[b], &l.blocks[head]
	h.n--
	last := h.items[h.n]
	if last.id != id {
		k.items[k.lane(id)] = last
		moved, ok = last.id, true
	}
	if h.n == 0 {
		p.heads[c] = h.next
		if h.next == none {
			p.filled &^= 1 << c
		}
		h.next, l.freeBlock = l.freeBlock, head
		if p.filled == 0 {
			l.dropPage(p)
		}
	}
	if l.count == 0 {
		l.most = 0
	}
	return moved, ok
}

// lane is where in a block an item is.
func (k *block) lane(id uint32) int {
	for i := range k.items {
		if k.items[i].id == id {
			return i
		}
	}
	return 0 // not reached: the block is the item's
}

// reset empties a level and keeps its memory.
func (l *level) reset(cell float64) {
	l.cell, l.perUnit = cell, 1/cell
	l.most, l.count, l.squares, l.used, l.freeBlock = 0, 0, 0, 0, none
	l.pages, l.freePages, l.blocks = l.pages[:0], l.freePages[:0], l.blocks[:0]
	for i := range l.table {
		l.table[i] = none
	}
}

// tidy puts the blocks of a page side by side.
func (l *level) tidy(moved func(id uint32, to int32)) {
	blocks := make([]block, 0, len(l.blocks))
	for i := range l.pages {
		p := &l.pages[i]
		for cells := p.filled; cells != 0; cells &= cells - 1 {
			at := &p.heads[bits.TrailingZeros64(cells)]
			for *at != none {
				n := int32(len(blocks))
				blocks = append(blocks, l.blocks[*at])
				*at = n
				k := &blocks[n]
				for j := range k.items[:k.n&15] {
					moved(k.items[j].id, n)
				}
				at = &k.next
			}
		}
	}
	l.blocks, l.freeBlock = blocks, none
}
