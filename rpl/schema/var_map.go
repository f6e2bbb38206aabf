package schema

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	rbits "github.com/tendonengine/tendon/rpl/bits"
	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// mapping compiles a map with string or integer keys to a mapVar.
func (w *walker) mapping(t reflect.Type, off uintptr, path string, tg tag) {
	if isOpt(t.Elem()) {
		w.fault(path, "an rpl.Opt in a map says twice that a value may be absent; hold the value itself")
		return
	}
	limit, elem, ok := w.elements(t, path, tg, "a map")
	if !ok {
		return
	}
	size := defaultText
	if tg.each > 0 {
		size = tg.each
	}
	base := mapBase{typ: t, limit: limit, elem: elem, pool: &sync.Pool{New: func() any { return newMapScratch(t) }}}
	switch k := t.Key().Kind(); {
	case t.Key() == w.s.ref:
		w.fault(path, "a reference as a key has another value on every machine; use a list of structs")
	case k == reflect.String:
		w.variable(off, path, tg, &mapVar[string]{base, stringKeys{size}})
	case leafOf(t.Key()) == leafInt && k <= reflect.Int64:
		w.variable(off, path, tg, &mapVar[int64]{base, intKeys{}})
	case leafOf(t.Key()) == leafInt:
		w.variable(off, path, tg, &mapVar[uint64]{base, uintKeys{}})
	default:
		w.fault(path, "a map with keys of type %v cannot be replicated; use string or integer keys", t.Key())
	}
}

// A mapVar is the codec of a map; its values are *entries. Of a map with more than limit
// entries those of the lowest keys are sent; an entry whose string key is too long is
// not sent.
type mapVar[K cmp.Ordered] struct {
	mapBase
	keys keyKind[K]
}

type mapBase struct {
	typ   reflect.Type
	limit int
	elem  *fieldLayout
	// pool holds mapScratch values: several sessions may walk maps at once.
	pool *sync.Pool
}

// entries are a map's keys, in ascending order, and a row for each. They are immutable.
type entries[K cmp.Ordered] struct {
	keys []K
	rows
}

// A mapScratch is what walking a map by reflection needs: it is reused, so that
// walking does not allocate.
type mapScratch struct {
	iter      *reflect.MapIter
	key, elem reflect.Value
}

func newMapScratch(t reflect.Type) *mapScratch {
	return &mapScratch{
		iter: reflect.New(t).Elem().MapRange(),
		key:  reflect.New(t.Key()).Elem(),
		elem: reflect.New(t.Elem()).Elem(),
	}
}

func (s *mapScratch) drop(pool *sync.Pool) {
	s.iter.Reset(reflect.Value{})
	s.key.SetZero()
	s.elem.SetZero()
	pool.Put(s)
}

// each calls fn for every entry of the map at p whose key fits, until fn returns false;
// value is only valid during the call.
func (t *mapVar[K]) each(p unsafe.Pointer, fn func(k K, value unsafe.Pointer) bool) {
	s := t.pool.Get().(*mapScratch)
	defer s.drop(t.pool)
	s.iter.Reset(reflect.NewAt(t.typ, p).Elem())
	for s.iter.Next() {
		s.key.SetIterKey(s.iter)
		k := t.keys.of(s.key)
		if !t.keys.fits(k) {
			continue
		}
		s.elem.SetIterValue(s.iter)
		if !fn(k, s.elem.Addr().UnsafePointer()) {
			return
		}
	}
}

func entriesOf[K cmp.Ordered](v any) *entries[K] {
	if e, ok := v.(*entries[K]); ok && e != nil {
		return e
	}
	return &entries[K]{}
}

func (t *mapVar[K]) Extract(p unsafe.Pointer, old any, refs Refs) any {
	return t.take(p, old, refs, false)
}

func (t *mapVar[K]) recall(p unsafe.Pointer, was any, refs Refs) any {
	return t.take(p, was, refs, t.elem.refers)
}

func (t *mapVar[K]) take(p unsafe.Pointer, old any, refs Refs, recall bool) any {
	was := entriesOf[K](old)
	if old != nil && t.unchanged(p, was, refs, recall) {
		return old
	}
	now := &entries[K]{}
	t.each(p, func(k K, _ unsafe.Pointer) bool {
		now.keys = append(now.keys, k)
		return true
	})
	slices.Sort(now.keys)
	now.keys = now.keys[:min(len(now.keys), t.limit)]
	now.rows = *newRows(t.elem, len(now.keys))
	t.each(p, func(k K, value unsafe.Pointer) bool {
		i, ok := slices.BinarySearch(now.keys, k)
		if !ok {
			return true // beyond the bound
		}
		words, vars := now.row(t.elem, i)
		var ow []int32
		var ov []any
		if o, ok := slices.BinarySearch(was.keys, k); ok {
			ow, ov = was.row(t.elem, o)
		}
		t.elem.takeRow(value, words, vars, ow, ov, refs, recall)
		return true
	})
	return now
}

func (t *mapVar[K]) unchanged(p unsafe.Pointer, was *entries[K], refs Refs, recall bool) bool {
	var wordRoom [rowRoom]int32
	var varRoom [rowRoom]any
	words, vars := scratch(t.elem, &wordRoom, &varRoom)
	seen, same := 0, true
	t.each(p, func(k K, value unsafe.Pointer) bool {
		i, ok := slices.BinarySearch(was.keys, k)
		if !ok {
			same = false
			return false
		}
		ow, ov := was.row(t.elem, i)
		seen++
		same = t.elem.isRow(value, words, vars, ow, ov, refs, recall)
		return same
	})
	return same && seen == was.n
}

