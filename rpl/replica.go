package rpl

import (
	"time"
	"unsafe"
)

// A Replica is a node held by a proxy core. The adapter reads it; Entity is
// the adapter's own.
type Replica struct {
	ID     Node
	Prefab *PrefabType // nil: made from its items alone
	Args   []byte      // of the prefab
	Name   string      // of a load-time node
	Items  []*ItemType // by ordinal; nil where one was removed
	Owner  Peer
	Parent Node // 0: a root, or a parent that is not held here
	Entity any

	handle  uint32
	gen     uint8
	layout  *nodeLayout
	rows    []*replicaRow
	old     []*replicaRow // before the last change of items, for late packets
	first   Tick          // of the first arrival applied
	laid    Tick          // of the first with these items
	wasLaid Tick          // of the first with those before
	born    Tick          // of the newest arrival applied
	meta    Tick          // of the newest owner and parent applied
	parent  uint32        // the parent's handle, noHandle for none
	fresh   bool          // arrived in this Apply
	told    bool          // the adapter knows of it
	mended  time.Duration // when a keyframe was last asked for because a checksum differed
	gone    bool
}

// replicaRow is one row on a proxy: the versions that the authority may still
// name as a base, and the state as it is now.
type replicaRow struct {
	t       *rowType
	of      *Replica // once it drifts
	ordinal int
	visible bool

	ring []int32 // versions: ticks first, ascending from the oldest, then words
	size int     // versions that the ring holds
	vars [][]any
	head int // index of the newest
	n    int

	now      []int32 // newest state, advanced to the newest tick
	cur      []int32 // newest state as received
	curVars  []any
	tick     Tick // of cur
	applied  Tick // newest record applied
	keyed    Tick // newest keyframe or forget applied
	drifting bool
	changed  bool // told in this Apply
}

func newReplicaRow(t *rowType, ordinal int) *replicaRow {
	w := t.width
	words := make([]int32, 2*w) // side by side, as they are read
	r := &replicaRow{t: t, ordinal: ordinal, now: words[:w:w], cur: words[w:]}
	r.clear()
	return r
}

// clear forgets what the row was told: its values are those of a zero
// component.
func (r *replicaRow) clear() {
	r.n, r.visible, r.applied, r.drifting = 0, false, 0, false
	clear(r.cur)
	for i := range r.t.words {
		r.cur[i] = r.t.words[i].Default
	}
	copy(r.now, r.cur)
	if len(r.t.vars) > 0 {
		r.curVars = make([]any, len(r.t.vars))
		for i := range r.curVars {
			r.curVars[i] = r.t.vars[i].Type.Default()
		}
	}
}

func (r *replicaRow) tickOf(i int) Tick { return Tick(uint32(r.ring[i])) }

func (r *replicaRow) wordsOf(i int) []int32 {
	w := r.t.width
	at := r.size + i*w
	return r.ring[at : at+w : at+w]
}

// base is the newest version up to a tick, or exactly at it.
func (r *replicaRow) base(t Tick, exact bool) (words []int32, vars []any, at Tick, ok bool) {
	i := r.head
	for range r.n {
		if at = r.tickOf(i); at <= t {
			if exact && at != t {
				return nil, nil, 0, false
			}
			if r.vars != nil {
				vars = r.vars[i]
			}
			return r.wordsOf(i), vars, at, true
		}
		i = r.before(i)
	}
	return nil, nil, 0, false
}

// keep stores a version; floor is the base that it was coded against: older
// ones will not be named any more (protocol rule 14).
func (r *replicaRow) keep(m *ringMemory, t Tick, words []int32, vars []any, floor Tick) {
	for r.n > 0 && r.tickOf(r.oldest())+lateTicks < floor {
		r.n--
	}
	if r.n == r.size {
		if r.n < baseLen {
			r.grow(m, max(4, 2*r.n))
		} else {
			r.n-- // the oldest goes
		}
	}
	// A late packet's version goes where its tick belongs.
	pos := r.head
	if r.n > 0 {
		pos = r.after(pos)
	}
	r.head = pos
	r.n++
	for k := r.n - 1; k > 0; k-- {
		prev := r.before(pos)
		if r.tickOf(prev) <= t {
			break
		}
		r.ring[pos] = r.ring[prev]
		copy(r.wordsOf(pos), r.wordsOf(prev))
		if r.vars != nil {
			r.vars[pos] = r.vars[prev]
		}
		pos = prev
	}
	r.ring[pos] = int32(uint32(t))
	copy(r.wordsOf(pos), words)
	if r.vars != nil {
		r.vars[pos] = append([]any(nil), vars...)
	}
}

