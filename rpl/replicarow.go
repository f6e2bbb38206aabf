package rpl

// The rows of a proxy: a row is the state of one part of one item of a node. What
// reading a record needs of a row first is one cache line, without pointers; the versions
// lie elsewhere (versionslab.go), each with its tick in front of its words. Rows are
// numbered, those of one node consecutively.

// A replicaRow is one row of a node, with the versions that the authority may still
// name as bases. The newest version is the row's state as it was received.
type replicaRow struct {
	used    uint64 // slots that hold a version, a bit each
	at      uint32 // where its versions are in the slab of its type
	laid    Tick   // the tick since which the node has it
	tick    Tick   // of the newest version
	applied Tick   // tick of the newest record applied
	keyed   Tick   // tick of the newest keyframe or forget applied

	// The newest versions, newest first: their slots, and how many ticks each is newer
	// than the next.
	slots [nearVersions]uint8
	gaps  [nearVersions]uint8

	typ   uint16
	size  uint8 // number of slots
	flags uint8
}

const (
	replicaVisible = 1 << iota // it has state; without it the values are those of a zero component
	replicaOld                 // its node has other items now: it is kept for late packets
	replicaGone                // its node is gone
	replicaLater               // it is not the first row of its item
	replicaShed                // versions were dropped; none older than those that are left is kept any more
)

const (
	// nearVersions is how many versions are listed in the row itself.
	nearVersions = 16

	// farGap in gaps stands for a gap of farGap ticks or more: the tick is read from the
	// version instead.
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
	vars     map[uint32][][]any  // values of variable length, of rows that have any, by slot
	drifting bitset              // rows that are expected to change by themselves
	told     bitset              // rows that the adapter hears of in this Apply
	late     int                 // how many versions older than the base are kept
	slabs    []versionSlab       // by type
	free     map[uint16][]uint32 // runs to use again, by length
	course   []int32             // scratch: a row's words at another tick
	sum      int32               // of what was touched, so that the compiler keeps the reads
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

// remove frees the rows of a node that no packet can refer to any more.
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

// retire marks rows whose node is gone (replicaGone) or has other items (replicaOld).
func (s *replicaRows) retire(run rowRun, why uint8) {
	for i := range uint32(run.n) {
		s.rows[run.first+i].flags |= why
		s.drifting.clear(run.first + i)
	}
}

// forget drops a row's state and versions.
func (s *replicaRows) forget(i uint32) {
	row := &s.rows[i]
	row.used, row.flags = 0, row.flags&^replicaVisible
	s.drifting.clear(i)
}

// show makes the row's newest version, words, its state.
func (s *replicaRows) show(i uint32, words []int32) {
	row := &s.rows[i]
	row.flags |= replicaVisible
	if t := s.types[row.typ]; t.drifts(t.at(words)) {
		s.drifting.set(i)
	} else {
		s.drifting.clear(i)
	}
}

// version returns a version of a row: its tick, then its words.
func (s *replicaRows) version(row *replicaRow, slot uint8) []int32 {
	return s.slabs[row.typ].version(row.at, slot)
}

func (s *replicaRows) tickOf(row *replicaRow, slot uint8) Tick {
	return Tick(uint32(s.version(row, slot)[0]))
}

// received returns a row's state as it was last received, nil if it has none.
func (s *replicaRows) received(i uint32) []int32 {
	row := &s.rows[i]
	if row.flags&replicaVisible == 0 {
		return nil
	}
	return s.version(row, row.slots[0])[1:]
}

// at returns a row's state at a tick, nil if it has none. The words are valid until the
// next call.
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

// values returns a row's values of variable length, nil if it has no state or no such
// values.
func (s *replicaRows) values(i uint32) []any {
	row := &s.rows[i]
	if row.flags&replicaVisible == 0 || len(s.types[row.typ].vars) == 0 {
		return nil
	}
	return s.vars[i][row.slots[0]]
}
