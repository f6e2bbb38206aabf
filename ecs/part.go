package ecs

// part: entities that share the node of another.

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/extract"
	"github.com/tendonengine/tendon/ecs/internal/loadtime"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
)

// A partKeeper makes entities parts of nodes.
type partKeeper struct {
	*shared
	nodes    *nodes.Table
	loadTime *loadtime.Nodes
	extract  *extract.Reader
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
	if r == nil || !donburix.SameWorld(node, r.shared.World) {
		panic("tendon: Part: node and part must be entities of one world that has a session")
	}
	mustBeThere("Part: the node", node)
	mustBeThere("Part: the part", part)
	whole := r.nodes.Whole(node)
	if whole.Entity() == r.nodes.Session.Entity {
		panic("tendon: Part: the session's node has no parts, for it goes from world to world: give its own entity the component, or make the part a node")
	}
	if whole.Entity() == part.Entity() || node.Entity() == part.Entity() {
		panic("tendon: Part: an entity cannot be a part of itself, or of its own part")
	}
	old := r.nodes.Of(part.Entity())
	if old != nil && old.Entity == part.Entity() {
		panic("tendon: Part: the part is a node of its own: make it without RplNode, or attach it instead")
	}
	own := r.nodes.Parts[part.Entity()]
	delete(r.nodes.Parts, part.Entity())
	r.parts.addPart(whole, part)
	for _, p := range own {
		if r.shared.World.Valid(p) {
			r.parts.addPart(whole, r.shared.World.Entry(p))
		}
	}
}

// addPart makes one entity a part.
func (pt *partKeeper) addPart(node, part *donburi.Entry) {
	old := pt.nodes.Of(part.Entity())
	if part.HasComponent(nodes.PartOf) { // the part waited for a node that is being built
		if up := nodes.PartOf.Get(part).Node; len(pt.nodes.Parts[up]) > 0 {
			pt.nodes.Parts[up] = slices.DeleteFunc(pt.nodes.Parts[up], func(e donburi.Entity) bool { return e == part.Entity() })
		}
	}
	donburix.Add(part, nodes.PartOf)
	nodes.PartOf.SetValue(part, nodes.PartData{Node: node.Entity()})
	n := pt.nodes.Of(node.Entity())
	if old != nil && old != n {
		pt.partRemoved(old, part.Entity())
	}
	if n == nil { // the node is still being built
		pt.nodes.Parts[node.Entity()] = append(pt.nodes.Parts[node.Entity()], part.Entity())
		return
	}
	if !slices.Contains(n.Parts(), part.Entity()) {
		n.SetParts(append(n.Parts(), part.Entity()))
		pt.loadTime.GrowShape(n, part.Entity())
		pt.nodes.SetSlot(part.Entity(), n)
		pt.nodes.Regrouped = true
		if pt.Auth == nil {
			pt.followNode(n, part)
		}
	}
}

// followNode gives a part of a proxy the role of its node, and has it drawn where the node is.
func (pt *partKeeper) followNode(n *nodes.Node, part *donburi.Entry) {
	donburix.Add(part, components.Proxy)
	if n.Hidden {
		donburix.Add(part, components.Hidden)
	} else {
		donburix.Drop(part, components.Hidden)
	}
}

func (pt *partKeeper) partRemoved(n *nodes.Node, e donburi.Entity) {
	if pt.Auth != nil {
		pt.extract.MatchItems(n, e, nil)
	}
	n.SetParts(slices.DeleteFunc(n.Parts(), func(p donburi.Entity) bool { return p == e }))
	pt.nodes.ClearSlot(e)
	pt.nodes.Regrouped = true
}
