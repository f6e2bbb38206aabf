// Package replay keeps and compares the states of predicted nodes, and draws between them.
package replay

import (
	"math"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/schema"
)

// mostTries bounds how often what rests beside the server is set right in vain: after 1, 4, 16, 64 and 256 s.
const mostTries = 4

// States works on the states of predicted nodes.
type States struct {
	*nodes.Base
	Nodes  *nodes.Table
	Screen *track.Screen
	Report func(*nodes.Node)                 // that the server has decided otherwise than predicted
	Start  func(*nodes.Node, *nodes.Binding) // drawing in place what comes from the server
	Refer  func(n *nodes.Node, ord int)      // noting what an item refers to, of the state that its component is derived from
	All    func() []*nodes.Node              // what is predicted

	due

	words, mine  []int32 // scratch
	half, whole  []int32
	vars, theirs []any
	before       []float64
	was, is      []float64
	first        bool         // what is sent once counts, too
	part         *schema.Part // nothing of another part is compared; nil: all parts are
	rests        bool         // Differs has found what is at rest a step beside the server's

	saved rpl.Tick                  // the newest tick whose states are kept
	still map[*rpl.ItemType][]still // debug mode: by prop
}

// Save keeps a node's state after a tick.
func (st *States) Save(n *nodes.Node, t rpl.Tick) {
	if n.Predicted.Gone {
		return
	}
	for ord := range n.Items {
		b := &n.Items[ord]
		if _, at := st.Component(b); at != nil {
			keep(b.Comp, n.Predicted.Item(ord, b.Comp.Item), at, t)
		} else if ord < len(n.Predicted.Items) {
			n.Predicted.Items[ord].Lack(t)
		}
	}
	st.saveExtras(n, t)
}

// keep keeps an item's component at a place as it is after a tick.
func keep(c *nodes.Component, k *predict.Item, at unsafe.Pointer, t rpl.Tick) {
	s := &k.Ring[t%predict.Ticks]
	if *s == nil {
		*s = c.Fresh()
	}
	c.Keep(*s, at)
	k.Ticks[t%predict.Ticks] = t
}

// Known reports whether what is here of a node is its state as of the newest packet: whether
// the server has told of it, and knows that it has. Of a transient node the server tells
// nothing after its arrival.
func Known(n *nodes.Node) bool {
	return n.Replica != nil && n.Replica.Known() && !n.Data.Transient
}

// Differs returns the first field in which a kept state is not the server's, of what the server
// tells this client of it.
func (st *States) Differs(n *nodes.Node, ord int, b *nodes.Binding, e *donburi.Entry, kept unsafe.Pointer, t rpl.Tick) (field string, size float64) {
	it := b.Comp.Item
	st.words, st.theirs = n.Replica.WordsAt(ord, t, st.words[:0]), n.Replica.Vars(ord, st.theirs[:0])
	if len(st.words) != len(it.Words) || len(st.theirs) != len(it.Vars) {
		return "", 0
	}
	st.mine = slices.Grow(st.mine[:0], len(it.Words))[:len(it.Words)]
	w := st.Tagged(b.Comp, e, kept)
	k := n.Predicted.Item(ord, it)
	for len(k.Vars) < len(it.Vars) {
		k.Vars = append(k.Vars, nil)
	}
	st.vars = k.Vars // what is there is compared with it, and need not be made anew
	it.Layout.Extract(w, st.mine, st.vars, st.Nodes)
	if it.HasRefs {
		st.resolve(n, ord, b)
	}
	near := false // one is within its rounding or its tolerance alone
	st.rests = false
	for i := range st.mine {
		if st.mine[i] == st.words[i] {
			continue
		}
		p := &it.Props[it.Words[i].Prop]
		spare := int64(1)
		if n.Predicted.Born != 0 { // it began from what may itself have been a step beside
			spare = 2
		}
		d := schema.Apart(p, &it.Words[i], st.mine[i], st.words[i], spare)
		if tol := int64(it.Words[i].Tol); d != 0 && tol > 0 && schema.Apart(p, &it.Words[i], st.mine[i], st.words[i], spare+tol) == 0 {
			d = 0
		}
		if near = near || d == 0; d != 0 && st.sends(n, ord, p) {
			return p.Name, d
		}
	}
	for i := range it.Vars {
		if p := &it.Props[it.Vars[i].Prop]; !it.Vars[i].Type.Near(st.vars[i], st.theirs[i]) && st.sends(n, ord, p) {
			return p.Name, 1
		}
	}
	if near && !n.Replica.IsMoving(ord) {
		return st.beside(n, ord, b, e, t)
	}
	if !near && t > k.Rested {
		k.Tries = 0 // it has helped to set it right
	}
	return "", 0
}

