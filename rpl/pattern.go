package rpl

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Patterns tell which words of a row differ from what they should be, two bits each.
// Frequent patterns have a symbol; any other is an escape and a symbol per word.

// The states of a word in a pattern: as expected, off by 1, off by -1, or off by more.
const (
	stateSame = iota
	statePlus
	stateMinus
	stateLarge
	stateKinds
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
	patterns []uint32
	slots    [chunkSlots]uint8 // open addressing: a symbol, 0 for free
}

// chunkSlot is the slot at which the search for a pattern begins, in tables of chunkSlots: nine
// bits of a multiplicative hash (D. Knuth).
func chunkSlot(pattern uint32) uint32 { return pattern * 0x9e3779b1 >> 23 }

// newChunk makes the model of a chunk whose frequent patterns are given.
func newChunk(patterns []uint32) *chunkModel {
	c := &chunkModel{patterns: patterns}
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
		if k := int(c.slots[i]); c.patterns[k-1] == pattern {
			return k
		}
	}
	return 0
}

// A shapeModel is how the patterns of a row type are coded, in updates or in keyframes.
type shapeModel struct {
	chunks []*chunkModel
	states [][2]table // per word, after an unchanged and after a changed word
}

// pattern reads a pattern that has no symbol, for the words from … to-1.
func (s *shapeModel) pattern(d *prefix.Decoder, from, to int) (pattern uint32) {
	prev, states := uint32(0), s.states[from:to]
	acc, have := d.Ready()
	for i := range states {
		if have < prefix.MaxCode {
			acc, have = d.Refill(acc, have)
		}
		f := states[i][prev].t.Find(acc)
		acc, have = acc>>(f.Bits()&63), have-f.Bits()
		k := uint32(f.Symbol())
		pattern |= k << (2 * i & 31)
		prev = min(k, 1)
	}
	d.Return(acc, have)
	return pattern
}

// run codes the pattern of chunk c: its symbol, if it has one, else an escape and
// behind it the states word by word.
func (s *shapeModel) run(joint *table, pattern uint32, c int) (sym, behind prefix.Run) {
	if k := s.chunks[c].find(pattern); k > 0 {
		if code := joint.codes[k]; code != 0 {
			return prefix.Run{}.Code(code), behind
		}
	}
	return joint.run(0), spelt(s.states[c*chunkLen:min((c+1)*chunkLen, len(s.states))], pattern)
}

// spelt codes a pattern word by word; each word takes 3 bits at most.
func spelt(states [][2]table, pattern uint32) (run prefix.Run) {
	prev := uint32(0)
	for i := range states {
		k := pattern & 3
		run = run.Code(states[i][prev].codes[k])
		prev = min(k, 1)
		pattern >>= 2
	}
	return run
}

// stateWeights are how often a word is expected in each state, in 1024ths.
type stateWeights [stateKinds]uint32

// likely returns the patterns that are the most frequent if words have states by the
// given weights, and a joint table for them.
func likely(weights [][2]stateWeights, most int) ([]uint32, table) {
	type guess struct {
		p       uint64 // of 1<<40
		pattern uint32
	}
	best := []guess{{1 << 40, 0}}
	for i := range weights {
		var next []guess
		for _, g := range best {
			prev := 0
			if i > 0 {
				prev = int(min(g.pattern>>(2*i-2)&3, 1))
			}
			for k, w := range weights[i][prev] {
				next = append(next, guess{g.p * uint64(w) >> 10, g.pattern | uint32(k)<<(2*i)})
			}
		}
		slices.SortFunc(next, func(a, b guess) int {
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
