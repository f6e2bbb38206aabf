package schema

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"unsafe"

	rbits "github.com/tendonengine/tendon/rpl/bits"
	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// list compiles a slice to a listVar.
func (w *walker) list(t reflect.Type, off uintptr, path string, tg tag) {
	limit, elem, ok := w.elements(t, path, tg, "a list")
	if !ok {
		return
	}
	w.variable(off, path, tg, &listVar{slice: t, size: t.Elem().Size(), limit: limit, elem: elem})
}

// elements compiles the element type of a list or map, and returns the list's max=. The
// words of the tag that are not about the list itself are about its elements.
func (w *walker) elements(t reflect.Type, path string, tg tag, what string) (limit int, elem *fieldLayout, ok bool) {
	inside := &walker{owner: w.owner, args: w.args, elem: true, faults: w.faults}
	if inside.misplacedHas(path, tg) || !inside.allow(path, tag{has: tg.has & (tagsMove | tagEdge)}, tagsMove, "") {
		return 0, nil, false
	}
	e := t.Elem()
	remedy := "; make its elements structs, and put it on their fields"
	if k := e.Kind(); k == reflect.String || k == reflect.Bool || e == w.s.ref {
		remedy = "; remove it" // no field of that type has one
	}
	if !w.allow(path, tg, tagsAny|tagMax|tagEach|tagStep|tagBits|tagAngle, what+remedy) {
		return 0, nil, false
	}
	if limit, ok = w.limit(path, tg, what, maxElems); !ok {
		return 0, nil, false
	}
	before := w.faults.len()
	sub := &walker{s: w.s, owner: w.owner, tags: w.tags, used: w.used, args: w.args, elem: true, faults: w.faults, open: w.open}
	if t.Kind() == reflect.Map && t.Key().Kind() == reflect.String { // each= is about the keys
		tg.has &^= tagEach
	}
	if e.Kind() == reflect.Struct && !isVector(e) && !isOpt(e) && w.s.codecs[e] == nil {
		if tg.has&(tagStep|tagBits|tagAngle|tagEach) != 0 {
			w.fault(path, "its elements are structs: put %s on their fields", tag{has: tg.has & (tagStep | tagBits | tagAngle | tagEach), step: tg.step, bits: tg.bits, turn: tg.turn, each: tg.each})
		}
		sub.structure(e, 0, path+"[].", tag{})
		if e.NumField() == 0 {
			w.fault(path, "its elements are structs of no fields, which hold nothing; make them bools")
		}
		if len(sub.lay.Plan) == 0 && w.faults.len() == before {
			w.fault(path, "no field of %v has a tag; tag those that are to travel, or register a codec for the type", e)
		}
	} else {
		et := w.elementTag(e, tg)
		if tg.has&tagEach != 0 && et.max == nil {
			w.fault(path, "each is for strings in %s and for keys that are strings; remove it", what)
		}
		sub.field(e, 0, path+"[]", et)
	}
	w.s.checkSize(w.owner+", field "+path, &sub.lay)
	if w.faults.len() > before {
		return 0, nil, false
	}
	sub.lay.finish(e)
	return limit, &sub.lay, true
}

// elementTag is the tag of elements that are not structs.
func (w *walker) elementTag(e reflect.Type, tg tag) tag {
	et := tag{has: tg.has & (tagStep | tagBits | tagAngle), step: tg.step, bits: tg.bits, turn: tg.turn}
	switch e.Kind() {
	case reflect.String, reflect.Slice, reflect.Map:
		n := tg.each
		if n == 0 {
			n = defaultText
		}
		et.has |= tagMax
		et.max = big.NewRat(int64(n), 1)
	}
	return et
}

// A listVar is the codec of a slice; its values are *rows, in the order of the slice.
// Elements beyond limit are cut off.
type listVar struct {
	slice reflect.Type
	size  uintptr // of an element
	limit int
	elem  *fieldLayout
}

// rows are the elements of a list, or the values of a map: n rows of words and
// vars, one after the other. They are immutable.
type rows struct {
	n     int
	words []int32
	vars  []any
}

var noRows = &rows{}

