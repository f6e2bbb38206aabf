package replay

// sets: which components a predicted node has. What a rule adds or removes is predicted as what it writes is: kept
// after each tick, compared, and set back. What is there by no rule and is no item of the server is left alone.

import (
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/rpl"
)

// look looks what is on the entities of predicted nodes and is no item: before rules run, and after. Where nothing has
// come or gone that is a comparison for each.
func (st *States) look(rules bool) {
	for _, n := range st.All() {
		if p := n.Predicted; p != nil && st.Nodes.Of(n.Entity) == n {
			first := !p.HasLooks()
			if st.differs(n) {
				st.lookAt(n, rules || first && p.Born > 0) // a rule has made all of it
			}
		}
	}
}

// differs reports whether any entity of a node has got or lost a component since this was asked last.
func (st *States) differs(n *nodes.Node) (differs bool) {
	parts := n.Parts()
	for i := range len(parts) + 1 {
		ent := n.Entity
		if i > 0 {
			ent = parts[i-1]
		}
		var at unsafe.Pointer
		if st.World.Valid(ent) {
			at = unsafe.Pointer(st.World.Entry(ent).Archetype())
		}
		differs = n.Predicted.Looks(i, at) || differs
	}
	return n.Predicted.End(len(parts)+1) || differs
}

func (st *States) lookAt(n *nodes.Node, rules bool) {
	p := n.Predicted
	if !rules {
		p.NoLocal()
	}
	for _, ent := range n.Entities() {
		if !st.World.Valid(ent) {
			continue
		}
		for _, typ := range st.World.Entry(ent).Archetype().ComponentTypes() {
			c := st.Kinds.Of(typ)
			if c == nil || n.Binding(c, ent) != nil || p.IsExtra(c.Item, uint64(ent)) {
				continue
			}
			switch {
			case !rules:
				p.Local(c.Item, uint64(ent))
			case !p.IsLocal(c.Item, uint64(ent)):
				p.Add(c.Item, uint64(ent))
			}
		}
	}
}

// extra is an extra as an item.
func (st *States) extra(x *predict.Extra) nodes.Binding {
	return nodes.Binding{Comp: st.Kinds.ByItem[x.Of()], Entity: donburi.Entity(x.Entity)}
}

// saveExtras keeps the extras as they are after a tick.
func (st *States) saveExtras(n *nodes.Node, t rpl.Tick) {
	p := n.Predicted
	for _, x := range p.Extras {
		b := st.extra(x)
		if _, at := st.Component(&b); at != nil {
			x.Has(t)
			keep(b.Comp, &x.Item, at, t)
		} else {
			x.Lack(t)
		}
	}
	if p.Keeps(t); len(p.Extras) > 0 {
		p.Prune(t)
	}
}

// holder returns the entity of an item, nil if there is none: whether it has the component or not.
func (st *States) holder(b *nodes.Binding) *donburi.Entry {
	if b.Comp == nil || !st.World.Valid(b.Entity) {
		return nil
	}
	return st.World.Entry(b.Entity)
}

// fit gives a node the components that it had after tick t, as far as that is known, or that it has by the server.
func (st *States) fit(n *nodes.Node, t rpl.Tick, server bool) {
	p := n.Predicted
	for ord := range n.Items {
		b := &n.Items[ord]
		if e := st.holder(b); e != nil {
			k := p.Item(ord, b.Comp.Item)
			had, known := p.Had(k, t)
			st.put(e, b.Comp, k, t, server || had, server || known)
		}
	}
	for _, x := range p.Extras {
		b := st.extra(x)
		if e := st.holder(&b); e != nil {
			had, known := p.Had(&x.Item, t)
			st.put(e, b.Comp, &x.Item, t, had && !server, known || server)
		}
	}
}

