package observers

// place: where a node looks from.

import (
	"github.com/quasilyte/gmath"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
)

// viewpoint returns where a node looks from: its place in the world, as far as the places on the way
// up are relative to each other. A place that a component of the game's says may be anything below
// another node, so there that node's counts, as in the core's grid. A node without a place is where
// the one above it is, and one above that has none is at the origin.
func (k *Keeper) viewpoint(n *nodes.Node) (at gmath.Vec, ok bool) {
	for relative := true; n != nil; n = n.Parent {
		b := k.placeItem(n)
		if b == nil {
			continue
		}
		up, isRelative, has := k.PlaceOf(b)
		if !has {
			continue
		}
		if relative {
			at = at.Rotated(up.Rot)
		} else {
			at = gmath.Vec{}
		}
		at, relative, ok = up.Pos.Add(at), isRelative, true
	}
	return at, ok
}

// placeItem returns the item that says where a node is, nil if none does.
func (k *Keeper) placeItem(n *nodes.Node) *nodes.Binding {
	i := k.Auth.PlaceItem(n.ID)
	if i < 0 || i >= len(n.Items) {
		return nil
	}
	return &n.Items[i]
}
