package wire

import (
	"math/bits"
)

// A Bitset is a set of small numbers; it grows as they are set.
type Bitset struct{ W []uint64 }

func (b *Bitset) Has(i uint32) bool {
	k := int(i >> 6)
	return k < len(b.W) && b.W[k]>>(i&63)&1 != 0
}

func (b *Bitset) Set(i uint32) {
	k := int(i >> 6)
	for k >= len(b.W) {
		b.W = append(b.W, 0)
	}
	b.W[k] |= 1 << (i & 63)
}

// Reach makes the set long enough for i.
func (b *Bitset) Reach(i uint32) {
	for int(i>>6) >= len(b.W) {
		b.W = append(b.W, 0)
	}
}

func (b *Bitset) Clear(i uint32) {
	if k := int(i >> 6); k < len(b.W) {
		b.W[k] &^= 1 << (i & 63)
	}
}

// All yields the numbers that are set, in ascending order. Those that were yielded may be
// cleared meanwhile.
func (b *Bitset) All(yield func(uint32) bool) {
	for k, w := range b.W {
		for ; w != 0; w &= w - 1 {
			if !yield(uint32(k)<<6 + uint32(bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// FirstClear is the smallest number that is not set.
func (b *Bitset) FirstClear() uint32 {
	for k, w := range b.W {
		if w != ^uint64(0) {
			return uint32(k)<<6 + uint32(bits.TrailingZeros64(^w))
		}
	}
	return uint32(len(b.W)) << 6
}
