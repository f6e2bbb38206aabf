package ecs

// Changes: which fields tagged `notify` differ from what was last told, on the
// authority and on proxies alike, and the old value that OnChange is given.

import (
	"reflect"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// A watch remembers an item as OnChange last saw it.
type watch struct {
	words []int32
	vars  []any
	old   unsafe.Pointer // a component: the value that the next call is given
}

// startWatch begins to watch an item, if anybody asked, from its component's
// present value on.
func (r *Replication) startWatch(b *binding) {
	if b.watch != nil || b.comp == nil || len(b.comp.notify) == 0 || len(r.hooks.change[b.comp.order]) == 0 {
		return
	}
	e, p := r.component(b)
	if p == nil {
		return
	}
	t := b.comp.item
	b.watch = &watch{words: make([]int32, len(t.Words)), vars: make([]any, len(t.Vars)), old: b.comp.c.New()}
	t.Extract(r.tagged(b.comp, e, p), b.watch.words, b.watch.vars, r.refs())
	b.comp.copy(b.watch.old, p)
}

// look compares an item with its watch, and queues a call of OnChange when a
// field tagged `notify` differs.
func (r *Replication) look(n *node, b *binding) {
	w := b.watch
	if w == nil {
		return
	}
	e, p := r.component(b)
	if p == nil {
		return
	}
	t := b.comp.item
	words, vars := sized(&r.words, len(t.Words)), sized(&r.vars, len(t.Vars))
	copy(vars, w.vars)
	t.Extract(r.tagged(b.comp, e, p), words, vars, r.refs())
	changed := false
	for _, i := range b.comp.notify {
		prop := &t.Props[i]
		for k := prop.Words[0]; k < prop.Words[1]; k++ {
			changed = changed || words[k] != w.words[k]
		}
		for k := prop.Vars[0]; k < prop.Vars[1]; k++ {
			changed = changed || !t.Vars[k].Type.Equal(vars[k], w.vars[k])
		}
	}
	if changed {
		old := b.comp.c.New()
		b.comp.copy(old, w.old)
		if len(b.comp.shared) > 0 {
			b.comp.unshare(old)
			t.Inject(old, w.words, w.vars, r.refs())
		}
		r.tell(event{node: n, comp: b.comp, entity: b.entity, old: old})
	}
	copy(w.words, words)
	copy(w.vars, vars)
	b.comp.copy(w.old, p)
	clear(vars)
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
