package rpl

// The rows of a proxy. What a record needs of its row before anything else is
// half a cache line, without pointers; the versions lie elsewhere, each with its
// tick in front of its words. Rows have numbers, those of one node in a row.

// A replicaRow is one row of a node: the versions that the authority may still
// name as a base. The newest of them is the row's state as it was received.
type replicaRow struct {
	at      uint32 // where its versions begin in versionMemory
	tick    Tick   // of the newest version
	applied Tick   // newest record applied
	keyed   Tick   // newest keyframe or forget applied
	gaps    uint64 // ticks between the newest versions, a byte each, the newest lowest
	typ     uint16
	size    uint8 // versions that there is room for
	n       uint8 // versions that there are
	head    uint8 // the newest
	flags   uint8
}

const (
	replicaVisible = 1 << iota // it has state; else its values are those of a zero component
	replicaOld                 // its node has other items now: it is kept for late packets
	replicaGone                // its node is gone
)

const (
	// nearVersions are those whose ticks a row tells by itself.
	nearVersions = 8

	// farGap is a gap that is this or more: the version itself tells its tick.
	farGap = 255
)

// A rowOwner is what a row belongs to, and its values of variable length.
type rowOwner struct {
	r       *Replica
	vars    [][]any // by version; nil without any
	ordinal int
}

// A rowRun is the rows of a node, in the order of its layout.
type rowRun struct {
	first uint32
	n     uint16
}

// replicaRows are all rows of a proxy, by number.
type replicaRows struct {
	types    []*rowType
	rows     []replicaRow
	owners   []rowOwner
	drifting bitset // that are expected to change by themselves
	told     bitset // that the adapter hears of in this Apply
	memory   versionMemory
	free     map[uint16][]uint32 // runs to use again, by length
	course   []int32             // scratch: a row's words at another tick
}

func newReplicaRows(types []*rowType) replicaRows {
	s := replicaRows{types: types, free: make(map[uint16][]uint32)}
	for _, t := range types {
		s.course = append(s.course, make([]int32, max(0, t.width-len(s.course)))...)
	}
	return s
}

// add makes the rows of a node, which have no state yet.
func (s *replicaRows) add(r *Replica) rowRun {
	n := uint16(len(r.layout.rows))
	run := rowRun{uint32(len(s.rows)), n}
	if l := s.free[n]; len(l) > 0 {
		run.first, s.free[n] = l[len(l)-1], l[:len(l)-1]
	} else {
		s.rows = append(s.rows, make([]replicaRow, n)...)
		s.owners = append(s.owners, make([]rowOwner, n)...)
		s.drifting.reach(uint32(len(s.rows)))
		s.told.reach(uint32(len(s.rows)))
	}
	row := run.first
	for ord, t := range r.Items {
		if t == nil {
			continue
		}
		for range t.Parts {
			rt := r.layout.rows[row-run.first]
			size := uint8(firstVersions)
			s.rows[row] = replicaRow{typ: uint16(rt.index), size: size, at: s.memory.take(int(size) * (1 + rt.width))}
			s.owners[row] = rowOwner{r: r, ordinal: ord}
			if len(rt.vars) > 0 {
				s.owners[row].vars = make([][]any, size)
			}
			row++
		}
	}
	return run
}

// remove takes back the rows of a node that no packet can mean any more.
func (s *replicaRows) remove(run rowRun) {
	if run.n == 0 {
		return
	}
	for i := range uint32(run.n) {
		row := &s.rows[run.first+i]
		s.memory.give(row.at, int(row.size)*(1+s.types[row.typ].width))
		s.owners[run.first+i] = rowOwner{}
	}
	s.free[run.n] = append(s.free[run.n], run.first)
}

// retire marks rows whose node is gone, or has other items.
func (s *replicaRows) retire(run rowRun, why uint8) {
	for i := range uint32(run.n) {
		s.rows[run.first+i].flags |= why
		s.drifting.clear(run.first + i)
	}
}

// forget has a row forget what it was told.
func (s *replicaRows) forget(i uint32) {
	row := &s.rows[i]
	row.n, row.flags = 0, row.flags&^replicaVisible
	s.drifting.clear(i)
}

// show makes the row's newest version its state.
func (s *replicaRows) show(i uint32, words []int32) {
	row := &s.rows[i]
	row.flags |= replicaVisible
	if s.types[row.typ].drifts(words) {
		s.drifting.set(i)
	} else {
		s.drifting.clear(i)
	}
}

// version is a version of a row: its tick, then its words.
func (s *replicaRows) version(row *replicaRow, slot int) []int32 {
	n := 1 + s.types[row.typ].width
	return s.memory.slice(row.at, slot*n, n)
}

