package schema

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// A Repoint returns what a reference that holds an entity is to hold. sent is the node that
// was sent for it, 0 for none.
type Repoint func(sent ids.Node, entity uint64) uint64

// Repoint changes references in the component at p, and nothing else of it: those in lists
// and maps too. words and vars are what was sent of the component; nil if nothing was.
func (t *ItemType) Repoint(p unsafe.Pointer, words []int32, vars []any, fn Repoint) {
	t.Layout.repoint(p, words, vars, fn)
}

// repoint reports whether a reference in the struct itself has changed.
func (l *fieldLayout) repoint(p unsafe.Pointer, words []int32, vars []any, fn Repoint) (changed bool) {
	if !l.refers {
		return false
	}
	for i := range l.Plan {
		o := &l.Plan[i]
		f := unsafe.Add(p, o.Off)
		switch o.Kind {
		case OpRef:
			for k := uint32(0); k < o.End-o.Word; k += 2 {
				sent := ids.Node(0)
				if words != nil {
					sent = ids.Node(Join(words[o.Word+k], words[o.Word+k+1]))
				}
				was := nth[uint64](f, int(k/2))
				if now := fn(sent, was); now != was {
					setNth(f, int(k/2), now)
					changed = true
				}
			}
		case OpVar:
			if c, ok := l.vars[o.vari].Codec().(collection); ok && l.vars[o.vari].Codec().hasRefs() {
				var sent any
				if vars != nil {
					sent = vars[o.vari]
				}
				c.repoint(f, sent, fn)
			}
		}
	}
	return changed
}

func (t *listVar) repoint(p unsafe.Pointer, sent any, fn Repoint) {
	h, rs := (*sliceHeader)(p), rowsOf(sent)
	for i := range h.len {
		var words []int32
		var vars []any
		if i < rs.n {
			words, vars = rs.row(t.elem, i)
		}
		t.elem.repoint(unsafe.Add(h.data, uintptr(i)*t.size), words, vars, fn)
	}
}

func (t *mapVar[K]) repoint(p unsafe.Pointer, sent any, fn Repoint) {
	m, to := reflect.NewAt(t.typ, p).Elem(), entriesOf[K](sent)
	s := t.pool.Get().(*mapScratch)
	defer s.drop(t.pool)
	for s.iter.Reset(m); s.iter.Next(); {
		s.key.SetIterKey(s.iter)
		s.elem.SetIterValue(s.iter)
		var words []int32
		var vars []any
		if i, ok := slices.BinarySearch(to.keys, t.keys.of(s.key)); ok {
			words, vars = to.row(t.elem, i)
		}
		if t.elem.repoint(s.elem.Addr().UnsafePointer(), words, vars, fn) {
			m.SetMapIndex(s.key, s.elem)
		}
	}
}
