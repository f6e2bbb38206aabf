package rpl

import "unsafe"

// The store holds the authority's nodes' state: for every row (a part of an
// item of a node) a ring of its last versions, as quantised words. The world
// is read into it once a tick; everything after reads the store alone.

// A row is one part of one item of one node. Its versions are anchors: a new
// one is made only where the row has left the course that the last one
// predicts, so a straight walk is one version however long it takes, and a base
// stays in the ring for as long as it is good.
type row struct {
	t     *rowType
	node  uint32  // slot
	head  uint32  // newest version; never restarts, not even with a new tenant
	first uint32  // this tenant's first version
	hist  int     // where the words begin in the slab of its type: the ring, then now
	ticks int     // where the ring's ticks begin
	now   []any   // the variable-length values now
	vars  [][]any // ring of them; nil without any

	// The last coded update of this row, for other peers at the same baseline.
	share shared

	touched  bool // changed since the last send
	drifting bool // on the authority's drifting list
	gone     bool
}

// shared is an update as symbols, kept for one send.
type shared struct {
	send      uint32 // the send it was coded for
	ver, tick uint32 // its base
	model     uint8
	at, n     int // in Authority.syms
}

// A slab is the words of all rows of one type.
type slab struct {
	words []int32
	ticks []uint32
	free  []uint32 // rows to use again, their words with them
}

// item is one replicated component of a node.
type item struct {
	t      *ItemType
	node   uint32
	ord    uint8
	used   bool
	fresh  bool     // not extracted yet
	rows   []uint32 // per part
	shadow int      // where the shadow begins in the slab of its type
}

// version is the words of one version at its own tick.
func (a *Authority) version(r *row, ver uint32) []int32 {
	w := len(r.t.words)
	at := r.hist + int(ver%historyLen)*w
	return a.slabs[r.t.index].words[at : at+w : at+w]
}

// now is the words as they are.
func (a *Authority) current(r *row) []int32 {
	w := len(r.t.words)
	at := r.hist + historyLen*w
	return a.slabs[r.t.index].words[at : at+w : at+w]
}

// versionAt is the words of a version as they were at a tick from its own on,
// while the row kept the version's course. The result is valid until the next
// call.
func (a *Authority) versionAt(r *row, ver, tick uint32) []int32 {
	words := a.version(r, ver)
	n := tick - a.slabs[r.t.index].ticks[r.ticks+int(ver%historyLen)]
	if n == 0 || !r.t.drifts(words) {
		return words
	}
	dst := a.course[:len(words)]
	r.t.advance(dst, words, n)
	return dst
}

func (a *Authority) versionVars(r *row, ver uint32) []any {
	if r.vars == nil {
		return nil
	}
	return r.vars[ver%historyLen]
}

// kept reports whether a version can still be a base.
func (r *row) kept(ver uint32) bool {
	return r.head-ver < historyLen && ver-r.first <= r.head-r.first
}

func (a *Authority) newRow(t *rowType, slot uint32) uint32 {
	s := &a.slabs[t.index]
	var i uint32
	if n := len(s.free); n > 0 {
		i = s.free[n-1]
		s.free = s.free[:n-1]
		r := &a.rows[i]
		r.node, r.gone = slot, false
		r.head++
		r.first = r.head
	} else {
		i = uint32(len(a.rows))
		a.rows = append(a.rows, row{t: t, node: slot, hist: len(s.words), ticks: len(s.ticks), head: 1, first: 1})
		s.words = append(s.words, make([]int32, (historyLen+1)*len(t.words))...)
		s.ticks = append(s.ticks, make([]uint32, historyLen)...)
		if len(t.vars) > 0 {
			a.rows[i].vars = make([][]any, historyLen)
			a.rows[i].now = make([]any, len(t.vars))
		}
	}
	r := &a.rows[i]
	r.share, r.touched = shared{}, true
	now := a.current(r)
	for k := range now {
		now[k] = t.words[k].Default
	}
	for k := range r.now {
		r.now[k] = t.vars[k].Type.Default()
	}
	a.anchor(r)
	return i
}

