// Package binding leads from the items of proxies to components: of which entity each is, and what is written
// into it when state comes (this file), and when what it refers to comes or goes (references.go).
package binding

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/callbacks"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/references"
	"github.com/tendonengine/tendon/ecs/internal/replay"
	"github.com/tendonengine/tendon/rpl"
)

// A Keeper keeps the components of a client's proxies.
type Keeper struct {
	*nodes.Base
	Nodes  *nodes.Table
	Notify *callbacks.Queue
	States *replay.States

	References references.Index[nodes.ItemOf]
	ids        []rpl.Node // scratch
}

// Inject writes an item's newest state into its component, in place, and reports whether it has any.
func (k *Keeper) Inject(n *nodes.Node, ord int) bool {
	b := &n.Items[ord]
	e, p := k.Component(b)
	if p == nil {
		return false
	}
	w := k.Tagged(b.Comp, e, p)
	if !k.Proxy.Inject(n.Replica, ord, b.Comp.Item, w) {
		return false
	}
	if b.Comp.StandIn != nil {
		b.Comp.StandIn.Set(e, p, w)
	}
	return true
}

// builtAt returns the entity of a proxy that was built with the item at an ordinal. It
// returns Null if there was none, if that place is taken or gone, or if the authority's
// node was built in another way.
func (k *Keeper) builtAt(n *nodes.Node, ord int) donburi.Entity {
	if ord < len(n.Built()) && n.AsBuilt() {
		p := n.Built()[ord]
		if k.Nodes.Of(p.Entity) == n && n.Binding(p.Comp, p.Entity) == nil {
			return p.Entity
		}
	}
	return donburi.Null
}

// EntityFor returns the entity that gets an item of a proxy: the one that the node was
// built with it on, else the first that has such a component to spare, or had one by a rule, else the node's
// own entity. If the node's own has that component, or is to get back the one that it was
// built with, the item gets a part of its own.
func (k *Keeper) EntityFor(n *nodes.Node, ord int, t *rpl.ItemType) donburi.Entity {
	if e := k.builtAt(n, ord); e != donburi.Null {
		return e
	}
	c, asBuilt := k.Kinds.ByItem[t], n.AsBuilt()
	for _, e := range n.Entities() {
		kept := asBuilt && slices.Contains(n.Built(), nodes.Place{Comp: c, Entity: e}) // reserved for what the node was built with
		has := k.World.Valid(e) && (k.World.Entry(e).HasComponent(c.Type) || n.Predicted != nil && n.Predicted.IsExtra(t, uint64(e)))
		if has && n.Binding(c, e) == nil && !kept {
			return e
		}
	}
	if n.Binding(c, n.Entity) == nil && !(asBuilt && slices.Contains(n.Built(), nodes.Place{Comp: c, Entity: n.Entity})) {
		return n.Entity
	}
	for _, e := range n.Spares() {
		if k.Nodes.Of(e) == n && n.Binding(c, e) == nil {
			return e
		}
	}
	return k.newSpare(n)
}

// newSpare gives a proxy a part (a spare) for items that the authority has on parts that came later.
func (k *Keeper) newSpare(n *nodes.Node) donburi.Entity {
	e := k.World.Entry(donburix.Create(k.World, nodes.PartOf, components.Proxy))
	nodes.PartOf.SetValue(e, nodes.PartData{Node: n.Entity})
	n.SetParts(append(n.Parts(), e.Entity()))
	n.SetSpares(append(n.Spares(), e.Entity()))
	k.Nodes.SetSlot(e.Entity(), n)
	if n.Hidden {
		donburix.Add(e, components.Hidden)
	}
	return e.Entity()
}

// DropSpares removes the spares whose items have gone.
func (k *Keeper) DropSpares(n *nodes.Node) {
	n.SetSpares(slices.DeleteFunc(n.Spares(), func(e donburi.Entity) bool {
		if k.Nodes.Of(e) != n {
			return true
		}
		if slices.ContainsFunc(n.Items, func(b nodes.Binding) bool { return b.Comp != nil && b.Entity == e }) {
			return false
		}
		k.World.Remove(e)
		return true
	}))
}
