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
func (ex *Reader) Observers(yield func(rpl.Peer, [2]float64) bool) {
	for _, a := range ex.World.Archetypes() {
		if a.Count() == 0 || !slices.Contains(a.ComponentTypes(), donburi.IComponentType(components.Observer)) {
			continue
		}
		for _, ent := range a.Entities() {
			n := ex.Nodes.Of(ent)
			if n == nil || n.Owner == 0 {
				continue
			}
			if x, y, ok := ex.position(n); ok {
				o := components.Observer.Get(ex.World.Entry(ent)).Offset
				if !yield(n.Owner, [2]float64{x + o.X, y + o.Y}) {
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
