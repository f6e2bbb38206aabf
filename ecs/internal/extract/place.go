package extract

// place: where nodes are, and so where players look from.

import (
	"slices"

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
			if x, y, ok := ex.position(n); !ok {
				ex.ScoldOf("observer without place", "the Observer of", e,
					"neither it nor a node above it has a place, so its player sees nothing by it: give one of them a component with a field tagged `pos`")
			} else {
				o := components.Observer.Get(e)
				from := rpl.Observer{X: x + o.Offset.X, Y: y + o.Offset.Y, Scale: o.Scale}
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

// position returns the position of a node: that of the top of its hierarchy, as in the
// core's grid. A node above without a place counts as the origin, so if the top has none, it
// is that of the highest node on the way that has one.
func (ex *Reader) position(n *nodes.Node) (x, y float64, ok bool) {
	for ; n != nil; n = n.Parent {
		if px, py, has := ex.ownPosition(n); has {
			x, y, ok = px, py, true
		}
	}
	return x, y, ok
}

// ownPosition returns the position that a node says, relative to its parent's.
func (ex *Reader) ownPosition(n *nodes.Node) (x, y float64, ok bool) {
	i := ex.Auth.PlaceItem(n.ID)
	if i < 0 || i >= len(n.Items) {
		return 0, 0, false
	}
	b := &n.Items[i]
	e, p := ex.Component(b)
	if p == nil || len(b.Comp.Pos) != 2 {
		return 0, 0, false
	}
	p = ex.Tagged(b.Comp, e, p)
	return b.Comp.Pos[0].Get(p), b.Comp.Pos[1].Get(p), true
}
