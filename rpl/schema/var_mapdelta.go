package schema

import (
	"slices"

	rbits "github.com/tendonengine/tendon/rpl/bits"
)

// The delta of a map is three lists, each a count and its members in ascending order:
// the places of the keys that are gone; the places of the keys whose rows have changed,
// with what changed in them; the new keys, with their rows. A place is a key's index in
// the base.

func (t *mapVar[K]) writeDelta(w *rbits.Writer, base, v any) {
	from, to := entriesOf[K](base), entriesOf[K](v)
	var gone, changed, added []int // places in from, in from, in to
	i, j := 0, 0
	for i < from.n || j < to.n {
		switch {
		case j == to.n || i < from.n && from.keys[i] < to.keys[j]:
			gone = append(gone, i)
			i++
		case i == from.n || to.keys[j] < from.keys[i]:
			added = append(added, j)
			j++
		default:
			if !t.elem.sameRow(&from.rows, i, &to.rows, j) {
				changed = append(changed, i)
			}
			i++
			j++
		}
	}
	place := width(max(from.n-1, 0))
	w.Write(uint64(len(gone)), width(from.n))
	for _, i := range gone {
		w.Write(uint64(i), place)
	}
	w.Write(uint64(len(changed)), width(from.n))
	for _, i := range changed {
		w.Write(uint64(i), place)
		bw, bv := from.row(t.elem, i)
		j, _ := slices.BinarySearch(to.keys, from.keys[i])
		words, vars := to.row(t.elem, j)
		t.elem.writeDelta(w, bw, bv, words, vars)
	}
	w.Write(uint64(len(added)), width(t.limit))
	for _, j := range added {
		t.keys.write(w, to.keys[j])
		words, vars := to.row(t.elem, j)
		t.elem.write(w, words, vars)
	}
}

func (t *mapVar[K]) readDelta(r *rbits.Reader, base any) any {
	from := entriesOf[K](base)
	kept := &entries[K]{keys: slices.Clone(from.keys), rows: rows{
		n: from.n, words: slices.Clone(from.words), vars: slices.Clone(from.vars),
	}}
	gone := t.readPlaces(r, from.n, nil)
	t.readPlaces(r, from.n, func(i int) {
		words, vars := kept.row(t.elem, i)
		t.elem.readDelta(r, words, vars)
	})
	fresh, _ := t.read(r).(*entries[K])
	if r.Err() != nil || from.n-len(gone)+fresh.n > t.limit {
		r.Fail(errBounds)
		return base
	}
	return t.merge(r, kept, gone, fresh)
}

// readPlaces reads ascending places below n, and calls fn, if there is one, after each.
func (t *mapVar[K]) readPlaces(r *rbits.Reader, n int, fn func(i int)) (places []int) {
	count := readCount(r, n)
	last := -1
	for range count {
		i := int(r.Read(width(max(n-1, 0))))
		if i <= last || i >= n {
			r.Fail(errBounds)
		}
		if r.Err() != nil {
			return nil
		}
		last = i
		places = append(places, i)
		if fn != nil {
			fn(i)
		}
	}
	return places
}

// merge makes one map of the kept entries, without those that are gone, and the fresh
// ones, in the order of their keys.
func (t *mapVar[K]) merge(r *rbits.Reader, kept *entries[K], gone []int, fresh *entries[K]) any {
	out := &entries[K]{}
	put := func(e *entries[K], i int) {
		if out.n > 0 && e.keys[i] <= out.keys[out.n-1] {
			r.Fail(errBounds) // the fresh key was there already
		}
		words, vars := e.row(t.elem, i)
		out.keys = append(out.keys, e.keys[i])
		out.words = append(out.words, words...)
		out.vars = append(out.vars, vars...)
		out.n++
	}
	j := 0
	for i := range kept.n {
		if len(gone) > 0 && gone[0] == i {
			gone = gone[1:]
			continue
		}
		for ; j < fresh.n && fresh.keys[j] < kept.keys[i]; j++ {
			put(fresh, j)
		}
		put(kept, i)
	}
	for ; j < fresh.n; j++ {
		put(fresh, j)
	}
	return out
}
