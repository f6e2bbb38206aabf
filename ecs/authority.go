package ecs

// authority: how nodes begin and end on the authority. An entity that is to be a node and
// cannot be, because its RplNode is invalid or there are too many nodes, stays a local entity
// until the step in which it can become one.

import (
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/rpl"
)

// makeNode makes an entity a node of the authority. An entity that cannot be made a node
// stays local; that is reported, and tried again in later steps.
func (ex *extractor) makeNode(e *donburi.Entry, o origin) *node {
	ent := e.Entity()
	if n := ex.nodes.of(ent); n != nil && !ex.endLeft(n, e) {
		ex.faults.Refuse("node made twice", errNodeTwice)
		return nil
	}
	if o.prefab == nil && o.name == "" {
		o = ex.unmade[ent].origin // the entity was found by its RplNode, and could not be made a node before
	}
	donburix.Add(e, components.RplNode, components.Owner, components.Parent)
	if data := components.RplNode.Get(e); o.prefab != nil && *data == (components.NodeData{}) {
		*data = o.prefab.node
	}
	n := &node{entity: ent, name: o.name, data: *components.RplNode.Get(e), parts: ex.nodes.parts[ent]}
	s := rpl.Spawn{
		Args: o.args, Name: o.name, Transient: n.data.Transient, Streaming: streaming(&n.data),
	}
	if o.prefab != nil {
		s.Prefab = o.prefab.wire
	}
	n.built = ex.loadTime.builtWith(n)
	n.items = n.byOrdinal(ex.nodes.bindings(n))
	for _, b := range n.items {
		var t *rpl.ItemType
		if b.comp != nil {
			t = b.comp.item
		}
		s.Items = append(s.Items, t)
	}
	id, err := ex.auth.Spawn(s)
	if err != nil {
		ex.notMade(e, o, n.data, err)
		return nil
	}
	delete(ex.unmade, ent)
	delete(ex.nodes.parts, ent)
	n.id = id
	for i := range n.items {
		n.items[i].item, _ = ex.auth.Item(id, i)
		ex.notify.startWatch(&n.items[i], o.prefab == nil && o.name == "")
	}
	ex.nodes.add(n)
	ex.nodes.setOwner(n, 0) // the entity may have been another node before
	ex.nodes.showParent(n)
	ex.fresh, ex.made = append(ex.fresh, n), append(ex.made, n)
	return n
}

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

// endNode ends a node of the authority; its entities stay, or are just being removed.
// Calls on it that wait for this step's Send run first, as they would on other machines.
func (ex *extractor) endNode(n *node) {
	if n.ending {
		panic("tendon: a node is removed inside its own OnStreamOut or last call: it is going already, and donburi would take another entity away with it")
	}
	n.ending = true
	defer func() { n.ending = false }() // a callback may panic: the node can be removed again then
	if n.here {                         // else nobody was told of the node, and its calls are dropped
		ex.calls.lastWords(n)
		ex.notify.streamedOut(n, true)
		ex.faults.Count("stream out")
	}
	if n.name != "" { // callbacks may have changed the groups
		ex.loadTime.standing[n.name] = standing{parent: ex.loadTime.standing[n.name].parent, groups: n.groups}
	}
	ex.auth.Remove(n.id)
	ex.nodes.forget(n, ex.notify.tellParent)
}

// endStripped ends a node that has lost RplNode: its entity is local from now on, even if
// it was a load-time node.
func (ex *extractor) endStripped(n *node) {
	ex.loadTime.unname(n.name)
	ex.endNode(n)
}

// endLeft ends a node whose entity has lost RplNode in this step and is to be another
// node at once, as what a game's pool hands out again. It reports whether it has.
func (ex *extractor) endLeft(n *node, e *donburi.Entry) bool {
	if n == ex.nodes.session || n.ending || n.entity != e.Entity() || e.HasComponent(components.RplNode) {
		return false
	}
	for i := range ex.plans { // the entity may be in its old row again by the time of the next look
		p := &ex.plans[i]
		if row := slices.Index(p.rows, n); p.nodes && row >= 0 {
			p.entities[row], p.rows[row] = donburi.Null, nil
		}
	}
	if ex.steps.inside {
		ex.endStripped(n)
		return true
	}
	ex.steps.inside = true
	defer ex.steps.outside()
	ex.endStripped(n)
	ex.steps.runAfterwards()
	return true
}

// entityRemoved is World.Remove's hook: the entity is still whole. If callbacks ask for
// something that ends other nodes, it waits until this node has ended.
func (ex *extractor) entityRemoved(e donburi.Entity) {
	n := ex.nodes.of(e)
	if n == nil {
		ex.nodes.forgetPart(e)
		ex.forgetUnmade(e)
		return
	}
	if ex.steps.inside {
		ex.nodeRemoved(n, e)
		return
	}
	ex.steps.inside = true
	defer ex.steps.outside()
	ex.nodeRemoved(n, e)
	ex.steps.runAfterwards()
}

func (ex *extractor) nodeRemoved(n *node, e donburi.Entity) {
	if n.entity != e {
		ex.parts.partRemoved(n, e)
		return
	}
	if n == ex.nodes.session {
		panic("tendon: the session's own entity is removed: it goes with its world alone; take components away from it instead")
	}
	if n.name != "" && ex.loadTime.byName[n.name] == e {
		ex.loadTime.bury(n)
		ex.loadTime.unname(n.name)
	}
	if ex.auth != nil {
		ex.endNode(n)
		return
	}
	ex.scoldOf("proxy removed by the game", "a proxy of", ex.world.Entry(e), "only the authority removes nodes: it does not come again while it is in sight; ask tendon.IsAuthority")
	ex.proxies.unreferAll(n)
	ex.nodes.forget(n, ex.notify.tellParent)
}

// orphaned removes the nodes that a departed peer owned, or passes them to nobody. The
// nodes below them are judged by themselves: riders in a car keep their own nodes.
func (ex *extractor) orphaned(p rpl.Peer) {
	owned := ex.nodes.sortedIf(func(n *node) bool { return n.owner == p })
	for _, n := range owned {
		if ex.nodes.of(n.entity) != n || n.owner != p {
			continue // a callback has removed the node or given it away
		}
		ex.notice(n) // OnLeave may have set Keep
		if !n.data.Keep {
			ex.removeEntities(n)
			continue
		}
		ex.auth.HandOver(n.id, 0)
		ex.nodes.setOwner(n, 0)
		ex.notify.tell(event{node: n, about: itsOwner})
	}
}
