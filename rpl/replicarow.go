package rpl

// The rows of a proxy. What a record needs of its row before anything else is a
// cache line, without pointers; the versions lie elsewhere, each with its tick in
// front of its words. Rows have numbers, those of one node in a row.

// A replicaRow is one row of a node: the versions that the authority may still
// name as a base. The newest of them is the row's state as it was received.
type replicaRow struct {
	used    uint64 // slots that hold a version, a bit each
	at      uint32 // where its versions are in the slab of its type
	laid    Tick   // since when the node has it
	tick    Tick   // of the newest version
	applied Tick   // newest record applied
	keyed   Tick   // newest keyframe or forget applied

	// The newest versions, the newest first: the slots that they are in, and how
	// many ticks before each the next one is.
	slots [nearVersions]uint8
	gaps  [nearVersions]uint8

	typ   uint16
	size  uint8 // slots
	flags uint8
}

const (
	replicaVisible = 1 << iota // it has state; else its values are those of a zero component
	replicaOld                 // its node has other items now: it is kept for late packets
	replicaGone                // its node is gone
	replicaLater               // it is not the first of its item: that is a row before it
	replicaShed                // versions were dropped: what is older than those that are here is not kept any more
)

const (
	// nearVersions are those whose places a row tells by itself.
	nearVersions = 16

	// farGap is a gap that is this or more: the version itself tells its tick.
	farGap = 255
)

// A rowOwner is what a row belongs to.
type rowOwner struct {
	r       *Replica
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
	vars     map[uint32][][]any  // values of variable length, of rows that have some, by version
	drifting bitset              // that are expected to change by themselves
	told     bitset              // that the adapter hears of in this Apply
	late     int                 // versions to be kept that are older than the base
	slabs    []versionSlab       // by type
	free     map[uint16][]uint32 // runs to use again, by length
	course   []int32             // scratch: a row's words at another tick
}

func newReplicaRows(types []*rowType) replicaRows {
	s := replicaRows{types: types, late: lateVersions, free: make(map[uint16][]uint32), vars: make(map[uint32][][]any)}
	for _, t := range types {
		s.slabs = append(s.slabs, newVersionSlab(1+t.width))
		s.course = append(s.course, make([]int32, max(0, t.width-len(s.course)))...)
	}
	return s
}

// add makes the rows of a node, which have no state yet.
func (s *replicaRows) add(r *Replica, laid Tick) rowRun {
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
	for k, t := range r.layout.rows {
		row := run.first + uint32(k)
		s.rows[row] = replicaRow{laid: laid, typ: uint16(t.index), size: firstVersions, at: s.slabs[t.index].take(firstVersions)}
		if k > 0 && r.layout.ords[k] == r.layout.ords[k-1] {
			s.rows[row].flags = replicaLater
		}
		s.owners[row] = rowOwner{r: r, ordinal: r.layout.ords[k]}
		if len(t.vars) > 0 {
			s.vars[row] = make([][]any, firstVersions)
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
		s.slabs[row.typ].give(row.at, row.size)
		s.owners[run.first+i] = rowOwner{}
		delete(s.vars, run.first+i)
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
	row.used, row.flags = 0, row.flags&^replicaVisible
	s.drifting.clear(i)
}

// show makes the row's newest version its state.
func (s *replicaRows) show(i uint32, words []int32) {
	row := &s.rows[i]
	row.flags |= replicaVisible
	if t := s.types[row.typ]; t.drifts(t.at(words)) {
		s.drifting.set(i)
	} else {
		s.drifting.clear(i)
	}
}

// version is a version of a row: its tick, then its words.
func (s *replicaRows) version(row *replicaRow, slot uint8) []int32 {
	return s.slabs[row.typ].version(row.at, slot)
}

func (s *replicaRows) tickOf(row *replicaRow, slot uint8) Tick {
	return Tick(uint32(s.version(row, slot)[0]))
}

// received is a row's state as it was received last, nil where it has none.
func (s *replicaRows) received(i uint32) []int32 {
	row := &s.rows[i]
	if row.flags&replicaVisible == 0 {
		return nil
	}
	return s.version(row, row.slots[0])[1:]
}

// at is a row's state at a tick, nil where it has none; valid until the next
// call.
func (s *replicaRows) at(i uint32, tick Tick) []int32 {
	words := s.received(i)
	if row := &s.rows[i]; words != nil && tick > row.tick {
		if t := s.types[row.typ]; t.drifts(t.at(words)) {
			t.advance(t.at(s.course), t.at(words), uint32(tick-row.tick))
			return s.course[:len(words)]
		}
	}
	return words
}

// values is a row's values of variable length, nil where it has no state.
func (s *replicaRows) values(i uint32) []any {
	row := &s.rows[i]
	if row.flags&replicaVisible == 0 || len(s.types[row.typ].vars) == 0 {
		return nil
	}
	return s.vars[i][row.slots[0]]
}
