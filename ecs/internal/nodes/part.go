package nodes

// part: entities that share the node of another.

import (
	"slices"

	"github.com/yohamta/donburi"
)

// PartOf stands on the entities that share a node (see Part).
var PartOf = donburi.NewComponentType[PartData]().SetName("PartOf")

type PartData struct{ Node donburi.Entity }

// Whole returns the entity that a part belongs to, which is a node or will be one; for
// any other entity, the entity itself.
func (ns *Table) Whole(e *donburi.Entry) *donburi.Entry {
	for ns.Of(e.Entity()) == nil && e.HasComponent(PartOf) {
		up := PartOf.Get(e).Node
		if !slices.Contains(ns.Parts[up], e.Entity()) { // its node has gone
			return e
		}
		e = ns.World.Entry(up)
	}
	if n := ns.Of(e.Entity()); n != nil {
		e = ns.World.Entry(n.Entity)
	}
	return e
}

// ForgetPart removes an entity from ns.parts, as a part that waits for its node and as a
// node-to-be for which parts wait.
func (ns *Table) ForgetPart(e donburi.Entity) {
	delete(ns.Parts, e)
	if entry := ns.World.Entry(e); entry.HasComponent(PartOf) {
		up := PartOf.Get(entry).Node
		if own := ns.Parts[up]; len(own) > 0 {
			ns.Parts[up] = slices.DeleteFunc(own, func(p donburi.Entity) bool { return p == e })
		}
	}
}
