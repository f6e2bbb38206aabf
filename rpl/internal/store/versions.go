package store

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Current returns the words of a row as they are now.
func (a *Store) Current(r *Row) []int32 {
	return a.Slabs[r.Type.Index].current(r.Block, r.Type.Width)
}

// Reference returns the words and the tick of the newest version (head) of a row, from
// which both ends predict it.
func (a *Store) Reference(r *Row) (rowtype.Words, uint32) {
	return a.Slabs[r.Type.Index].Reference(r.Block)
}

// Version returns the words and the tick of one version.
func (a *Store) Version(r *Row, ver uint32) (rowtype.Words, uint32) {
	return a.Slabs[r.Type.Index].VersionOf(r, ver)
}

// VersionAt returns what version ver predicts for a tick, which must not be before the
// version's own: the words that the row had then, if it still moved as the
// version predicts. The result is valid until the next call.
func (a *Store) VersionAt(r *Row, ver, tick uint32) rowtype.Words {
	words, at := a.Version(r, ver)
	if tick == at {
		return words
	}
	return a.Advanced(r.Type, words, tick-at)
}

// SecondAt returns what version ver predicted for a tick. The result stays valid beside one of
// VersionAt, until the next call.
func (a *Store) SecondAt(r *Row, ver, tick uint32) rowtype.Words {
	words, at := a.Version(r, ver)
	if tick == at || !r.Type.IsMoving(words) {
		return words
	}
	dst := r.Type.At(a.rooms.before)
	r.Type.Advance(dst, words, tick-at)
	return dst
}

// Advanced returns words as they are expected to be n ticks later.
func (a *Store) Advanced(t *rowtype.Type, words rowtype.Words, n uint32) rowtype.Words {
	if !t.IsMoving(words) {
		return words
	}
	dst := t.At(a.rooms.predicted)
	t.Advance(dst, words, n)
	return dst
}

// Known returns the words that a peer will have when it is sent the row now: the
// current words, with the fractions as predicted. The result is valid until the next
// call.
func (a *Store) Known(r *Row) rowtype.Words {
	words, at := a.Reference(r)
	if at == uint32(a.Tick) && r.Type.Once == nil {
		return words
	}
	return a.KnownFrom(r, words, at)
}

// KnownFrom is known for a row whose newest version has the given words and tick.
func (a *Store) KnownFrom(r *Row, words rowtype.Words, at uint32) rowtype.Words {
	moving := at != uint32(a.Tick) && r.Type.IsMoving(words)
	if !moving && r.Type.Once == nil {
		return words
	}
	dst, n := r.Type.At(a.rooms.known), uint32(0)
	if moving {
		n = uint32(a.Tick) - at
	}
	r.Type.Advance(dst, words, n)
	for i, once := range r.Type.Once { // a change of a `once` word makes no version
		if once {
			*dst.Word(i) = a.Current(r)[i]
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
func (a *Store) Commit(i uint32) (left bool) {
	r := &a.Rows[i]
	r.Touched = false
	now, exact := a.Current(r), a.Slabs[r.Type.Index].exact
	if exact != nil {
		exact.restore(r.Type, r.Block, now)
	}
	if r.Type.IsReckoned() && a.reckon(r, now) {
		a.wait(i)
	}
	if len(r.Type.Borrowed) > 0 {
		a.borrow(i)
	}
	if len(r.Type.Fractional) > 0 {
		a.Slabs[r.Type.Index].track(r.Type, r.Block, uint32(a.Tick), now)
	}
	if r.versions == 0 {
		a.firstVersion(r)
		left = true
	} else if last, tick := a.Reference(r); !r.Type.IsAsPredicted(last, r.Type.At(now), uint32(a.Tick)-tick) || r.Vars != nil && !r.SameVars(r.Head) {
		if exact != nil && !r.Type.IsReckoned() && a.tolerates(r, last, uint32(a.Tick)-tick) {
			a.wait(i)
		} else {
			a.newVersion(r)
			left = true
		}
	}
	r.Moving = r.Type.IsMoving(r.Type.At(now))
	if r.Moving && !r.listed && !r.Walked {
		r.listed = true
		a.moving = append(a.moving, i)
	}
	return left
}

// CommitAll commits the rows that changed or move, and returns the slots of the nodes of
// which a row has departed from its prediction since the last call: some may be gone by now, and some may
// be there twice. Rows of nodes that no peer holds wait until a peer does. The result is
// valid until the next call of any method.
func (a *Store) CommitAll() (dirty []uint32) {
	kept := a.moving[:0]
	for _, i := range a.moving {
		r := &a.Rows[i]
		if r.gone || r.Walked || !r.Moving {
			r.listed = false
			continue
		}
		r.Touched = true
		n := &a.Nodes[r.node]
		if len(n.Holders) == 0 {
			r.listed, r.Moving = false, false
			continue
		}
		kept = append(kept, i)
		a.activate(r.node)
	}
	a.moving = kept
	a.commitOff()
	for _, slot := range a.active {
		n := &a.Nodes[slot]
		if !n.Used || len(n.Holders) == 0 {
			continue
		}
		off := false
		for _, i := range n.Rows() {
			if a.Rows[i].Touched && a.Commit(i) {
				off = true
			}
		}
		if off {
			a.dirty = append(a.dirty, slot)
		}
	}
	a.active = a.active[:0]
	a.round++
	dirty = a.dirty
	a.dirty = a.dirty[:0]
	return dirty
}

// firstVersion makes the current state of the row its first version. It keeps no older
// version, because no peer has been sent one.
func (a *Store) firstVersion(r *Row) {
	s := &a.Slabs[r.Type.Index]
	s.renew(s.at(r.Block), uint32(a.Tick))
	r.versions = 1
	if r.Vars != nil {
		r.Vars.head = slices.Clone(r.Vars.Now)
	}
}

// newVersion makes a new version from the current state of the row.
func (a *Store) newVersion(r *Row) {
	r.Left, r.Before = uint32(a.Tick), a.Slabs[r.Type.Index].retire(r, uint32(a.Tick))
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

// activate puts a node on the list of nodes whose rows Schedule commits at the next
// send.
func (a *Store) activate(slot uint32) {
	n := &a.Nodes[slot]
	if n.active != a.round {
		n.active = a.round
		a.active = append(a.active, slot)
	}
}
