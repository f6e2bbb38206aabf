// Package callqueue keeps calls until they run, in the order in which they were made. The
// calls on one node can be taken out before that, when the node ends: thousands may end in a
// step, each with calls on it, so they are followed from one to the next.
package callqueue

import "iter"

// A Queue keeps calls C on nodes N. The zero value is empty.
type Queue[N comparable, C any] struct {
	calls, spare []call[N, C]
	round        uint64 // counts the lists that calls has been
}

type call[N comparable, C any] struct {
	node N // the zero value: it was taken, or is void
	what C
	next int // the index of the next call on the node plus 1, 0 for none
}

// A List says where the calls on one node are that wait. The zero value has none.
type List struct {
	round       uint64 // one more than the value of Queue.round for which it holds
	first, last int32  // indices in Queue.calls
}

// Len returns how many calls wait, including those that were taken.
func (q *Queue[N, C]) Len() int { return len(q.calls) }

// Add adds a call on a node, whose list it is given.
func (q *Queue[N, C]) Add(l *List, n N, c C) {
	at := len(q.calls)
	if l.round == q.round+1 {
		q.calls[l.last].next, l.last = at+1, int32(at)
	} else {
		*l = List{q.round + 1, int32(at), int32(at)}
	}
	q.calls = append(q.calls, call[N, C]{node: n, what: c})
}

// Take takes the calls on a node out. It does not yield calls that are made meanwhile.
func (q *Queue[N, C]) Take(l *List, n N) iter.Seq[C] {
	return func(yield func(C) bool) {
		if l.round != q.round+1 {
			return
		}
		var none N
		end := len(q.calls)
		for at := int(l.first) + 1; at > 0 && at <= end; {
			c := &q.calls[at-1]
			call := *c
			at = c.next
			if c.node = none; call.node == n && !yield(call.what) {
				return
			}
		}
	}
}

// Run runs the calls that wait. Those that are made meanwhile wait for the next Run, so that
// two handlers that call each other do not hold this one up. fn may panic: what has not run
// by then is void.
func (q *Queue[N, C]) Run(fn func(n N, c C)) {
	var none N
	calls := q.calls
	q.round++
	q.calls, q.spare = q.spare[:0], nil // if fn panics, the two must not share memory
	for i := range calls {
		if c := &calls[i]; c.node != none {
			fn(c.node, c.what)
		}
		calls[i] = call[N, C]{}
	}
	q.spare = calls[:0]
}

// Drop drops the calls that wait, and returns how many of them were not taken.
func (q *Queue[N, C]) Drop() (dropped uint64) {
	var none N
	for i := range q.calls {
		if q.calls[i].node != none {
			dropped++
		}
	}
	q.calls = nil
	q.round++
	return dropped
}
