package coder

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// From counts to tables: which of them pay for their own bytes, and which patterns get a symbol.

// A Fitter makes sets from counts. A table pays if the bits that it would have saved,
// times worth, are more than its own.
type Fitter struct {
	Worth float64
}

// enough is the least count from which a table is fitted: fewer show less than the
// default.
const enough = 48

// table returns the code lengths for counts n, the escape's last, or nil if they do not
// pay. base is the table to which the escape leads, now the one that serves without them, and
// was the lengths of the set before, which stay if new ones do not pay.
func (f *Fitter) table(n []uint32, was []uint8, base, now *prefix.Table) []uint8 {
	sum, seen, without := uint64(0), 0, 0.0
	for i, k := range n {
		sum += uint64(k)
		without += float64(k) * float64(now.Cost(i))
	}
	price := func(lens []uint8) (bits float64) {
		for i, k := range n {
			l := int(lens[i])
			if l == 0 {
				l = int(lens[len(n)]) + base.Cost(i)
			}
			bits += float64(k) * float64(l)
		}
		return bits
	}
	best, bits := []uint8(nil), without
	if was != nil {
		if p := price(was); p <= without {
			best, bits = was, p
		}
	}
	if sum < enough {
		return best
	}
	var room [prefix.MaxSymbols]uint64
	weights := room[:len(n)+1]
	weights[len(n)] = 1
	for i, k := range n {
		if k > 1 && uint64(k)<<prefix.MaxLen > sum {
			weights[i] = uint64(k)
			seen++
		} else {
			weights[len(n)] += uint64(k)
		}
	}
	if seen == 0 || f.hopeless(weights, was, bits) {
		return best
	}
	if lens := prefix.Lengths(weights); f.pays(lens, was, bits-price(lens)) {
		return lens
	}
	return best
}

// hopeless reports that no code can pay for weights that cost some bits: a code takes at least
// their entropy, and its lengths must be sent, if no more than as differences from others. This
// takes a tenth of the time of making the code.
func (f *Fitter) hopeless(weights []uint64, was []uint8, bits float64) bool {
	sum, least, price, each := 0.0, 0.0, listHead, lengthBits
	if was != nil {
		each = sameBits
	}
	for _, w := range weights {
		if w > 0 {
			sum += float64(w)
			least -= entropic(float64(w))
			price += each
		}
	}
	return (bits-least-entropic(sum))*f.Worth < price
}

// What a list of code lengths takes, roughly, in bits.
const (
	listHead   = 12.0
	lengthBits = 3.5
	sameBits   = 1.0 // a length that is as in the set before …
	stepBits2  = 3.0 // … and one that is not
)

// listBits is roughly what a list of code lengths takes, nil where there is none, where the set
// before has was, nil if it has none.
func listBits(lens, was []uint8) float64 {
	if lens == nil || was != nil && slices.Equal(lens, was) {
		return 1
	}
	bits, gap := listHead, 0.0
	for i, l := range lens {
		switch {
		case was != nil && was[i] > 0:
			bits += sameBits
			if l != was[i] {
				bits += stepBits2 - sameBits
			}
			gap = 0
		case l == 0:
			gap++
		default:
			bits += lengthBits + gap
			gap = 0
		}
	}
	return bits
}

// pays reports whether a list saves enough against what serves without it.
func (f *Fitter) pays(lens, was []uint8, saved float64) bool {
	return saved*f.Worth >= listBits(lens, was)
}

// record fits the tables of a context. Joint tables are fitted only if shape is given, which has been
// built, and only for its chunks with patterns: those of others are not sent. Those in force are in now.
// Those of the set before are in was, of the shape shaped.
func (f *Fitter) record(l *recordLearner, was *recordSet, shaped *shapeSet, def, now *recordModel, shape *shapeSet) recordSet {
	if l.n < enough && !was.used() {
		return recordSet{}
	}
	l.open(len(def.Large), len(def.Fractions))
	s := recordSet{
		joint: make([][]uint8, len(l.Chunks)), large: make([][]uint8, len(l.large)),
		fractions: make([][stateValues][]uint8, len(def.Fractions)),
	}
	if shape != nil {
		for c := range l.Chunks {
			if patterns := shape.chunks[c].patterns; patterns != nil {
				s.joint[c] = f.joint(&l.Chunks[c], align(patterns, shaped.chunks[c].patterns, at(was.joint, c)), shape.made.Chunks[c], now.Joint[c].T)
			}
		}
	}
	for w := range l.large {
		s.large[w] = f.table(l.large[w][:], at(was.large, w), def.Large[w].T, now.Large[w].T)
	}
	for w := range def.Fractions {
		for k := range def.Fractions[w] {
			s.fractions[w][k] = f.table(l.fractionCounts(w, k), at(was.fractions, w)[k], def.Fractions[w][k].T, now.Fractions[w][k].T)
		}
	}
	return s
}

// joint returns the code lengths of a chunk's patterns in one context; was are those of the set
// before, for the same patterns.
func (f *Fitter) joint(p *patternCount, was []uint8, c *chunkModel, now *prefix.Table) []uint8 {
	weights := p.weights(c)
	best, bits := []uint8(nil), jointBits(weights, now.Cost)
	if isComplete(was) {
		if n := jointBits(weights, lengthIn(was)); n <= bits {
			best, bits = was, n
		}
	}
	if p.total() < enough || f.hopeless(weights, was, bits) {
		return best
	}
	lens := prefix.Lengths(weights)
	if lens[0] > 0 && f.pays(lens, was, bits-jointBits(weights, lengthIn(lens))) { // else none of the patterns was seen
		return lens
	}
	return best
}

