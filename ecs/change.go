package ecs

// Changes: which fields tagged `notify` differ from what was last told, on the
// authority and on proxies alike, and the old value that OnChange is given.

import "unsafe"

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
		r.tell(event{node: n, comp: b.comp, entity: b.entity, old: old})
	}
	copy(w.words, words)
	copy(w.vars, vars)
	b.comp.copy(w.old, p)
	clear(vars)
}

func sized[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	return (*s)[:n]
}
