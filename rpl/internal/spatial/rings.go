package spatial

import (
	"math"
)

// Rings are the squares of the distances by which a list decides. In each pair the
// first is for nodes that the peer does not hold, the second for those that it holds.
type Rings struct {
	Sight [2]float64 // between true positions: to enter, and to exit

	// From the observer to a place in the grid. A node that is not held and farther
	// than the first is surely out of sight; a node that is held and not farther than
	// the second is surely in sight.
	Unsure [2]Far

	// The same from where the observer was at the scan, valid wherever it goes before
	// the next scan.
	Boundary [2]Far

	Inner, Outer Far // no node within inner or beyond outer is at the boundary
}

// Scaled returns rings for an observer whose distances are multiplied by a factor. blind is
// whether places in the grid are not relied on.
func (g *grid) Scaled(scale float64, blind bool) Rings {
	slack, observer := g.Slack*diagonal, g.ObserverSlack*diagonal
	if blind {
		slack, observer = math.Inf(1), math.Inf(1)
	}
	r := newRings(Grid{Enter: g.ranges.Enter * scale, Exit: g.ranges.Exit * scale}, slack, observer)
	for i, sight := range g.Rings.Sight {
		r.Sight[i] = sight * scale * scale // as a full scan has it
	}
	return r
}

// newRings makes the rings of a Grid. Unsure leaves room for the slack of the grid;
// Boundary, Inner and Outer leave room for the slack of the observer as well.
func newRings(sight Grid, slack, observer float64) Rings {
	both := slack + observer
	return Rings{
		Sight:    [2]float64{sight.Enter * sight.Enter, sight.Exit * sight.Exit},
		Unsure:   [2]Far{farOf(sight.Enter + slack), farOf(sight.Exit - slack)},
		Boundary: [2]Far{farOf(sight.Enter + both), farOf(sight.Exit - both)},
		Inner:    farOf(sight.Enter - both), Outer: farOf(sight.Exit + both),
	}
}

// A Far is the square of a distance as an integer with the same order. Two of them are
// compared in one instruction; floats, which may be NaN, take several.
type Far int32

func FarBetween(dx, dy float32) Far {
	return Far(math.Float32bits(dx*dx+dy*dy) &^ (1 << 31)) // NaN is beyond all
}

// farOf is the far of a distance. Nothing is as near as a negative distance.
func farOf(d float64) Far {
	switch {
	case d < 0:
		return -1
	case math.IsInf(d, 1):
		return math.MaxInt32
	}
	return FarBetween(float32(d), 0)
}

// Beyond is the far of a distance that is longer by d, or a little more.
func (f Far) Beyond(d float64) Far {
	if d == 0 || f == math.MaxInt32 {
		return f
	}
	const rounding = 1 + 1e-6
	return farOf((math.Sqrt(float64(math.Float32frombits(uint32(f)))) + d) * rounding)
}
