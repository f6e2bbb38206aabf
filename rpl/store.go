package rpl

import "unsafe"

// The store holds the authority's nodes' state: for every row (a part of an
// item of a node) a ring of its last versions, as quantised words. The world
// is read into it once a tick; everything after reads the store alone.

// A row is one part of one item of one node.
type row struct {
	t     *rowType
	node  uint32  // slot
	head  uint32  // newest version; never restarts, not even with a new tenant
	first uint32  // this tenant's first version
	made  uint32  // the send before which head was made: until it is sent, head is overwritten
	hist  int     // where the ring begins in the slab of its type
	vars  [][]any // ring of the variable-length values; nil without any

	// The last coded update of this row, for other peers at the same baseline.
	share shared

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

// A slab is the version rings of all rows of one type.
type slab struct {
	words []int32
	free  []uint32 // rows to use again, their rings with them
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

// version is the words of one version; valid while it is in the ring.
func (a *Authority) version(r *row, ver uint32) []int32 {
	w := len(r.t.words)
	at := r.hist + int(ver%historyLen)*w
	return a.slabs[r.t.index].words[at : at+w : at+w]
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
		a.rows = append(a.rows, row{t: t, node: slot, hist: len(s.words), head: 1, first: 1})
		s.words = append(s.words, make([]int32, historyLen*len(t.words))...)
		if len(t.vars) > 0 {
			a.rows[i].vars = make([][]any, historyLen)
		}
	}
	r := &a.rows[i]
	r.made = a.send + 1
	r.share = shared{}
	now := a.version(r, r.head)
	for k := range now {
		now[k] = t.words[k].Default
	}
	if r.vars != nil {
		vs := make([]any, len(t.vars))
		for k := range vs {
			vs[k] = t.vars[k].Type.Default()
		}
		r.vars[r.head%historyLen] = vs
	}
	return i
}

func (a *Authority) freeRow(i uint32) {
	r := &a.rows[i]
	r.gone = true
	for k := range r.vars {
		r.vars[k] = nil // let the values go
	}
	s := &a.slabs[r.t.index]
	s.free = append(s.free, i)
}

// commit makes words and vars the newest version of a row, if they differ.
func (a *Authority) commit(i uint32, words []int32, vars []any) bool {
	r := &a.rows[i]
	t := r.t
	now := a.version(r, r.head)
	same := true
	for k, f := range t.from {
		if now[k] != words[f] {
			same = false
			break
		}
	}
	if same && r.vars != nil {
		old := r.vars[r.head%historyLen]
		for k, f := range t.fromV {
			if !t.vars[k].Type.Equal(old[k], vars[f]) {
				same = false
				break
			}
		}
	}
	if same {
		return false
	}
	if r.made != a.send+1 {
		r.made = a.send + 1
		r.head++
		now = a.version(r, r.head)
	}
	for k, f := range t.from {
		now[k] = words[f]
	}
	if r.vars != nil {
		vs := make([]any, len(t.fromV))
		for k, f := range t.fromV {
			vs[k] = vars[f]
		}
		r.vars[r.head%historyLen] = vs
	}
	if !r.drifting && t.drifts(now) {
		r.drifting = true
		a.drifting = append(a.drifting, i)
	}
	return true
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
	for p, i := range m.rows {
		r := &a.rows[i]
		if r.vars == nil {
			continue
		}
		for k, f := range r.t.fromV {
			vars[f] = r.vars[r.head%historyLen][k]
		}
		_ = p
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
		for k, w := range a.version(r, r.head) {
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
