package components

// This file holds the components that say where things are and from where peers look.

import (
	"fmt"
	"math"

	"github.com/quasilyte/gmath"

	"github.com/tendonengine/tendon/rpl"
)

// ObserverData makes the owner of the entity see what is around it. Offset moves the
// viewpoint, in the unit of the node's position. Scale multiplies the distances of
// Config.Interest: a scope's is 2, a lantern's 0.5; 0 means 1, the most is rpl.MaxScale (16);
// one that is negative, NaN or beyond that counts as 1, and is counted ("bad observer").
//
// An observer that is attached to another node looks from its own place in the world if it has
// a Transform, else from the place of that node. A peer may have several observers: up to
// eight cost each what one costs. An observer may be changed and moved at any time.
type ObserverData struct {
	Offset gmath.Vec
	Scale  float64
}

// ExtentData is how far a node reaches round its place, in the unit of its position: a circle,
// or a box along the axes, which does not turn with the node. A node without it is a point.
// Questions about space (tendon.Space) use it, and so does the choice of who sees the node, if
// it stands at the top of its tree: it is in sight by its edge (a box by the circle round it),
// if it reaches farther than an eighth of the distance to enter. See rpl.Authority.SetExtent
// for the cost.
//
// It is local unless the game replicates it: let the prefab's function set it on every
// machine. Questions see a change of it once the node moves, or after tendon.Moved; who sees
// the node follows within eight sends. An extent that Check refuses counts as none, for both,
// and is logged and counted ("Extent refused").
type ExtentData struct {
	Radius float64   // of a circle, where Half is zero
	Half   gmath.Vec // half the width and half the height of a box
}

// Reach is how far it goes: the Radius, or half the diagonal of the box.
func (d ExtentData) Reach() float64 {
	if d.Half.X != 0 || d.Half.Y != 0 {
		return math.Hypot(d.Half.X, d.Half.Y)
	}
	return d.Radius
}

// Check reports what is wrong with an extent: a radius or a half that is below 0 or NaN, or a
// reach beyond rpl.MaxReach. The error wraps rpl.ErrRange.
func (d ExtentData) Check() error {
	if reach := d.Reach(); !(reach >= 0 && reach <= rpl.MaxReach) || d.Half.X < 0 || d.Half.Y < 0 {
		return fmt.Errorf("extent of radius %v or halves %v, %v: %w; none is below 0, and it reaches %v at most", d.Radius, d.Half.X, d.Half.Y, rpl.ErrRange, rpl.MaxReach)
	}
	return nil
}

// TransformData is a position and rotation relative to the parent node. It travels once
// the game has registered Transform with tendon.Replicate, like any component of the
// game. Games with a transform of their own do not need it: any field tagged `pos` says
// where a node is.
type TransformData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
	Rot gmath.Rad `rpl:"angle,bits=12,interp"`
}
