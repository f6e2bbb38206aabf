package ecs

// unmade: entities that are to be nodes and cannot be, because their RplNode is invalid
// or there are too many nodes. They stay local entities until the step in which they can
// become nodes.

import (
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
)

// An unmade is such an entity: how it is to become a node, and its RplNode when the
// failure was last reported.
type unmade struct {
	origin origin
	data   components.NodeData
}

// notMade keeps an entity for the next steps. It reports the failure once, and again only
// when the entity's RplNode has changed and is still wrong.
func (r *Replication) notMade(e *donburi.Entry, o origin, data components.NodeData, why error) {
	was, known := r.unmade[e.Entity()]
	if r.unmade == nil {
		r.unmade = map[donburi.Entity]unmade{}
	}
	r.unmade[e.Entity()] = unmade{origin: o, data: data}
	if known && differs(unsafe.Pointer(&data), &was.data) == 0 {
		return
	}
	r.refuse("node not made", fmt.Errorf("%s%s: %w; it is an entity of this machine alone until that is right", o, r.itemsOf(e), why))
}

// String describes an origin in front of an entity in an error text.
func (o origin) String() string {
	switch {
	case o.prefab != nil:
		return "prefab " + o.prefab.name + ", "
	case o.name != "":
		return fmt.Sprintf("load-time node %q, ", o.name)
	}
	return ""
}

// makeUnmade tries again to make these entities nodes, once a step.
func (r *Replication) makeUnmade() {
	if len(r.unmade) == 0 {
		return
	}
	made := false
	for _, ent := range slices.Sorted(maps.Keys(r.unmade)) {
		if !r.world.Valid(ent) || !r.world.Entry(ent).HasComponent(components.RplNode) {
			r.forgetUnmade(ent)
		} else {
			made = r.makeNode(r.world.Entry(ent), r.unmade[ent].origin) != nil || made
		}
	}
	for i := range r.plans {
		if p := &r.plans[i]; made && p.strange { // their rows have nodes now
			p.regrouped = true
		}
	}
}

// forgetUnmade is called for an entity that has gone, or is no longer to be a node.
func (r *Replication) forgetUnmade(ent donburi.Entity) {
	u, ok := r.unmade[ent]
	if !ok {
		return
	}
	delete(r.unmade, ent)
	if r.named[u.origin.name] == ent {
		r.unname(u.origin.name)
	}
}
