package coder

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Words that updates code along the line through the base and the version before it
// (rowtype/line.go): which of them that serves, by counting.

// Lines reports whether any word of any row type is coded along a line: then packets say
// which versions both ends know.
func (m *Model) Lines() bool { return m.lined }

// LinesOf reports whether any word of a row type is coded along a line.
func (m *Model) LinesOf(t *rowtype.Type) bool { return m.Rows[t.Index].lines != nil }

// IsWholeWord reports whether updates carry no fraction of word i of a row type: it is coded
// along a line in place of a declared velocity.
func (m *Model) IsWholeWord(t *rowtype.Type, i int) bool {
	lines := m.Rows[t.Index].lines
	return lines != nil && lines[i] && t.IsDeclared(i)
}

// stillOf lists the words of the fractions that updates do not carry, for rows with these lines.
func stillOf(t *rowtype.Type, lines []bool) (still []int) {
	for _, i := range t.Fractional {
		if lines[i] && t.IsDeclared(i) {
			still = append(still, int(t.Fraction[i]))
		}
	}
	return still
}

// Still lists the words of a row type's fractions that updates do not carry: what has such a
// fraction cannot be sent in an update.
func (m *Model) Still(t *rowtype.Type) []int { return m.Rows[t.Index].still }

// along is the expected value of word i, which is coded along a line, whose motion is c.
func (m *rowModel) along(c *rowtype.Motion, was, is rowtype.Words, second *rowtype.Second, i int, n uint32) int32 {
	if second.P == nil {
		return c.Expect(was, is, i, n)
	}
	return c.Along(was, second, i, n)
}

// LineHints count what words would cost along lines, and without. The zero value has counted nothing.
type LineHints struct {
	hold, line [][hintLevels]uint32 // by the binary digits of the residual
	fractions  []uint32             // by word: fractions that are coded without a line
	calm       []uint32             // by word: sends in which a velocity and a fraction spared an update
	seen       uint32               // how many updates were noted
	Records    uint32               // of these …
	Changed    uint32               // … how many words they changed
}

const (
	// lineYoung is of how many updates of a row type hints are noted one by one.
	lineYoung = 256

	// lineSeen is the least number of noted updates from which lines are chosen.
	lineSeen = 48

	// fractionBits is roughly what a fraction costs whose word is not straight.
	fractionBits = 2.5

	// correctionBits is what it costs a word to have no fraction in a send in which its velocity
	// spares an update: in a quarter of these an update corrects the rounding.
	correctionBits = 3

	// mostCalm is up to how many sends without an update are counted at a time.
	mostCalm = 16

	// lineShare and lineBits are what a change must save of a word's bits: what was
	// learned of the word is lost.
	lineShare = 0.05
	lineBits  = 64
)

// begin makes room for the counts of so many words.
func (h *LineHints) begin(words int) {
	h.hold, h.line = make([][hintLevels]uint32, words), make([][hintLevels]uint32, words)
	h.fractions, h.calm = make([]uint32, words), make([]uint32, words)
}

func (h *LineHints) young() bool { return h.seen < lineYoung }

// note counts an update.
func (h *LineHints) note(t *rowtype.Type, was, is rowtype.Words, second *rowtype.Second, n uint32) {
	if h.hold == nil {
		h.begin(len(t.Words))
	}
	h.seen++
	h.Records++
	for i := range t.Words {
		c, x, x0 := &t.Motions[i], *is.Word(i), *was.Word(i)
		h.Changed += uint32(flag(x != x0))
		if second.P == nil || !t.Lines(i) {
			continue
		}
		hold := x0
		if t.IsDeclared(i) {
			hold = c.Expect(was, is, i, n)
			if c.Fraction >= 0 && *is.Word(int(c.Velocity)) != 0 {
				h.fractions[i]++
				h.calm[i] += min(second.Gap/second.Step, mostCalm) - min(1, second.Gap/second.Step)
			}
		} else if c.Velocity >= 0 && *was.Word(int(c.Velocity))|*is.Word(int(c.Velocity)) != 0 {
			continue
		}
		h.hold[i][bits.Len32(rowtype.Magnitude(x-hold))]++
		h.line[i][bits.Len32(rowtype.Magnitude(x-c.Along(was, second, i, n)))]++
	}
}

func (h *LineHints) fade() {
	for i := range h.hold {
		fade(h.hold[i][:])
		fade(h.line[i][:])
	}
	fade(h.fractions)
	fade(h.calm)
	h.Records, h.Changed = h.Records/2, h.Changed/2
}

// Choose returns the words that go along lines from now on, given those that do, and the
// bits of the noted updates that this saves.
func (h *LineHints) Choose(t *rowtype.Type, now []bool) (next []bool, saved float64) {
	if h.seen < lineSeen {
		return now, 0
	}
	next = make([]bool, len(t.Words))
	any := false
	for i := range next {
		was := now != nil && now[i]
		next[i] = was
		if t.Lines(i) {
			hold, line := h.cost(i)
			least := lineBits + lineShare*max(hold, line)
			if line+least < hold {
				next[i] = true
			} else if hold+least < line {
				next[i] = false
			}
			if next[i] != was {
				saved += max(hold-line, line-hold)
			}
		}
		any = any || next[i]
	}
	if !any {
		next = nil
	}
	return next, saved
}

// cost is the bits of a word of the noted updates without a line, and along one.
func (h *LineHints) cost(i int) (hold, line float64) {
	return LevelBits(&h.hold[i]) + fractionBits*float64(h.fractions[i]), LevelBits(&h.line[i]) + correctionBits*float64(h.calm[i])
}

// SavedByLines is the bits that what was counted would cost more without a model's lines.
func (l *Learner) SavedByLines(types []*rowtype.Type, m *Model) (bits float64) {
	for i, t := range types {
		h, lines := &l.Rows[i].Lines, m.Rows[i].lines
		if lines == nil || h.Records == 0 {
			continue
		}
		of := 0.0
		for w := range t.Words {
			if lines[w] {
				hold, line := h.cost(w)
				of += hold - line
			}
		}
		bits += max(0, of) * float64(l.Rows[i].updates()) / float64(h.Records)
	}
	return bits
}

// Price is the mean bits of a large residual of word i along its line.
func (h *LineHints) Price(i int) int {
	if h.line == nil {
		return 0
	}
	n, sum := 0, 0
	for level, k := range h.line[i] {
		n, sum = n+int(k), sum+int(k)*(level+2*flag(level > 0))
	}
	return sum / max(n, 1)
}

// unline drops the counts of words that are coded against another expectation now.
func (r *rowLearner) unline(old, next *rowModel) {
	for w := range old.keyBase {
		if (old.lines != nil && old.lines[w]) == (next.lines != nil && next.lines[w]) {
			continue
		}
		for k := range r.Updates {
			for c := range r.Updates[k] {
				if u := &r.Updates[k][c]; u.large != nil {
					clear(u.large[w][:])
				}
			}
		}
	}
}
