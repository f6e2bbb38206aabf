package components

// This file holds the components that say where things are and who looks.

import "github.com/quasilyte/gmath"

// ObserverData makes the owner of the entity see what is around it; Offset, in
// the unit of the node's position, moves the point.
type ObserverData struct{ Offset gmath.Vec }

// TransformData is a place local to the parent node. It travels once the game has
// registered Transform with tendon.Replicate, as any component of its own. Games
// with a transform of their own do not need it: any field tagged `pos` says where
// a node is.
type TransformData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
	Rot gmath.Rad `rpl:"angle,bits=12,interp"`
}