func (s *replicaRows) tickOf(row *replicaRow, slot int) Tick {
	return Tick(uint32(s.version(row, slot)[0]))
}

// received is a row's state as it was received last, nil where it has none.
func (s *replicaRows) received(i uint32) []int32 {
	row := &s.rows[i]
	if row.flags&replicaVisible == 0 {
		return nil
	}
	return s.version(row, int(row.head))[1:]
}

// at is a row's state at a tick, nil where it has none; valid until the next
// call.
func (s *replicaRows) at(i uint32, tick Tick) []int32 {
	words := s.received(i)
	row := &s.rows[i]
	if t := s.types[row.typ]; words != nil && tick > row.tick && t.drifts(words) {
		t.advance(s.course[:len(words)], words, uint32(tick-row.tick))
		return s.course[:len(words)]
	}
	return words
}

// values is a row's values of variable length, nil where it has no state.
func (s *replicaRows) values(i uint32) []any {
	row, o := &s.rows[i], &s.owners[i]
	if row.flags&replicaVisible == 0 || o.vars == nil {
		return nil
	}
	return o.vars[row.head]
}

// base is the newest version up to a tick.
func (s *replicaRows) base(row *replicaRow, tick Tick) (slot int, at Tick, ok bool) {
	at, slot = row.tick, int(row.head)
	gaps := row.gaps
	for k := range int(row.n) {
		if k > 0 {
			slot = row.before(slot)
			if gap := Tick(gaps & 0xff); k < nearVersions && gap < farGap {
				at -= gap
			} else {
				at = s.tickOf(row, slot)
			}
			gaps >>= 8
		}
		if at <= tick {
			return slot, at, true
		}
	}
	return 0, 0, false
}

// keep stores a version. base is the tick of the one that it was coded against,
// 0 for none: older ones will not be named any more, but by packets that are
// late (protocol rule 14).
func (s *replicaRows) keep(i uint32, t Tick, words []int32, vars []any, base Tick) {
	row := &s.rows[i]
	if row.n == row.size {
		if row.size < baseLen && s.tickOf(row, row.after(int(row.head)))+lateTicks >= base {
			s.grow(i)
		} else {
			row.n-- // the oldest goes
		}
	}
	late := row.n > 0 && t < row.tick
	if row.n > 0 {
		row.head = uint8(row.after(int(row.head)))
	}
	row.n++
	slot := int(row.head)
	if late {
		slot = s.makeRoom(i, t)
	} else {
		row.gaps = row.gaps<<8 | uint64(min(t-row.tick, farGap))
		row.tick = t
	}
	v := s.version(row, slot)
	v[0] = int32(uint32(t))
	copy(v[1:], words)
	if o := &s.owners[i]; o.vars != nil {
		o.vars[slot] = vars
	}
	if late {
		s.measure(row)
	}
}

// makeRoom moves the versions after a tick up, into the one behind the newest
// that is to be filled, and says where the tick's belongs.
func (s *replicaRows) makeRoom(i uint32, t Tick) (slot int) {
	row, vars := &s.rows[i], s.owners[i].vars
	slot = int(row.head)
	for range row.n - 1 {
		prev := row.before(slot)
		if s.tickOf(row, prev) <= t {
			break
		}
		copy(s.version(row, slot), s.version(row, prev))
		if vars != nil {
			vars[slot] = vars[prev]
		}
		slot = prev
	}
	return slot
}

// measure notes the ticks of a row's newest versions anew.
func (s *replicaRows) measure(row *replicaRow) {
	slot := int(row.head)
	at := s.tickOf(row, slot)
	row.tick, row.gaps = at, 0
	for k := range min(int(row.n), nearVersions) - 1 {
		slot = row.before(slot)
		older := s.tickOf(row, slot)
		row.gaps |= uint64(min(at-older, farGap)) << (8 * k)
		at = older
	}
}

// grow gives a full row all the room that it may have.
func (s *replicaRows) grow(i uint32) {
	row, o := &s.rows[i], &s.owners[i]
	old, oldVars := *row, o.vars
	width := 1 + s.types[row.typ].width
	row.at, row.size, row.head = s.memory.take(baseLen*width), baseLen, old.n-1
	if oldVars != nil {
		o.vars = make([][]any, baseLen)
	}
	from := old.after(int(old.head))
	for k := range int(old.n) {
		copy(s.version(row, k), s.version(&old, from))
		if oldVars != nil {
			o.vars[k] = oldVars[from]
		}
		from = old.after(from)
	}
	s.memory.give(old.at, int(old.size)*width)
}

func (row *replicaRow) after(slot int) int {
	if slot++; slot == int(row.size) {
		return 0
	}
	return slot
}

func (row *replicaRow) before(slot int) int {
	if slot == 0 {
		return int(row.size) - 1
	}
	return slot - 1
}
