package rpl

import "math/bits"

// The blocks of rows that are walked stand at the front of their slab, in the
// order in which columns are walked, wherever their nodes are in the world's: so a
// walk reads them in one go, with nothing in between that no peer holds. They
// come and go one by one, which costs order, and are put in order again when too
// many of them are out of it.

// An owner is whose a block is.
type owner struct {
	row  uint32
	item Item // while the row is walked
}

// disorder is how many blocks may be out of order in any case: so many fit the
// first level of a cache.
const disorder = 256

// bringNear puts a row's block among those that are walked, and sendAway takes it
// out.
func (a *Authority) bringNear(i uint32, it Item) {
	r := &a.rows[i]
	s := &a.slabs[r.t.index]
	r.walked = true
	s.owners[r.block].item = it
	a.swapBlocks(s, r.block, s.near)
	s.near++
	s.moved++
}

func (a *Authority) sendAway(i uint32) {
	r := &a.rows[i]
	if !r.walked {
		return
	}
	s := &a.slabs[r.t.index]
	r.walked = false
	s.owners[r.block].item = NoItem
	s.near--
	a.swapBlocks(s, r.block, s.near)
	s.moved++
}

func (s *slab) outOfOrder() bool { return s.moved > disorder+s.near/4 }

// orderBlocks puts the blocks of rows that are walked in the order of columns.
func (a *Authority) orderBlocks(s *slab) {
	s.moved = 0
	next := uint32(0)
	for _, c := range a.columns {
		if c == nil || c.slab != s {
			continue
		}
		for w, m := range c.walked {
			for ; m != 0; m &= m - 1 {
				a.swapBlocks(s, c.blocks[w<<6+bits.TrailingZeros64(m)], next)
				next++
			}
		}
	}
}

// swapBlocks has two blocks change places, and tells whose they are.
func (a *Authority) swapBlocks(s *slab, x, y uint32) {
	if x != y {
		rowWords{s.at(x)}.swap(rowWords{s.at(y)}, s.block)
		s.sums[x], s.sums[y] = s.sums[y], s.sums[x]
		s.owners[x], s.owners[y] = s.owners[y], s.owners[x]
		swap(s.runs, len(s.runs)/s.rows, x, y)
		a.blockAt(s, x)
	}
	a.blockAt(s, y)
}

// swap exchanges the x-th and the y-th n elements.
func swap[T any](all []T, n int, x, y uint32) {
	p, q := all[int(x)*n:][:n], all[int(y)*n:][:n]
	for k := range p {
		p[k], q[k] = q[k], p[k]
	}
}

// blockAt tells a row where its block is, and its column where it is walked.
func (a *Authority) blockAt(s *slab, block uint32) {
	o := &s.owners[block]
	a.rows[o.row].block = block
	if o.item == NoItem {
		return
	}
	if h := &a.hots[o.item]; h.column != noColumn {
		a.columns[h.column].blocks[h.at] = block
	}
}
