package components

// This file holds the components that say where things are and from where peers look.

import "github.com/quasilyte/gmath"

// ObserverData makes the owner of the entity see what is around it. Offset moves the
// viewpoint, in the unit of the node's position. Scale is what the distances of
// Config.Interest are multiplied by for it: a scope's is 2, a lantern's 0.5; 0 means 1, the
// most is rpl.MaxScale. A peer may have several observers: up to eight cost each what one
// costs. An observer may be changed and moved at any time.
type ObserverData struct {
	Offset gmath.Vec
	Scale  float64
}

// ExtentData is how far a node reaches round its place, in the unit of its position: a circle,
// or a box along the axes, which does not turn with the node. A node without it is a point.
// Questions about space (tendon.Space) go by it, and so does who sees the node: it is in sight
// by its edge, on the circle round a box, if it reaches farther than an eighth of the distance
// to enter (rpl.Authority.SetExtent has what that costs). It is local unless the game replicates it:
// have the prefab's function say it on every machine. Questions see a change of it once the
// node moves, or after tendon.Moved; who sees the node goes by a change within eight sends.
type ExtentData struct {
	Radius float64   // of a circle, where Half is zero
	Half   gmath.Vec // half the width and half the height of a box
}

// TransformData is a position and rotation relative to the parent node. It travels once
// the game has registered Transform with tendon.Replicate, like any component of the
// game. Games with a transform of their own do not need it: any field tagged `pos` says
// where a node is.
type TransformData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
	Rot gmath.Rad `rpl:"angle,bits=12,interp"`
}
