package extract

// place: where nodes are, and so where players look from.

import (
	"slices"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// Observers yields the points from which peers look, with the peers.
func (ex *Reader) Observers(yield func(rpl.Peer, rpl.Observer) bool) {
	for _, a := range ex.World.Archetypes() {
		if a.Count() == 0 || !slices.Contains(a.ComponentTypes(), donburi.IComponentType(components.Observer)) {
			continue
		}
		for _, ent := range a.Entities() {
			n := ex.Nodes.Of(ent)
			if n == nil || n.Owner == 0 {
				continue
			}
			e := ex.World.Entry(ent)
			if at, ok := ex.viewpoint(n); !ok {
				ex.ScoldOf("observer without place", "the Observer of", e,
					"neither it nor a node above it has a place, so its player sees nothing by it: give one of them a component with a field tagged `pos`")
			} else {
				o := components.Observer.Get(e)
				from := rpl.Observer{X: at.X + o.Offset.X, Y: at.Y + o.Offset.Y, Scale: o.Scale}
				if from.Check() != nil {
					ex.ScoldOf("bad observer", "the Observer of", e, "a Scale is 0, for 1, or up to rpl.MaxScale: it sees at a scale of 1")
					from.Scale = 1
				}
				if !yield(n.Owner, from) {
					return
				}
			}
		}
	}
}

// viewpoint returns where a node looks from: its place in the world, as far as the places on the way
// up are relative to each other. A place that a component of the game's says may be anything below
// another node, so there that node's counts, as in the core's grid. A node without a place is where
// the one above it is, and one above that has none is at the origin.
func (ex *Reader) viewpoint(n *nodes.Node) (at gmath.Vec, ok bool) {
	for relative := true; n != nil; n = n.Parent {
		i := ex.Auth.PlaceItem(n.ID)
		if i < 0 || i >= len(n.Items) {
			continue
		}
		up, isRelative, has := ex.PlaceOf(&n.Items[i])
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
