package ecs

// items: which component of which of a node's entities each item is. An item is numbered
// by its ordinal. Both ends count what a node was built with, parts included, in the same
// order, and keep those ordinals for it. So a component that is removed and comes again
// returns to its place, for peers that have the node and for peers that get it later.

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// A place is a component of one of a node's entities.
type place struct {
	comp   *component
	entity donburi.Entity
}

// bindings returns the items of a node as its entity and parts are now: entity by entity,
// in order of registration. Both ends count in this order.
func (ns *nodeTable) bindings(n *node) (bs []binding) {
	for _, p := range ns.placesOf(n.entities()) {
		bs = append(bs, binding{comp: p.comp, entity: p.entity})
	}
	return bs
}

// places returns what a node is built with, nil for a node without parts, whose
// components cannot be confused.
func (ns *nodeTable) places(n *node) []place {
	if len(n.parts) == 0 {
		return nil
	}
	return ns.placesOf(n.entities())
}

// placesOf returns the replicated components of some entities, in the order of bindings.
func (ns *nodeTable) placesOf(ents []donburi.Entity) (ps []place) {
	for _, ent := range ents {
		if !ns.world.Valid(ent) {
			continue
		}
		e := ns.world.Entry(ent)
		for _, c := range ns.components {
			if e.HasComponent(c.c) {
				ps = append(ps, place{c, ent})
			}
		}
	}
	return ps
}

// builtWith returns what a node was built with. A load-time node that is made again from
// its entity for another session keeps what it was first built with, as do the machines
// that build it then; what it got or lost in play does not count.
func (lt *loadTime) builtWith(n *node) []place {
	if ps, ok := lt.shapes[n.name]; ok {
		return ps
	}
	return lt.nodes.places(n)
}

// beginShape records what a load-time node that has just been named is built with. Parts
// that it gets until the step ends count too.
func (lt *loadTime) beginShape(e donburi.Entity, name string) {
	if n := lt.nodes.of(e); n != nil {
		lt.shapes[name] = lt.nodes.placesOf(n.entities())
		lt.shaping = append(lt.shaping, name)
	}
}

// growShape adds a part to what a load-time node is built with, while it is being built.
func (lt *loadTime) growShape(n *node, part donburi.Entity) {
	if n.name != "" && slices.Contains(lt.shaping, n.name) {
		lt.shapes[n.name] = append(lt.shapes[n.name], lt.nodes.placesOf([]donburi.Entity{part})...)
		n.built = lt.shapes[n.name]
	}
}

// settleShapes ends the building of load-time nodes, and returns their names.
func (lt *loadTime) settleShapes() []string {
	settled := lt.shaping
	lt.shaping = nil
	for _, name := range settled {
		if n := lt.nodes.of(lt.byName[name]); n != nil && n.name == name {
			if len(n.parts) == 0 {
				lt.shapes[name] = nil // its components cannot be confused
			}
			n.built = lt.shapes[name]
		}
	}
	return settled
}

