package replay

// rights: what becomes of a predicted node's fields when this client gains or loses the right to them.

import (
	"unsafe"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
)

// Begun notes which parts of a node's items the client has as it begins to be predicted, or to be the server's.
func (st *States) Begun(n *nodes.Node) {
	for ord := range n.Items {
		if b := &n.Items[ord]; b.Comp != nil {
			n.Predicted.Item(ord, b.Comp.Item).Has = has(n, ord, b.Comp.Item)
		}
	}
}

// Entitle has an item of a predicted node, and all that is kept of it, be without the parts that the client may
// not see any more, and with those that it may see from now on: at once, as where nothing is predicted. The next
// state that is compared may come much later, and a kept state with a secret in it would bring that back.
func (st *States) Entitle(n *nodes.Node, ord int) {
	b := &n.Items[ord]
	e, at := st.Component(b)
	if at == nil {
		return
	}
	it := b.Comp.Item
	k := n.Predicted.Item(ord, it)
	now := has(n, ord, it)
	others := k.Has ^ now
	if others == 0 {
		return
	}
	k.Has, k.Other = now, true
	st.words, st.theirs = n.Replica.Words(ord, st.words[:0]), n.Replica.Vars(ord, st.theirs[:0])
	if len(st.words) != len(it.Words) || len(st.theirs) != len(it.Vars) {
		return
	}
	for i := range it.Parts {
		if others>>(i&63)&1 == 0 {
			continue
		}
		put := func(p, w unsafe.Pointer) {
			if it.InjectOf(w, st.words, st.theirs, it.Parts[i].Audience, st.Nodes); b.Comp.StandIn != nil {
				b.Comp.StandIn.Set(e, p, w)
			}
		}
		put(at, st.Tagged(b.Comp, e, at))
		for _, kept := range k.Ring {
			if kept != nil {
				put(kept, st.Tagged(b.Comp, e, kept))
			}
		}
	}
}
