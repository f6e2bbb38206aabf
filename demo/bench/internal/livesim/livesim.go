// Package livesim has three small simulators for the bench that behave as recordings of
// people do, where package arena is smooth: players who stand about and then run, jump
// and swing on hooks, with a clock beside their state (platform.go); walkers whose places
// come from a sensor (street.go); five bodies of which half of the frames are missing
// (pitch.go). Like package othersim they would show a coder that is tuned to one
// simulator alone.
package livesim

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tendonengine/tendon/demo/bench/trace"
)

// A Mix is a simulator: its name, and how many slots and ticks it records by itself.
type Mix struct {
	Name         string
	Slots, Ticks int
	hz           int
	fields       []trace.Field
	start        func(rng *rand.Rand, slots int) world
}

// A world steps once for each recorded tick and shows its slots; row returns nil for a
// slot that is empty.
type world interface {
	step()
	row(slot int, to []int32) []int32
}

// Mixes are the simulators of this package.
func Mixes() []Mix {
	return []Mix{
		{"platform", 62, 750, 25, platformFields, startPlatform},
		{"duel", 62, 750, 25, duelFields, startDuel},
		{"street", 90, 800, 16, streetFields, startStreet},
		{"pitch", 5, 1400, 28, pitchFields, startPitch},
	}
}

// Named returns a mix, or an error that says which there are.
func Named(name string) (Mix, error) {
	for _, m := range Mixes() {
		if m.Name == name {
			return m, nil
		}
	}
	return Mix{}, fmt.Errorf("there is no mix %q: there are platform, duel, street, pitch", name)
}

// Record simulates a mix from a seed and returns the trace.
func Record(m Mix, seed uint64) (*trace.Trace, error) {
	if m.Slots < 1 || m.Ticks < 1 {
		return nil, fmt.Errorf("%d slots and %d ticks cannot be simulated", m.Slots, m.Ticks)
	}
	w := m.start(rand.New(rand.NewPCG(seed, 0x6c697665)), m.Slots)
	r := trace.NewRecorder(m.Name, m.hz, m.Slots, m.fields)
	row := make([]int32, len(m.fields))
	for range m.Ticks {
		w.step()
		for slot := range m.Slots {
			r.Add(w.row(slot, row))
		}
	}
	return r.Trace()
}

func round(v float64) int32 { return int32(math.Floor(v + 0.5)) }