func (r *replicaRow) after(i int) int {
	if i++; i == r.size {
		return 0
	}
	return i
}

func (r *replicaRow) before(i int) int {
	if i == 0 {
		return r.size - 1
	}
	return i - 1
}

func (r *replicaRow) oldest() int {
	i := r.head - r.n + 1
	if i < 0 {
		i += r.size
	}
	return i
}

func (r *replicaRow) grow(m *ringMemory, n int) {
	old := *r
	r.ring, r.size = m.take(n*(1+r.t.width)), n
	if len(r.t.vars) > 0 {
		r.vars = make([][]any, n)
	}
	i := 0
	if old.n > 0 {
		i = old.oldest()
	}
	for k := range old.n {
		r.ring[k] = old.ring[i]
		copy(r.wordsOf(k), old.wordsOf(i))
		if r.vars != nil {
			r.vars[k] = old.vars[i]
		}
		i = old.after(i)
	}
	r.head = max(old.n-1, 0)
	m.give(old.ring)
}

// release gives the row's versions back.
func (r *replicaRow) release(m *ringMemory) {
	m.give(r.ring)
	r.ring, r.vars, r.size, r.n = nil, nil, 0, 0
}

// ringMemory is what the version rings of a proxy are cut from: rows come and
// grow all the time, and a ring of its own each would be an allocation each.
type ringMemory struct {
	block []int32
	free  map[int][][]int32 // by length
}

const ringBlock = 1 << 14 // words

func (m *ringMemory) take(n int) []int32 {
	if l := m.free[n]; len(l) > 0 {
		m.free[n] = l[:len(l)-1]
		return l[len(l)-1]
	}
	if n > len(m.block) {
		m.block = make([]int32, max(n, ringBlock))
	}
	s := m.block[:n:n]
	m.block = m.block[n:]
	return s
}

func (m *ringMemory) give(s []int32) {
	if len(s) == 0 {
		return
	}
	if m.free == nil {
		m.free = make(map[int][][]int32)
	}
	l := m.free[len(s)]
	if l == nil {
		l = make([][]int32, 0, 256)
	}
	m.free[len(s)] = append(l, s)
}

// advance brings now to a tick, and reports whether it moved.
func (r *replicaRow) advance(t Tick) bool {
	if t <= r.tick {
		return false // now is what was received
	}
	moved := false
	for i := range r.t.words {
		if r.t.words[i].Velocity >= 0 {
			if x := r.t.expect(r.cur, r.now, i, uint32(t-r.tick)); x != r.now[i] {
				r.now[i], moved = x, true
			}
		} else {
			r.now[i] = r.cur[i]
		}
	}
	return moved
}

// Words is an item's state at the newest tick received, in the order of
// ItemType.Words, appended to dst; nil if there is no such item.
func (r *Replica) Words(ordinal int, dst []int32) []int32 {
	if ordinal < 0 || ordinal >= len(r.Items) || r.Items[ordinal] == nil {
		return nil
	}
	at := len(dst)
	for range r.Items[ordinal].Words {
		dst = append(dst, 0)
	}
	for _, row := range r.rows {
		if row.ordinal == ordinal {
			for k, f := range row.t.from {
				if f >= 0 {
					dst[at+f] = row.now[k]
				}
			}
		}
	}
	return dst
}

// Tick is the newest tick at which the item's state was received.
func (r *Replica) Tick(ordinal int) Tick {
	t := Tick(0)
	for _, row := range r.rows {
		if row.ordinal == ordinal {
			t = max(t, row.tick)
		}
	}
	return t
}

// Inject writes an item's replicated fields into the component at p, in place,
// as they are at the newest tick received.
func (c *Proxy) Inject(r *Replica, ordinal int, p unsafe.Pointer) {
	if ordinal < 0 || ordinal >= len(r.Items) || r.Items[ordinal] == nil {
		return
	}
	t := r.Items[ordinal]
	words := c.scratch[:len(t.Words)]
	vars := c.scratchVars[:len(t.Vars)]
	for _, row := range r.rows {
		if row.ordinal != ordinal {
			continue
		}
		for k, f := range row.t.from {
			if f >= 0 {
				words[f] = row.now[k]
			}
		}
		for k, f := range row.t.fromV {
			vars[f] = row.curVars[k]
		}
	}
	t.Inject(p, words, vars, c.cfg.Refs)
}