// put has an entity have a component or not. What comes again has what does not travel as it was last.
func (st *States) put(e *donburi.Entry, c *nodes.Component, k *predict.Item, t rpl.Tick, is, known bool) {
	switch has := e.HasComponent(c.Type); {
	case !known, is == has:
	case has:
		donburix.Drop(e, c.Type)
	default:
		donburix.Add(e, c.Type)
		if last := k.Last(t); last != nil {
			c.PutBack(e.Component(c.Type), last)
		}
	}
}

// Fit gives a predicted node the components that it has by the server.
func (st *States) Fit(n *nodes.Node) {
	if n.Predicted != nil && !n.Data.Transient {
		st.fit(n, st.saved, true)
	}
}

// putExtras sets the extras that were there after a tick back to what they were.
func (st *States) putExtras(n *nodes.Node, t rpl.Tick) {
	for _, x := range n.Predicted.Extras {
		b := st.extra(x)
		if _, at := st.Component(&b); at != nil && x.At(t) != nil {
			b.Comp.PutBack(at, x.At(t))
		}
	}
}

// Give gives an entity of a node the component of an item that the server has given it. Where that was predicted
// for its tick, what rules have done since stays.
func (st *States) Give(n *nodes.Node, ord int, c *nodes.Component, ent donburi.Entity) {
	if p := n.Predicted; p != nil {
		if p.Adopt(ord, c.Item, uint64(ent)) {
			p.Items[ord].Has = has(n, ord, c.Item)
		}
		if sent := n.Replica.Tick(ord); sent > 0 && p.Item(ord, c.Item).At(sent) != nil {
			return
		}
		p.Refit = true
	}
	donburix.Add(st.World.Entry(ent), c.Type)
}

// Take takes the component of an item away that the server has taken away; see Give.
func (st *States) Take(n *nodes.Node, ord int) {
	b := &n.Items[ord]
	e, at := st.Component(b)
	if p := n.Predicted; p != nil && b.Comp != nil {
		had, known := p.Had(p.Item(ord, b.Comp.Item), st.Proxy.Newest())
		if known && !had { // whether it is there now or not: in ticks since it may have been
			p.Expel(ord, uint64(b.Entity))
			return
		}
		p.Items[ord], p.Refit = predict.Item{}, p.Refit || had || !known
	}
	if at != nil {
		donburix.Drop(e, b.Comp.Type)
	}
}

// lacks reports whether a node lacks a component here by which, perhaps, a command moves it, and of which the server
// is still to tell whether it has gone.
func (st *States) lacks(n *nodes.Node) bool {
	if n.Replica == nil || n.Data.Transient || n.Waits || n.Leaving || n.Owner != st.Me && !n.Asked {
		return false
	}
	for ord := range n.Items {
		if e := st.holder(&n.Items[ord]); e != nil && !e.HasComponent(n.Items[ord].Comp.Type) {
			return true
		}
	}
	return false
}

// noteAbsent has what is not there now be drawn from nowhere when it comes.
func (st *States) noteAbsent(n *nodes.Node) {
	p := n.Predicted
	absent := func(b *nodes.Binding, k *predict.Item) {
		if k.Was, k.Apart = k.Was[:0], k.Apart[:0]; len(k.Off) > 0 {
			if _, at := st.Component(b); at == nil {
				k.Off = k.Off[:0]
			}
		}
	}
	for ord := range min(len(n.Items), len(p.Items)) {
		absent(&n.Items[ord], &p.Items[ord])
	}
	for _, x := range p.Extras {
		b := st.extra(x)
		absent(&b, &x.Item)
	}
}

// judgeSet is Judge for what rules have added of which the server tells nothing.
func (st *States) judgeSet(n *nodes.Node, t rpl.Tick) (d Difference, wrong bool) {
	for _, x := range n.Predicted.Extras {
		b := st.extra(x)
		if e := st.holder(&b); e != nil && x.At(t) != nil {
			return Difference{e, b.Comp.Name, 1}, true
		}
	}
	return d, false
}
