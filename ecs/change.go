package ecs

// Changes, on the authority and on proxies alike: which fields tagged `notify` differ
// from what OnChange saw last, and the old value that OnChange is given.

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
)

// A watch remembers an item as OnChange last saw it.
type watch struct {
	words []int32
	vars  []any
	old   unsafe.Pointer // a copy of the component, the next call's old, except for what a copy shares
	seen  sightings      // the entities that the references in words and vars meant
	due   bool           // a call waits
}

// startWatch begins to watch an item, if OnChange is set for its component: from the
// component's present value on, or from its default, so that OnChange reports what it has
// by now. A proxy's item is watched before its state is loaded, to the same
// effect.
func (nt *notifier) startWatch(b *binding, fromDefault bool) {
	if b.watch != nil || b.comp == nil || len(b.comp.notify) == 0 || len(nt.hooks.change[b.comp.order]) == 0 {
		return
	}
	e, p := nt.component(b)
	if p == nil {
		return
	}
	if fromDefault {
		p = b.comp.c.New()
	}
	t := b.comp.item
	b.watch = &watch{words: make([]int32, len(t.Words)), vars: make([]any, len(t.Vars)), old: b.comp.c.New(), seen: sightings{Refs: nt.nodes}}
	nt.sight(b, e, p, b.watch.words, b.watch.vars)
	b.watch.seen.of = append(b.watch.seen.of, nt.seen.of...)
	b.comp.copy(b.watch.old, p)
}

// sight extracts an item, and records in nt.seen the entities that it refers to, if they
// are needed later.
func (nt *notifier) sight(b *binding, e *donburi.Entry, p unsafe.Pointer, words []int32, vars []any) {
	var refs rpl.Refs = nt.nodes
	nt.seen.of = nt.seen.of[:0]
	if b.comp.copyShares() && b.comp.item.HasRefs {
		nt.seen.Refs, refs = refs, &nt.seen
	}
	b.comp.item.Extract(nt.tagged(b.comp, e, p), words, vars, refs)
}

// look compares an item with its watch, and queues a call of OnChange if a field tagged
// `notify` differs.
func (nt *notifier) look(n *node, b *binding) {
	w := b.watch
	if w == nil || w.due {
		return
	}
	e, p := nt.component(b)
	if p == nil {
		return
	}
	if w.due = nt.hasNews(b, e, p); w.due {
		nt.tell(event{node: n, comp: b.comp, entity: b.entity})
		clear(nt.vars)
		return
	}
	nt.remember(w, b, p)
}

// changed returns the item's component as OnChange saw it last. It returns nil if nothing
// differs any more or the component has gone, since other callbacks have run since look.
// From now on OnChange has seen the present value.
func (nt *notifier) changed(n *node, c *component, ent donburi.Entity) (old unsafe.Pointer) {
	b := n.binding(c, ent)
	if b == nil || b.watch == nil {
		return nil
	}
	w := b.watch
	w.due = false
	e, p := nt.component(b)
	if p == nil {
		return nil
	}
	if nt.hasNews(b, e, p) {
		old = nt.before(w, b, e, p)
	}
	nt.remember(w, b, p)
	return old
}

// before returns a component as OnChange saw it last. A copy shares with its component
// what stands behind pointers, in lists and in maps, which games change in place; so the
// replicated part of it is built again from the watch.
func (nt *notifier) before(w *watch, b *binding, e *donburi.Entry, p unsafe.Pointer) unsafe.Pointer {
	c := b.comp
	old := nt.olds[c.order]
	if nt.olds[c.order] = nil; old == nil {
		old = c.c.New()
	}
	c.copy(old, w.old)
	if !c.copyShares() {
		return old
	}
	w.seen.sort()
	if c.standIn == nil {
		c.unshare(old, w.vars, &w.seen)
		return old
	}
	wire := c.standIn.make()
	c.item.Inject(wire, w.words, w.vars, &w.seen)
	c.standIn.set(e, old, wire)
	nt.unharmed(b, e, p)
	return old
}

// unharmed repairs a component that its stand-in's set has changed while it wrote to the
// old copy.
func (nt *notifier) unharmed(b *binding, e *donburi.Entry, p unsafe.Pointer) {
	c, t := b.comp, b.comp.item
	was, now := nt.scratch(c), c.standIn.make() // was holds what hasNews has read
	c.standIn.get(e, p, now)
	words, vars := make([]int32, len(t.Words)), make([]any, len(t.Vars))
	copy(vars, nt.vars)
	t.Extract(now, words, vars, nt.nodes)
	same := slices.Equal(words, nt.words[:len(words)])
	for k := range vars {
		same = same && t.Vars[k].Type.Equal(vars[k], nt.vars[k])
	}
	if same {
		return
	}
	c.unshare(was, nt.vars, nt.nodes)
	c.standIn.set(e, p, was)
	nt.faults.Refuse("set not pure", fmt.Errorf("component %s: its set changes what stands behind a pointer or in a map, which old of OnChange shares then: "+
		"have it put something new there", c.name))
}

// copyShares reports whether a copy of the component shares some of what is replicated.
func (c *component) copyShares() bool {
	if c.standIn == nil {
		return len(c.item.Vars) > 0
	}
	return c.standIn.shares
}

// unshare overwrites the values of variable length that a copy shares with its original.
func (c *component) unshare(p unsafe.Pointer, vars []any, refs rpl.Refs) {
	for k := range c.item.Vars {
		v := &c.item.Vars[k]
		v.Type.Clear(unsafe.Add(p, v.Offset))
		v.Type.Inject(unsafe.Add(p, v.Offset), vars[k], refs)
	}
}

// hasNews extracts an item, and reports whether a field tagged `notify` differs from the
// watch.
func (nt *notifier) hasNews(b *binding, e *donburi.Entry, p unsafe.Pointer) (yes bool) {
	w, t := b.watch, b.comp.item
	words, vars := sized(&nt.words, len(t.Words)), sized(&nt.vars, len(t.Vars))
	copy(vars, w.vars)
	nt.sight(b, e, p, words, vars)
	for _, i := range b.comp.notify {
		prop := &t.Props[i]
		for k := prop.Words[0]; k < prop.Words[1]; k++ {
			yes = yes || words[k] != w.words[k]
		}
		for k := prop.Vars[0]; k < prop.Vars[1]; k++ {
			yes = yes || !t.Vars[k].Type.Equal(vars[k], w.vars[k])
		}
	}
	return yes
}

// remember stores what hasNews has extracted.
func (nt *notifier) remember(w *watch, b *binding, p unsafe.Pointer) {
	copy(w.words, nt.words[:len(w.words)])
	copy(w.vars, nt.vars[:len(w.vars)])
	w.seen.of = append(w.seen.of[:0], nt.seen.of...)
	b.comp.copy(w.old, p)
	clear(nt.vars)
}

func sized[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	return (*s)[:n]
}
