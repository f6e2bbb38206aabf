package callbacks

// change: which fields tagged `notify` differ from what OnChange saw last, on the authority
// and on proxies alike, and the old value that OnChange is given.

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// StartComparing begins to watch an item, if OnChange is set for its component: from the
// component's present value on, or from its default, so that OnChange reports what it has
// by now. A proxy's item is watched before its state is loaded, to the same
// effect. from, if it is not nil, is another value to begin with.
func (q *Queue) StartComparing(b *nodes.Binding, fromDefault bool, from unsafe.Pointer) {
	if b.Reported != nil || b.Comp == nil || len(b.Comp.Notify) == 0 || len(q.Change[b.Comp.Order]) == 0 {
		return
	}
	e, p := q.Component(b)
	if p == nil {
		return
	}
	if fromDefault {
		p = b.Comp.Type.New()
	}
	if from != nil {
		p = from
	}
	t := b.Comp.Item
	b.Reported = &nodes.Reported{Words: make([]int32, len(t.Words)), Vars: make([]any, len(t.Vars)), Old: b.Comp.Type.New(), Seen: nodes.Sightings{Refs: nodes.Held{Table: q.nodes}}}
	q.sight(b, e, p, b.Reported.Words, b.Reported.Vars)
	b.Reported.Seen.Of = append(b.Reported.Seen.Of, q.seen.Of...)
	b.Comp.Copy(b.Reported.Old, p)
}

// sight extracts an item, and records in q.seen the entities that it refers to, if they
// are needed later.
func (q *Queue) sight(b *nodes.Binding, e *donburi.Entry, p unsafe.Pointer, words []int32, vars []any) {
	var refs rpl.Refs = nodes.Held{Table: q.nodes}
	q.seen.Of = q.seen.Of[:0]
	if b.Comp.CopyShares() && b.Comp.Item.HasRefs {
		q.seen.Refs, refs = refs, &q.seen
	}
	b.Comp.Item.Extract(q.Tagged(b.Comp, e, p), words, vars, refs)
}

// CompareItem compares an item with what was last reported of it, and queues a call of OnChange if a field tagged
// `notify` differs.
func (q *Queue) CompareItem(n *nodes.Node, b *nodes.Binding) {
	w := b.Reported
	if w == nil || w.Due {
		return
	}
	e, p := q.Component(b)
	if p == nil {
		return
	}
	if w.Due = q.hasNews(b, e, p); w.Due {
		q.add(event{node: n, comp: b.Comp, entity: b.Entity})
		clear(q.vars)
		return
	}
	q.remember(w, b, p)
}

// Compare compares all items of a node with what was last reported of them.
func (q *Queue) Compare(n *nodes.Node) {
	for i := range n.Items {
		if b := &n.Items[i]; b.Comp != nil {
			q.CompareItem(n, b)
		}
	}
}

// changed returns the item's component as OnChange saw it last. It returns nil if nothing
// differs any more or the component has gone, since other callbacks have run since Look.
// From now on OnChange has seen the present value.
func (q *Queue) changed(n *nodes.Node, c *nodes.Component, ent donburi.Entity) (old unsafe.Pointer) {
	b := n.Binding(c, ent)
	if b == nil || b.Reported == nil {
		return nil
	}
	w := b.Reported
	w.Due = false
	e, p := q.Component(b)
	if p == nil {
		return nil
	}
	if q.hasNews(b, e, p) {
		old = q.before(w, b, e, p)
	}
	q.remember(w, b, p)
	return old
}

// before returns a component as OnChange saw it last. A copy shares with its component
// what stands behind pointers, in lists and in maps, which games change in place; so the
// replicated part of it is built again from the watch.
func (q *Queue) before(w *nodes.Reported, b *nodes.Binding, e *donburi.Entry, p unsafe.Pointer) unsafe.Pointer {
	c := b.Comp
	old := q.olds[c.Order]
	if q.olds[c.Order] = nil; old == nil {
		old = c.Type.New()
	}
	c.Copy(old, w.Old)
	if !c.CopyShares() {
		return old
	}
	w.Seen.Sort()
	if c.StandIn == nil {
		c.Unshare(old, w.Vars, &w.Seen)
		return old
	}
	wire := c.StandIn.Make()
	c.Item.Inject(wire, w.Words, w.Vars, &w.Seen)
	c.StandIn.Set(e, old, wire)
	q.unharmed(b, e, p)
	return old
}

// unharmed repairs a component that its stand-in's set has changed while it wrote to the
// old copy.
func (q *Queue) unharmed(b *nodes.Binding, e *donburi.Entry, p unsafe.Pointer) {
	c, t := b.Comp, b.Comp.Item
	was, now := q.Scratch(c), c.StandIn.Make() // was holds what hasNews has read
	c.StandIn.Get(e, p, now)
	words, vars := make([]int32, len(t.Words)), make([]any, len(t.Vars))
	copy(vars, q.vars)
	t.Extract(now, words, vars, nodes.Held{Table: q.nodes})
	same := slices.Equal(words, q.words[:len(words)])
	for k := range vars {
		same = same && t.Vars[k].Type.Equal(vars[k], q.vars[k])
	}
	if same {
		return
	}
	c.Unshare(was, q.vars, nodes.Held{Table: q.nodes})
	c.StandIn.Set(e, p, was)
	q.Faults.Refuse("set not pure", fmt.Errorf("component %s: its set changes what stands behind a pointer or in a map, which old of OnChange shares then: "+
		"have it put something new there", c.Name))
}

// hasNews extracts an item, and reports whether a field tagged `notify` differs from the
// watch.
func (q *Queue) hasNews(b *nodes.Binding, e *donburi.Entry, p unsafe.Pointer) (yes bool) {
	w, t := b.Reported, b.Comp.Item
	words, vars := sized(&q.words, len(t.Words)), sized(&q.vars, len(t.Vars))
	copy(vars, w.Vars)
	q.sight(b, e, p, words, vars)
	for _, i := range b.Comp.Notify {
		prop := &t.Props[i]
		for k := prop.Words[0]; k < prop.Words[1]; k++ {
			yes = yes || words[k] != w.Words[k]
		}
		for k := prop.Vars[0]; k < prop.Vars[1]; k++ {
			yes = yes || !t.Vars[k].Type.Equal(vars[k], w.Vars[k])
		}
	}
	return yes
}

// remember stores what hasNews has extracted.
func (q *Queue) remember(w *nodes.Reported, b *nodes.Binding, p unsafe.Pointer) {
	copy(w.Words, q.words[:len(w.Words)])
	copy(w.Vars, q.vars[:len(w.Vars)])
	w.Seen.Of = append(w.Seen.Of[:0], q.seen.Of...)
	b.Comp.Copy(w.Old, p)
	clear(q.vars)
}

func sized[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	return (*s)[:n]
}
