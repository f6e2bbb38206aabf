package ecs

// references: which items of proxies refer to which nodes, including nodes that are not
// here. When a node comes or goes, this leads to the items to write again; it costs
// nothing if no item refers to the node.

import (
	"slices"
	"unsafe"

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
	if n.IsOwnNow(ord) || n.Predicted != nil {
		px.repoint(n, ord, f.News)
	} else {
		px.injectNow(n, b, ord)
	}
	px.notify.CompareItem(n, b)
}

// repoint changes references alone, of an item about which this machine decides or which it
// predicts, after some nodes have come or gone.
func (px *proxies) repoint(n *nodes.Node, ord int, news []rpl.Node) {
	b := &n.Items[ord]
	e, p := px.Component(b)
	if p == nil || b.Comp.Item == nil || !b.Comp.Item.HasRefs {
		return
	}
	changed := false
	repoint := func(w unsafe.Pointer) {
		px.Proxy.Repoint(n.Replica, ord, b.Comp.Item, w, func(sent rpl.Node, entity uint64) uint64 {
			to := px.nodes.Repointed(news, sent, entity)
			changed = changed || to != entity
			return to
		})
	}
	w := px.Tagged(b.Comp, e, p)
	if repoint(w); b.Comp.StandIn != nil {
		b.Comp.StandIn.Set(e, p, w)
	}
	if changed {
		px.predict.states.Repoint(n, ord, b, e, repoint)
	}
}
