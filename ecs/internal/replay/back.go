package replay

// back: how predicted nodes go back to the server's state, and how what a correction has moved is
// drawn away.

import (
	"math"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// SaveAll keeps the states after a tick.
func (st *States) SaveAll(all []*nodes.Node, t rpl.Tick) {
	for _, n := range all {
		if st.Nodes.Of(n.Entity) == n {
			st.Save(n, t)
		}
	}
}

// inject writes the server's state of an item into its component.
func (st *States) inject(n *nodes.Node, ord int) {
	b := &n.Items[ord]
	e, at := st.Component(b)
	if at == nil {
		return
	}
	w := st.Tagged(b.Comp, e, at)
	if st.Proxy.Inject(n.Replica, ord, b.Comp.Item, w) && b.Comp.StandIn != nil {
		b.Comp.StandIn.Set(e, at, w)
	}
}

// Release gives a node that is not predicted any more back to what comes from the server.
func (st *States) Release(n *nodes.Node) {
	if st.Proxy == nil || n.Leaving || n.Replica == nil || n.Data.Transient || st.Nodes.Of(n.Entity) != n {
		return
	}
	for ord := range n.Items {
		st.inject(n, ord)
		if k := n.Items[ord].Track; k != nil {
			st.words = n.Replica.Words(ord, st.words[:0])
			k.Restart(st.Proxy.Newest(), st.words)
		}
	}
}

// Back sets predicted nodes back to the server's state of tick t, and notes what was drawn.
func (st *States) Back(all []*nodes.Node, t rpl.Tick) {
	st.EachDrawn(all, func(_ *predict.Node, k *predict.Item, f *track.Field, at unsafe.Pointer, j int) {
		k.Was = append(k.Was[:j], f.Get(at))
	})
	for _, n := range all {
		n.Predicted.Wakes.Back(t)
		if n.Replica == nil && n.Predicted.Born > t { // its command makes it again
			n.Predicted.Gone = true
			continue
		}
		for ord := range n.Items {
			st.copy(n, ord, t) // what does not travel goes back too
			if Known(n) {
				st.inject(n, ord)
			}
		}
		st.Save(n, t)
	}
}

// Again sets predicted nodes back to what they were here after a tick, and reports whether all of
// that is kept.
func (st *States) Again(all []*nodes.Node, t rpl.Tick) bool {
	for _, n := range all {
		for ord := range n.Items {
			if _, at := st.Component(&n.Items[ord]); at != nil && n.Predicted.Item(ord).Ticks[t%predict.Ticks] != t {
				return false
			}
		}
	}
	for _, n := range all {
		n.Predicted.Wakes.Back(t)
		for ord := range n.Items {
			st.copy(n, ord, t)
		}
	}
	return true
}

// copy copies the state of an item that was kept after a tick back into its component.
func (st *States) copy(n *nodes.Node, ord int, t rpl.Tick) {
	b := &n.Items[ord]
	if _, at := st.Component(b); at != nil {
		if k := n.Predicted.Item(ord); k.Ticks[t%predict.Ticks] == t {
			b.Comp.Copy(at, k.Ring[t%predict.Ticks])
		}
	}
}

// Moved takes what the ticks since Back have moved into what is drawn away from now on.
func (st *States) Moved(all []*nodes.Node, now float64) {
	st.EachDrawn(all, func(p *predict.Node, k *predict.Item, f *track.Field, at unsafe.Pointer, j int) {
		if j >= len(k.Was) { // it was not there before
			return
		}
		for len(k.Off) <= j {
			k.Off = append(k.Off, 0)
		}
		off := f.Way(f.Get(at), k.Was[j])
		if off += k.Off[j] * track.Fade(now-p.At); math.IsNaN(off) || f.Leaps(0, off) || f.Steps() { // a teleport, or a value that was absent
			off = 0
		}
		k.Off[j] = off
	})
	for _, n := range all {
		if n.Predicted.At = now; n.Replica != nil && n.Replica.Leapt > n.Predicted.Leapt { // no error of a leap is drawn away
			n.Predicted.Leapt = n.Replica.Leapt
			for i := range n.Predicted.Items {
				clear(n.Predicted.Items[i].Off)
			}
		}
	}
}

// A Difference is the first in which the server's state is not what was predicted.
type Difference struct {
	Entry *donburi.Entry
	Field string // "component.Field"
	Size  float64
}

// Judge compares the server's state of tick t with what was predicted for it. fresh is whether
// something has come that must be brought up to this machine's tick.
func (st *States) Judge(all []*nodes.Node, t rpl.Tick) (d Difference, wrong, fresh bool) {
	for _, n := range all {
		if !Known(n) {
			continue
		}
		met := n.Predicted.Met
		n.Predicted.Met = true
		for ord := range n.Items {
			b := &n.Items[ord]
			e, at := st.Component(b)
			if at == nil {
				continue
			}
			k := n.Predicted.Item(ord)
			if k.Ticks[t%predict.Ticks] != t || !met {
				fresh = true
				continue
			}
			if field, size := st.Differs(n, ord, b, e, k.Ring[t%predict.Ticks], t); field != "" && !wrong {
				wrong, d = true, Difference{e, b.Comp.Name + "." + field, size}
			}
		}
	}
	return d, wrong, fresh
}

// Keep drops those from what is predicted that are not any more, or have gone: of another round.
func (st *States) Keep(all []*nodes.Node, round uint64) []*nodes.Node {
	kept := all[:0]
	for _, n := range all {
		if n.Predicted.Round == round && st.Nodes.Of(n.Entity) == n {
			kept = append(kept, n)
		} else {
			n.Predicted = nil
			st.Release(n)
		}
	}
	clear(all[len(kept):])
	return kept
}
