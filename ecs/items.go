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
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// bindAll turns all items of a proxy into components.
func (px *proxies) bindAll(n *nodes.Node, items []*rpl.ItemType) {
	n.Items = make([]nodes.Binding, len(items))
	for ord, t := range items {
		if t != nil {
			px.bind(n, ord, t)
		}
	}
	n.SetBefore(nil)
	px.dropSpares(n)
}

// bind turns an item of a proxy into a component, and loads its state.
func (px *proxies) bind(n *nodes.Node, ord int, t *rpl.ItemType) {
	for len(n.Items) <= ord {
		n.Items = append(n.Items, nodes.Binding{})
	}
	if px.nodes.Of(n.Entity) != n { // the game has removed it, which it should not
		return
	}
	c := px.Kinds.ByItem[t]
	ent := px.entityFor(n, ord, t)
	if !px.World.Valid(ent) {
		return
	}
	px.predict.states.Give(n, ord, c, ent)
	b := &n.Items[ord]
	*b = nodes.Binding{Comp: c, Entity: ent}
	if !n.Data.Transient { // a transient node is drawn as this machine moves it
		if b.Track = track.New(&c.Drawn); b.Track != nil {
			px.draw.screen.Begun(b.Track, n.Replica.Tick(ord), int(n.Data.Hz))
		}
	}
	px.notify.StartComparing(b, false, n.Before(ord))
	px.inject(n, ord, n.Replica.Tick(ord))
	px.refer(n, ord)
}

// builtAt returns the entity of a proxy that was built with the item at an ordinal. It
// returns Null if there was none, if that place is taken or gone, or if the authority's
// node was built in another way.
func (px *proxies) builtAt(n *nodes.Node, ord int) donburi.Entity {
	if ord < len(n.Built()) && n.AsBuilt() {
		p := n.Built()[ord]
		if px.nodes.Of(p.Entity) == n && n.Binding(p.Comp, p.Entity) == nil {
			return p.Entity
		}
	}
	return donburi.Null
}

// entityFor returns the entity that gets an item of a proxy: the one that the node was
// built with it on, else the first that has such a component to spare, or had one by a rule, else the node's
// own entity. If the node's own has that component, or is to get back the one that it was
// built with, the item gets a part of its own.
func (px *proxies) entityFor(n *nodes.Node, ord int, t *rpl.ItemType) donburi.Entity {
	if e := px.builtAt(n, ord); e != donburi.Null {
		return e
	}
	c, asBuilt := px.Kinds.ByItem[t], n.AsBuilt()
	for _, e := range n.Entities() {
		kept := asBuilt && slices.Contains(n.Built(), nodes.Place{Comp: c, Entity: e}) // reserved for what the node was built with
		has := px.World.Valid(e) && (px.World.Entry(e).HasComponent(c.Type) || n.Predicted != nil && n.Predicted.IsExtra(t, uint64(e)))
		if has && n.Binding(c, e) == nil && !kept {
			return e
		}
	}
	if n.Binding(c, n.Entity) == nil && !(asBuilt && slices.Contains(n.Built(), nodes.Place{Comp: c, Entity: n.Entity})) {
		return n.Entity
	}
	for _, e := range n.Spares() {
		if px.nodes.Of(e) == n && n.Binding(c, e) == nil {
			return e
		}
	}
	return px.newSpare(n)
}

// newSpare gives a proxy a part (a spare) for items that the authority has on parts that came later.
func (px *proxies) newSpare(n *nodes.Node) donburi.Entity {
	e := px.World.Entry(donburix.Create(px.World, nodes.PartOf, components.Proxy))
	nodes.PartOf.SetValue(e, nodes.PartData{Node: n.Entity})
	n.SetParts(append(n.Parts(), e.Entity()))
	n.SetSpares(append(n.Spares(), e.Entity()))
	px.nodes.SetSlot(e.Entity(), n)
	if n.Hidden {
		donburix.Add(e, components.Hidden)
	}
	return e.Entity()
}

// dropSpares removes the spares whose items have gone.
func (px *proxies) dropSpares(n *nodes.Node) {
	n.SetSpares(slices.DeleteFunc(n.Spares(), func(e donburi.Entity) bool {
		if px.nodes.Of(e) != n {
			return true
		}
		if slices.ContainsFunc(n.Items, func(b nodes.Binding) bool { return b.Comp != nil && b.Entity == e }) {
			return false
		}
		px.World.Remove(e)
		return true
	}))
}

func (px *proxies) ItemAdded(rep *rpl.Replica, ord int) {
	if n, ok := rep.Entity.(*nodes.Node); ok {
		px.bind(n, ord, rep.Items[ord])
		px.notify.CompareItem(n, &n.Items[ord])
	}
}

func (px *proxies) ItemRemoved(rep *rpl.Replica, ord int, _ *rpl.ItemType) {
	n, ok := rep.Entity.(*nodes.Node)
	if !ok || ord >= len(n.Items) {
		return
	}
	px.calls.runDrawn(n, rpl.MaxTick) // what waits may be about it
	px.predict.states.Take(n, ord)
	px.unrefer(&n.Items[ord])
	n.Items[ord] = nodes.Binding{}
	px.dropSpares(n)
}
