package rowtype

import (
	"math"
	"strings"

	"github.com/tendonengine/tendon/rpl/schema"
)

// Inferred velocities. A game that replicates positions but not velocities would be
// sent a correction for every step of every walk. So a moving word without a `predict=`
// has a hidden velocity, which the authority infers from the steps that the value has
// taken. To the coder it is a word of the row like any other; no component sees it. It
// is 0 until a value has gone straight for some ticks, so that noise and teleports cost
// nothing; pays.go gives velocities up where straight runs do not last. What counts has
// one, too: a clock would be sent in every send.

const (
	// InferBits is the binary digits of a step in an inferred velocity. A walk that is
	// off by half of the last digit is a step off after a second; each further digit
	// costs a bit at every turn. On traces whose velocities were taken away, 4 digits
	// cost 11 % more than 6, and 8 digits 3 % more.
	InferBits = 6

	inferRate = 1 << (32 - InferBits)

	// InferMost is the highest inferred velocity: more than 2^20 steps a tick are a
	// teleport.
	InferMost = 1 << (20 + InferBits)
)

// countSpan is the least range of a word that may count: ticks, clocks, sums. What counts says
// something in every send unless it has a slope, though nothing else of the row changes.
const countSpan = 1 << 15

// infers reports whether a word gets an inferred velocity: a node's position, what is
// interpolated, and what may count do, unless a tag or a function says what predicts them. A velocity that
// not all may see who see the word does not predict it.
func infers(t *schema.ItemType, w int) bool {
	word, p := &t.Words[w], &t.Props[t.Words[w].Prop]
	if t.Reckoned || word.Wrap || word.Raw || word.Velocity >= 0 || word.VelocityItem != "" && word.Tol > 0 || p.Once || p.Present >= 0 {
		return false
	}
	return moves(t, w) || counts(t, w)
}

// moves reports whether a word is a position or is drawn between samples.
func moves(t *schema.ItemType, w int) bool {
	p := &t.Props[t.Words[w].Prop]
	return p.Interp && !p.Steps || w == t.Pos[0] || w == t.Pos[1]
}

// counts reports whether a word may count: its range is wide, and it is neither a velocity, nor
// the upper half of 64 bits, nor of a reference. A 16-bit number without bounds of its own is
// mostly an amount; for that no row shall get words that every tick has to look at.
func counts(t *schema.ItemType, w int) bool {
	word, p := &t.Words[w], &t.Props[t.Words[w].Prop]
	least, most := int64(word.Min), int64(word.Max)
	switch {
	case most-least < countSpan, least == math.MinInt16 && most == math.MaxInt16, least == 0 && most == math.MaxUint16:
		return false
	case word.Wide && (w-p.Words[0])%2 != 0, strings.HasPrefix(p.Kind, schema.KindReference):
		return false
	}
	for i := range t.Words {
		if t.Words[i].Velocity == w {
			return false
		}
	}
	return true
}

// IsInferred reports whether word i is an inferred velocity.
func (t *Type) IsInferred(i int) bool { return t.From[i] == isInferred }

// Moves reports whether word i, which has an inferred velocity, is a position or is drawn
// between samples; else it counts.
func (t *Type) Moves(i int) bool { return moves(t.Item, t.From[i]) }

func inferredVelocity(prop int) schema.Word {
	return schema.Word{Prop: prop, Min: -InferMost, Max: InferMost, Velocity: -1}
}