// byOrdinal sorts a node's items: first the ordinals that it was built with, left free
// where the component has gone, then the other items.
func (n *node) byOrdinal(now []binding) []binding {
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
// that the component had when the node was built, or else at a free one.
func (ex *extractor) addItem(n *node, c *component, e donburi.Entity) (rpl.Item, error) {
	from := slices.Index(n.built, place{c, e})
	if from < 0 {
		from = len(n.built)
	}
	return ex.auth.AddItemFrom(n.id, c.item, from)
}

// asBuilt reports whether the items of a proxy match, ordinal by ordinal, what it was
// built with on this machine, apart from items that have gone. If not, the authority has
// made the node of an entity that was built in another way (Adopt).
func (n *node) asBuilt() bool {
	items := n.replica.Items
	for ord, p := range n.built {
		if ord >= len(items) || items[ord] != nil && items[ord] != p.comp.item {
			return false
		}
	}
	return len(n.built) > 0
}

// shed removes the components that a node was built with here and that the authority has
// removed since. If several alike cannot be told apart, those of parts go first.
func (px *proxies) shed(n *node) {
	items, asBuilt := n.replica.Items, n.asBuilt()
	has := px.nodes.bindings(n)
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
				donburix.Drop(px.world.Entry(b.entity), b.comp.c)
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

// bindAll turns all items of a proxy into components.
func (px *proxies) bindAll(n *node, items []*rpl.ItemType) {
	n.items = make([]binding, len(items))
	for ord, t := range items {
		if t != nil {
			px.bind(n, ord, t)
		}
	}
	px.dropSpares(n)
}

// bind turns an item of a proxy into a component, and loads its state.
func (px *proxies) bind(n *node, ord int, t *rpl.ItemType) {
	for len(n.items) <= ord {
		n.items = append(n.items, binding{})
	}
	if px.nodes.of(n.entity) != n { // the game has removed it, which it should not
		return
	}
	c := px.kinds.byItem[t]
	ent := px.entityFor(n, ord, t)
	if !px.world.Valid(ent) {
		return
	}
	donburix.Add(px.world.Entry(ent), c.c)
	b := &n.items[ord]
	*b = binding{comp: c, entity: ent}
	if !n.data.Transient { // a transient node is drawn as this machine moves it
		b.track = track.New(&c.drawn)
	}
	px.notify.startWatch(b, false)
	px.inject(n, ord, n.replica.Tick(ord))
	px.refer(n, ord)
}

// builtAt returns the entity of a proxy that was built with the item at an ordinal. It
// returns Null if there was none, if that place is taken or gone, or if the authority's
// node was built in another way.
func (px *proxies) builtAt(n *node, ord int) donburi.Entity {
	if ord < len(n.built) && n.asBuilt() {
		p := n.built[ord]
		if px.nodes.of(p.entity) == n && n.binding(p.comp, p.entity) == nil {
			return p.entity
		}
	}
	return donburi.Null
}

// entityFor returns the entity that gets an item of a proxy: the one that the node was
// built with it on, else the first that has such a component to spare, else the node's
// own entity. If the node's own has that component, or is to get back the one that it was
// built with, the item gets a part of its own.
func (px *proxies) entityFor(n *node, ord int, t *rpl.ItemType) donburi.Entity {
	if e := px.builtAt(n, ord); e != donburi.Null {
		return e
	}
	c, asBuilt := px.kinds.byItem[t], n.asBuilt()
	for _, e := range n.entities() {
		kept := asBuilt && slices.Contains(n.built, place{c, e}) // reserved for what the node was built with
		if px.world.Valid(e) && px.world.Entry(e).HasComponent(c.c) && n.binding(c, e) == nil && !kept {
			return e
		}
	}
	if n.binding(c, n.entity) == nil && !(asBuilt && slices.Contains(n.built, place{c, n.entity})) {
		return n.entity
	}
	for _, e := range n.spares {
		if px.nodes.of(e) == n && n.binding(c, e) == nil {
			return e
		}
	}
	return px.newSpare(n)
}

// newSpare gives a proxy a part (a spare) for items that the authority has on parts that
// came later.
func (px *proxies) newSpare(n *node) donburi.Entity {
	e := px.world.Entry(donburix.Create(px.world, partOf, components.Proxy))
	partOf.SetValue(e, partData{node: n.entity})
	n.parts, n.spares = append(n.parts, e.Entity()), append(n.spares, e.Entity())
	px.nodes.setSlot(e.Entity(), n)
	if n.hidden {
		donburix.Add(e, components.Hidden)
	}
	return e.Entity()
}

// dropSpares removes the spares whose items have gone.
func (px *proxies) dropSpares(n *node) {
	n.spares = slices.DeleteFunc(n.spares, func(e donburi.Entity) bool {
		if px.nodes.of(e) != n {
			return true
		}
		if slices.ContainsFunc(n.items, func(b binding) bool { return b.comp != nil && b.entity == e }) {
			return false
		}
		px.world.Remove(e)
		return true
	})
}

func (px *proxies) ItemAdded(rep *rpl.Replica, ord int) {
	if n, ok := rep.Entity.(*node); ok {
		px.bind(n, ord, rep.Items[ord])
		px.notify.look(n, &n.items[ord])
	}
}

func (px *proxies) ItemRemoved(rep *rpl.Replica, ord int, _ *rpl.ItemType) {
	n, ok := rep.Entity.(*node)
	if !ok || ord >= len(n.items) {
		return
	}
	if e, p := px.component(&n.items[ord]); p != nil {
		donburix.Drop(e, n.items[ord].comp.c)
	}
	px.unrefer(&n.items[ord])
	n.items[ord] = binding{}
	px.dropSpares(n)
}
