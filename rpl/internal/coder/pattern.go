package coder

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
	States [][2]Table  // per word, after an unchanged and after a changed word
	looks  [][2]uint64 // the same for readers: a byte for each value of the next stateLen bits
}

// stateLen is the most bits of a state's code. So eight bytes of looks, each a state with the
// length of its code above it, say how whatever comes next begins: reading a state takes no
// memory but these.
const stateLen = 3

// looked fills looks from states.
func (s *shapeModel) looked() {
	s.looks = make([][2]uint64, len(s.States))
	for w := range s.States {
		for prev := range s.States[w] {
			for next := range uint64(1 << stateLen) {
				f := s.States[w][prev].T.Find(next)
				s.looks[w][prev] |= uint64(f.Symbol()|f.Bits()<<2) << (8 * next)
			}
		}
	}
}

// pattern reads a pattern that has no symbol, for the words from … to-1.
func (s *shapeModel) pattern(d *prefix.Decoder, from, to int) (pattern uint32) {
	acc, n, changed, looks := d.Peek(), 0, uint32(0), s.looks[from:to]
	for i := range looks {
		f := uint32(looks[i][changed&1] >> (acc % (1 << stateLen) * 8))
		state, size := f&3, f>>2&3
		acc >>= size
		n += int(size)
		pattern |= state << (2 * i & 31)
		changed = (state + 3) >> 2 // 1 unless the state is 0
	}
	d.Skip(n) // of the 56 bits that were shown: chunkLen states have 48 at most
	return pattern
}

// run codes the pattern of chunk c: its symbol, if it has one, else an escape and
// behind it the states word by word.
func (s *shapeModel) run(joint *Table, pattern uint32, c int) (sym, behind prefix.Run) {
	if k := s.Chunks[c].find(pattern); k > 0 {
		if code := joint.codes[k]; code != 0 {
			return prefix.Run{}.Code(code), behind
		}
	}
	return joint.Run(0), spelt(s.States[c*chunkLen:min((c+1)*chunkLen, len(s.States))], pattern)
}

// spelt codes a pattern word by word; each word takes stateLen bits at most.
func spelt(states [][2]Table, pattern uint32) (run prefix.Run) {
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
func likely(weights [][2]stateWeights, most int) ([]uint32, Table) {
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
