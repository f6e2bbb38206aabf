package spatial

import (
	"math/bits"
)

// Which nodes nobody is near. A list covers all cells in its reach and a margin. A node in a
// cell that no list covers cannot come into anybody's sight in a few steps, unless it leaps: so
// where it has gone is read now and then only (UnwatchedOf).

// Subscribe has a list hear of a bucket.
func (s *Space) Subscribe(list, bucket int32) {
	g := s.Index
	if of := g.Subscribers.Of(bucket); !of.Has(list) {
		of.Set(list)
		if g.watchers[bucket]++; g.watchers[bucket] == 1 {
			for i := range g.Buckets[bucket] {
				s.cover(g.Buckets[bucket][i].Slot, true)
			}
		}
	}
}

// Unsubscribe ends that.
func (s *Space) Unsubscribe(list, bucket int32) {
	g := s.Index
	g.Subscribers.Of(bucket).Clear(list)
	if g.watchers[bucket]--; g.watchers[bucket] == 0 {
		for i := range g.Buckets[bucket] {
			s.cover(g.Buckets[bucket][i].Slot, false)
		}
	}
}

// Came notes that a node has come into its cell.
func (s *Space) Came(slot uint32) { s.cover(slot, s.Index.watchers[s.Positions[slot].Cell] > 0) }

// Wake has a node's place read at the next step, wherever it stands.
func (s *Space) Wake(slot uint32) { s.cover(slot, true) }

func (s *Space) cover(slot uint32, covered bool) {
	k, bit := int(slot>>6), uint64(1)<<(slot&63)
	if k >= len(s.Unwatched) {
		if covered {
			return
		}
		s.Unwatched = append(s.Unwatched, make([]uint64, k+1-len(s.Unwatched)+k/4)...)
	}
	if covered {
		s.Unwatched[k] &^= bit
	} else {
		s.Unwatched[k] |= bit
	}
}

// UnwatchedFrom is UnwatchedOf for all of 64 rows whose nodes have slots that follow one another.
func (s *Space) UnwatchedFrom(first uint32) (unwatched uint64) {
	of, k := s.Unwatched, int(first>>6)
	if k < len(of) {
		unwatched = of[k] >> (first & 63)
	}
	if k++; k < len(of) {
		unwatched |= of[k] << 1 << (^first & 63)
	}
	return unwatched
}

// UnwatchedOf returns those of some rows, of which slots has the nodes, that nobody is near.
func (s *Space) UnwatchedOf(slots *[64]uint32, rows uint64) (unwatched uint64) {
	of := s.Unwatched
	for m := rows; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if k := int(slots[i] >> 6); k < len(of) {
			unwatched |= of[k] >> (slots[i] & 63) & 1 << i
		}
	}
	return unwatched
}
