package nodes

// items: which component of which entity each of a node's items is. An item is numbered by its
// ordinal: first what the node was built with, in an order that both ends count alike.

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/donburix"
)

// DrawnBinding returns the item that a component of an entity is, nil if it is none that is
// drawn between samples.
func (n *Node) DrawnBinding(e donburi.Entity, c donburi.IComponentType) *Binding {
	if ord := n.DrawnOrdinal(e, c); ord >= 0 {
		return &n.Items[ord]
	}
	return nil
}

// DrawnOrdinal is DrawnBinding, but returns the item's ordinal; -1 if it is none.
func (n *Node) DrawnOrdinal(e donburi.Entity, c donburi.IComponentType) int {
	for i := range n.Items {
		if b := &n.Items[i]; b.Track != nil && b.Entity == e && b.Comp.Type == c {
			return i
		}
	}
	return -1
}

// A Place is a component of one of a node's entities.
type Place struct {
	Comp   *Component
	Entity donburi.Entity
}

// Bindings returns the items of a node as its entity and parts are now: entity by entity,
// in order of registration. Both ends count in this order.
func (ns *Table) Bindings(n *Node) (bs []Binding) {
	for _, p := range ns.PlacesOf(n.Entities()) {
		bs = append(bs, Binding{Comp: p.Comp, Entity: p.Entity})
	}
	return bs
}

// Places returns what a node is built with, nil for a node without parts, whose
// components cannot be confused.
func (ns *Table) Places(n *Node) []Place {
	if len(n.Parts()) == 0 {
		return nil
	}
	return ns.PlacesOf(n.Entities())
}

// PlacesOf returns the replicated components of some entities, in the order of bindings.
func (ns *Table) PlacesOf(ents []donburi.Entity) (ps []Place) {
	for _, ent := range ents {
		if !ns.World.Valid(ent) {
			continue
		}
		e := ns.World.Entry(ent)
		for _, c := range ns.Components {
			if e.HasComponent(c.Type) {
				ps = append(ps, Place{c, ent})
			}
		}
	}
	return ps
}

// ByOrdinal sorts a node's items: first the ordinals that it was built with, left free
// where the component has gone, then the other items.
func (n *Node) ByOrdinal(now []Binding) []Binding {
	bs := make([]Binding, len(n.Built()))
	var later []Binding
	for _, b := range now {
		if ord := slices.Index(n.Built(), Place{b.Comp, b.Entity}); ord >= 0 {
			bs[ord] = b
		} else {
			later = append(later, b)
		}
	}
	return append(bs, later...)
}

// AsBuilt reports whether the items of a proxy match, ordinal by ordinal, what it was
// built with on this machine, apart from items that have gone. If not, the authority has
// made the node of an entity that was built in another way (Adopt).
func (n *Node) AsBuilt() bool {
	items := n.Replica.Items
	for ord, p := range n.Built() {
		if ord >= len(items) || items[ord] != nil && items[ord] != p.Comp.Item {
			return false
		}
	}
	return len(n.Built()) > 0
}

// Shed removes the components that a node was built with here and that the authority has
// removed since. If several alike cannot be told apart, those of parts go first.
func (ns *Table) Shed(n *Node) {
	items, asBuilt := n.Replica.Items, n.AsBuilt()
	has := ns.Bindings(n)
	for _, ofParts := range []bool{true, false} {
		for i := range has {
			b := &has[i]
			if b.Comp == nil || n.Predicted != nil && n.Predicted.IsExtra(b.Comp.Item, uint64(b.Entity)) { // a rule has added it since
				continue
			}
			ord := slices.Index(n.Built(), Place{Comp: b.Comp, Entity: b.Entity})
			gone := asBuilt && ord >= 0 && items[ord] == nil
			if !gone && (asBuilt && ord >= 0 || ofParts && b.Entity == n.Entity) {
				continue
			}
			spare := 0
			for k := range has {
				spare += one(has[k].Comp == b.Comp)
			}
			for _, t := range items {
				spare -= one(t == b.Comp.Item)
			}
			if gone || spare > 0 {
				donburix.Drop(ns.World.Entry(b.Entity), b.Comp.Type)
				b.Comp = nil
			}
		}
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
