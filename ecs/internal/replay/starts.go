package replay

// starts: whether something that the player drives sets out. What is predicted is drawn at an even pace, up to a
// tick behind; what stood until now need not wait for that.

import (
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/rpl"
)

// Starts reports whether the drawn fields of something that this player owns were the same after each tick from
// the first on, but not after the last.
func (st *States) Starts(all []*nodes.Node, first, last rpl.Tick) bool {
	for _, n := range all {
		if n.Owner != st.Me || n.Predicted == nil || st.Nodes.Of(n.Entity) != n {
			continue
		}
		for ord := range min(len(n.Items), len(n.Predicted.Items)) {
			b := &n.Items[ord]
			if b.Comp == nil || len(b.Comp.Drawn.Fields) == 0 {
				continue
			}
			if e, at := st.Component(b); at != nil && st.standsUntil(b, e, n.Predicted.Item(ord, b.Comp.Item), first, last) == last {
				return true
			}
		}
	}
	return false
}

// standsUntil returns the first tick after which an item is drawn otherwise than after the first, or is not kept;
// the one after the last if there is none.
func (st *States) standsUntil(b *nodes.Binding, e *donburi.Entry, k *predict.Item, first, last rpl.Tick) rpl.Tick {
	for t := first; t <= last; t++ {
		kept := k.At(t)
		if kept == nil {
			return t
		}
		at := st.Tagged(b.Comp, e, kept)
		if t == first {
			st.was = drawnFields(b, at, st.was[:0])
		}
		for j := range b.Comp.Drawn.Fields {
			if b.Comp.Drawn.Fields[j].Get(at) != st.was[j] {
				return t
			}
		}
	}
	return last + 1
}