func (a *Authority) freeRow(i uint32) {
	r := &a.rows[i]
	r.gone = true
	clear(r.vars) // let the values go
	clear(r.now)
	s := &a.slabs[r.t.index]
	s.free = append(s.free, i)
}

// anchor makes what the row is now its version head.
func (a *Authority) anchor(r *row) {
	copy(a.version(r, r.head), a.current(r))
	k := int(r.head % historyLen)
	a.slabs[r.t.index].ticks[r.ticks+k] = uint32(a.tick)
	if r.vars != nil {
		r.vars[k] = append([]any(nil), r.now...)
	}
}

// settle makes a new version of a row that has left its course: once a send.
func (a *Authority) settle(i uint32) {
	r := &a.rows[i]
	r.touched = false
	now, last := a.current(r), a.version(r, r.head)
	n := uint32(a.tick) - a.slabs[r.t.index].ticks[r.ticks+int(r.head%historyLen)]
	if r.t.onCourse(last, now, n) && (r.vars == nil || r.sameVars(r.head)) {
		return
	}
	r.head++
	a.anchor(r)
	if !r.drifting && r.t.drifts(now) {
		r.drifting = true
		a.drifting = append(a.drifting, i)
	}
}

// sameVars is whether the values are those of a version.
func (r *row) sameVars(ver uint32) bool {
	old := r.vars[ver%historyLen]
	for k, v := range r.now {
		if !r.t.vars[k].Type.Equal(old[k], v) {
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
		if now[k] != words[f] {
			now[k], changed = words[f], true
		}
	}
	for k, f := range t.fromV {
		if v := vars[f]; !t.vars[k].Type.Equal(r.now[k], v) {
			r.now[k], changed = v, true
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
	m := &a.items[it]
	sh := &a.shadows[m.t.Index]
	n := m.t.ShadowSize()
	if m.t.Same(component, (*sh)[m.shadow:m.shadow+n]) && !m.fresh {
		return false
	}
	words := a.scratch[:len(m.t.Words)]
	vars := a.scratchVars[:len(m.t.Vars)]
	a.currentVars(m, vars)
	m.t.Extract(component, words, vars, a.refs)
	return a.set(m, words, vars)
}

// currentVars is what Extract compares with, so that values that are equal
// stay the same values.
func (a *Authority) currentVars(m *item, vars []any) {
	for _, i := range m.rows {
		r := &a.rows[i]
		for k, f := range r.t.fromV {
			vars[f] = r.now[k]
		}
	}
}

// SetWords is Set for an item that the schema's builder made: its words as
// they are. They must be within their ranges.
func (a *Authority) SetWords(it Item, words []int32) (changed bool) {
	return a.set(&a.items[it], words, nil)
}

func (a *Authority) set(m *item, words []int32, vars []any) (changed bool) {
	for _, i := range m.rows {
		if a.commit(i, words, vars) {
			changed = true
		}
	}
	n := &a.nodes[m.node]
	if changed {
		a.activate(m.node)
	}
	if (changed || m.fresh) && m.t.Pos[0] >= 0 {
		if n.posItem == int16(m.ord) {
			a.moved(m.node, float64(words[m.t.Pos[0]])*m.t.PosStep, float64(words[m.t.Pos[1]])*m.t.PosStep)
		}
	}
	m.fresh = false
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
		for k, w := range a.current(r) {
			dst[at+r.t.from[k]] = w
		}
	}
	return dst
}

// activate puts a node on the list of those that peers must be asked about at
// the next send.
func (a *Authority) activate(slot uint32) {
	n := &a.nodes[slot]
	if n.active != a.send+1 {
		n.active = a.send + 1
		a.active = append(a.active, slot)
	}
}