// rowsOf returns a value's rows; a nil value has none.
func rowsOf(v any) *rows {
	if r, ok := v.(*rows); ok && r != nil {
		return r
	}
	return noRows
}

func newRows(l *fieldLayout, n int) *rows {
	return &rows{n: n, words: make([]int32, n*len(l.words)), vars: make([]any, n*len(l.vars))}
}

// row returns the words and vars of the i-th row.
func (r *rows) row(l *fieldLayout, i int) ([]int32, []any) {
	w, v := len(l.words), len(l.vars)
	return r.words[i*w : (i+1)*w : (i+1)*w], r.vars[i*v : (i+1)*v : (i+1)*v]
}

// sameRow reports whether row i of a equals row j of b.
func (l *fieldLayout) sameRow(a *rows, i int, b *rows, j int) bool {
	aw, av := a.row(l, i)
	bw, bv := b.row(l, j)
	return l.same(aw, av, bw, bv)
}

// A sliceHeader reads a slice of any element type.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

func (t *listVar) Clear(p unsafe.Pointer) { *(*[]struct{})(p) = nil }

func (t *listVar) Extract(p unsafe.Pointer, old any, refs Refs) any {
	return t.take(p, old, refs, false)
}

func (t *listVar) recall(p unsafe.Pointer, was any, refs Refs) any {
	return t.take(p, was, refs, t.elem.refers)
}

func (t *listVar) take(p unsafe.Pointer, old any, refs Refs, recall bool) any {
	h := (*sliceHeader)(p)
	n := min(h.len, t.limit)
	was := rowsOf(old)
	if old != nil && was.n == n && t.unchanged(h, was, refs, recall) {
		return old
	}
	if n == 0 {
		return noRows
	}
	now := newRows(t.elem, n)
	for i := range n {
		words, vars := now.row(t.elem, i)
		var ow []int32
		var ov []any
		if i < was.n {
			ow, ov = was.row(t.elem, i)
		}
		t.elem.takeRow(unsafe.Add(h.data, uintptr(i)*t.size), words, vars, ow, ov, refs, recall)
	}
	return now
}

// unchanged reports whether the slice equals was, which has its length.
func (t *listVar) unchanged(h *sliceHeader, was *rows, refs Refs, recall bool) bool {
	var wordRoom [rowRoom]int32
	var varRoom [rowRoom]any
	words, vars := scratch(t.elem, &wordRoom, &varRoom)
	for i := range was.n {
		ow, ov := was.row(t.elem, i)
		if !t.elem.isRow(unsafe.Add(h.data, uintptr(i)*t.size), words, vars, ow, ov, refs, recall) {
			return false
		}
	}
	return true
}

// rowRoom is how many words, and how many vars, a row may have to be compared without
// allocating.
const rowRoom = 24

// scratch is room for a row of a layout: in words and vars if they are large enough.
func scratch(l *fieldLayout, words *[rowRoom]int32, vars *[rowRoom]any) ([]int32, []any) {
	w, v := words[:], vars[:]
	if len(l.words) > rowRoom {
		w = make([]int32, len(l.words))
	}
	if len(l.vars) > rowRoom {
		v = make([]any, len(l.vars))
	}
	return w[:len(l.words)], v[:len(l.vars)]
}

func (t *listVar) Inject(p unsafe.Pointer, v any, refs Refs) { t.rewrite(p, v, nil, refs) }

// rewrite finds for every new element the one in the slice that it was, by
// content, so that local fields move along with it.
func (t *listVar) rewrite(p unsafe.Pointer, v, was any, refs Refs) {
	if was == nil {
		was = v
	}
	from, to := rowsOf(t.recall(p, was, refs)), rowsOf(v)
	if t.elem.equalRows(from, to) {
		t.resolve((*sliceHeader)(p), to, refs)
		return
	}
	dst := reflect.NewAt(t.slice, p).Elem()
	pairs := pair(t.elem, from, to, byFields)
	if to.n != dst.Len() || !pairs.inPlace() {
		old := dst
		made := reflect.MakeSlice(t.slice, to.n, to.n)
		for j, i := range pairs {
			if i >= 0 {
				made.Index(j).Set(old.Index(i))
			}
		}
		if to.n == 0 && !dst.IsNil() {
			made = dst.Slice(0, 0)
		}
		dst.Set(made)
	}
	h := (*sliceHeader)(p)
	for j, i := range pairs {
		at := unsafe.Add(h.data, uintptr(j)*t.size)
		words, vars := to.row(t.elem, j)
		switch {
		case i < 0:
			t.elem.Inject(at, words, vars, nil, refs)
		case t.elem.sameRow(from, i, to, j):
			t.elem.resolve(at, words, vars, refs)
		default:
			_, fv := from.row(t.elem, i)
			t.elem.Inject(at, words, vars, fv, refs)
		}
	}
}

