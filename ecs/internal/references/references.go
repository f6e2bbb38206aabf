// Package references is an index of what refers to which nodes, including nodes that are
// not here. When a node comes or goes, it leads to what is to be looked at again; that costs
// nothing if nothing refers to the node. Changes allocate nothing once the index has held as
// many.
package references

import (
	"cmp"
	"slices"

	"github.com/tendonengine/tendon/rpl"
)

// A Referrer may refer to nodes.
type Referrer[T any] struct {
	Of    T          // what it is
	News  []rpl.Node // which of its nodes have come or gone since it was due the last time; valid while it is due
	order uint64     // its number, in order of creation: referrers are due in this order
	due   bool       // it is in Index.due
	to    []rpl.Node // the nodes that it refers to, each once
	at    []int      // for each of to: its index in Index.of of that node
}

// A referral is one reference to a node: its referrer, and the index of the node in the
// referrer's to.
type referral[T any] struct {
	from *Referrer[T]
	k    int
}

// An Index leads from a node to its referrers. Both sides know their index on the other,
// so nothing is searched for. The zero value is empty.
type Index[T any] struct {
	of    map[rpl.Node][]referral[T]
	spare [][]referral[T] // emptied lists, to use again
	due   []*Referrer[T]
	made  uint64
	known []bool // scratch
}

// Referrer makes a referrer, which refers to nothing yet.
func (x *Index[T]) Referrer(of T) *Referrer[T] {
	x.made++
	return &Referrer[T]{Of: of, order: x.made}
}

// Set makes a referrer refer to these nodes, which are ascending, and to no others.
func (x *Index[T]) Set(f *Referrer[T], nodes []rpl.Node) {
	x.known = append(x.known[:0], make([]bool, len(nodes))...)
	for k := len(f.to) - 1; k >= 0; k-- { // from the end, because cut moves the last reference into the gap
		if i, ok := slices.BinarySearch(nodes, f.to[k]); ok {
			x.known[i] = true
		} else {
			x.cut(f, k)
		}
	}
	for i, id := range nodes {
		if !x.known[i] {
			x.add(f, id)
		}
	}
}

// Forget makes a referrer refer to nothing, and be due no more.
func (x *Index[T]) Forget(f *Referrer[T]) {
	x.Set(f, nil)
	f.due = false
}

// Mark notes that a node has come or gone: what refers to it is due.
func (x *Index[T]) Mark(id rpl.Node) {
	for _, l := range x.of[id] {
		f := l.from
		if !f.due {
			f.due, f.News = true, f.News[:0]
			x.due = append(x.due, f)
		}
		f.News = append(f.News, id)
	}
}

// Due calls fn for the referrers that are due, in the order in which they were made. What
// fn marks is due the next time.
func (x *Index[T]) Due(fn func(f *Referrer[T])) {
	if len(x.due) == 0 {
		return
	}
	due := x.due
	x.due = nil
	slices.SortFunc(due, func(a, b *Referrer[T]) int { return cmp.Compare(a.order, b.order) })
	for _, f := range due {
		if f.Take() {
			fn(f)
		}
	}
	clear(due)
	x.due = append(due[:0], x.due...)
}

// Take reports whether a referrer is due, which it is no more then.
func (f *Referrer[T]) Take() bool {
	due := f.due
	f.due = false
	return due
}

// Referrers calls fn for each referrer of each node, in no order: for tests.
func (x *Index[T]) Referrers(fn func(f *Referrer[T])) {
	for _, list := range x.of {
		for _, l := range list {
			fn(l.from)
		}
	}
}

func (x *Index[T]) add(f *Referrer[T], id rpl.Node) {
	if x.of == nil {
		x.of = map[rpl.Node][]referral[T]{}
	}
	list, ok := x.of[id]
	if last := len(x.spare) - 1; !ok && last >= 0 {
		list, x.spare = x.spare[last], x.spare[:last]
	}
	f.to, f.at = append(f.to, id), append(f.at, len(list))
	x.of[id] = append(list, referral[T]{f, len(f.to) - 1})
}

// cut ends the k-th reference of a referrer. In both lists the last element takes its
// place.
func (x *Index[T]) cut(f *Referrer[T], k int) {
	list, at := x.of[f.to[k]], f.at[k]
	last := len(list) - 1
	list[at] = list[last]
	list[at].from.at[list[at].k] = at
	list[last] = referral[T]{}
	if last > 0 {
		x.of[f.to[k]] = list[:last]
	} else {
		delete(x.of, f.to[k])
		x.spare = append(x.spare, list[:0])
	}
	last = len(f.to) - 1
	if k != last {
		f.to[k], f.at[k] = f.to[last], f.at[last]
		x.of[f.to[k]][f.at[k]].k = k
	}
	f.to, f.at = f.to[:last], f.at[:last]
}
