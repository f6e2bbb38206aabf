package ecs

// references: which items of proxies refer to which nodes, including nodes that are not
// here. When a node comes or goes, this leads to the items to write again; it costs
// nothing if no item refers to the node.

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// refer records the nodes that an item refers to, after its state has come.
func (px *proxies) refer(n *nodes.Node, ord int) {
	b := &n.Items[ord]
	if b.Comp == nil || !b.Comp.Item.HasRefs {
		return
	}
	if b.Refers == nil {
		b.Refers = px.references.Referrer(nodes.ItemOf{Node: n, Ord: ord})
	}
	px.ids = px.Proxy.References(n.Replica, ord, px.ids[:0])
	slices.Sort(px.ids)
	px.references.Set(b.Refers, slices.Compact(px.ids))
}

// unrefer forgets the references of an item that goes: it is not written again.
func (px *proxies) unrefer(b *nodes.Binding) {
	if b.Refers != nil {
		px.references.Forget(b.Refers)
		b.Refers = nil
	}
}

func (px *proxies) unreferAll(n *nodes.Node) {
	for i := range n.Items {
		px.unrefer(&n.Items[i])
	}
}

// resolve writes references again after nodes have come or gone: references to nodes that
// are here resolve, references to nodes that have gone become null. For OnChange that is
// a change.
func (px *proxies) resolve() { px.references.Due(px.renew) }

// resolveOf is resolve for a single node, which is about to go.
func (px *proxies) resolveOf(n *nodes.Node) {
	for i := range n.Items {
		if f := n.Items[i].Refers; f != nil && f.Take() {
			px.renew(f)
		}
	}
}

// renew writes the references of one item again.
func (px *proxies) renew(f *nodes.Referrer) {
	n, ord := f.Of.Node, f.Of.Ord
	b := &n.Items[ord]
	e, p := px.Component(b)
	if p == nil {
		return
	}
	w := px.Tagged(b.Comp, e, p)
	switch {
	case n.IsOwnNow(ord):
		px.Proxy.Repoint(n.Replica, ord, b.Comp.Item, w, func(was rpl.Node, entity uint64) uint64 {
			return px.repointed(f, was, entity)
		})
	case !px.Proxy.Inject(n.Replica, ord, b.Comp.Item, w):
		w = nil
	}
	if w != nil && b.Comp.StandIn != nil {
		b.Comp.StandIn.Set(e, p, w)
	}
	px.notify.CompareItem(n, b)
}

// repointed is what a reference is to hold in a component that this machine has changed
// since it was sent: a node that has come fills a null reference that was sent as one to it,
// and one that has gone leaves it null, whatever the authority's own says by then; so does an
// entity that is no more. All else is the game's.
func (px *proxies) repointed(f *nodes.Referrer, was rpl.Node, entity uint64) uint64 {
	if entity == 0 {
		if slices.Contains(f.News, was) {
			return px.nodes.EntityOf(was)
		}
		return 0
	}
	if e := donburi.Entity(entity); px.World.Valid(e) {
		n := px.nodes.Of(e)
		if n == nil || !slices.Contains(f.News, n.ID) || px.nodes.EntityOf(n.ID) != 0 {
			return entity
		}
	}
	return 0
}
