package rpl

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// The blocks of rows that are walked stand at the front of their slab, in the order in
// which columns are walked, wherever their nodes are. So a walk reads them in sequence,
// with no rows between them that no peer holds. Rows join and leave one by one, which
// spoils the order; when too many blocks are out of order they are sorted again.

// An owner is the row that a block belongs to.
type owner struct {
	row  uint32
	item itemSlot // its item while the row is walked, else noItem
}

// disorder is how many blocks may always be out of order: as many as fit a first-level
// cache.
const disorder = 256

// bringNear puts a row's block among those that are walked; sendAway takes it out.
func (a *Authority) bringNear(i uint32, it itemSlot) {
	r := &a.rows[i]
	s := &a.slabs[r.t.Index]
	r.walked = true
	s.owners[r.block].item = it
	a.swapBlocks(s, r.block, s.near)
	s.near++
	s.unordered++
}

func (a *Authority) sendAway(i uint32) {
	r := &a.rows[i]
	if !r.walked {
		return
	}
	s := &a.slabs[r.t.Index]
	r.walked = false
	s.owners[r.block].item = noItem
	s.near--
	a.swapBlocks(s, r.block, s.near)
	s.unordered++
}

// outOfOrder is whether the blocks of walked rows should be sorted again.
func (s *slab) outOfOrder() bool { return s.unordered > disorder+s.near/4 }

// orderBlocks sorts the blocks of walked rows by the order of the columns.
func (a *Authority) orderBlocks(s *slab) {
	s.unordered = 0
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

// swapBlocks exchanges two blocks and tells their owners.
func (a *Authority) swapBlocks(s *slab, x, y uint32) {
	if x != y {
		rowtype.Words{P: s.at(x)}.Swap(rowtype.Words{P: s.at(y)}, s.block)
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

// blockAt tells a row where its block is, and its column too if the row is walked.
func (a *Authority) blockAt(s *slab, block uint32) {
	o := &s.owners[block]
	a.rows[o.row].block = block
	if o.item == noItem {
		return
	}
	if h := &a.hots[o.item]; h.column != noColumn {
		a.columns[h.column].blocks[h.at] = block
	}
}
