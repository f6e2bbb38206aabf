package replay

// news: what the server tells of a predicted node before it knows that the node is here, and where its packets do not
// tell all (due.go). Then what is here is its state as of when it was told, and says nothing of later ticks. Each part of
// an item may be of another tick, and is compared with what was predicted for that.

import (
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/schema"
)

// judgeNews compares what has come of a node since all was compared with what was predicted for the tick of that.
func (st *States) judgeNews(n *nodes.Node) (d Difference, wrong, fresh bool) {
	p, since := n.Predicted, rpl.Tick(0)
	if Known(n) {
		since = st.judged
	}
	switch {
	case n.Replica == nil:
		return d, false, false
	case !p.Caught():
		p.Comes, p.Came = true, true
		return d, false, true
	case hasMoved(n):
		return d, false, true
	case n.Data.Transient, p.Aside:
		return d, false, false
	}
	for ord := range n.Items {
		b := &n.Items[ord]
		e, at := st.Component(b)
		if at == nil {
			continue
		}
		k := p.Item(ord, b.Comp.Item)
		for len(k.Judged) < len(b.Comp.Item.Parts) {
			k.Judged = append(k.Judged, 0)
		}
		for i := range b.Comp.Item.Parts {
			part := &b.Comp.Item.Parts[i]
			sent := n.Replica.PartTick(ord, part.Audience)
			kept := k.At(sent)
			if sent <= max(k.Judged[i], since) || kept == nil {
				continue
			}
			if Known(n) { // else it is noted as it comes
				st.Refer(n, ord)
			}
			st.part, st.first = part, k.Judged[i] == 0 && !Known(n)
			field, size := st.Differs(n, ord, b, e, kept, sent)
			st.part, st.first, k.Judged[i] = nil, false, sent
			if field == "" {
				continue
			}
			if k.Wrong = true; !wrong {
				wrong, d = true, Difference{e, b.Comp.Name + "." + field, size}
			}
		}
	}
	return d, wrong, false
}

// Decided has a node that has stood in for the server's, and becomes that, have what the server has decided
// otherwise than was predicted, so that OnStreamIn finds it. What is drawn between states stays as it was predicted:
// it is of an earlier tick, and the next correction brings it up to this machine's.
func (st *States) Decided(n *nodes.Node) {
	for ord := range n.Items {
		b := &n.Items[ord]
		e, at := st.Component(b)
		if at == nil || n.Data.Transient || n.Predicted.Aside {
			continue
		}
		for i := range b.Comp.Item.Parts {
			part := &b.Comp.Item.Parts[i]
			sent := n.Replica.PartTick(ord, part.Audience)
			kept := n.Predicted.Item(ord, b.Comp.Item).At(sent)
			if kept == nil {
				continue
			}
			st.part, st.first = part, true
			if field, _ := st.Differs(n, ord, b, e, kept, sent); field != "" {
				st.decide(n, ord, b, e, at)
			}
			st.part, st.first = nil, false
		}
	}
}

// decide writes what Differs has found in st.part into the component at a place.
func (st *States) decide(n *nodes.Node, ord int, b *nodes.Binding, e *donburi.Entry, at unsafe.Pointer) {
	it, w := b.Comp.Item, st.Tagged(b.Comp, e, at)
	st.half, st.whole = slices.Grow(st.half[:0], len(it.Words))[:len(it.Words)], append(st.whole[:0], st.words...)
	vars := make([]any, len(it.Vars))
	it.Layout.Extract(w, st.half, vars, st.Nodes)
	for i := range it.Props {
		if p := &it.Props[i]; !p.Interp && st.sends(n, ord, p) && st.differ(it, p) {
			copy(vars[p.Vars[0]:p.Vars[1]], st.theirs[p.Vars[0]:p.Vars[1]])
		} else {
			copy(st.whole[p.Words[0]:p.Words[1]], st.half[p.Words[0]:p.Words[1]])
		}
	}
	it.InjectOver(w, st.whole, st.half, vars, st.Nodes)
	if b.Comp.StandIn != nil {
		b.Comp.StandIn.Set(e, at, w)
	}
}

// differ reports whether a prop in st.mine and st.vars is not as in st.words and st.theirs.
func (st *States) differ(it *schema.ItemType, p *schema.Prop) bool {
	for i := p.Words[0]; i < p.Words[1]; i++ {
		if schema.Apart(p, &it.Words[i], st.mine[i], st.words[i], 2) != 0 {
			return true
		}
	}
	for i := p.Vars[0]; i < p.Vars[1]; i++ {
		if !it.Vars[i].Type.Near(st.vars[i], st.theirs[i]) {
			return true
		}
	}
	return false
}
