package island

import (
	"math"

	"github.com/quasilyte/gmath"
)

// Middle is the middle of the map, where the plaza is.
var Middle = gmath.Vec{X: Size / 2, Y: Size / 2}

// Ground is the kind of ground at a place.
type Ground uint8

const (
	Water Ground = iota
	Sand
	Grass
)

// String is the name of the ground's tile.
func (g Ground) String() string { return [...]string{"water", "sand", "grass"}[g] }

// lakes lie inland; their shores are narrower than the sea's.
var lakes = [...]struct{ x, y, r float64 }{
	{1180, 1420, 210},
	{1310, 1560, 150},
	{2870, 2740, 240},
	{2680, 2890, 130},
	{2790, 1180, 170},
	{1250, 2860, 120},
}

// plazaRadius is the radius of the sand around the middle.
const plazaRadius = 250.0

// Height returns how far a place is above the water, measured as the distance to the
// shore; it is negative in the water. It is the same on every machine.
func Height(p gmath.Vec) float64 {
	d := p.Sub(Middle)
	a := math.Atan2(d.Y, d.X)
	coast := 1640 + 120*math.Sin(3*a+1) + 75*math.Sin(5*a+2.2) + 40*math.Sin(11*a)
	h := coast - math.Hypot(d.X, d.Y)
	for _, l := range lakes {
		// A lake's shore counts double, so that its beach is narrow.
		h = math.Min(h, 2.2*(math.Hypot(p.X-l.x, p.Y-l.y)-l.r))
	}
	return h
}

// beach is the height up to which the ground is sand.
const beach = 80.0

// GroundAt returns the kind of ground at a place.
func GroundAt(p gmath.Vec) Ground { return GroundFor(p, Height(p)) }

// GroundFor is GroundAt for a place whose height is known.
func GroundFor(p gmath.Vec, height float64) Ground {
	switch {
	case height < 0:
		return Water
	case height < beach || p.DistanceTo(Middle) < plazaRadius:
		return Sand
	default:
		return Grass
	}
}
