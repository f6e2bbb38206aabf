package store

import (
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Reckoned rows (rowtype/reckon.go). In each send a row is compared with what the function of the
// game makes of what was told last. Within its tolerances the row stays what was told. Else the
// exact words are told anew, with the tick. What has not changed for a second is told exactly, and
// a row of which nothing has is told to rest. For a peer that begins to have a row, what moves is
// told anew, to all: the function may read other nodes, which the peer has as they are now, if at
// all, so it shall not have to run the ticks of then.

// reckon makes now, the exact words of a row, those that peers shall have been told. It reports whether
// these rest and are other ones: no walk finds the row again when it has not changed for a second.
func (st *Store) reckon(r *Row, now []int32) (off bool) {
	t, tick := r.Type, uint32(st.Tick)
	_, since := st.Slabs[t.Index].exact.of(r.Block)
	rests := true
	for i, f := range t.From {
		rests = rests && (f < 0 || tick-since[i] >= uint32(st.hz))
	}
	if r.versions > 0 {
		last, _ := st.Reference(r)
		if stated := last.All(t.Width); st.keeps(r, stated, now, since, rests) {
			once := st.rooms.known[:t.Width]
			copy(once, now)
			copy(now, stated)
			for i, f := range t.From {
				if t.IsOnce(i) {
					now[i] = once[i]
				} else if f >= 0 && once[i] != stated[i] {
					off = stated[t.Stated] == 0
				}
			}
			return off
		}
	}
	now[t.Stated], now[t.Held] = int32(tick), 0
	if rests {
		now[t.Stated] = 0
		return false
	}
	for k, i := range t.Tolerant {
		if tick-since[i] >= uint32(st.hz) {
			now[t.Held] |= 1 << k
		}
	}
	return false
}

// keeps is whether a row can stay as it was told.
func (st *Store) keeps(r *Row, stated, now []int32, since []uint32, rests bool) bool {
	t, tick := r.Type, uint32(st.Tick)
	anew := &st.Slabs[t.Index].exact.anew[r.Block]
	if *anew || st.reckons.Ends(t, stated, tick) || rests && stated[t.Stated] != 0 {
		*anew = false
		return false
	}
	reached := st.rooms.predicted[:t.Width]
	st.reckons.Reach(t, st.Nodes[r.node].ID, stated, reached, tick)
	for i, f := range t.From {
		if f < 0 || t.IsOnce(i) {
			continue
		}
		if off := apart(t, i, now[i], reached[i]); off != 0 && (off > int64(t.Words[i].Tol) || tick-since[i] >= uint32(st.hz)) {
			return false
		}
	}
	return true
}

// restate has the rows of a node told anew that the function has moved for a second, for a peer
// that is about to have them.
func (n *Node) restate(st *Store) {
	for _, i := range n.Rows() {
		r := &st.Rows[i]
		if !r.Type.IsReckoned() || r.versions == 0 {
			continue
		}
		last, _ := st.Reference(r)
		if stated := *last.Word(r.Type.Stated); stated != 0 && uint32(st.Tick)-uint32(stated) >= uint32(st.hz) {
			st.Slabs[r.Type.Index].exact.anew[r.Block] = true
			st.wait(i)
		}
	}
}

// apart is how far two values of a word are from each other, in steps.
func apart(t *rowtype.Type, i int, x, y int32) int64 {
	off, w := int64(x)-int64(y), &t.Words[i]
	if w.Wrap {
		off = rowtype.Around(off, int64(w.Max)-int64(w.Min)+1)
	}
	return max(off, -off)
}
