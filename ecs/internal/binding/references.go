package binding

// references: which items of proxies refer to which nodes, including nodes that are not
// here. When a node comes or goes, this leads to the items to write again; it costs
// nothing if no item refers to the node.

import (
	"slices"
	"unsafe"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// Refer records the nodes that an item refers to, after its state has come.
func (k *Keeper) Refer(n *nodes.Node, ord int) {
	b := &n.Items[ord]
	if b.Comp == nil || !b.Comp.Item.HasRefs {
		return
	}
	if b.Refers == nil {
		b.Refers = k.References.Referrer(nodes.ItemOf{Node: n, Ord: ord})
	}
	k.ids = k.Proxy.References(n.Replica, ord, k.ids[:0])
	slices.Sort(k.ids)
	k.References.Set(b.Refers, slices.Compact(k.ids))
}

// Unrefer forgets the references of an item that goes: it is not written again.
func (k *Keeper) Unrefer(b *nodes.Binding) {
	if b.Refers != nil {
		k.References.Forget(b.Refers)
		b.Refers = nil
	}
}

// UnreferAll forgets the references of a node that goes.
func (k *Keeper) UnreferAll(n *nodes.Node) {
	for i := range n.Items {
		k.Unrefer(&n.Items[i])
	}
}

// Resolve writes references again after nodes have come or gone: references to nodes that
// are here resolve, references to nodes that have gone become null. For OnChange that is
// a change.
func (k *Keeper) Resolve() { k.References.Due(k.renew) }

// ResolveOf is Resolve for a single node, which is about to go.
func (k *Keeper) ResolveOf(n *nodes.Node) {
	for i := range n.Items {
		if f := n.Items[i].Refers; f != nil && f.Take() {
			k.renew(f)
		}
	}
}

// renew writes the references of one item again.
func (k *Keeper) renew(f *nodes.Referrer) {
	n, ord := f.Of.Node, f.Of.Ord
	b := &n.Items[ord]
	if n.IsOwnNow(ord) || n.Predicted != nil {
		k.Repoint(n, ord, f.News)
	} else {
		k.Inject(n, ord)
	}
	k.Notify.CompareItem(n, b)
}

// Repoint changes references alone, of an item about which this machine decides or which it
// predicts, after some nodes have come or gone.
func (k *Keeper) Repoint(n *nodes.Node, ord int, news []rpl.Node) {
	b := &n.Items[ord]
	e, p := k.Component(b)
	if p == nil || b.Comp.Item == nil || !b.Comp.Item.HasRefs {
		return
	}
	changed := false
	repoint := func(w unsafe.Pointer) {
		k.Proxy.Repoint(n.Replica, ord, b.Comp.Item, w, func(sent rpl.Node, entity uint64) uint64 {
			to := k.Nodes.Repointed(news, sent, entity)
			changed = changed || to != entity
			return to
		})
	}
	w := k.Tagged(b.Comp, e, p)
	if repoint(w); b.Comp.StandIn != nil {
		b.Comp.StandIn.Set(e, p, w)
	}
	if changed {
		k.States.Repoint(n, ord, b, e, repoint)
	}
}
