package coder

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Frequent values. What leaps often leaps to one value: a hook to the place of its owner, a
// speed to zero. For such a word symbol 0 of its residuals says that it has that value: its
// usual one, or what another word before it in the row has now; not one that is told once, of which
// updates say nothing, so that peers may have another value. The authority finds out by
// counting which value that is; learned tables let the peers know.

// Where a word's frequent value comes from: nowhere, from its usual value in keyframes, or
// from the word whose number this is less sourceWord.
const (
	sourceNone = iota
	sourceUsual
	sourceWord

	// sourceBits is the size of a source, and sourceMost how many words may be one.
	sourceBits = 7
	sourceMost = 1<<sourceBits - sourceWord
)

const (
	// sourceLeaps is the least number of leaps from which a source is chosen, and
	// sourceShare the share of them that must lead to its value.
	sourceLeaps = 24
	sourceShare = 16
)

// source returns the frequent value of word i; the words before it are known.
func (m *rowModel) source(is rowtype.Words, i int) (x int32, ok bool) {
	switch from := m.sources[i]; from {
	case sourceNone:
		return 0, false
	case sourceUsual:
		return m.keyBase[i], true
	default:
		return *is.Word(int(from) - sourceWord), true
	}
}

// isSource reports whether word i has its frequent value.
func (m *rowModel) isSource(is rowtype.Words, i int) bool {
	x, ok := m.source(is, i)
	return ok && x == *is.Word(i)
}

// sourceHints count to which values words leap. The zero value has counted nothing.
type sourceHints struct {
	leaps []uint32   // by word: changes by more than 1
	to    [][]uint32 // by word, by source: those to its value
}

// begin makes room for the counts: half a kilobyte a word, which most learners of most kinds never need.
func (h *sourceHints) begin(t *rowtype.Type) {
	h.leaps, h.to = make([]uint32, len(t.Words)), make([][]uint32, len(t.Words))
	for i := range h.to {
		h.to[i] = make([]uint32, sourceWord+min(i, sourceMost))
	}
}

// note counts an update.
func (h *sourceHints) note(m *rowModel, t *rowtype.Type, was, is rowtype.Words) {
	if h.leaps == nil {
		h.begin(t)
	}
	for i := range t.Words {
		x := *is.Word(i)
		if d := x - *was.Word(i); uint32(d+1) <= 2 {
			continue
		}
		h.leaps[i]++
		to := h.to[i]
		to[sourceUsual] += uint32(flag(x == m.keyBase[i]))
		for j := range to[sourceWord:] {
			to[sourceWord+j] += uint32(flag(x == *is.Word(j) && !t.IsOnce(j)))
		}
	}
}

func (h *sourceHints) fade() {
	fade(h.leaps)
	for i := range h.to {
		fade(h.to[i])
	}
}

// choose returns the sources of words from now on, given those in force; nil: there are none.
// A source is not changed for one that serves little better, as what was learned of the word
// would be lost.
func (h *sourceHints) choose(t *rowtype.Type, now []uint8) []uint8 {
	if h.leaps == nil {
		return now
	}
	next := make([]uint8, len(t.Words))
	if now != nil {
		copy(next, now)
	}
	for i := range next {
		if h.leaps[i] < sourceLeaps || t.IsOnce(i) {
			continue
		}
		best, at := h.leaps[i]/sourceShare, uint8(sourceNone)
		for from, n := range h.to[i] {
			if n > best {
				best, at = n, uint8(from)
			}
		}
		if was := next[i]; at != was && (was == sourceNone || 2*h.to[i][was] < best) {
			next[i] = at
		}
	}
	if !slices.ContainsFunc(next, func(from uint8) bool { return from != sourceNone }) {
		return nil
	}
	return next
}

// sources codes where the frequent values of a row's words come from.
func (c *tableCoder) sources(s *rowSet, t *rowtype.Type) {
	if !c.flag(s.sources != nil) {
		return
	}
	if c.reading() {
		s.sources = make([]uint8, len(t.Words))
	}
	for i := range s.sources {
		if !c.flag(s.sources[i] != sourceNone) {
			continue
		}
		s.sources[i] = uint8(c.bits(uint32(s.sources[i]-1), sourceBits)) + 1
		if from := int(s.sources[i]) - sourceWord; from >= i || from >= 0 && t.IsOnce(from) {
			c.bad = true
		}
	}
}

// unsource drops the counts of words whose frequent value comes from elsewhere now.
func (r *rowLearner) unsource(old, next *rowModel) {
	of := func(m *rowModel, w int) uint8 {
		if m.sources == nil {
			return sourceNone
		}
		return m.sources[w]
	}
	for w := range old.keyBase {
		if of(old, w) != of(next, w) {
			for k := range r.Updates {
				for c := range r.Updates[k] {
					if u := &r.Updates[k][c]; u.large != nil {
						u.large[w][0] = 0
					}
				}
			}
		}
	}
}

// given reads what follows symbol 0 of word i, whose state is s: its fraction.
func (k *recordReader) given(d *prefix.Decoder, w *rowtype.Motion, i int, s uint32, acc uint64, have int) (uint64, int, bool) {
	x, known := k.m.source(k.is, i)
	acc, have, ok := k.set(d, w, i, s, x, acc, have)
	return acc, have, ok && known
}

// set sets word i, whose state is s, to x, and reads its fraction.
func (k *recordReader) set(d *prefix.Decoder, w *rowtype.Motion, i int, s uint32, x int32, acc uint64, have int) (uint64, int, bool) {
	*k.is.Word(i) = x
	ok := x >= w.Min && x <= w.Max
	if w.Velocity < 0 || w.Fraction < 0 {
		return acc, have, ok
	}
	v0, v := *k.was.Word(int(w.Velocity)), *k.is.Word(int(w.Velocity))
	if w.IsWhole(v) || w.Way == rowtype.ByLine {
		*k.is.Word(int(w.Fraction)) = 0
		return acc, have, ok
	}
	_, fraction := w.Reached(*k.was.Word(i), *k.was.Word(int(w.Fraction)), rowtype.Travel(v0, v, int64(k.n), w.Rate, rowtype.FractionBits))
	if have < prefix.MaxCode {
		acc, have = d.Refill(acc, have)
	}
	f := k.u.Fractions[w.Hidden][s].T.Find(acc)
	*k.is.Word(int(w.Fraction)) = (rowtype.OddFraction(fraction)+int32(f.Symbol())+rowtype.HalfStep)&(rowtype.FractionValues-1) - rowtype.HalfStep
	return acc >> (f.Bits() & 63), have - f.Bits(), ok
}
