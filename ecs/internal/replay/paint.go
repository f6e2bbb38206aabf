package replay

import (
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/rpl"
)

// Paint writes what Draw draws into the predicted fields tagged `interp=inplace`, until Unpaint.
func (st *States) Paint(all []*nodes.Node, t rpl.Tick, drawn, now float64) {
	st.eachInPlace(all, func(n *nodes.Node, b *nodes.Binding, k *predict.Item, e *donburi.Entry, at unsafe.Pointer) {
		if len(k.Plain) == 0 { // else an earlier frame has kept them
			k.Plain = drawnFields(b, st.Tagged(b.Comp, e, at), k.Plain)
		}
		st.Draw(n, b.Entity, b.Comp.Type, at, t, drawn, now)
		st.setDrawn(b, e, at, k.Plain, false)
	})
}

// Unpaint puts back what Paint has written over.
func (st *States) Unpaint(all []*nodes.Node) {
	st.eachInPlace(all, func(_ *nodes.Node, b *nodes.Binding, k *predict.Item, e *donburi.Entry, at unsafe.Pointer) {
		st.setDrawn(b, e, at, k.Plain, true)
		k.Plain = k.Plain[:0]
	})
}

func (st *States) eachInPlace(all []*nodes.Node, fn func(n *nodes.Node, b *nodes.Binding, k *predict.Item, e *donburi.Entry, at unsafe.Pointer)) {
	for _, n := range all {
		for ord := range n.Items {
			b := &n.Items[ord]
			if b.Comp == nil || !b.Comp.Drawn.InPlace || n.Predicted == nil || st.Nodes.Of(n.Entity) != n {
				continue
			}
			if e, at := st.Component(b); at != nil {
				fn(n, b, n.Predicted.Item(ord, b.Comp.Item), e, at)
			}
		}
	}
}

// setDrawn sets the drawn fields of a component that are in place, or those that are not.
func (st *States) setDrawn(b *nodes.Binding, e *donburi.Entry, at unsafe.Pointer, to []float64, inPlace bool) {
	w := st.Tagged(b.Comp, e, at)
	for j := range to {
		if f := &b.Comp.Drawn.Fields[j]; f.InPlace() == inPlace {
			f.Set(w, to[j])
		}
	}
	if b.Comp.StandIn != nil {
		b.Comp.StandIn.Set(e, at, w)
	}
}
