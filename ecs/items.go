package ecs

// items: which components of which of its entities the items of a node are. What a node
// was built with, parts included, both ends count in the same order, and its ordinals are
// kept for it: so it comes again where it was, for peers that have the node and for those
// that come later.

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
)

// A place is a component of one of a node's entities.
type place struct {
	comp   *component
	entity donburi.Entity
}

// bindings are the items of a node as its entity and parts are now: of each in
// turn, in order of registration. Both ends count so, and agree.
func (r *Replication) bindings(n *node) (bs []binding) {
	for _, p := range r.placesOf(n.entities()) {
		bs = append(bs, binding{comp: p.comp, entity: p.entity})
	}
	return bs
}

// places are what a node is built with. Without parts there is nothing to be told apart.
func (r *Replication) places(n *node) []place {
	if len(n.parts) == 0 {
		return nil
	}
	return r.placesOf(n.entities())
}

// placesOf are the replicated components of some entities, in the order of bindings.
func (r *Replication) placesOf(ents []donburi.Entity) (ps []place) {
	for _, ent := range ents {
		if !r.world.Valid(ent) {
			continue
		}
		e := r.world.Entry(ent)
		for _, c := range r.protocol.components {
			if e.HasComponent(c.c) {
				ps = append(ps, place{c, ent})
			}
		}
	}
	return ps
}

// builtWith is what a node was built with. A load-time node that is made anew of its
// entity, for another session, keeps what it was built with first, as on the machines that
// build it then: what it got or lost in play is not of that.
func (r *Replication) builtWith(n *node) []place {
	if ps, ok := r.shapes[n.name]; ok {
		return ps
	}
	return r.places(n)
}

// beginShape is for a load-time node that has just been named: until the step ends the
// parts that it gets are what it is built with, too.
func (r *Replication) beginShape(e donburi.Entity, name string) {
	if n := r.nodeOf(e); n != nil {
		r.shapes[name] = r.placesOf(n.entities())
		r.shapeless = append(r.shapeless, name)
	}
}

// growShape is for a part that a node gets.
func (r *Replication) growShape(n *node, part donburi.Entity) {
	if n.name != "" && slices.Contains(r.shapeless, n.name) {
		r.shapes[n.name] = append(r.shapes[n.name], r.placesOf([]donburi.Entity{part})...)
		n.built = r.shapes[n.name]
	}
}

// settleShapes ends the building of load-time nodes, and returns their names.
func (r *Replication) settleShapes() []string {
	settled := r.shapeless
	r.shapeless = nil
	for _, name := range settled {
		if n := r.nodeOf(r.named[name]); n != nil && n.name == name {
			if len(n.parts) == 0 {
				r.shapes[name] = nil // there is nothing to be told apart
			}
			n.built = r.shapes[name]
		}
	}
	return settled
}

// inPlaces is a node's items in the order in which it was built with them, free ordinals
// for those that have gone, then the others.
func (n *node) inPlaces(now []binding) []binding {
	bs := make([]binding, len(n.built))
	var later []binding
	for _, b := range now {
		if ord := slices.Index(n.built, place{b.comp, b.entity}); ord >= 0 {
			bs[ord] = b
		} else {
			later = append(later, b)
		}
	}
	return append(bs, later...)
}

// addItem gives a node an item for a component of one of its entities: at the ordinal
// that it had when the node was built, or at one that is nobody's.
func (r *Replication) addItem(n *node, c *component, e donburi.Entity) (rpl.Item, error) {
	from := slices.Index(n.built, place{c, e})
	if from < 0 {
		from = len(n.built)
	}
	return r.auth.AddItemFrom(n.id, c.item, from)
}

// asBuilt is whether the items of a proxy are, ordinal by ordinal, what it was built with
// here, as far as that is there still. Otherwise the authority has made it of an entity
// that was built in another way (Adopt).
func (n *node) asBuilt() bool {
	items := n.replica.Items
	for ord, p := range n.built {
		if ord >= len(items) || items[ord] != nil && items[ord] != p.comp.item {
			return false
		}
	}
	return len(n.built) > 0
}

