package store

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Current returns the words of a row as they are now.
func (st *Store) Current(r *Row) []int32 {
	return st.Slabs[r.Type.Index].current(r.Block, r.Type.Width)
}

// Reference returns the words and the tick of the newest version (head) of a row, from
// which both ends predict it.
func (st *Store) Reference(r *Row) (rowtype.Words, uint32) {
	return st.Slabs[r.Type.Index].Reference(r.Block)
}

// Version returns the words and the tick of one version.
func (st *Store) Version(r *Row, ver uint32) (rowtype.Words, uint32) {
	return st.Slabs[r.Type.Index].VersionOf(r, ver)
}

// VersionAt returns what version ver predicts for a tick, which must not be before the
// version's own: the words that the row had then, if it still moved as the
// version predicts. The result is valid until the next call.
func (st *Store) VersionAt(r *Row, ver, tick uint32) rowtype.Words {
	words, at := st.Version(r, ver)
	if tick == at {
		return words
	}
	return st.Advanced(r.Type, words, tick-at)
}

// SecondAt returns what version ver predicted for a tick. The result stays valid beside one of
// VersionAt, until the next call.
func (st *Store) SecondAt(r *Row, ver, tick uint32) rowtype.Words {
	words, at := st.Version(r, ver)
	if tick == at || !r.Type.IsMoving(words) {
		return words
	}
	dst := r.Type.At(st.rooms.before)
	r.Type.Advance(dst, words, tick-at)
	return dst
}

// Advanced returns words as they are expected to be n ticks later.
func (st *Store) Advanced(t *rowtype.Type, words rowtype.Words, n uint32) rowtype.Words {
	if !t.IsMoving(words) {
		return words
	}
	dst := t.At(st.rooms.predicted)
	t.Advance(dst, words, n)
	return dst
}

// Known returns the words that a peer will have when it is sent the row now: the
// current words, with the fractions as predicted. The result is valid until the next
// call.
func (st *Store) Known(r *Row) rowtype.Words {
	words, at := st.Reference(r)
	if at == uint32(st.Tick) && r.Type.Once == nil {
		return words
	}
	return st.KnownFrom(r, words, at)
}

// KnownFrom is known for a row whose newest version has the given words and tick.
func (st *Store) KnownFrom(r *Row, words rowtype.Words, at uint32) rowtype.Words {
	moving := at != uint32(st.Tick) && r.Type.IsMoving(words)
	if !moving && r.Type.Once == nil {
		return words
	}
	dst, n := r.Type.At(st.rooms.known), uint32(0)
	if moving {
		n = uint32(st.Tick) - at
	}
	r.Type.Advance(dst, words, n)
	for i, once := range r.Type.Once { // a change of a `once` word makes no version
		if once {
			*dst.Word(i) = st.Current(r)[i]
		}
	}
	return dst
}

// VarsOf returns the variable-length values of a version, nil if the row has none.
func (r *Row) VarsOf(ver uint32) []any {
	if r.Vars == nil {
		return nil
	}
	if ver == r.Head {
		return r.Vars.head
	}
	return r.Vars.older[ver%wire.HistoryLen]
}

// Kept reports whether a version is still in the ring, so that it can be a base.
func (r *Row) Kept(ver uint32) bool {
	return r.Head-ver < uint32(r.versions)
}

// Commit makes a new version of a row if the row has departed from its prediction or has no version
// yet, and reports whether it did. It is called at most once a send.
func (st *Store) Commit(i uint32) (left bool) {
	r := &st.Rows[i]
	r.Touched = false
	now, exact := st.Current(r), st.Slabs[r.Type.Index].exact
	if exact != nil {
		exact.restore(r.Type, r.Block, now)
	}
	if r.Type.IsReckoned() && st.reckon(r, now) {
		st.wait(i)
	}
	if len(r.Type.Borrowed) > 0 {
		st.borrow(i)
	}
	if len(r.Type.Fractional) > 0 {
		st.Slabs[r.Type.Index].track(r.Type, r.Block, uint32(st.Tick), now)
	}
	if r.versions == 0 {
		st.firstVersion(r)
		left = true
	} else if last, tick := st.Reference(r); !r.Type.IsAsPredicted(last, r.Type.At(now), uint32(st.Tick)-tick) || r.Vars != nil && !r.SameVars(r.Head) {
		if exact != nil && !r.Type.IsReckoned() && st.tolerates(r, last, uint32(st.Tick)-tick) {
			st.wait(i)
		} else {
			st.newVersion(r)
			left = true
		}
	}
	r.Moving = r.Type.IsMoving(r.Type.At(now))
	if r.Moving && !r.listed && !r.Walked {
		r.listed = true
		st.moving = append(st.moving, i)
		st.rouse(i)
	}
	return left
}

