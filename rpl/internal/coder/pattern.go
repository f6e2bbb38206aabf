package coder

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Patterns say which words of a row differ from what they should be, two bits each.
// Frequent patterns have a symbol; any other is an escape and a symbol per word.

// The states of a word in a pattern: as expected, off by 1, off by -1, or off by more.
const (
	stateSame = iota
	statePlus
	stateMinus
	stateLarge
	stateValues
)

const (
	// chunkLen is the words that one pattern covers.
	chunkLen = 16

	// maxPatterns bounds the patterns of a chunk that have a symbol.
	maxPatterns = 255

	// chunkSlots is the size of the hash table of patterns: a power of two, twice as
	// many as the patterns.
	chunkSlots = 512
)

// A chunkModel has the frequent patterns of a chunk; the symbol of patterns[i] is i+1.
type chunkModel struct {
	Patterns []uint32
	slots    [chunkSlots]uint8 // open addressing: a symbol, 0 for free
}

// chunkSlot is the slot at which the search for a pattern begins, in tables of chunkSlots: nine
// bits of a multiplicative hash (D. Knuth).
func chunkSlot(pattern uint32) uint32 { return pattern * 0x9e3779b1 >> 23 }

// newChunk makes the model of a chunk whose frequent patterns are given.
func newChunk(patterns []uint32) *chunkModel {
	c := &chunkModel{Patterns: patterns}
	for k, p := range patterns {
		i := chunkSlot(p)
		for c.slots[i] != 0 {
			i = (i + 1) % chunkSlots
		}
		c.slots[i] = uint8(k + 1)
	}
	return c
}

// find returns the symbol of a pattern, 0 if it has none.
func (c *chunkModel) find(pattern uint32) int {
	for i := chunkSlot(pattern); c.slots[i] != 0; i = (i + 1) % chunkSlots {
		if k := int(c.slots[i]); c.Patterns[k-1] == pattern {
			return k
		}
	}
	return 0
}

// A shapeModel is how the patterns of a row type are coded, in updates or in keyframes.
type shapeModel struct {
	Chunks []*chunkModel
	Quads  [][2]Table // per quad, after one without changes and after another; those of chunk c begin at c·chunkQuads
}

// A quad is up to four words of a chunk side by side. A pattern that has no symbol is spelt
// quad by quad: word by word each word would take a bit, however rarely it changes.
const (
	quadLen    = 4
	quadBits   = 2 * quadLen
	chunkQuads = chunkLen / quadLen
)

// quads are those of chunk c.
func (s *shapeModel) quads(c int) [][2]Table {
	return s.Quads[c*chunkQuads : min((c+1)*chunkQuads, len(s.Quads))]
}

// pattern reads a pattern of chunk c that has no symbol.
func (s *shapeModel) pattern(d *prefix.Decoder, c int) (pattern uint32) {
	prev := uint32(0)
	for i, q := range s.quads(c) {
		k := uint32(d.Symbol(q[prev&1].T))
		pattern |= k << (quadBits * i & 31)
		prev = min(k, 1)
	}
	return pattern
}

// run codes the pattern of chunk c: its symbol, if it has one, else an escape and behind it
// quad by quad, two in a run: each may be an escape and a code itself.
func (s *shapeModel) run(joint *Table, pattern uint32, c int) (sym, behind, more prefix.Run) {
	if k := s.Chunks[c].find(pattern); k > 0 {
		if code := joint.codes[k]; code != 0 {
			return prefix.Run{}.Code(code), behind, more
		}
	}
	prev := uint32(0)
	for i, q := range s.quads(c) {
		k := pattern >> (quadBits * i & 31) & (1<<quadBits - 1)
		if code := q[prev].codes[k]; i < chunkQuads/2 {
			behind = behind.Code(code)
		} else {
			more = more.Code(code)
		}
		prev = min(k, 1)
	}
	return joint.Run(0), behind, more
}

// spelt is the bits of a pattern of a chunk that has no symbol, behind its escape.
func spelt(quads [][2]Table, pattern uint32) (bits int) {
	prev := uint32(0)
	for _, q := range quads {
		k := pattern & (1<<quadBits - 1)
		bits += q[prev].T.Cost(int(k))
		prev = min(k, 1)
		pattern >>= quadBits
	}
	return bits
}

// stateWeights are how often a word is expected in each state, in 1024ths.
type stateWeights [stateValues]uint32

// likely returns the patterns that are the most frequent if words have states by the
// given weights, and a joint table for them.
func likely(weights [][2]stateWeights, most int) ([]uint32, Table) {
	type candidate struct {
		p       uint64 // of 1<<40
		pattern uint32
	}
	best := []candidate{{1 << 40, 0}}
	for i := range weights {
		var next []candidate
		for _, g := range best {
			prev := 0
			if i > 0 {
				prev = int(min(g.pattern>>(2*i-2)&3, 1))
			}
			for k, w := range weights[i][prev] {
				next = append(next, candidate{g.p * uint64(w) >> 10, g.pattern | uint32(k)<<(2*i)})
			}
		}
		slices.SortFunc(next, func(a, b candidate) int {
			switch {
			case a.p > b.p:
				return -1
			case a.p < b.p:
				return 1
			}
			return int(int64(a.pattern) - int64(b.pattern))
		})
		best = next[:min(len(next), most)]
	}
	rest := uint64(1 << 40)
	for _, g := range best {
		rest -= g.p
	}
	patterns, w := make([]uint32, len(best)), make([]uint64, len(best)+1)
	for i, g := range best {
		patterns[i], w[i+1] = g.pattern, max(g.p, 1)
	}
	w[0] = max(rest, 1<<30)
	return patterns, newTable(prefix.Fit(w))
}

// flag is 1 if b is true, else 0. It compiles to no branch.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
