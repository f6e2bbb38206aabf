package island

import (
	"github.com/quasilyte/gmath"

	"github.com/tendonengine/tendon/rpl"
)

// Keys are the keys that a player holds down.
type Keys uint16

const (
	Up Keys = 1 << iota
	Down
	Left
	Right
	Fire
	Use  // get in or out of a car, press the button, open or shut a door
	Aims // Input.Aim counts: the player has a mouse
	// Paint is the first of nine keys: the key of sphere i is Paint << i. Pressing one
	// makes a call of its own, which names the sphere.
	Paint
)

// Held are the keys that are sent in every step for as long as they are held.
const Held = Paint - 1

// Input is what a player holds down at a tick. It is sent in every step, and the newest
// wins: the next Input replaces a lost one.
type Input struct {
	Keys Keys      `rpl:"max=127"`
	Aim  gmath.Rad `rpl:"angle,bits=9"`
	Tick rpl.Tick  `rpl:""`
}

// Direction returns where the held arrows point, a vector of length 0 or 1.
func (k Keys) Direction() gmath.Vec {
	var d gmath.Vec
	if k&Left != 0 {
		d.X--
	}
	if k&Right != 0 {
		d.X++
	}
	if k&Up != 0 {
		d.Y--
	}
	if k&Down != 0 {
		d.Y++
	}
	if d.IsZero() {
		return d
	}
	return d.Normalized()
}