// CommitAll commits the rows that changed or move, and returns the slots of the nodes of
// which a row has departed from its prediction since the last call: some may be gone by now, and some may
// be there twice. Rows of nodes that no peer holds wait until a peer does. The result is
// valid until the next call of any method.
func (st *Store) CommitAll() (dirty []uint32) {
	kept := st.moving[:0]
	for _, i := range st.moving {
		r := &st.Rows[i]
		if r.gone || r.Walked || !r.Moving {
			r.listed = false
			continue
		}
		r.Touched = true
		n := &st.Nodes[r.node]
		if len(n.Holders) == 0 {
			r.listed, r.Moving = false, false
			continue
		}
		kept = append(kept, i)
		st.activate(r.node)
	}
	st.moving = kept
	st.commitOff()
	for _, slot := range st.active {
		n := &st.Nodes[slot]
		if !n.Used || len(n.Holders) == 0 {
			continue
		}
		off := false
		for _, i := range n.Rows() {
			if st.Rows[i].Touched && st.Commit(i) {
				off = true
			}
		}
		if off {
			st.dirty = append(st.dirty, slot)
		}
	}
	st.active = st.active[:0]
	st.round++
	dirty = st.dirty
	st.dirty = st.dirty[:0]
	return dirty
}

// firstVersion makes the current state of the row its first version. It keeps no older
// version, because no peer has been sent one.
func (st *Store) firstVersion(r *Row) {
	s := &st.Slabs[r.Type.Index]
	s.renew(s.at(r.Block), uint32(st.Tick))
	r.versions = 1
	if r.Vars != nil {
		r.Vars.head = slices.Clone(r.Vars.Now)
	}
}

// newVersion makes a new version from the current state of the row.
func (st *Store) newVersion(r *Row) {
	r.Left, r.Before = uint32(st.Tick), st.Slabs[r.Type.Index].retire(r, uint32(st.Tick))
	if r.Vars != nil {
		r.Vars.retire(r.Head)
	}
	r.Head++
	r.versions = min(r.versions+1, wire.HistoryLen)
}

// retire moves the values of version head to the older ones, and makes the current
// values the newest version.
func (v *rowVars) retire(head uint32) {
	if v.older == nil {
		v.older = new([wire.HistoryLen][]any)
	}
	v.older[head%wire.HistoryLen], v.head = v.head, slices.Clone(v.Now)
}

// SameVars reports whether the current values equal those of a version; `once` values
// are not compared.
func (r *Row) SameVars(ver uint32) bool {
	old := r.VarsOf(ver)
	for k, v := range r.Vars.Now {
		if !(r.Type.OnceV != nil && r.Type.OnceV[k]) && !r.Type.Vars[k].Type.Equal(old[k], v) {
			return false
		}
	}
	return true
}

// briefVars is how many bytes the values of variable length of a row may take that is told whole in place
// of a difference: at 30, in a world where all has just arrived, a send takes up to twice as much.
const briefVars = 32

// briefWords is how many words such a row may have, of which most take a byte or two: an array of hundreds would be
// told whole in each send for a round trip.
const briefWords = 24

// IsBrief reports whether a row has few words, and its values of variable length, if it has any, take few bytes. buf is
// scratch.
func (r *Row) IsBrief(buf *[]byte) bool {
	if len(r.Type.Words) > briefWords {
		return false
	}
	if r.Vars == nil {
		return true
	}
	*buf = (*buf)[:0]
	for k, v := range r.Vars.Now {
		if *buf = r.Type.Vars[k].Type.Append(*buf, v); len(*buf) > briefVars {
			return false
		}
	}
	return true
}

// activate puts a node on the list of nodes whose rows Schedule commits at the next
// send.
func (st *Store) activate(slot uint32) {
	n := &st.Nodes[slot]
	if n.active != st.round {
		n.active = st.round
		st.active = append(st.active, slot)
	}
}