// shed takes away what a node was built with and the authority has taken from it since.
// Where that cannot be said of which of several alike, those of parts go first.
func (r *Replication) shed(n *node) {
	items, asBuilt := n.replica.Items, n.asBuilt()
	has := r.bindings(n)
	for _, ofParts := range []bool{true, false} {
		for i := range has {
			b := &has[i]
			if b.comp == nil {
				continue
			}
			ord := slices.Index(n.built, place{b.comp, b.entity})
			gone := asBuilt && ord >= 0 && items[ord] == nil
			if !gone && (asBuilt && ord >= 0 || ofParts && b.entity == n.entity) {
				continue
			}
			spare := 0
			for k := range has {
				spare += one(has[k].comp == b.comp)
			}
			for _, t := range items {
				spare -= one(t == b.comp.item)
			}
			if gone || spare > 0 {
				drop(r.world.Entry(b.entity), b.comp.c)
				b.comp = nil
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

// bindAll makes all items of a proxy its components: first those that are where the node
// was built with them.
func (r *Replication) bindAll(n *node, items []*rpl.ItemType) {
	n.items = make([]binding, len(items))
	for _, built := range []bool{true, false} {
		for ord, t := range items {
			if t != nil && n.items[ord].comp == nil && (!built || r.builtAt(n, ord, t) != donburi.Null) {
				r.bind(n, ord, t)
			}
		}
	}
	r.dropSpares(n)
}

// bind makes an item of a proxy a component, and loads its state.
func (r *Replication) bind(n *node, ord int, t *rpl.ItemType) {
	for len(n.items) <= ord {
		n.items = append(n.items, binding{})
	}
	c := r.protocol.byItem[t]
	ent := r.entityFor(n, ord, t)
	if !r.world.Valid(ent) {
		return
	}
	add(r.world.Entry(ent), c.c)
	b := &n.items[ord]
	*b = binding{comp: c, entity: ent}
	if !n.data.Transient { // else it is drawn as this machine has it
		b.track = newTrack(c)
	}
	r.startWatch(b, false)
	r.inject(n, ord, n.replica.Tick(ord))
	r.refer(n, ord)
	if c.inPlace && !n.inPlace {
		n.inPlace, r.inPlace = true, append(r.inPlace, n)
	}
}

// builtAt is the entity of a proxy that was built with the item of an ordinal, Null where
// none was, or it is another's by now, or the authority's node was built in another way.
func (r *Replication) builtAt(n *node, ord int, t *rpl.ItemType) donburi.Entity {
	if ord < len(n.built) && n.asBuilt() {
		p := n.built[ord]
		if p.comp.item == t && r.nodeOf(p.entity) == n && n.binding(p.comp, p.entity) == nil {
			return p.entity
		}
	}
	return donburi.Null
}

// entityFor is where an item of a proxy goes: where the node was built with it, else to
// the first entity that has such a component to spare, else to the node's own. Where that
// has one, or is to have one that it was built with, it gets a part of its own.
func (r *Replication) entityFor(n *node, ord int, t *rpl.ItemType) donburi.Entity {
	if e := r.builtAt(n, ord, t); e != donburi.Null {
		return e
	}
	c, asBuilt := r.protocol.byItem[t], n.asBuilt()
	for _, e := range n.entities() {
		kept := asBuilt && slices.Contains(n.built, place{c, e}) // for what it was built with
		if r.world.Valid(e) && r.world.Entry(e).HasComponent(c.c) && n.binding(c, e) == nil && !kept {
			return e
		}
	}
	if n.binding(c, n.entity) == nil && !(asBuilt && slices.Contains(n.built, place{c, n.entity})) {
		return n.entity
	}
	for _, e := range n.spares {
		if r.nodeOf(e) == n && n.binding(c, e) == nil {
			return e
		}
	}
	return r.newSpare(n)
}

// newSpare gives a proxy a part for what a part has on the authority that was made later.
func (r *Replication) newSpare(n *node) donburi.Entity {
	e := r.world.Entry(create(r.world, partOf, components.Proxy))
	partOf.SetValue(e, partData{node: n.entity})
	n.parts, n.spares = append(n.parts, e.Entity()), append(n.spares, e.Entity())
	r.setSlot(e.Entity(), n)
	if n.hidden {
		add(e, components.Hidden)
	}
	return e.Entity()
}

// dropSpares takes the parts away that were made for items which have gone.
func (r *Replication) dropSpares(n *node) {
	n.spares = slices.DeleteFunc(n.spares, func(e donburi.Entity) bool {
		if r.nodeOf(e) != n {
			return true
		}
		if slices.ContainsFunc(n.items, func(b binding) bool { return b.comp != nil && b.entity == e }) {
			return false
		}
		r.world.Remove(e)
		return true
	})
}

func (r proxyHandler) ItemAdded(rep *rpl.Replica, ord int) {
	if n, ok := rep.Entity.(*node); ok {
		r.bind(n, ord, rep.Items[ord])
		r.look(n, &n.items[ord])
	}
}

func (r proxyHandler) ItemRemoved(rep *rpl.Replica, ord int, _ *rpl.ItemType) {
	n, ok := rep.Entity.(*node)
	if !ok || ord >= len(n.items) {
		return
	}
	if e, p := r.component(&n.items[ord]); p != nil {
		drop(e, n.items[ord].comp.c)
	}
	r.unrefer(&n.items[ord])
	n.items[ord] = binding{}
	r.dropSpares(n)
}
