package wire

import "math/bits"

// Which of the lowest handles the updates of the newest packets were about, as both ends note
// it: a later packet may name its updates by runs of those that its base packet told.

const (
	// SentLen is of how many of the newest packets a proxy knows what they told, and SentBack how
	// far before a packet its base packet may be for the authority to go by it: so a packet may
	// be overtaken by others.
	SentLen  = 64
	SentBack = SentLen / 2

	// SentHandles is how many handles, the lowest, can be named so: those of small worlds, in
	// which names are a part of all bytes that counts.
	SentHandles = 256
)

// A SentSet is a set of handles below SentHandles, a bit each.
type SentSet [SentHandles / 64]uint64

// Add adds a handle, unless it is too high.
func (s *SentSet) Add(h uint32) {
	if h < SentHandles {
		s[h/64] |= 1 << (h % 64)
	}
}

// Has reports whether a handle is in the set.
func (s *SentSet) Has(h uint32) bool { return h < SentHandles && s[h/64]>>(h%64)&1 != 0 }

// Len is how many handles are in the set.
func (s *SentSet) Len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// After is the next handle of the set after one of -1 to SentHandles-1, or SentHandles.
func (s *SentSet) After(h int) int {
	for h++; h < SentHandles; h = (h/64 + 1) * 64 {
		if w := s[h/64] >> (h % 64); w != 0 {
			return h + bits.TrailingZeros64(w)
		}
	}
	return SentHandles
}

// A SentRing has the sets of packets by number.
type SentRing [SentLen]struct {
	seq uint64
	set SentSet
}

// Note notes what a packet has told, unless the place is a newer packet's.
func (r *SentRing) Note(seq uint64, set *SentSet) {
	if l := &r[seq%SentLen]; seq >= l.seq {
		l.seq, l.set = seq, *set
	}
}

// Touch reads the place of a packet. The result is of no use.
func (r *SentRing) Touch(seq uint64) uint32 {
	l := &r[seq%SentLen]
	return uint32(l.seq) + uint32(l.set[len(l.set)-1])
}

// Of returns what a packet told, nil if that is not known. Packets are numbered from 1.
func (r *SentRing) Of(seq uint64) *SentSet {
	if l := &r[seq%SentLen]; l.seq == seq && seq > 0 {
		return &l.set
	}
	return nil
}
