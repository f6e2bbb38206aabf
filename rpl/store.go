package rpl

import (
	"slices"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/pages"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The store holds the state of the authority's nodes. Each row (one part of one item of
// one node) keeps a ring of its last versions as quantised words. The world is read
// into the store once a tick; every later stage reads only the store.

// A row is one part of one item of one node. Each of its versions anchors a course: the
// state that it and its velocities predict. A new version is made only when the row
// leaves the course that the newest version predicts. So a straight walk is one
// version, however long it takes, and a baseline stays in the ring for as long as it is
// useful.
//
// A row is 64 bytes, one cache line, because peers ask for rows one by one.
type row struct {
	t       *rowtype.Type
	vars    *rowVars // nil without variable-length props
	node    uint32   // slot of the row's node
	block   uint32   // the row's block in the slab of its type
	history uint32   // the row's older versions in that slab
	head    uint32   // number of the newest version; does not restart with a new tenant

	left, before uint32 // tick when the row last left a course, and the tick of that course's anchor

	share    shared
	shareVer uint8 // how many versions the base of share is behind head

	versions uint8 // how many versions of this tenant are kept; 0 until the row is first settled

	touched  bool // must be settled: it may have changed since it last was
	drifting bool // expected to change by itself
	listed   bool // on the authority's drifting list
	walked   bool // SetColumn settles it, not Schedule
	gone     bool
	secret   bool // not every peer may see it
}

const noRow = ^uint32(0)

// rowVars holds the variable-length values of a row.
type rowVars struct {
	now, head []any                   // the current values, and those of the newest version
	older     *[wire.HistoryLen][]any // nil until there is an older version
}

// shared is the update of a row that was coded last. Other peers with the same baseline
// reuse it in the same send.
type shared struct {
	key   uint32 // the send and the tables that the update was coded for: shareKey
	tick  uint32 // of the base
	codes codes
}

func (a *Authority) shareKey(m *coder.Model) uint32 { return a.send<<2 | uint32(m.Number) }

// item is one replicated component of a node.
type item struct {
	t      *ItemType
	node   uint32
	ord    uint8
	tenant uint16   // of its slot
	rows   []uint32 // one per part
	shadow int      // offset of the shadow in Authority.shadows of its type
}

// current returns the words of a row as they are now.
func (a *Authority) current(r *row) []int32 {
	return a.slabs[r.t.Index].current(r.block, r.t.Width)
}

// anchored returns the newest version (head) of a row: its words and its tick.
func (a *Authority) anchored(r *row) (rowtype.Words, uint32) {
	return a.slabs[r.t.Index].anchor(r.block)
}

// version returns the words and the tick of one version.
func (a *Authority) version(r *row, ver uint32) (rowtype.Words, uint32) {
	return a.slabs[r.t.Index].versionOf(r, ver)
}

// versionAt returns what version ver predicts for a tick, which must not be before the
// version's own: the words that the row had then, if it still was on the version's
// course. The result is valid until the next call.
func (a *Authority) versionAt(r *row, ver, tick uint32) rowtype.Words {
	words, at := a.version(r, ver)
	if tick == at {
		return words
	}
	return a.advanced(r.t, words, tick-at)
}

// advanced returns words as they are expected to be n ticks later.
func (a *Authority) advanced(t *rowtype.Type, words rowtype.Words, n uint32) rowtype.Words {
	if !t.Drifts(words) {
		return words
	}
	dst := t.At(a.course)
	t.Advance(dst, words, n)
	return dst
}

// known returns the words that a peer will have when it is told of the row now: the
// current words, with the phases of their course. The result is valid until the next
// call.
func (a *Authority) known(r *row) rowtype.Words {
	words, at := a.anchored(r)
	if at == uint32(a.tick) && r.t.Once == nil {
		return words
	}
	return a.toldAs(r, words, at)
}

// toldAs is known for a row whose newest version has the given words and tick.
func (a *Authority) toldAs(r *row, words rowtype.Words, at uint32) rowtype.Words {
	drifts := at != uint32(a.tick) && r.t.Drifts(words)
	if !drifts && r.t.Once == nil {
		return words
	}
	dst, n := r.t.At(a.told), uint32(0)
	if drifts {
		n = uint32(a.tick) - at
	}
	r.t.Advance(dst, words, n)
	for i, once := range r.t.Once { // a change of a `once` word makes no version
		if once {
			*dst.Word(i) = a.current(r)[i]
		}
	}
	return dst
}

// varsOf returns the variable-length values of a version, nil if the row has none.
func (r *row) varsOf(ver uint32) []any {
	if r.vars == nil {
		return nil
	}
	if ver == r.head {
		return r.vars.head
	}
	return r.vars.older[ver%wire.HistoryLen]
}

// kept reports whether a version is still in the ring, so that it can be a base.
func (r *row) kept(ver uint32) bool {
	return r.head-ver < uint32(r.versions)
}

// newRow returns a row of a type for the node in a slot, with the words of a zero component and
// no version yet.
func (a *Authority) newRow(t *rowtype.Type, slot uint32) uint32 {
	s := &a.slabs[t.Index]
	var i uint32
	if n := len(s.free); n > 0 {
		i = s.free[n-1]
		s.free = s.free[:n-1]
		r := &a.rows[i]
		r.node, r.gone = slot, false
		if r.head++; r.head > wire.MaxHead {
			r.head = 1 // whatever was sent of those versions is long forgotten
		}
	} else {
		i = uint32(len(a.rows))
		a.rows = pages.Append(a.rows, row{t: t, node: slot, block: uint32(s.rows), history: noHistory, head: 1})
		s.rows++
		s.owners = append(s.owners, owner{i, noItem})
		s.blocks = pages.Extend(s.blocks, s.block)
		s.sums = append(s.sums, 0)
		s.runs = append(s.runs, make([]run, len(t.Inferred))...)
		if len(t.Vars) > 0 {
			a.rows[i].vars = &rowVars{now: make([]any, len(t.Vars))}
		}
	}
	r := &a.rows[i]
	r.share, r.versions, r.touched, r.drifting = shared{}, 0, true, false
	now := a.current(r)
	clear(now)
	for k := range t.Words {
		now[k] = t.Words[k].Default
	}
	*s.tracked(r.block) = 0
	if r.vars != nil {
		for k := range r.vars.now {
			r.vars.now[k] = t.Vars[k].Type.Default()
		}
	}
	return i
}

// freeRow lets another node have a row.
func (a *Authority) freeRow(i uint32) {
	r := &a.rows[i]
	a.sendAway(i)
	r.gone = true
	if r.vars != nil { // let go of the values
		*r.vars = rowVars{now: r.vars.now}
		clear(r.vars.now)
	}
	s := &a.slabs[r.t.Index]
	s.free = append(s.free, i)
}

// settle makes a new version of a row if the row has left its course or has no version
// yet, and reports whether it did. It is called at most once a send.
func (a *Authority) settle(i uint32) (left bool) {
	r := &a.rows[i]
	r.touched = false
	now := a.current(r)
	if len(r.t.Phased) > 0 {
		a.slabs[r.t.Index].track(r.t, r.block, uint32(a.tick), now)
	}
	if r.versions == 0 {
		a.beginCourse(r)
		left = true
	} else if last, tick := a.anchored(r); !r.t.OnCourse(last, r.t.At(now), uint32(a.tick)-tick) || r.vars != nil && !r.sameVars(r.head) {
		a.leaveCourse(r)
		left = true
	}
	r.drifting = r.t.Drifts(r.t.At(now))
	if r.drifting && !r.listed && !r.walked {
		r.listed = true
		a.drifting = append(a.drifting, i)
	}
	return left
}

// beginCourse makes the current state of the row its first version. It keeps no older
// version, because no peer has been told of one.
func (a *Authority) beginCourse(r *row) {
	s := &a.slabs[r.t.Index]
	s.renew(s.at(r.block), uint32(a.tick))
	r.versions = 1
	if r.vars != nil {
		r.vars.head = slices.Clone(r.vars.now)
	}
}

// leaveCourse makes a new version from the current state of the row.
func (a *Authority) leaveCourse(r *row) {
	r.left, r.before = uint32(a.tick), a.slabs[r.t.Index].retire(r, uint32(a.tick))
	if r.vars != nil {
		r.vars.retire(r.head)
	}
	r.head++
	r.versions = min(r.versions+1, wire.HistoryLen)
}

// retire moves the values of version head to the older ones, and makes the current
// values the newest version.
func (v *rowVars) retire(head uint32) {
	if v.older == nil {
		v.older = new([wire.HistoryLen][]any)
	}
	v.older[head%wire.HistoryLen], v.head = v.head, slices.Clone(v.now)
}

// sameVars reports whether the current values equal those of a version; `once` values
// are not compared.
func (r *row) sameVars(ver uint32) bool {
	old := r.varsOf(ver)
	for k, v := range r.vars.now {
		if !(r.t.OnceV != nil && r.t.OnceV[k]) && !r.t.Vars[k].Type.Equal(old[k], v) {
			return false
		}
	}
	return true
}

// commit makes words and vars, those of a whole item, the current state of one of its
// rows, and reports whether that changed the row.
func (a *Authority) commit(i uint32, words []int32, vars []any) bool {
	r := &a.rows[i]
	t := r.t
	now := a.current(r)
	changed := false
	for k, f := range t.From {
		if f >= 0 && now[k] != words[f] && (t.When == nil || t.When[k] < 0 || words[t.When[k]] != 0) {
			now[k], changed = words[f], true
		}
	}
	for k, f := range t.FromV {
		if t.WhenV != nil && t.WhenV[k] >= 0 && words[t.WhenV[k]] == 0 {
			continue
		}
		if v := vars[f]; !t.Vars[k].Type.Equal(r.vars.now[k], v) && a.isBounded(r, k, v) {
			r.vars.now[k], changed = v, true
		}
	}
	if changed {
		r.touched = true
	}
	return changed
}

// Set extracts a component into the store. It is called once a tick, before Stream, for
// every item whose component may have changed. It first compares the component with a
// shadow of its bytes. It reports whether a replicated value changed. It does nothing for
// an item that was removed.
func (a *Authority) Set(item Item, component unsafe.Pointer) (changed bool) {
	it, ok := a.item(item)
	return ok && a.read(it, component)
}

// read is Set for an item that exists.
func (a *Authority) read(it itemSlot, component unsafe.Pointer) (changed bool) {
	m, h := &a.items[it], &a.hots[it]
	a.unwalk(it)
	sh := a.shadows[m.t.Index]
	if m.t.Unchanged(component, sh[m.shadow:m.shadow+m.t.ShadowSize]) && h.flags&(hotFresh|hotStale) == 0 {
		return false
	}
	h.flags &^= hotStale
	words := a.scratch[:len(m.t.Words)]
	vars := a.scratchVars[:len(m.t.Vars)]
	if len(vars) > 0 {
		a.currentVars(m, vars)
	}
	m.t.Extract(component, words, vars, a.cfg.Refs)
	return a.set(it, words, vars)
}

// currentVars fills vars with the current values of an item. Extract compares with
// them, so that a value that has not changed stays the same Go value.
func (a *Authority) currentVars(m *item, vars []any) {
	for _, i := range m.rows {
		r := &a.rows[i]
		for k, f := range r.t.FromV {
			vars[f] = r.vars.now[k]
		}
	}
}

// SetWords is Set for an item whose type was made by the schema's builder. It is given
// the item's current words, which must be within their ranges.
func (a *Authority) SetWords(item Item, words []int32) (changed bool) {
	it, ok := a.item(item)
	if !ok {
		return false
	}
	a.unwalk(it)
	return a.set(it, words, nil)
}

// set makes words and vars the state of an item.
func (a *Authority) set(it itemSlot, words []int32, vars []any) (changed bool) {
	m, h := &a.items[it], &a.hots[it]
	for _, i := range m.rows {
		if a.commit(i, words, vars) {
			changed = true
		}
	}
	if changed {
		a.activate(m.node)
	}
	if (changed || h.flags&hotFresh != 0) && h.flags&hotPlace != 0 && !a.catching {
		x, y := float64(words[m.t.Pos[0]])*m.t.PosStep, float64(words[m.t.Pos[1]])*m.t.PosStep
		if s := &a.spots[m.node]; h.flags&hotFresh != 0 || x != s.x || y != s.y {
			a.setSpot(m.node, x, y)
			a.unplace(h)
		}
	}
	if h.flags&hotFresh != 0 {
		h.flags &^= hotFresh
		a.classify(h)
	}
	return changed
}

// Words appends an item's newest words to dst, in the order of ItemType.Words; of an item
// that was removed, none.
func (a *Authority) Words(item Item, dst []int32) []int32 {
	it, ok := a.item(item)
	if !ok {
		return dst
	}
	m := &a.items[it]
	at := len(dst)
	dst = append(dst, make([]int32, len(m.t.Words))...)
	for _, i := range m.rows {
		r := &a.rows[i]
		now := a.current(r)
		for k, f := range r.t.From {
			if f >= 0 {
				dst[at+f] = now[k]
			}
		}
	}
	return dst
}

// activate puts a node on the list of nodes whose rows Schedule settles at the next
// send.
func (a *Authority) activate(slot uint32) {
	n := &a.nodes[slot]
	if n.active != a.round {
		n.active = a.round
		a.active = append(a.active, slot)
	}
}
