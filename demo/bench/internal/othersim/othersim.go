// Package othersim is a second simulator for the bench. It differs from package arena
// as much as another game would: 25 Hz, whole centimetres, degrees, no velocities,
// noise in positions, and creatures that jump from place to place. Its figures would
// show a coder that is tuned to one simulator alone.
package othersim

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tendonengine/tendon/demo/bench/trace"
)

// The trace in testdata has these sizes, which keep it below 100 KB.
const (
	Slots = 40
	Ticks = 64
	Hz    = 25
)

// Bounds of the simulated values.
const (
	half      = 60_00 // the cave's half width, in cm
	degrees   = 360
	fullWater = 1000
)

// The species of creatures.
const (
	crawler = iota // walks round a circle, and trembles
	blinker        // stands still, and jumps elsewhere now and then
	drifter        // walks at random, at most 20 cm a tick on each axis
	lamp           // stands still and flickers; is removed now and then, and a new one set up
	species
)

// The bits of a creature's mood.
const (
	alarmed = 1 << iota
	hungry
	asleep
)

// fields are the trace's columns.
var fields = []trace.Field{
	{Name: "there", Role: trace.Alive},
	{Name: "species"},
	{Name: "east", Role: trace.PosX},
	{Name: "look", Role: trace.Angle, Min: -degrees / 2, Max: degrees/2 - 1},
	{Name: "north", Role: trace.PosY},
	{Name: "water"},
	{Name: "light"},
	{Name: "mood"},
}

type creature struct {
	there       bool
	species     int
	east, north int
	look        int // degrees
	water       int
	light       int
	mood        int
	way         float64 // how far a crawler has gone round its circle, radians
	circle      int     // the radius of that circle, cm
}

// Record simulates the cave from a seed and returns the trace.
func Record(slots, ticks int, seed uint64) (*trace.Trace, error) {
	if slots < 1 || ticks < 1 {
		return nil, fmt.Errorf("a cave of %d slots and %d ticks cannot be simulated", slots, ticks)
	}
	rng := rand.New(rand.NewPCG(seed, 0x6f74686572))
	cave := make([]creature, slots)
	for i := range cave {
		cave[i] = settle(rng, i%species)
	}
	r := trace.NewRecorder("cave", Hz, slots, fields)
	for range ticks {
		for i := range cave {
			c := &cave[i]
			c.step(rng)
			if !c.there {
				r.Add(nil)
				continue
			}
			r.Add([]int32{
				1, int32(c.species), int32(c.east), int32(wrap(c.look)), int32(c.north),
				int32(c.water), int32(c.light), int32(c.mood),
			})
		}
	}
	return r.Trace()
}

// settle makes a creature somewhere in the cave.
func settle(rng *rand.Rand, species int) creature {
	return creature{
		there: true, species: species,
		east: rng.IntN(2*half) - half, north: rng.IntN(2*half) - half,
		look: rng.IntN(degrees), water: fullWater, light: rng.IntN(256),
		way: rng.Float64() * 2 * math.Pi, circle: 500 + rng.IntN(half-1000),
	}
}

func (c *creature) step(rng *rand.Rand) {
	switch c.species {
	case crawler:
		c.way += 1.4 / Hz
		c.east = int(float64(c.circle)*math.Cos(c.way)) + rng.IntN(5) - 2
		c.north = int(float64(c.circle)*math.Sin(c.way)) + rng.IntN(5) - 2
		c.look = int(c.way*degrees/(2*math.Pi)) + 90
	case blinker:
		if rng.IntN(2*Hz) == 0 {
			c.east, c.north = rng.IntN(2*half)-half, rng.IntN(2*half)-half
			c.mood ^= alarmed
		}
		c.look += rng.IntN(3) - 1
	case drifter:
		c.east = min(max(c.east+rng.IntN(41)-20, -half), half)
		c.north = min(max(c.north+rng.IntN(41)-20, -half), half)
		c.look += 7
	case lamp:
		c.flicker(rng)
		return
	}
	if c.water -= rng.IntN(3); c.water < 0 {
		c.water = fullWater
	}
	if c.mood &^= hungry; c.water < fullWater/4 {
		c.mood |= hungry
	}
	if rng.IntN(8*Hz) == 0 {
		c.mood ^= asleep
	}
}

// flicker is a lamp's step. Now and then the lamp is removed for a while, and then a
// new one is made in its slot, elsewhere.
func (c *creature) flicker(rng *rand.Rand) {
	if rng.IntN(2*Hz) == 0 {
		if c.there = !c.there; c.there {
			*c = settle(rng, lamp)
		}
	}
	c.light = min(max(c.light+rng.IntN(9)-4, 0), 255)
}

// wrap brings degrees into -180 … 179.
func wrap(d int) int { return ((d+degrees/2)%degrees+degrees)%degrees - degrees/2 }
