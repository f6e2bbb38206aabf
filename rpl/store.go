package rpl

import (
	"slices"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/pages"
)

// The store holds the authority's nodes' state: for every row (a part of an
// item of a node) a ring of its last versions, as quantised words. The world
// is read into it once a tick; everything after reads the store alone.

// A row is one part of one item of one node. Its versions are anchors: a new
// one is made only where the row has left the course that the last one
// predicts, so a straight walk is one version however long it takes, and a base
// stays in the ring for as long as it is good.
//
// A row is 64 bytes, one line of a cache: peers ask for rows one by one.
type row struct {
	t       *rowType
	vars    *rowVars // nil without variable-length props
	node    uint32   // slot
	block   uint32   // place in the slab of its type …
	history uint32   // … and of its older versions there
	head    uint32   // newest version; does not restart with a new tenant

	left, before uint32 // when it last left a course, and the tick of that one's anchor

	share    shared
	shareVer uint8 // its base, counted back from head

	versions uint8 // that there are of this tenant; 0 until it is settled first

	touched  bool // changed since the last send
	drifting bool // it is expected to change by itself
	listed   bool // on the authority's drifting list
	walked   bool // SetColumn settles it
	gone     bool
	secret   bool // not everyone may see it
}

const noRow = ^uint32(0)

// rowVars is the variable-length values of a row.
type rowVars struct {
	now, head []any              // as they are, and of the newest version
	older     *[historyLen][]any // nil before there is one
}

// shared is the last coded update of a row, for other peers at the same baseline
// in the same send.
type shared struct {
	key   uint32 // the send that it was coded for, and by which tables: shareKey
	tick  uint32 // of its base
	codes codes
}

func (a *Authority) shareKey(m *model) uint32 { return a.send<<2 | uint32(m.number) }

// item is one replicated component of a node.
type item struct {
	t      *ItemType
	node   uint32
	ord    uint8
	used   bool
	rows   []uint32 // per part
	shadow int      // where the shadow begins in the slab of its type
}

// current is the words as they are.
func (a *Authority) current(r *row) []int32 {
	return a.slabs[r.t.index].current(r.block, r.t.width)
}

// anchored is version head: its words and its tick.
func (a *Authority) anchored(r *row) (rowWords, uint32) {
	return a.slabs[r.t.index].anchor(r.block)
}

// version is the words and the tick of one version.
func (a *Authority) version(r *row, ver uint32) (rowWords, uint32) {
	return a.slabs[r.t.index].versionOf(r, ver)
}

// versionAt is the words of a version as they were at a tick from its own on,
// while the row kept the version's course. The result is valid until the next
// call.
func (a *Authority) versionAt(r *row, ver, tick uint32) rowWords {
	words, at := a.version(r, ver)
	if tick == at {
		return words
	}
	return a.advanced(r.t, words, tick-at)
}

// advanced is what words are some ticks later.
func (a *Authority) advanced(t *rowType, words rowWords, n uint32) rowWords {
	if !t.drifts(words) {
		return words
	}
	dst := t.at(a.course)
	t.advance(dst, words, n)
	return dst
}

// known is what a peer that is told of the row now will have: the words as they
// are, with the phases of the course that they are on. The result is valid until
// the next call.
func (a *Authority) known(r *row) rowWords {
	words, at := a.anchored(r)
	if at == uint32(a.tick) && r.t.once == nil {
		return words
	}
	return a.toldAs(r, words, at)
}

// toldAs is known of a row whose newest version is of a tick.
func (a *Authority) toldAs(r *row, words rowWords, at uint32) rowWords {
	drifts := at != uint32(a.tick) && r.t.drifts(words)
	if !drifts && r.t.once == nil {
		return words
	}
	dst, n := r.t.at(a.told), uint32(0)
	if drifts {
		n = uint32(a.tick) - at
	}
	r.t.advance(dst, words, n)
	for i, once := range r.t.once { // what keyframes tell makes no version
		if once {
			*dst.word(i) = a.current(r)[i]
		}
	}
	return dst
}

func (r *row) varsOf(ver uint32) []any {
	if r.vars == nil {
		return nil
	}
	if ver == r.head {
		return r.vars.head
	}
	return r.vars.older[ver%historyLen]
}

// kept reports whether a version can still be a base.
func (r *row) kept(ver uint32) bool {
	return r.head-ver < uint32(r.versions)
}

func (a *Authority) newRow(t *rowType, slot uint32) uint32 {
	s := &a.slabs[t.index]
	var i uint32
	if n := len(s.free); n > 0 {
		i = s.free[n-1]
		s.free = s.free[:n-1]
		r := &a.rows[i]
		r.node, r.gone = slot, false
		if r.head++; r.head > maxHead {
			r.head = 1 // what was sent of the last ones is long forgotten
		}
	} else {
		i = uint32(len(a.rows))
		a.rows = pages.Append(a.rows, row{t: t, node: slot, block: uint32(s.rows), history: noHistory, head: 1})
		s.rows++
		s.owners = append(s.owners, owner{i, NoItem})
		s.blocks = pages.Extend(s.blocks, s.block)
		s.sums = append(s.sums, 0)
		s.runs = append(s.runs, make([]run, len(t.inferred))...)
		if len(t.vars) > 0 {
			a.rows[i].vars = &rowVars{now: make([]any, len(t.vars))}
		}
	}
	r := &a.rows[i]
	r.share, r.versions, r.touched, r.drifting = shared{}, 0, true, false
	now := a.current(r)
	clear(now)
	for k := range t.words {
		now[k] = t.words[k].Default
	}
	*s.tracked(r.block) = 0
	if r.vars != nil {
		for k := range r.vars.now {
			r.vars.now[k] = t.vars[k].Type.Default()
		}
	}
	return i
}

