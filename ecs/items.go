package ecs

// items: which component of which of a node's entities each item is. An item is numbered
// by its ordinal. Both ends count what a node was built with, parts included, in the same
// order, and keep those ordinals for it. So a component that is removed and comes again
// returns to its place, for peers that have the node and for peers that get it later.

import (
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
	px.items.DropSpares(n)
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
	ent := px.items.EntityFor(n, ord, t)
	if !px.World.Valid(ent) {
		return
	}
	px.predict.states.Give(n, ord, c, ent)
	b := &n.Items[ord]
	*b = nodes.Binding{Comp: c, Entity: ent}
	if !n.Data.Transient { // a transient node is drawn as this machine moves it
		if b.Track = track.New(&c.Drawn); b.Track != nil {
			px.draw.Screen.Begun(b.Track, n.Replica.Tick(ord), int(n.Data.Hz))
		}
	}
	px.notify.StartComparing(b, false, n.Before(ord))
	px.inject(n, ord, n.Replica.Tick(ord))
	px.items.Refer(n, ord)
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
	px.items.Unrefer(&n.Items[ord])
	n.Items[ord] = nodes.Binding{}
	px.items.DropSpares(n)
}
