package rowtype

import (
	"github.com/tendonengine/tendon/rpl/schema"
)

// Inferred velocities. A game that replicates positions but not velocities would be
// sent a correction for every step of every walk. So a moving word without a `predict=`
// has a hidden velocity, which the authority infers from the steps that the value has
// taken. To the coder it is a word of the row like any other; no component sees it. It
// is 0 until a value has gone straight for some ticks, so that noise and teleports cost
// nothing; pays.go gives velocities up where straight runs do not last.

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

// infers reports whether a word gets an inferred velocity: a node's position and what
// is interpolated do, unless a tag says what predicts them.
func infers(t *schema.ItemType, w int) bool {
	word, p := &t.Words[w], &t.Props[t.Words[w].Prop]
	if word.Wrap || word.Raw || word.Velocity >= 0 || word.VelocityItem != "" || p.Once || p.Present >= 0 {
		return false
	}
	return p.Interp || w == t.Pos[0] || w == t.Pos[1]
}

func inferredVelocity(prop int) schema.Word {
	return schema.Word{Prop: prop, Min: -InferMost, Max: InferMost, Velocity: -1}
}