// resolve updates the references in a list that is right in all else: nodes may have come
// or gone.
func (t *listVar) resolve(h *sliceHeader, rs *rows, refs Refs) {
	if !t.elem.refers {
		return
	}
	for i := range rs.n {
		words, vars := rs.row(t.elem, i)
		t.elem.resolve(unsafe.Add(h.data, uintptr(i)*t.size), words, vars, refs)
	}
}

func (t *listVar) Equal(a, b any) bool { return t.elem.equalRows(rowsOf(a), rowsOf(b)) }

func (l *fieldLayout) equalRows(a, b *rows) bool {
	if a == b {
		return true
	}
	return a.n == b.n && slices.Equal(a.words, b.words) && l.equalVars(a, b)
}

func (l *fieldLayout) equalVars(a, b *rows) bool {
	for i, v := range a.vars {
		if !l.vars[i%len(l.vars)].Type.Equal(v, b.vars[i]) {
			return false
		}
	}
	return true
}

func (t *listVar) Default() any { return noRows }

func (t *listVar) write(w *rbits.Writer, v any) {
	rs := rowsOf(v)
	w.Write(uint64(rs.n), width(t.limit))
	for i := range rs.n {
		words, vars := rs.row(t.elem, i)
		t.elem.write(w, words, vars)
	}
}

func (t *listVar) read(r *rbits.Reader) any {
	n := readCount(r, t.limit)
	return t.elem.readRows(r, n)
}

// readRows reads n rows. It allocates in proportion to what was read, not to what a
// count promises.
func (l *fieldLayout) readRows(r *rbits.Reader, n int) *rows {
	rs := &rows{}
	for ; rs.n < n && r.Err() == nil; rs.n++ {
		words, vars := rs.grow(l)
		l.read(r, words, vars)
	}
	return rs
}

// grow adds a row to rows that are being made, and returns it; the caller increments n.
func (r *rows) grow(l *fieldLayout) ([]int32, []any) {
	r.words = append(r.words, make([]int32, len(l.words))...)
	r.vars = append(r.vars, make([]any, len(l.vars))...)
	return r.words[len(r.words)-len(l.words):], r.vars[len(r.vars)-len(l.vars):]
}

func (t *listVar) check(p unsafe.Pointer) error {
	h := (*sliceHeader)(p)
	if h.len > t.limit {
		return fmt.Errorf("it has %d elements, at most %d", h.len, t.limit)
	}
	for i := range h.len {
		if field, err := t.elem.check(unsafe.Add(h.data, uintptr(i)*t.size)); err != nil {
			return fmt.Errorf("element %d%s: %w", i, inElement(field), err)
		}
	}
	return nil
}

// inElement names a field of an element for an error, "" for the element itself.
func inElement(field string) string {
	if field = elementName(field); field == "" {
		return ""
	}
	return ", field " + field
}

func (t *listVar) Sized() bool { return t.elem.Sized() }

func (t *listVar) maxBits() int { return int(width(t.limit)) + t.limit*t.elem.maxBits() }

func (t *listVar) hasRefs() bool { return t.elem.refers }

func (t *listVar) nodes(v any, to []ids.Node) []ids.Node { return t.elem.nodesOf(rowsOf(v), to) }

func (t *listVar) hash(v any) uint64 {
	rs := rowsOf(v)
	h := uint64(hashStart)
	for i := range rs.n {
		h = hashWord(h, t.elem.hash(rs.row(t.elem, i)))
	}
	return h
}

func (t *listVar) describe() string { return "list of " + group(t.elem.describe()) }