// jointBits is what patterns cost whose symbols have these lengths, the escape's first.
func jointBits(weights []uint64, length func(i int) int) (bits float64) {
	for i, k := range weights {
		n := length(i)
		if i > 0 && n == 0 {
			n = length(0) + stateBits
		}
		bits += float64(k) * float64(n)
	}
	return bits
}

func lengthIn(lens []uint8) func(i int) int { return func(i int) int { return int(lens[i]) } }

// isComplete reports whether lengths make a complete code: those of patterns of which some have
// gone do not.
func isComplete(lens []uint8) bool {
	sum := 0
	for _, l := range lens {
		if l > 0 {
			sum += 1 << (prefix.MaxLen - l)
		}
	}
	return sum == 1<<prefix.MaxLen
}

// stateBits is roughly what the words of an escaped pattern take.
const stateBits = 14

// weights returns the counts of a chunk's symbols, the escape first. A symbol that is
// too rare for any code has 0 and counts as an escape.
func (p *patternCount) weights(c *chunkModel) []uint64 {
	w := make([]uint64, len(c.Patterns)+1)
	w[0] = 1 + uint64(p.rest)
	least := p.total() >> prefix.MaxLen
	for i := range p.Slots {
		s := &p.Slots[i]
		if s.N == 0 {
			continue
		}
		k := c.find(s.pattern)
		if uint64(s.N) <= least {
			k = 0
		}
		w[k] += uint64(s.N)
	}
	return w
}

// patternCost is how many escapes cost as much as it takes to send a pattern.
const patternCost = 3

func (f *Fitter) shape(l *recordLearner, was *shapeSet, t *rowtype.Type, d *shapeModel) (s shapeSet) {
	l.open(len(t.Words), len(t.Fractional))
	for c := range l.Chunks {
		s.chunks = append(s.chunks, f.chunk(&l.Chunks[c], &was.chunks[c], min(chunkLen, len(t.Words)-c*chunkLen), d.quads(c)))
	}
	return s
}

// chunk chooses the patterns that are frequent enough to have a symbol, and fits the quads
// by which all others are spelt; def are the default quads. What had a symbol in the set before,
// was, keeps it while it is seen.
func (f *Fitter) chunk(p *patternCount, was *chunkSet, words int, def [][2]Table) (s chunkSet) {
	total := p.total()
	if total < enough {
		return *was
	}
	var most []int
	least := uint32(max(3, total>>prefix.MaxLen, uint64(patternCost/f.Worth)))
	for i := range p.Slots {
		if n := p.Slots[i].N; n >= least || n > 0 && slices.Contains(was.patterns, p.Slots[i].pattern) {
			most = append(most, i)
		}
	}
	slices.SortFunc(most, func(i, j int) int {
		x, y := &p.Slots[i], &p.Slots[j]
		if x.N != y.N {
			return int(int64(y.N) - int64(x.N))
		}
		return int(int64(x.pattern) - int64(y.pattern))
	})
	most = most[:min(len(most), maxPatterns)]
	if len(most) == 0 {
		return s
	}
	for _, i := range most {
		s.patterns = append(s.patterns, p.Slots[i].pattern)
	}
	slices.Sort(s.patterns)
	s.patterns = slices.Compact(s.patterns) // some have two slots (patternCount.fade)
	m := newChunk(s.patterns)
	weights := p.weights(m)
	s.joint = prefix.Lengths(weights)
	s.quads = f.quads(p, was, m, def)
	if was.patterns != nil {
		before := align(s.patterns, was.patterns, was.joint)
		if isComplete(before) && !f.pays(s.joint, before, jointBits(weights, lengthIn(before))-jointBits(weights, lengthIn(s.joint))) {
			s.joint = before
		}
		s.states = was.states // a set by differences goes on with them
		return s
	}
	// The states code the list of patterns.
	var states [chunkLen][2][stateValues]uint64
	for i := range states {
		states[i] = [2][stateValues]uint64{{1, 1, 1, 1}, {1, 1, 1, 1}}
	}
	for i := range p.Slots {
		if p.Slots[i].N > 0 {
			countStates(&states, p.Slots[i].pattern, words)
		}
	}
	s.states = make([][2][stateValues]uint8, words)
	for w := range words {
		for prev := range 2 {
			copy(s.states[w][prev][:], prefix.Lengths(states[w][prev][:]))
		}
	}
	return s
}

// quads fits the quads of the patterns that have no symbol.
func (f *Fitter) quads(p *patternCount, was *chunkSet, m *chunkModel, def [][2]Table) [][2][]uint8 {
	quads := make([][2][]uint8, len(def))
	for q := range quads {
		var n [2][1 << quadBits]uint32
		for i := range p.Slots {
			c := &p.Slots[i]
			if c.N == 0 || m.find(c.pattern) > 0 {
				continue
			}
			prev := uint32(0)
			if q > 0 {
				prev = min(c.pattern>>(quadBits*(q-1))&(1<<quadBits-1), 1)
			}
			n[prev][c.pattern>>(quadBits*q)&(1<<quadBits-1)] += c.N
		}
		for prev := range n {
			base := def[q][prev].T
			quads[q][prev] = f.table(n[prev][:base.Len()], at(was.quads, q)[prev], base, base)
		}
	}
	return quads
}

func countStates(states *[chunkLen][2][stateValues]uint64, pattern uint32, words int) {
	prev := 0
	for w := range words {
		k := pattern >> (2 * w) & 3
		states[w][prev][k]++
		prev = min(int(k), 1)
	}
}
