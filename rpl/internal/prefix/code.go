package prefix

import (
	"errors"
	"math/bits"
	"slices"
)

const (
	// MaxLen is the longest code, in bits. Symbols rarer than 1 in 4,096 cost no
	// more than that, and decoding needs no third look-up.
	MaxLen = 12

	// MaxSymbols bounds an alphabet, the escape included; that alone may be the last.
	MaxSymbols = 257
)

// ErrLengths is the error of code lengths that no table can have.
var ErrLengths = errors.New("prefix: code lengths must be 0 to 12 of at most 257 symbols, and complete")

// Lengths returns the code lengths of the best prefix code for some weights with no code
// above MaxLen. The length is 0 for a symbol of weight 0, which has no code, and for a
// symbol that is the only one. The result is exact (package-merge: L. Larmore and
// D. Hirschberg, "A fast algorithm for optimal length-limited Huffman codes", 1990) and
// computed in integers, so that both ends of a connection find the same.
func Lengths(weights []uint64) []uint8 {
	lens := make([]uint8, len(weights))
	var room merging
	room.lengths(weights, lens)
	return lens
}

// merging is the room that Lengths works in.
type merging struct {
	sorted    [MaxSymbols]uint64 // weights, each above its symbol
	even, odd [2 * MaxSymbols]uint64
	leaves    [MaxLen][leafWords]uint64 // by level: which of its entries are leaves
}

const (
	leafWords  = (2*MaxSymbols + 63) / 64
	symbolBits = 9 // of a symbol
)

// lengths sets the lengths of the symbols that have one; the others are zero already.
func (m *merging) lengths(weights []uint64, lens []uint8) {
	n := 0
	for i, w := range weights[:min(len(weights), MaxSymbols)] {
		if w > 0 {
			m.sorted[n] = w<<symbolBits | uint64(i)
			n++
		}
	}
	if n < 2 {
		return
	}
	leaf := m.sorted[:n]
	slices.Sort(leaf)
	// Level by level: the leaves, and pairs of what the level before has, merged
	// by weight. Of each level it must only be remembered which entries are leaves.
	take := 2 * (n - 1)
	below, level := m.even[:0], m.odd[:0]
	for l := range m.leaves {
		is := &m.leaves[l]
		level = level[:0]
		pair, next := 0, 0
		for len(level) < take && (next < n || pair+1 < len(below)) {
			if pair+1 >= len(below) || next < n && leaf[next]>>symbolBits <= below[pair]+below[pair+1] {
				is[len(level)/64] |= 1 << (len(level) % 64)
				level = append(level, leaf[next]>>symbolBits)
				next++
			} else {
				level = append(level, below[pair]+below[pair+1])
				pair += 2
			}
		}
		below, level = level, below
	}
	var from [MaxSymbols + 1]uint8 // how many levels take so many leaves
	for l := MaxLen - 1; l >= 0 && take > 0; l-- {
		leaves := 0
		for i, w := range m.leaves[l][:(take+63)/64] {
			if rest := take - 64*i; rest < 64 {
				w &= 1<<rest - 1
			}
			leaves += bits.OnesCount64(w)
		}
		from[leaves]++
		take = 2 * (take - leaves)
	}
	length := uint8(0)
	for i := n - 1; i >= 0; i-- {
		length += from[i+1]
		lens[leaf[i]&(1<<symbolBits-1)] = length
	}
}

// codes returns the canonical codes for code lengths: shorter before longer, then by
// symbol, first bit lowest, all of them turned (exclusive or) so that symbol 0 has zeros.
func codes(lens []uint8, of *[MaxSymbols]uint16) ([]uint16, error) {
	if len(lens) == 0 || len(lens) > MaxSymbols {
		return nil, ErrLengths
	}
	var count [MaxLen + 1]int
	space, some := 0, 0
	for _, n := range lens {
		if n > MaxLen {
			return nil, ErrLengths
		}
		count[n]++
		if n > 0 {
			space += 1 << (MaxLen - n)
			some++
		}
	}
	if some > 0 && space != 1<<MaxLen {
		return nil, ErrLengths
	}
	var next [MaxLen + 1]int
	code := 0
	for n := 1; n <= MaxLen; n++ {
		next[n] = code
		code = (code + count[n]) << 1
	}
	out := of[:len(lens)]
	for i, n := range lens {
		if n > 0 {
			out[i] = reversed(next[n], n)
			next[n]++
		}
	}
	turn := out[0]
	for i, n := range lens {
		out[i] ^= turn & (1<<n - 1)
	}
	return out, nil
}

func reversed(code int, n uint8) (r uint16) {
	for range n {
		r = r<<1 | uint16(code&1)
		code >>= 1
	}
	return r
}
