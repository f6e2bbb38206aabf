package island

import (
	"math"

	"github.com/quasilyte/gmath"
)

// A Yard is a fenced rectangle with a gap for the gate in its northern side, and gaps for
// doors in the west and in the east.
type Yard struct {
	Rect     gmath.Rect
	GapFrom  float64 // x
	GapTo    float64
	DoorFrom float64 // y
	DoorTo   float64
}

// Openings says which gaps of a yard's fence are open.
type Openings struct{ Gate, West, East bool }

// Pen is where the sheep belong, south of the plaza.
var Pen = Yard{
	Rect: gmath.Rect{
		Min: gmath.Vec{X: Size/2 - 190, Y: Size/2 + 330},
		Max: gmath.Vec{X: Size/2 + 190, Y: Size/2 + 600},
	},
	GapFrom:  Size/2 - 40,
	GapTo:    Size/2 + 40,
	DoorFrom: Size/2 + 425,
	DoorTo:   Size/2 + 505,
}

// Gate returns the middle of the gap for the gate.
func (y Yard) Gate() gmath.Vec {
	return gmath.Vec{X: (y.GapFrom + y.GapTo) / 2, Y: y.Rect.Min.Y}
}

// Doors returns the middles of the doors, the western first.
func (y Yard) Doors() [2]gmath.Vec {
	middle := (y.DoorFrom + y.DoorTo) / 2
	return [2]gmath.Vec{{X: y.Rect.Min.X, Y: middle}, {X: y.Rect.Max.X, Y: middle}}
}

// passes reports whether a circle is in an open gap.
func (y Yard) passes(p gmath.Vec, radius float64, open Openings) bool {
	reach := radius + 40
	if open.Gate && p.X > y.GapFrom && p.X < y.GapTo && math.Abs(p.Y-y.Rect.Min.Y) < reach {
		return true
	}
	if p.Y <= y.DoorFrom || p.Y >= y.DoorTo {
		return false
	}
	return open.West && math.Abs(p.X-y.Rect.Min.X) < reach || open.East && math.Abs(p.X-y.Rect.Max.X) < reach
}

// Near reports whether a place is inside or closer than the margin.
func (y Yard) Near(p gmath.Vec, margin float64) bool {
	return p.X > y.Rect.Min.X-margin && p.X < y.Rect.Max.X+margin &&
		p.Y > y.Rect.Min.Y-margin && p.Y < y.Rect.Max.Y+margin
}

// Push keeps a circle from crossing the fence except where it is open. was is where the
// circle came from.
func (y Yard) Push(was, p gmath.Vec, radius float64, open Openings) gmath.Vec {
	if !y.Near(p, radius) || y.passes(p, radius, open) {
		return p
	}
	r := y.Rect
	if r.Contains(was) {
		p.X = gmath.Clamp(p.X, r.Min.X+radius, r.Max.X-radius)
		p.Y = gmath.Clamp(p.Y, r.Min.Y+radius, r.Max.Y-radius)
		return p
	}
	// Outside: out over the nearest side.
	left, right := p.X-(r.Min.X-radius), r.Max.X+radius-p.X
	up, down := p.Y-(r.Min.Y-radius), r.Max.Y+radius-p.Y
	switch math.Min(math.Min(left, right), math.Min(up, down)) {
	case left:
		p.X = r.Min.X - radius
	case right:
		p.X = r.Max.X + radius
	case up:
		p.Y = r.Min.Y - radius
	default:
		p.Y = r.Max.Y + radius
	}
	return p
}

// posts returns the places of the posts along the fence.
func (y Yard) posts() []gmath.Vec {
	const every = 19.0
	var list []gmath.Vec
	r := y.Rect
	for x := r.Min.X; x <= r.Max.X+1; x += every {
		if x <= y.GapFrom || x >= y.GapTo {
			list = append(list, gmath.Vec{X: x, Y: r.Min.Y})
		}
		list = append(list, gmath.Vec{X: x, Y: r.Max.Y})
	}
	for v := r.Min.Y + every; v < r.Max.Y-1; v += every {
		if v > y.DoorFrom && v < y.DoorTo {
			continue
		}
		list = append(list, gmath.Vec{X: r.Min.X, Y: v}, gmath.Vec{X: r.Max.X, Y: v})
	}
	return list
}
