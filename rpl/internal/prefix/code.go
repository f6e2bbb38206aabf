package prefix

import (
	"errors"
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
	order := make([]int, 0, len(weights))
	for i, w := range weights {
		if w > 0 {
			order = append(order, i)
		}
	}
	if len(order) < 2 {
		return lens
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch a, b := weights[i], weights[j]; {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	})
	// Level by level: the leaves, and pairs of what the level before has, merged
	// by weight. Of each level it must only be remembered which entries are leaves.
	most := 2 * len(order) // the most entries of a level
	leaf := make([]bool, 0, MaxLen*most)
	var from [MaxLen]int // where each level begins
	below, level := make([]uint64, 0, most), make([]uint64, 0, most)
	for l := range from {
		from[l], level = len(leaf), level[:0]
		pair, next := 0, 0
		for next < len(order) || pair+1 < len(below) {
			packed := pair+1 < len(below)
			if next < len(order) && (!packed || weights[order[next]] <= below[pair]+below[pair+1]) {
				level = append(level, weights[order[next]])
				leaf = append(leaf, true)
				next++
			} else {
				level = append(level, below[pair]+below[pair+1])
				leaf = append(leaf, false)
				pair += 2
			}
		}
		below, level = level, below
	}
	take := 2 * (len(order) - 1)
	for l := MaxLen - 1; l >= 0 && take > 0; l-- {
		leaves := 0
		for _, is := range leaf[from[l]:][:take] {
			if is {
				lens[order[leaves]]++
				leaves++
			}
		}
		take = 2 * (take - leaves)
	}
	return lens
}

// codes returns the canonical codes for code lengths: shorter before longer, then by
// symbol, first bit lowest, all of them turned (exclusive or) so that symbol 0 has zeros.
func codes(lens []uint8) ([]uint16, error) {
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
	out := make([]uint16, len(lens))
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
