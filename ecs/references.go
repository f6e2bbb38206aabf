package ecs

// references: which items of proxies refer to which nodes, including nodes that are not
// here. When a node comes or goes, this leads to the items to write again; it costs
// nothing if no item refers to the node.

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/references"
	"github.com/tendonengine/tendon/rpl"
)

// A referrer is an item that may refer to nodes.
type referrer = references.Referrer[itemOf]

// itemOf names an item of a proxy.
type itemOf struct {
	node *node
	ord  int
}

// refer records the nodes that an item refers to, after its state has come.
func (px *proxies) refer(n *node, ord int) {
	b := &n.items[ord]
	if b.comp == nil || !b.comp.item.HasRefs {
		return
	}
	if b.refers == nil {
		b.refers = px.references.Referrer(itemOf{n, ord})
	}
	px.ids = px.proxy.References(n.replica, ord, px.ids[:0])
	slices.Sort(px.ids)
	px.references.Set(b.refers, slices.Compact(px.ids))
}

// unrefer forgets the references of an item that goes: it is not written again.
func (px *proxies) unrefer(b *binding) {
	if b.refers != nil {
		px.references.Forget(b.refers)
		b.refers = nil
	}
}

func (px *proxies) unreferAll(n *node) {
	for i := range n.items {
		px.unrefer(&n.items[i])
	}
}

// resolve writes references again after nodes have come or gone: references to nodes that
// are here resolve, references to nodes that have gone become null. For OnChange that is
// a change.
func (px *proxies) resolve() { px.references.Due(px.renew) }

// resolveOf is resolve for a single node, which is about to go.
func (px *proxies) resolveOf(n *node) {
	for i := range n.items {
		if f := n.items[i].refers; f != nil && f.Take() {
			px.renew(f)
		}
	}
}

// renew writes the references of one item again.
func (px *proxies) renew(f *referrer) {
	n, ord := f.Of.node, f.Of.ord
	b := &n.items[ord]
	e, p := px.component(b)
	if p == nil {
		return
	}
	w := px.tagged(b.comp, e, p)
	switch {
	case n.isOwnNow(ord):
		px.proxy.Repoint(n.replica, ord, b.comp.item, w, func(told rpl.Node, entity uint64) uint64 {
			return px.repointed(f, told, entity)
		})
	case !px.proxy.Inject(n.replica, ord, b.comp.item, w):
		w = nil
	}
	if w != nil && b.comp.standIn != nil {
		b.comp.standIn.set(e, p, w)
	}
	px.notify.look(n, b)
}

// repointed is what a reference is to hold in a component that this machine has changed
// since it was told: a node that has come fills a null reference that was told to be to it,
// and one that has gone leaves it null. All else is the game's.
func (px *proxies) repointed(f *referrer, told rpl.Node, entity uint64) uint64 {
	if !slices.Contains(f.News, told) {
		return entity
	}
	now := px.nodes.EntityOf(told)
	switch old := donburi.Entity(entity); {
	case now != 0 && entity == 0:
		return now
	case now == 0 && entity != 0 && (!px.world.Valid(old) || px.nodes.of(old) != nil && px.nodes.of(old).id == told):
		return 0
	}
	return entity
}
