package ecs

// Changes: which fields tagged `notify` differ from what was last told, on the
// authority and on proxies alike, and the old value that OnChange is given.

import (
	"reflect"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
)

// A watch remembers an item as OnChange last saw it.
type watch struct {
	words []int32
	vars  []any
	old   unsafe.Pointer // a component: the value that the next call is given, but for lists and maps
	seen  sightings      // to which what stands in these referred
	due   bool           // a call waits
}

// startWatch begins to watch an item, if anybody asked, from its component's
// present value on; anew where it is to be what its component begins as, as it is on
// proxies when the item comes.
func (r *Replication) startWatch(b *binding, anew bool) {
	if b.watch != nil || b.comp == nil || len(b.comp.notify) == 0 || len(r.hooks.change[b.comp.order]) == 0 {
		return
	}
	e, p := r.component(b)
	if p == nil {
		return
	}
	if anew {
		p = b.comp.c.New()
	}
	t := b.comp.item
	b.watch = &watch{words: make([]int32, len(t.Words)), vars: make([]any, len(t.Vars)), old: b.comp.c.New(), seen: sightings{Refs: r.refs()}}
	r.sight(b, e, p, b.watch.words, b.watch.vars)
	b.watch.seen.of = append(b.watch.seen.of, r.seen.of...)
	b.comp.copy(b.watch.old, p)
}

// sight extracts an item, and notes in r.seen to what its lists and maps refer.
func (r *Replication) sight(b *binding, e *donburi.Entry, p unsafe.Pointer, words []int32, vars []any) {
	refs := r.refs()
	r.seen.of = r.seen.of[:0]
	if len(b.comp.shared) > 0 && b.comp.item.HasRefs {
		r.seen.Refs, refs = refs, &r.seen
	}
	b.comp.item.Extract(r.tagged(b.comp, e, p), words, vars, refs)
}

// look compares an item with its watch, and queues a call of OnChange when a
// field tagged `notify` differs.
func (r *Replication) look(n *node, b *binding) {
	w := b.watch
	if w == nil || w.due {
		return
	}
	e, p := r.component(b)
	if p == nil {
		return
	}
	if w.due = r.hasNews(b, e, p); w.due {
		r.tell(event{node: n, comp: b.comp, entity: b.entity})
		clear(r.vars)
		return
	}
	w.remember(r, b, p)
}

// changed is what an item was when OnChange last saw it, nil where it is as it was or
// has gone: other callbacks have run since it was looked at. From now on OnChange has
// seen it as it is.
func (r *Replication) changed(n *node, c *component, ent donburi.Entity) (old unsafe.Pointer) {
	b := n.binding(c, ent)
	if b == nil || b.watch == nil {
		return nil
	}
	w := b.watch
	w.due = false
	e, p := r.component(b)
	if p == nil {
		return nil
	}
	if r.hasNews(b, e, p) {
		old = c.c.New()
		c.copy(old, w.old)
		if len(c.shared) > 0 {
			c.unshare(old)
			w.seen.sort()
			for k := range c.item.Vars {
				v := &c.item.Vars[k]
				v.Type.Inject(unsafe.Add(old, v.Offset), w.vars[k], &w.seen)
			}
		}
	}
	w.remember(r, b, p)
	return old
}

// hasNews extracts an item, and reports whether a field tagged `notify` is another than
// its watch remembers.
func (r *Replication) hasNews(b *binding, e *donburi.Entry, p unsafe.Pointer) (yes bool) {
	w, t := b.watch, b.comp.item
	words, vars := sized(&r.words, len(t.Words)), sized(&r.vars, len(t.Vars))
	copy(vars, w.vars)
	r.sight(b, e, p, words, vars)
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

// remember takes over what hasNews has extracted.
func (w *watch) remember(r *Replication, b *binding, p unsafe.Pointer) {
	copy(w.words, r.words[:len(w.words)])
	copy(w.vars, r.vars[:len(w.vars)])
	w.seen.of = append(w.seen.of[:0], r.seen.of...)
	b.comp.copy(w.old, p)
	clear(r.vars)
}

// unshare takes the replicated lists and maps out of a copy: they are those of
// the component, and the game edits them in place.
func (c *component) unshare(p unsafe.Pointer) {
	for _, l := range c.shared {
		switch at := unsafe.Add(p, l.offset); l.kind {
		case reflect.Slice:
			*(*[]struct{})(at) = nil
		case reflect.Map:
			*(*map[struct{}]struct{})(at) = nil
		}
	}
}

// lists are the lists and maps that a prop consists of.
func (c *component) lists(p *rpl.Prop) (ls []leaf) {
	n := p.Vars[1] - p.Vars[0]
	for _, l := range leaves(c.wire, 0, nil) {
		if l.offset < p.Offset {
			continue
		}
		if n--; n < 0 {
			break
		}
		if l.kind == reflect.Slice || l.kind == reflect.Map {
			ls = append(ls, l)
		}
	}
	return ls
}

func sized[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	return (*s)[:n]
}
