package play

import (
	"math"

	"github.com/tendonengine/tendon/demo/bench/trace"
)

// A state is a row of a generated trace in three fifths of the bytes: a tick
// reads all rows twice, once to write it into the world and once, when clients
// have it, to judge them, and what the bench reads washes out of the caches what
// the library has in them.
type state struct {
	x, y, vx, vy     int32
	angle            uint16
	hp               int16
	kind, anim, team uint8
	alive            bool
}

// newState is exact within the bounds that isGenerated checks. Of an angle
// beyond them, which the trace to warm up with may have, whole turns are lost.
func newState(r []int32) state {
	return state{
		alive: r[0] != 0, kind: uint8(r[1]), x: r[2], y: r[3], angle: uint16(r[4]), vx: r[5], vy: r[6],
		hp: int16(r[7]), anim: uint8(r[8]), team: uint8(r[9]),
	}
}

// states are a trace's rows, by tick, then by slot.
func states(t *trace.Trace) []state {
	all := make([]state, 0, t.Ticks*t.Slots)
	for tick := range t.Ticks {
		for slot := range t.Slots {
			all = append(all, newState(t.Row(tick, slot)))
		}
	}
	return all
}

// equals reports whether words, one for each field but the first, are the state.
func (s *state) equals(words []int32) bool {
	return len(words) == len(generated)-1 &&
		words[0] == int32(s.kind) && words[1] == s.x && words[2] == s.y && words[3] == int32(s.angle) &&
		words[4] == s.vx && words[5] == s.vy && words[6] == int32(s.hp) && words[7] == int32(s.anim) && words[8] == int32(s.team)
}

// write makes the component what the state says.
func (s *state) write(u *unit) {
	*u = unit{
		Kind:  s.kind,
		Pos:   vec{float64(s.x) / perUnit, float64(s.y) / perUnit},
		Angle: float64(s.angle) * (2 * math.Pi / turn),
		Vel:   vec{float64(s.vx) / perUnit, float64(s.vy) / perUnit},
		HP:    s.hp, Anim: s.anim, Team: s.team,
	}
}