func (t *mapVar[K]) Clear(p unsafe.Pointer) { *(*map[struct{}]struct{})(p) = nil }

func (t *mapVar[K]) Inject(p unsafe.Pointer, v any, refs Refs) { t.rewrite(p, v, nil, refs) }

// rewrite writes changed entries and removes those that are gone; local fields of kept
// entries survive.
func (t *mapVar[K]) rewrite(p unsafe.Pointer, v, was any, refs Refs) {
	if was == nil {
		was = v
	}
	now := t.recall(p, was, refs)
	from, to := entriesOf[K](now), entriesOf[K](v)
	if t.Equal(now, v) {
		t.resolve(p, to, refs)
		return
	}
	dst := reflect.NewAt(t.typ, p).Elem()
	if dst.IsNil() {
		if to.n == 0 {
			return
		}
		dst.Set(reflect.MakeMapWithSize(t.typ, to.n))
	}
	key, elem := reflect.New(t.typ.Key()).Elem(), reflect.New(t.typ.Elem()).Elem()
	t.each(p, func(k K, _ unsafe.Pointer) bool {
		if _, ok := slices.BinarySearch(to.keys, k); !ok {
			t.keys.set(key, k)
			dst.SetMapIndex(key, reflect.Value{})
		}
		return true
	})
	for j, k := range to.keys {
		i, kept := slices.BinarySearch(from.keys, k)
		if kept && t.elem.sameRow(&from.rows, i, &to.rows, j) {
			continue
		}
		t.keys.set(key, k)
		elem.SetZero()
		var fv []any
		if kept {
			elem.Set(dst.MapIndex(key))
			_, fv = from.row(t.elem, i)
		}
		words, vars := to.row(t.elem, j)
		t.elem.Inject(elem.Addr().UnsafePointer(), words, vars, fv, refs)
		dst.SetMapIndex(key, elem)
	}
	t.resolve(p, to, refs)
}

// resolve updates the references in a map that is right in all else: nodes may have come
// or gone.
func (t *mapVar[K]) resolve(p unsafe.Pointer, to *entries[K], refs Refs) {
	if !t.elem.refers {
		return
	}
	m := reflect.NewAt(t.typ, p).Elem()
	s := t.pool.Get().(*mapScratch)
	defer s.drop(t.pool)
	for s.iter.Reset(m); s.iter.Next(); {
		s.key.SetIterKey(s.iter)
		i, ok := slices.BinarySearch(to.keys, t.keys.of(s.key))
		if !ok {
			continue // beyond the bound
		}
		s.elem.SetIterValue(s.iter)
		words, vars := to.row(t.elem, i)
		if t.elem.resolve(s.elem.Addr().UnsafePointer(), words, vars, refs) {
			m.SetMapIndex(s.key, s.elem)
		}
	}
}

func (t *mapVar[K]) Equal(a, b any) bool {
	x, y := entriesOf[K](a), entriesOf[K](b)
	return x == y || slices.Equal(x.keys, y.keys) && t.elem.equalRows(&x.rows, &y.rows)
}

func (t *mapVar[K]) Default() any { return &entries[K]{} }

func (t *mapVar[K]) write(w *rbits.Writer, v any) {
	e := entriesOf[K](v)
	w.Write(uint64(e.n), width(t.limit))
	for i, k := range e.keys {
		t.keys.write(w, k)
		words, vars := e.row(t.elem, i)
		t.elem.write(w, words, vars)
	}
}

func (t *mapVar[K]) read(r *rbits.Reader) any {
	e := &entries[K]{}
	n := readCount(r, t.limit)
	for e.n < n && r.Err() == nil {
		k := t.keys.read(r)
		if e.n > 0 && k <= e.keys[e.n-1] {
			r.Fail(errBounds)
		}
		words, vars := e.grow(t.elem)
		e.keys = append(e.keys, k)
		e.n++
		t.elem.read(r, words, vars)
	}
	return e
}

func (t *mapVar[K]) check(p unsafe.Pointer) (err error) {
	m := reflect.NewAt(t.typ, p).Elem()
	if m.Len() > t.limit {
		return fmt.Errorf("it has %d entries, at most %d", m.Len(), t.limit)
	}
	n := 0
	t.each(p, func(k K, value unsafe.Pointer) bool {
		n++
		var field string
		if field, err = t.elem.check(value); err != nil {
			err = fmt.Errorf("entry %v%s: %w", k, inElement(field), err)
		}
		return err == nil
	})
	if err == nil && n < m.Len() {
		err = fmt.Errorf("a key is too long: it may be a %s; raise each=", t.keys.describe())
	}
	return err
}

func (t *mapVar[K]) Sized() bool { return t.elem.Sized() }

func (t *mapVar[K]) maxBits() int {
	return int(width(t.limit)) + t.limit*(t.keys.maxBits()+t.elem.maxBits())
}

func (t *mapVar[K]) hasRefs() bool { return t.elem.refers }

func (t *mapVar[K]) nodes(v any, to []ids.Node) []ids.Node {
	if e, ok := v.(*entries[K]); ok && e != nil {
		return t.elem.nodesOf(&e.rows, to)
	}
	return to
}

func (t *mapVar[K]) hash(v any) uint64 {
	e := entriesOf[K](v)
	h := uint64(hashStart)
	for i, k := range e.keys {
		h = t.keys.hash(h, k)
		h = hashWord(h, t.elem.hash(e.row(t.elem, i)))
	}
	return h
}

func (t *mapVar[K]) describe() string {
	return fmt.Sprintf("map of %s to %s", t.keys.describe(), group(t.elem.describe()))
}
