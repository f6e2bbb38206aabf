package rpl

import "unsafe"

// What nobody sees is not computed: of a node that no peer holds only its place
// is read, for the grid.

// SetLazy is Set for a component that stays where it is until the next Stream
// has run: while no peer holds the node, only its place is read, and the rest
// should Stream find a peer for it.
func (a *Authority) SetLazy(it Item, component unsafe.Pointer) {
	m := &a.items[it]
	n := &a.nodes[m.node]
	if len(n.holders) > 0 || m.fresh {
		a.Set(it, component)
		return
	}
	m.lazy, m.lazyTick = component, a.tick
	if n.posItem == int16(m.ord) {
		pl := &a.places[m.t.Index]
		if !pl.ok {
			a.Set(it, component)
			return
		}
		if x, y := pl.read(component); x != n.x || y != n.y {
			a.moved(m.node, x, y)
		}
	}
}

// catchUp extracts what was left while nobody held a node.
func (a *Authority) catchUp(n *node) {
	if len(n.holders) > 0 {
		return
	}
	for _, it := range n.items {
		if it == noItem {
			continue
		}
		if m := &a.items[it]; m.lazy != nil {
			if m.lazyTick == a.tick {
				a.Set(it, m.lazy)
			}
			m.lazy = nil
		}
	}
}

// place reads where a component says that its node is, as the stream sees it:
// quantised.
type place struct {
	x, y uintptr
	q    quantiser
	step float64
	f32  bool
	ok   bool
}

func newPlace(t *ItemType) place {
	if t.Pos[0] < 0 {
		return place{}
	}
	for i := range t.lay.plan {
		o := &t.lay.plan[i]
		if o.kind != opFloat64 && o.kind != opFloat32 || t.Pos[0] < int(o.word) || t.Pos[1] >= int(o.end) {
			continue
		}
		size := uintptr(8)
		if o.kind == opFloat32 {
			size = 4
		}
		x := o.off + size*uintptr(t.Pos[0]-int(o.word))
		y := o.off + size*uintptr(t.Pos[1]-int(o.word))
		return place{x: x, y: y, q: o.quant, step: t.PosStep, f32: size == 4, ok: true}
	}
	return place{}
}

func (pl *place) read(p unsafe.Pointer) (x, y float64) {
	if pl.f32 {
		x, y = float64(*(*float32)(unsafe.Add(p, pl.x))), float64(*(*float32)(unsafe.Add(p, pl.y)))
	} else {
		x, y = *(*float64)(unsafe.Add(p, pl.x)), *(*float64)(unsafe.Add(p, pl.y))
	}
	return float64(pl.q.word(x)) * pl.step, float64(pl.q.word(y)) * pl.step
}
