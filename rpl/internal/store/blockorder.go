package store

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// The blocks of rows that are walked stand at the front of their slab, in the order in
// which columns are walked, wherever their nodes are. So a walk reads them in sequence,
// with no rows between them that no peer holds. Rows join and leave one by one, which
// spoils the order; when too many blocks are out of order they are sorted again, once as many
// rows as there are have been read since: of explicit items few are, and in no order.

// An owner is the row that a block belongs to.
type owner struct {
	Row  uint32
	Item itemSlot // its item while the row is walked, else NoItem
	kept bool     // the row is secret
}

// disorder is how many blocks may always be out of order: as many as fit a first-level
// cache.
const disorder = 256

// moveToWalked puts a row's block among those that are walked; moveFromWalked takes it out.
func (st *Store) moveToWalked(i uint32, it itemSlot) {
	r := &st.Rows[i]
	s := &st.Slabs[r.Type.Index]
	r.Walked = true
	s.Owners[r.Block].Item = it
	st.swapBlocks(s, r.Block, s.Walked)
	s.Walked++
	s.Unordered++
}

func (st *Store) moveFromWalked(i uint32) {
	r := &st.Rows[i]
	if !r.Walked {
		return
	}
	s := &st.Slabs[r.Type.Index]
	r.Walked = false
	s.Owners[r.Block].Item = NoSlot
	s.Walked--
	st.swapBlocks(s, r.Block, s.Walked)
	s.Unordered++
}

// outOfOrder is whether the blocks of walked rows should be sorted again.
func (s *slab) outOfOrder() bool { return s.Unordered > disorder+s.Walked/4 && s.read >= s.Walked }

// orderBlocks sorts the blocks of walked rows by the order of the columns.
func (st *Store) orderBlocks(s *slab) {
	s.Unordered, s.read = 0, 0
	next := uint32(0)
	for _, c := range st.Columns {
		if c == nil || c.Slab != s {
			continue
		}
		for w, m := range c.walked {
			for ; m != 0; m &= m - 1 {
				st.swapBlocks(s, c.Blocks[w<<6+bits.TrailingZeros64(m)], next)
				next++
			}
		}
	}
}

// swapBlocks exchanges two blocks and notes that at their owners.
func (st *Store) swapBlocks(s *slab, x, y uint32) {
	if x != y {
		rowtype.Words{P: s.at(x)}.Swap(rowtype.Words{P: s.at(y)}, s.Block)
		s.sums[x], s.sums[y] = s.sums[y], s.sums[x]
		s.Owners[x], s.Owners[y] = s.Owners[y], s.Owners[x]
		swap(s.runs, len(s.runs)/s.rows, x, y)
		st.blockAt(s, x)
	}
	st.blockAt(s, y)
}

// swap exchanges the x-th and the y-th n elements.
func swap[T any](all []T, n int, x, y uint32) {
	p, q := all[int(x)*n:][:n], all[int(y)*n:][:n]
	for k := range p {
		p[k], q[k] = q[k], p[k]
	}
}

// blockAt notes at a row where its block is, and its column too if the row is walked.
func (st *Store) blockAt(s *slab, block uint32) {
	o := &s.Owners[block]
	st.Rows[o.Row].Block = block
	if o.Item == NoSlot {
		return
	}
	if h := &st.Hots[o.Item]; h.column != noColumn {
		st.Columns[h.column].Blocks[h.at] = block
	}
}
