package ecs

// Stage Extract: on the authority, once a step, components become snapshots, and entities
// become nodes or cease to be nodes (internal/extract).

import (
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
)

func extractStage(r *Replication) {
	if r.shared.Auth != nil {
		r.extract.Extract()
	}
}

// Bump says that a component tagged `explicit` has changed; without it the change is not
// sent. A component that has just been added need not be bumped, but one that was removed
// and added again in the same step must be. The component is read in the next step that
// sends, or, while no peer has the node, when a peer is about to get it; if OnChange is
// set for it, in this step. On a proxy, on an entity that is no node, and for a component
// that is not tagged so, Bump does nothing. It panics for a nil component.
func Bump(e *donburi.Entry, c donburi.IComponentType) {
	r := of(e)
	if c == nil {
		panic("tendon: Bump of no component")
	}
	if r == nil || r.shared.Auth == nil {
		return
	}
	if def := r.shared.protocol.kinds.Of(c); def != nil && def.Item.Explicit {
		r.extract.Bump(e.Entity(), def)
		r.places.MarkEntity(e.Entity())
	}
}

// entityRemoved is World.Remove's hook: the entity is still whole. If callbacks ask for
// something that ends other nodes, it waits until this node has ended.
func (r *Replication) entityRemoved(e donburi.Entity) {
	n := r.nodes.Of(e)
	if n == nil {
		r.nodes.ForgetPart(e)
		r.extract.ForgetUnmade(e)
		return
	}
	r.putOff.During(func() { r.nodeRemoved(n, e) })
}

func (r *Replication) nodeRemoved(n *nodes.Node, e donburi.Entity) {
	if n.Entity != e {
		r.parts.partRemoved(n, e)
		return
	}
	if n == r.nodes.Session {
		panic("tendon: the session's own entity is removed: it goes with its world alone; take components away from it instead")
	}
	if named, _ := r.loadTime.Entity(n.Name); n.Name != "" && named == e {
		r.loadTime.Bury(n)
		r.loadTime.Unname(n.Name)
	}
	if r.shared.Auth != nil {
		r.extract.EndNode(n)
		return
	}
	r.shared.ScoldOf("proxy removed by the game", "a proxy of", r.shared.World.Entry(e), "only the authority removes nodes: it does not come again while it is in sight; ask tendon.IsAuthority")
	r.items.UnreferAll(n)
	r.nodes.Forget(n, r.notify.ParentChanged)
}