// beside is Differs for what is within its rounding or its tolerance of what the server has said to stand still: where it
// has been at rest here for a second, too, it is there, exactly (store/tolerance.go). Within the rounding that is no
// correction, but st.rests is set: a step is not seen, but a plate that asks who stands on it is pressed for one machine
// alone, for as long as nobody moves.
func (st *States) beside(n *nodes.Node, ord int, b *nodes.Binding, e *donburi.Entry, t rpl.Tick) (field string, size float64) {
	it, k, second := b.Comp.Item, n.Predicted.Item(ord, b.Comp.Item), rpl.Tick(st.Steps)
	half, whole := k.At(t-min(second/2, t)), k.At(t-min(second, t))
	if !slices.Equal(k.Beside, st.words) {
		k.Tries = 0
	}
	// Where it comes to rest here again no correction helps, unless what it leans on has been set right meanwhile.
	if half == nil || whole == nil || k.Rested != t && k.Tries > 0 && t <= k.Rested+second<<(2*min(k.Tries, mostTries)) {
		return "", 0
	}
	words := func(kept unsafe.Pointer, dst []int32) []int32 {
		dst = slices.Grow(dst[:0], len(it.Words))[:len(it.Words)]
		it.Layout.Extract(st.Tagged(b.Comp, e, kept), dst, st.vars, st.Nodes)
		return dst
	}
	st.half, st.whole = words(half, st.half), words(whole, st.whole)
	for i := range st.mine {
		p := &it.Props[it.Words[i].Prop]
		if st.half[i] != st.mine[i] || st.whole[i] != st.mine[i] || st.mine[i] == st.words[i] || !st.sends(n, ord, p) {
			continue
		}
		d := schema.Apart(p, &it.Words[i], st.mine[i], st.words[i], 1)
		if d != 0 && it.Words[i].Tol > 0 {
			st.setRight(k, t)
			return p.Name, d
		}
		st.rests = st.rests || d == 0 && st.part == nil && (k.Rested == t || t > k.Rested+second)
	}
	if st.rests {
		st.setRight(k, t)
	}
	return "", 0
}

// setRight notes that an item is set to the server's words.
func (st *States) setRight(k *predict.Item, t rpl.Tick) {
	if k.Rested != t {
		k.Tries = min(k.Tries+1, mostTries)
	}
	k.Beside, k.Rested = append(k.Beside[:0], st.words...), t
}

// resolve has the server's state, in st.words and st.theirs, refer to what is here: a reference to a
// node that this client does not have is null here, and no misprediction.
func (st *States) resolve(n *nodes.Node, ord int, b *nodes.Binding) {
	k := n.Predicted.Item(ord, b.Comp.Item)
	if k.Theirs == nil {
		if k.Theirs = b.Comp.Fresh(); b.Comp.StandIn != nil {
			k.Theirs = b.Comp.StandIn.Make()
		}
	}
	it := b.Comp.Item
	it.Layout.Inject(k.Theirs, st.words, st.theirs, nil, st.Nodes)
	it.Layout.Extract(k.Theirs, st.words, st.theirs, st.Nodes)
}

// Repoint has references changed by fn in what is kept of an item, so that nodes which come and go do
// not look like mispredictions.
func (st *States) Repoint(n *nodes.Node, ord int, b *nodes.Binding, e *donburi.Entry, fn func(w unsafe.Pointer)) {
	if n.Predicted == nil {
		return
	}
	for _, kept := range n.Predicted.Item(ord, b.Comp.Item).Ring {
		if kept != nil {
			w := st.Tagged(b.Comp, e, kept)
			if fn(w); b.Comp.StandIn != nil {
				b.Comp.StandIn.Set(e, kept, w)
			}
		}
	}
}

// sends reports whether the server sends this client a prop, with st.words as the server's.
func (st *States) sends(n *nodes.Node, ord int, p *schema.Prop) bool {
	return (!p.Once || st.first) && (st.part == nil || p.Audience == st.part.Audience) && (p.If < 0 || st.words[p.If] != 0) && n.Replica.Has(ord, p.Audience)
}

