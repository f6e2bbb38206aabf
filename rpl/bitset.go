package rpl

import "math/bits"

// A bitset is a set of small numbers; it grows as they are set.
type bitset struct{ w []uint64 }

func (b *bitset) has(i uint32) bool {
	k := int(i >> 6)
	return k < len(b.w) && b.w[k]>>(i&63)&1 != 0
}

func (b *bitset) set(i uint32) {
	k := int(i >> 6)
	for k >= len(b.w) {
		b.w = append(b.w, 0)
	}
	b.w[k] |= 1 << (i & 63)
}

// reach makes the set long enough for i.
func (b *bitset) reach(i uint32) {
	for int(i>>6) >= len(b.w) {
		b.w = append(b.w, 0)
	}
}

func (b *bitset) clear(i uint32) {
	if k := int(i >> 6); k < len(b.w) {
		b.w[k] &^= 1 << (i & 63)
	}
}

// firstClear is the smallest number that is not set.
func (b *bitset) firstClear() uint32 {
	for k, w := range b.w {
		if w != ^uint64(0) {
			return uint32(k)<<6 + uint32(bits.TrailingZeros64(^w))
		}
	}
	return uint32(len(b.w)) << 6
}

// flag is 1 if b is true, else 0. It compiles to no branch.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mask is all bits if b is true, else none.
func mask(b bool) uint64 { return -uint64(flag(b)) }
