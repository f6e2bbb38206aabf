package rpl

import "math/bits"

// Reading ahead. Between two sends a game washes the core's memory out of the
// caches, and then a row that is told to a peer costs half a dozen misses, each
// waiting for the one before: most of the time of a send. A processor has ten
// or more misses under way at once if it is shown them, so what a loop is about
// to need is touched first, for as many of its rounds as the first cache level
// holds: all that is found at once, then what that points to, and so on.

// ahead is how many rows are touched at once: at half a KiB each, a third of a
// first cache level.
const ahead = 16

// touchRows touches what records of a peer are about.
func (p *peer) touchRows(recs []recEntry) {
	for len(recs) > 0 {
		n := min(len(recs), ahead)
		sum := uint32(0)
		for i := range recs[:n] {
			if re := &recs[i]; re.kind != recLayout {
				sum += uint32(p.entries[re.handle].gen)
			}
		}
		for i := range recs[:n] {
			re := &recs[i]
			if re.kind == recLayout {
				continue
			}
			if e := &p.entries[re.handle]; re.row < e.nrows && e.nrows > 1 {
				pr := p.row(e, int(re.row))
				sum += pr.acked + pr.from
			}
		}
		p.sum += sum // so that the reads happen
		recs = recs[n:]
	}
}

// touchUpdates touches what planUpdates needs of some handles.
func (a *Authority) touchUpdates(p *peer, handles []uint32) {
	sum := uint32(0)
	for _, h := range handles {
		sum += uint32(p.entries[h].state)
	}
	for _, h := range handles {
		if e := &p.entries[h]; e.plain {
			sum += a.rows[e.row].head
		}
	}
	for _, h := range handles {
		e := &p.entries[h]
		if !e.plain {
			continue
		}
		r, pr := &a.rows[e.row], &e.one
		s, w := &a.slabs[r.t.index], r.t.width
		words, tick := s.anchor(r.k, w)
		sum += tick
		if w > 0 {
			sum += uint32(words[0])
		}
		if pr.acked != r.head {
			sum += uint32(s.older(r.k, pr.acked, w)[w])
		}
	}
	p.sum += sum
}

// touchSpots touches the places of nodes.
func (a *Authority) touchSpots(slots []uint32) {
	sum := int32(0)
	for _, slot := range slots {
		sum += a.spots[slot].cell
	}
	a.sum += uint32(sum)
}

// touchOff touches what it takes to give rows that have left their course a new
// version, and to tell their holders.
func (a *Authority) touchOff(t *rowType, off []Item) {
	sum := uint32(0)
	for _, it := range off {
		h := &a.hots[it]
		n := &a.nodes[h.slot]
		sum += a.rows[h.row].head + uint32(len(n.holders)) + uint32(flag(n.spawn.Transient))
	}
	s := &a.slabs[t.index]
	for _, it := range off {
		h := &a.hots[it]
		sum += uint32(s.older(h.k, a.rows[h.row].head, t.width)[t.width])
		if hs := a.nodes[h.slot].holders; len(hs) > 0 {
			sum += hs[0].handle
		}
	}
	a.sum += sum
}

// some takes the first numbers from two sets together, at most as many as fit
// dst, from number `from` on, and says where to go on.
func some(dst []uint32, x, y *bitset, from int) (taken []uint32, next int) {
	for k := from >> 6; k < len(x.w); k++ {
		w := x.w[k]
		if k < len(y.w) {
			w |= y.w[k]
		}
		if k == from>>6 {
			w &= ^uint64(0) << (from & 63)
		}
		for ; w != 0; w &= w - 1 {
			i := k<<6 + bits.TrailingZeros64(w)
			if len(dst) == cap(dst) {
				return dst, i
			}
			dst = append(dst, uint32(i))
		}
	}
	return dst, len(x.w) << 6
}
