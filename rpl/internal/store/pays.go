package store

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

const (
	// probeShare says which rows have velocities in any case: one in so many.
	probeShare = 16

	// fewRows is up to how many rows of a type all have them: too few to judge by. What may
	// count is judged all the same: it is right at once, or not a count.
	fewRows = 16

	// judgeEvery says in which ticks a row is judged: one in so many, to save time. The
	// number is odd, because games do things every second, fourth or eighth tick.
	judgeEvery = 7

	// lossMost is the bits a row that may be lost, in the ticks judged, before velocities are
	// given up. It is more than twice what it costs that all begin to move at once.
	lossMost = 5

	// worthMost is the bits a row, lost or won, that are remembered: with more, what pays no
	// longer, or pays again, is noticed later.
	worthMost = 10

	// recordBits is what a word that moves as predicted saves beside its residual. Mostly it is the
	// whole record; with less than 12, slow walks are given up that pay.
	recordBits = 12

	velocityBits = 4 // what a velocity that is sent costs beside its residual: the fraction
)

// pays reports whether a row may be given a velocity for its k-th inferred word.
// Where velocities of the type's positions are dear (compare.go), only the few have them that
// show whether they still are.
func (s *slab) pays(k int, block uint32, given bool) bool {
	if s.moves[k] && (s.dear || !given) {
		return given
	}
	return int(s.worth[k]) >= -lossMost*s.rows || block%probeShare == 0 || s.rows <= fewRows && s.moves[k]
}

// judge counts what the velocity of the k-th inferred word has saved in a row in this tick,
// in which the value has taken a step: without velocities each step is sent. One that was
// old and is now is sent only where the row has departed, and then its change.
func (s *slab) judge(k int, step, old, now int32, left bool) {
	saved := 0
	if step != 0 && (now != 0 || !left) {
		if saved = residualBits(step); s.lined[k] > 0 {
			saved = min(saved, s.lined[k])
		}
	}
	switch {
	case left:
		saved -= residualBits(now-old) + velocityBits
	case step != 0:
		saved += s.record
	}
	most := worthMost * s.rows
	s.worth[k] = int32(min(max(int(s.worth[k])+saved, -most), most))
}

// PriceBy takes from noted updates what a word costs without a velocity, where it goes along
// a line, and how much of a record a word that moves as predicted saves: all of it only where nothing
// else changes.
func (s *slab) PriceBy(t *rowtype.Type, h *coder.LineHints, lines []bool) {
	if h.Records > 0 {
		s.record = max(1, recordBits*int(h.Records)/max(int(h.Changed), 1))
	}
	for k, i := range t.Inferred {
		if s.lined[k] = 0; lines != nil && lines[i] {
			s.lined[k] = max(1, h.Price(i))
		}
	}
}

// residualBits is roughly what a residual takes.
func residualBits(r int32) int { return 2 + bits.Len32(rowtype.Magnitude(r)) }
