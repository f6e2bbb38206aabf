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
	"github.com/tendonengine/tendon/ecs/internal/donburix"
)

// An unmade is such an entity: how it is to become a node, and its RplNode when the
// failure was last reported.
type unmade struct {
	origin origin
	data   components.NodeData
}

// notMade keeps an entity for the next steps. It reports the failure once, and again only
// when the entity's RplNode has changed and is still wrong.
func (ex *extractor) notMade(e *donburi.Entry, o origin, data components.NodeData, why error) {
	was, known := ex.unmade[e.Entity()]
	if ex.unmade == nil {
		ex.unmade = map[donburi.Entity]unmade{}
	}
	ex.unmade[e.Entity()] = unmade{origin: o, data: data}
	if known && donburix.NodeDataDiffers(unsafe.Pointer(&data), &was.data) == 0 {
		return
	}
	ex.faults.Refuse("node not made", fmt.Errorf("%s%s: %w; it is an entity of this machine alone until that is right", o, ex.itemsOf(e), why))
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
func (ex *extractor) makeUnmade() {
	if len(ex.unmade) == 0 {
		return
	}
	made := false
	for _, ent := range slices.Sorted(maps.Keys(ex.unmade)) {
		if !ex.world.Valid(ent) || !ex.world.Entry(ent).HasComponent(components.RplNode) {
			ex.forgetUnmade(ent)
		} else {
			made = ex.makeNode(ex.world.Entry(ent), ex.unmade[ent].origin) != nil || made
		}
	}
	for i := range ex.plans {
		if p := &ex.plans[i]; made && p.strange { // their rows have nodes now
			p.regrouped = true
		}
	}
}

// forgetUnmade is called for an entity that has gone, or is no longer to be a node.
func (ex *extractor) forgetUnmade(ent donburi.Entity) {
	u, ok := ex.unmade[ent]
	if !ok {
		return
	}
	delete(ex.unmade, ent)
	if ex.loadTime.byName[u.origin.name] == ent {
		ex.loadTime.unname(u.origin.name)
	}
}
