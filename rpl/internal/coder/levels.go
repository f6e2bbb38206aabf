package coder

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Levels count the residuals of some updates of a row type by their binary digits: roughly, what these
// updates take once tables and lines have been fitted to them. Tables are fitted to what most rows do;
// of the few that do something else, to see whether it pays, this says more than the bits that they took.
type Levels struct {
	hold, line [][hintLevels]uint32 // by word: without a line, and along one where updates may go along it
	fractions  uint32
	n          uint32
}

// levelsMost is up to how many updates are counted before all counts are halved.
const levelsMost = 256

// NewLevels makes counts for a row of so many words.
func NewLevels(words int) Levels {
	return Levels{hold: make([][hintLevels]uint32, words), line: make([][hintLevels]uint32, words)}
}

// Note counts an update.
func (l *Levels) Note(t *rowtype.Type, was, is rowtype.Words, second *rowtype.Second, n uint32) {
	if l.n++; l.n > levelsMost {
		l.n, l.fractions = l.n/2, l.fractions/2
		for i := range l.hold {
			fade(l.hold[i][:])
			fade(l.line[i][:])
		}
	}
	for i := range l.hold {
		c, x, expected := &t.Motions[i], *is.Word(i), *was.Word(i)
		lined := second.P != nil && t.Lines(i)
		if v := int(c.Velocity); v >= 0 && (*was.Word(v)|*is.Word(v) != 0 || t.IsDeclared(i)) {
			expected = c.Expect(was, is, i, n)
			l.fractions += uint32(flag(c.Fraction >= 0 && !c.IsWhole(*is.Word(v))))
			lined = lined && t.IsDeclared(i)
		}
		l.hold[i][bits.Len32(rowtype.Magnitude(x-expected))]++
		if lined {
			expected = c.Along(was, second, i, n)
		}
		l.line[i][bits.Len32(rowtype.Magnitude(x-expected))]++
	}
}

// Bits is the mean of what the updates take, 0 if none was counted.
func (l *Levels) Bits() float64 {
	sum := fractionBits * float64(l.fractions)
	for i := range l.hold {
		sum += min(LevelBits(&l.hold[i]), LevelBits(&l.line[i]))
	}
	return sum / float64(max(l.n, 1))
}