// Foreign appends to dst those that are predicted and are not this player's.
func (st *States) Foreign(all []*nodes.Node, dst []rpl.Node) []rpl.Node {
	for _, n := range all {
		if n.Owner != st.Me && n.ID != 0 {
			dst = append(dst, n.ID)
		}
	}
	return dst
}

// EachDrawn goes through the items of what is predicted that have drawn fields.
func (st *States) EachDrawn(all []*nodes.Node, fn func(p *predict.Node, k *predict.Item, drawn *track.Fields, at unsafe.Pointer)) {
	for _, n := range all {
		for ord := range n.Items {
			b := &n.Items[ord]
			if b.Comp == nil || len(b.Comp.Drawn.Fields) == 0 {
				continue
			}
			if e, at := st.Component(b); at != nil {
				fn(n.Predicted, n.Predicted.Item(ord, b.Comp.Item), &b.Comp.Drawn, st.Tagged(b.Comp, e, at))
			}
		}
		for _, x := range n.Predicted.Extras {
			b := st.extra(x)
			if e, at := st.Component(&b); at != nil && len(b.Comp.Drawn.Fields) > 0 {
				fn(n.Predicted, &x.Item, &b.Comp.Drawn, st.Tagged(b.Comp, e, at))
			}
		}
	}
}

// drawnFields appends the drawn fields of an item to dst.
func drawnFields(b *nodes.Binding, at unsafe.Pointer, dst []float64) []float64 {
	for j := range b.Comp.Drawn.Fields {
		dst = append(dst, b.Comp.Drawn.Fields[j].Get(at))
	}
	return dst
}

// Draw changes a copy of a predicted component to what is drawn in this frame: at a place drawn,
// in ticks, up to two before the newest tick t, and with the error of the last correction that is
// still drawn away.
func (st *States) Draw(n *nodes.Node, e donburi.Entity, c donburi.IComponentType, p unsafe.Pointer, t rpl.Tick, drawn, now float64) {
	for ord := range n.Items {
		if b := &n.Items[ord]; b.Comp != nil && b.Entity == e && b.Comp.Type == c && ord < len(n.Predicted.Items) {
			st.drawItem(n, b, n.Predicted.Item(ord, b.Comp.Item), p, t, drawn, now)
		}
	}
	for _, x := range n.Predicted.Extras {
		if b := st.extra(x); b.Entity == e && b.Comp.Type == c {
			st.drawItem(n, &b, &x.Item, p, t, drawn, now)
		}
	}
}

// drawItem is Draw for an item.
func (st *States) drawItem(n *nodes.Node, b *nodes.Binding, k *predict.Item, p unsafe.Pointer, t rpl.Tick, drawn, now float64) {
	next := min(rpl.Tick(math.Ceil(drawn)), t)
	share := drawn - float64(next) + 1
	st.before, st.was, st.is = st.before[:0], st.was[:0], st.is[:0]
	at := st.World.Entry(b.Entity)
	if to := k.At(next); to != nil && drawn < float64(t) && !hasMoved(n) {
		if next < t {
			st.is = drawnFields(b, st.Tagged(b.Comp, at, to), st.is)
		}
		if from := k.At(next - 1); from != nil && !n.Predicted.LeapsIn(next) {
			st.was = drawnFields(b, st.Tagged(b.Comp, at, from), st.was)
			if before := k.At(next - 2); before != nil && !n.Predicted.LeapsIn(next-1) {
				st.before = drawnFields(b, st.Tagged(b.Comp, at, before), st.before)
			}
		}
	}
	w := st.Tagged(b.Comp, at, p)
	fade := track.Fade(now - n.Predicted.At)
	for i, end := range b.Comp.Drawn.Props {
		for j := i; j < end; j++ {
			f := &b.Comp.Drawn.Fields[j]
			switch {
			case j < len(st.is):
			case j < len(k.Plain) && f.InPlace():
				st.is = append(st.is, k.Plain[j])
			default:
				st.is = append(st.is, f.Get(w))
			}
		}
		moves := len(st.was) > 0 && !b.Comp.Drawn.Leaps(i, end, st.before, st.was, st.is)
		for j := i; j < end; j++ {
			f, v := &b.Comp.Drawn.Fields[j], st.is[j]
			if moves {
				v = f.Between(st.was[j], v, share)
			}
			if j < len(k.Off) && fade > 0 {
				v = f.Plus(v, k.Off[j]*fade)
			}
			f.Set(w, v)
		}
	}
	if b.Comp.StandIn != nil {
		b.Comp.StandIn.Set(at, p, w)
	}
}
