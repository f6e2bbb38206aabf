package ecs

// part: entities that share the node of another.

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
)

// partOf stands on the entities that share a node (see Part).
var partOf = donburi.NewComponentType[partData]().SetName("PartOf")

type partData struct{ node donburi.Entity }

// A partKeeper makes entities parts of nodes.
type partKeeper struct {
	*shared
	nodes    *nodeTable
	loadTime *loadTime
	extract  *extractor
}

// Part makes an entity share a node; it is usually called where the node is built. The
// part's replicated components are items of the node, its other components are local, and
// its role is the node's. A part of another node leaves that node, and a part's own parts
// become the node's.
//
// The components with which a node was built come and go on the same entity on all
// machines. A load-time node was built with what it had when it was named and with the
// parts that it got in that step; this holds in later sessions too. Other machines are
// not told which entity carries a component that a part gets later, or that a later part
// brings. There it goes to the node's own entity, or, if that has such a component
// already, to a part that is made for it.
//
// On the authority a part outlives a node that the game removes, and is nobody's then:
// remove the parts with the node. Where the session ends a node (a proxy, a node whose
// owner leaves), it removes the parts.
//
// Part panics if an entity is to be a part of itself or of its own part, if the part is a
// node, if node is the session's, if one of the two has been removed, and if they are not
// in one world with a session.
func Part(node, part *donburi.Entry) {
	r := of(part)
	if r == nil || !donburix.SameWorld(node, r.shared.world) {
		panic("tendon: Part: node and part must be entities of one world that has a session")
	}
	mustBeThere("Part: the node", node)
	mustBeThere("Part: the part", part)
	whole := r.nodes.whole(node)
	if whole.Entity() == r.nodes.session.entity {
		panic("tendon: Part: the session's node has no parts, for it goes from world to world: give its own entity the component, or make the part a node")
	}
	if whole.Entity() == part.Entity() || node.Entity() == part.Entity() {
		panic("tendon: Part: an entity cannot be a part of itself, or of its own part")
	}
	old := r.nodes.of(part.Entity())
	if old != nil && old.entity == part.Entity() {
		panic("tendon: Part: the part is a node of its own: make it without RplNode, or attach it instead")
	}
	own := r.nodes.parts[part.Entity()]
	delete(r.nodes.parts, part.Entity())
	r.parts.addPart(whole, part)
	for _, p := range own {
		if r.shared.world.Valid(p) {
			r.parts.addPart(whole, r.shared.world.Entry(p))
		}
	}
}

// whole returns the entity that a part belongs to, which is a node or will be one; for
// any other entity, the entity itself.
func (ns *nodeTable) whole(e *donburi.Entry) *donburi.Entry {
	for ns.of(e.Entity()) == nil && e.HasComponent(partOf) {
		up := partOf.Get(e).node
		if !slices.Contains(ns.parts[up], e.Entity()) { // its node has gone
			return e
		}
		e = ns.world.Entry(up)
	}
	if n := ns.of(e.Entity()); n != nil {
		e = ns.world.Entry(n.entity)
	}
	return e
}

// addPart makes one entity a part.
func (pt *partKeeper) addPart(node, part *donburi.Entry) {
	old := pt.nodes.of(part.Entity())
	if part.HasComponent(partOf) { // the part waited for a node that is being built
		if up := partOf.Get(part).node; len(pt.nodes.parts[up]) > 0 {
			pt.nodes.parts[up] = slices.DeleteFunc(pt.nodes.parts[up], func(e donburi.Entity) bool { return e == part.Entity() })
		}
	}
	donburix.Add(part, partOf)
	partOf.SetValue(part, partData{node: node.Entity()})
	n := pt.nodes.of(node.Entity())
	if old != nil && old != n {
		pt.partRemoved(old, part.Entity())
	}
	if n == nil { // the node is still being built
		pt.nodes.parts[node.Entity()] = append(pt.nodes.parts[node.Entity()], part.Entity())
		return
	}
	if !slices.Contains(n.parts, part.Entity()) {
		n.parts = append(n.parts, part.Entity())
		pt.loadTime.growShape(n, part.Entity())
		pt.nodes.setSlot(part.Entity(), n)
		pt.nodes.regrouped = true
		if pt.auth == nil {
			pt.followNode(n, part)
		}
	}
}

// followNode gives a part of a proxy the role of its node, and has it drawn where the node
// is.
func (pt *partKeeper) followNode(n *node, part *donburi.Entry) {
	donburix.Add(part, components.Proxy)
	if n.hidden {
		donburix.Add(part, components.Hidden)
	} else {
		donburix.Drop(part, components.Hidden)
	}
}

func (pt *partKeeper) partRemoved(n *node, e donburi.Entity) {
	if pt.auth != nil {
		pt.extract.settleItems(n, e, nil)
	}
	n.parts = slices.DeleteFunc(n.parts, func(p donburi.Entity) bool { return p == e })
	pt.nodes.clearSlot(e)
	pt.nodes.regrouped = true
}

// forgetPart removes an entity from ns.parts, as a part that waits for its node and as a
// node-to-be for which parts wait.
func (ns *nodeTable) forgetPart(e donburi.Entity) {
	delete(ns.parts, e)
	if entry := ns.world.Entry(e); entry.HasComponent(partOf) {
		up := partOf.Get(entry).node
		if own := ns.parts[up]; len(own) > 0 {
			ns.parts[up] = slices.DeleteFunc(own, func(p donburi.Entity) bool { return p == e })
		}
	}
}
