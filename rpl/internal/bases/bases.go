// Package bases remembers rows as they were sent to a peer (docs/adr/0013-remembered-baselines.md). A
// row keeps its versions of the last half second of changes. When a small budget makes a node
// wait longer than that, its base is gone, and only a keyframe could be sent: two to three
// times the bits of a delta, so an overload would feed itself. So what a peer is sent
// after a long wait is remembered for that peer until it is sent something newer.
//
//	bases.go    Set: of one peer; Base: of one row
package bases

import (
	"github.com/tendonengine/tendon/rpl/internal/pages"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// chunk is the words allocated at once, for some 200 rows, and few how many rows' at first.
const chunk, few = 4096, 16

// A Base is a row as two packets sent it to a peer: one that the peer is known to
// have, and one that is in flight or was lost.
type Base struct {
	t     *rowtype.Type
	Of    uint32    // the handle
	Row   uint32    // number of the row in its node
	next  uint32    // index + 1 of the next base of the same handle, or of the next free one; 0: none
	Ticks [2]uint32 // of the two packets, 0: none
	words []int32   // of both versions
	Vars  *[2][]any // of both versions; nil if the type has none
}

// At are the words of one of the two versions.
func (b *Base) At(k int) rowtype.Words { return b.t.At(b.words[k*b.t.Width:]) }

// A Set is the remembered bases of one peer: at most one Base for each row that it holds.
type Set struct {
	first []uint32 // by handle: index + 1 of its first base, 0: none
	All   []Base
	free  []uint32 // by rowtype.Type.Index: index + 1 of the first free base; free ones keep their words
	chunk []int32  // words not yet in use
	used  int32    // how many of all are not free
	next  int32    // where ForgetSome goes on
	rests uint32   // how many sends it pauses yet
	freed bool     // it has freed some since the first
}

// row is the Base of row i of a handle's node, nil if there is none.
func (b *Set) row(h uint32, i int) *Base {
	if h >= uint32(len(b.first)) {
		return nil
	}
	for at := b.first[h]; at > 0; at = b.All[at-1].next {
		if of := &b.All[at-1]; of.Row == uint32(i) {
			return of
		}
	}
	return nil
}

// Find looks up row i of a handle's node as the packet of a tick sent it. It returns
// false if that is not remembered.
func (b *Set) Find(h uint32, i int, tick uint32) (of *Base, k int, ok bool) {
	if of = b.row(h, i); of == nil || tick == 0 {
		return nil, 0, false
	}
	if of.Ticks[0] != tick {
		k = 1
	}
	return of, k, of.Ticks[k] == tick
}

// Place is where to remember a packet that leaves now: not the place of the packet of
// tick acked, which the peer is known to have.
func (b *Set) Place(h uint32, i int, t *rowtype.Type, acked uint32) (of *Base, k int) {
	if of = b.row(h, i); of == nil {
		of = b.add(h, i, t)
	}
	older := 0
	if of.Ticks[0] > of.Ticks[1] {
		older = 1
	}
	if acked != 0 && of.Ticks[older] == acked {
		return of, 1 - older
	}
	return of, older
}

// add makes a Base for a row.
func (b *Set) add(h uint32, i int, t *rowtype.Type) *Base {
	for h >= uint32(len(b.first)) {
		b.first = append(b.first, 0)
	}
	for t.Index >= len(b.free) {
		b.free = append(b.free, 0)
	}
	at := b.free[t.Index]
	if at == 0 {
		b.All = append(b.All, Base{t: t, words: b.take(2 * t.Width)})
		if at = uint32(len(b.All)); len(t.Vars) > 0 {
			b.All[at-1].Vars = new([2][]any)
		}
	}
	b.used++
	b.rests = 0
	of := &b.All[at-1]
	b.free[t.Index] = of.next
	of.Of, of.Row, of.next, b.first[h] = h, uint32(i), b.first[h], at
	return of
}

// take returns n unused words.
func (b *Set) take(n int) []int32 {
	if len(b.chunk) < n {
		b.chunk = make([]int32, max(n, min(chunk, n*max(few, len(b.All)))))
	}
	w := b.chunk[:n:n]
	b.chunk = b.chunk[n:]
	return w
}

// Forget drops the bases of a handle's node; others use their memory.
func (b *Set) Forget(h uint32) {
	if h >= uint32(len(b.first)) {
		return
	}
	at := b.first[h]
	b.first[h] = 0
	for at > 0 {
		next := b.All[at-1].next
		b.release(at)
		at = next
	}
}

// release lets another row have a Base that stands in no list.
func (b *Set) release(at uint32) {
	of := &b.All[at-1]
	if of.Ticks = [2]uint32{}; of.Vars != nil {
		*of.Vars = [2][]any{} // release the values
	}
	of.next, b.free[of.t.Index] = b.free[of.t.Index], at
	b.used--
}

// drop forgets one Base.
func (b *Set) drop(at uint32) {
	of := &b.All[at-1]
	if b.first[of.Of] == at {
		b.first[of.Of] = of.next
	} else {
		for before := b.first[of.Of]; ; before = b.All[before-1].next {
			if b.All[before-1].next == at {
				b.All[before-1].next = of.next
				break
			}
		}
	}
	b.release(at)
}

// leastBases is up to how many bases nothing is given back while some become free.
const leastBases = 64

// shrink gives memory back where few of many bases are left.
func (b *Set) shrink() {
	if int(b.used) > len(b.All)/4 {
		return
	}
	old := b.All
	*b = Set{}
	for i := range old {
		if of := &old[i]; of.Ticks != [2]uint32{} {
			to := b.add(of.Of, int(of.Row), of.t)
			to.Ticks, to.Vars = of.Ticks, of.Vars
			copy(to.words, of.words)
		}
	}
}

// Pauses reports for one send after the other whether nothing is to be forgotten in it, since the last
// round found nothing.
func (b *Set) Pauses() bool {
	if b.rests == 0 {
		return false
	}
	b.rests--
	return true
}

// ForgetSome looks at n of the bases, in rounds, and forgets those that are over.
func (b *Set) ForgetSome(n int, over func(*Base) bool) {
	const pause = 64
	for range n {
		if int(b.next) >= len(b.All) {
			if b.next = 0; !b.freed {
				b.rests = pause
			}
			if len(b.All) > leastBases || !b.freed {
				b.shrink()
			}
			b.freed = false
			return
		}
		of := &b.All[b.next]
		b.next++
		if of.Ticks != [2]uint32{} && over(of) {
			b.drop(uint32(b.next))
			b.freed = true
		}
	}
}

// Trim gives back what is kept of handles from n on, of which none has a base.
func (b *Set) Trim(n, least int) {
	if len(b.first) > n {
		b.first = pages.Trim(b.first[:n], 0, least)
	}
}