func (a *Authority) freeRow(i uint32) {
	r := &a.rows[i]
	a.sendAway(i)
	r.gone = true
	if r.vars != nil { // let the values go
		*r.vars = rowVars{now: r.vars.now}
		clear(r.vars.now)
	}
	s := &a.slabs[r.t.index]
	s.free = append(s.free, i)
}

// settle makes a new version of a row that has left its course, or has none yet: once
// a send.
func (a *Authority) settle(i uint32) (left bool) {
	r := &a.rows[i]
	r.touched = false
	now := a.current(r)
	if len(r.t.phased) > 0 {
		a.slabs[r.t.index].track(r.t, r.block, uint32(a.tick), now)
	}
	if r.versions == 0 {
		a.beginCourse(r)
		left = true
	} else if last, tick := a.anchored(r); !r.t.onCourse(last, r.t.at(now), uint32(a.tick)-tick) || r.vars != nil && !r.sameVars(r.head) {
		a.leaveCourse(r)
		left = true
	}
	r.drifting = r.t.drifts(r.t.at(now))
	if r.drifting && !r.listed && !r.walked {
		r.listed = true
		a.drifting = append(a.drifting, i)
	}
	return left
}

// beginCourse makes what the row is now its first version: nobody has been told of
// another.
func (a *Authority) beginCourse(r *row) {
	s := &a.slabs[r.t.index]
	s.renew(s.at(r.block), uint32(a.tick))
	r.versions = 1
	if r.vars != nil {
		r.vars.head = slices.Clone(r.vars.now)
	}
}

// leaveCourse makes a new version of what the row is now.
func (a *Authority) leaveCourse(r *row) {
	r.left, r.before = uint32(a.tick), a.slabs[r.t.index].retire(r, uint32(a.tick))
	if r.vars != nil {
		r.vars.retire(r.head)
	}
	r.head++
	r.versions = min(r.versions+1, historyLen)
}

// retire puts the values of version head among the older ones, and makes those that
// are now the newest.
func (v *rowVars) retire(head uint32) {
	if v.older == nil {
		v.older = new([historyLen][]any)
	}
	v.older[head%historyLen], v.head = v.head, slices.Clone(v.now)
}

// sameVars is whether the values are those of a version.
func (r *row) sameVars(ver uint32) bool {
	old := r.varsOf(ver)
	for k, v := range r.vars.now {
		if !(r.t.onceV != nil && r.t.onceV[k]) && !r.t.vars[k].Type.Equal(old[k], v) {
			return false
		}
	}
	return true
}

// commit makes words and vars what a row is now, and reports a difference.
func (a *Authority) commit(i uint32, words []int32, vars []any) bool {
	r := &a.rows[i]
	t := r.t
	now := a.current(r)
	changed := false
	for k, f := range t.from {
		if f >= 0 && now[k] != words[f] && (t.when == nil || t.when[k] < 0 || words[t.when[k]] != 0) {
			now[k], changed = words[f], true
		}
	}
	for k, f := range t.fromV {
		if t.whenV != nil && t.whenV[k] >= 0 && words[t.whenV[k]] == 0 {
			continue
		}
		if v := vars[f]; !t.vars[k].Type.Equal(r.vars.now[k], v) {
			r.vars.now[k], changed = v, true
		}
	}
	if changed {
		r.touched = true
	}
	return changed
}

// Set extracts a component into the store: called for every item that may have
// changed, once a tick, before Stream. It compares the component with a shadow
// of its bytes first and reports whether a replicated value changed.
func (a *Authority) Set(it Item, component unsafe.Pointer) (changed bool) {
	m, h := &a.items[it], &a.hots[it]
	a.unwalk(it)
	sh := a.shadows[m.t.Index]
	if m.t.Same(component, sh[m.shadow:m.shadow+m.t.ShadowSize()]) && h.flags&(hotFresh|hotStale) == 0 {
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

// currentVars is what Extract compares with, so that values that are equal
// stay the same values.
func (a *Authority) currentVars(m *item, vars []any) {
	for _, i := range m.rows {
		r := &a.rows[i]
		for k, f := range r.t.fromV {
			vars[f] = r.vars.now[k]
		}
	}
}

// SetWords is Set for an item that the schema's builder made: its words as
// they are. They must be within their ranges.
func (a *Authority) SetWords(it Item, words []int32) (changed bool) {
	a.unwalk(it)
	return a.set(it, words, nil)
}

func (a *Authority) set(it Item, words []int32, vars []any) (changed bool) {
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
			a.moved(m.node, x, y)
			a.unplace(h)
		}
	}
	if h.flags&hotFresh != 0 {
		h.flags &^= hotFresh
		a.sort(h)
	}
	return changed
}

// Words is an item's newest words, in the order of ItemType.Words, appended to
// dst.
func (a *Authority) Words(it Item, dst []int32) []int32 {
	m := &a.items[it]
	at := len(dst)
	dst = append(dst, make([]int32, len(m.t.Words))...)
	for _, i := range m.rows {
		r := &a.rows[i]
		now := a.current(r)
		for k, f := range r.t.from {
			if f >= 0 {
				dst[at+f] = now[k]
			}
		}
	}
	return dst
}

// activate puts a node on the list of those that peers must be asked about at
// the next send.
func (a *Authority) activate(slot uint32) {
	n := &a.nodes[slot]
	if n.active != a.round {
		n.active = a.round
		a.active = append(a.active, slot)
	}
}
