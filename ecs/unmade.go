package ecs

// unmade: entities that are to be nodes and cannot be, because their RplNode says what
// there is not, or there are too many. They stay entities of this machine, and are nodes
// from the step on in which they can be.

import (
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
)

// An unmade is such an entity: how it is to be a node, and what its RplNode said when
// that was last told.
type unmade struct {
	origin origin
	data   components.NodeData
}

// notMade keeps an entity for the steps to come, and tells of it once, until its RplNode
// says something else that is wrong.
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

// String is what an origin puts in front of an entity where it is named in an error.
func (o origin) String() string {
	switch {
	case o.prefab != nil:
		return "prefab " + o.prefab.name + ", "
	case o.name != "":
		return fmt.Sprintf("load-time node %q, ", o.name)
	}
	return ""
}

// makeUnmade tries again, once a step.
func (r *Replication) makeUnmade() {
	if len(r.unmade) == 0 {
		return
	}
	made := false
	for _, ent := range slices.Sorted(maps.Keys(r.unmade)) {
		if e := r.world.Entry(ent); !r.world.Valid(ent) || !e.HasComponent(components.RplNode) {
			r.forgetUnmade(ent)
		} else {
			made = r.makeNode(e, r.unmade[ent].origin) != nil || made
		}
	}
	for i := range r.plans {
		if p := &r.plans[i]; made && p.strange { // their rows are somebody's now
			p.regrouped = true
		}
	}
}

// forgetUnmade is for an entity that has gone, or is to be a node no more.
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
