package proxy

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The rows of a proxy: a row is the state of one part of one item of a node. What
// reading a record needs of a row first is one cache line, without pointers; the versions
// lie elsewhere (versionslab.go), each with its tick in front of its words. Rows are
// numbered, those of one node consecutively.

// A ReplicaRow is one row of a node, with the versions that the authority may still
// name as bases. The newest version is the row's state as it was received.
type ReplicaRow struct {
	used    uint64   // slots that hold a version, a bit each
	at      uint32   // where its versions are in the slab of its type
	laid    ids.Tick // the tick since which the node has it
	tick    ids.Tick // of the newest version
	applied ids.Tick // tick of the newest record applied
	keyed   ids.Tick // tick of the newest keyframe or forget applied

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
	types     []*rowtype.Type
	rows      []ReplicaRow
	owners    []rowOwner
	vars      map[uint32][][]any     // values of variable length, of rows that have any, by slot
	twins     map[uint32][]wire.Twin // of rows that have any; their rows are numbers, too
	moving    wire.Bitset            // rows that are expected to change by themselves
	reported  wire.Bitset            // rows that the adapter hears of in this Apply
	late      int                    // how many versions older than the base are kept
	slabs     []versionSlab          // by type
	free      map[uint16][]uint32    // runs to use again, by length
	reckons   rowtype.Reckoning
	certain   ids.Tick // up to which nothing is missing: what counts is not counted on beyond it …
	certainBy uint64   // … of what the authority knew to be here, by the packet that it named as a base
	predicted []int32  // scratch: a row's words at another tick
	sum       int32    // of what was touched, so that the compiler keeps the reads
}

func newReplicaRows(types []*rowtype.Type) replicaRows {
	s := replicaRows{types: types, late: wire.LateVersions, free: make(map[uint16][]uint32), vars: make(map[uint32][][]any), twins: make(map[uint32][]wire.Twin)}
	for _, t := range types {
		s.slabs = append(s.slabs, newVersionSlab(1+t.Width))
		s.predicted = append(s.predicted, make([]int32, max(0, t.Width-len(s.predicted)))...)
	}
	return s
}

// add makes the rows of a node, which have no state yet.
func (s *replicaRows) add(r *Replica, laid ids.Tick) rowRun {
	n := uint16(len(r.layout.Rows))
	run := rowRun{uint32(len(s.rows)), n}
	if l := s.free[n]; len(l) > 0 {
		run.first, s.free[n] = l[len(l)-1], l[:len(l)-1]
	} else {
		s.rows = append(s.rows, make([]ReplicaRow, n)...)
		s.owners = append(s.owners, make([]rowOwner, n)...)
		s.moving.Reach(uint32(len(s.rows)))
		s.reported.Reach(uint32(len(s.rows)))
	}
	for k, t := range r.layout.Rows {
		row := run.first + uint32(k)
		s.rows[row] = ReplicaRow{laid: laid, typ: uint16(t.Index), size: wire.FirstVersions, at: s.slabs[t.Index].take(wire.FirstVersions)}
		if k > 0 && r.layout.Ords[k] == r.layout.Ords[k-1] {
			s.rows[row].flags = replicaLater
		}
		s.owners[row] = rowOwner{r: r, ordinal: r.layout.Ords[k]}
		if len(t.Vars) > 0 {
			s.vars[row] = make([][]any, wire.FirstVersions)
		}
		if r.layout.Twins != nil {
			s.addTwins(row, run.first, r.layout.Twins[k])
		}
	}
	return run
}

// addTwins notes the twins of a row of a node whose rows begin with first.
func (s *replicaRows) addTwins(row, first uint32, of []wire.Twin) {
	for _, w := range of {
		w.Row += int(first)
		s.twins[row] = append(s.twins[row], w)
	}
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
		delete(s.twins, run.first+i)
	}
	s.free[run.n] = append(s.free[run.n], run.first)
}

// retire marks rows whose node is gone (replicaGone) or has other items (replicaOld).
func (s *replicaRows) retire(run rowRun, why uint8) {
	for i := range uint32(run.n) {
		s.rows[run.first+i].flags |= why
		s.moving.Clear(run.first + i)
	}
}

// forget drops a row's state and versions.
func (s *replicaRows) forget(i uint32) {
	row := &s.rows[i]
	row.used, row.flags = 0, row.flags&^replicaVisible
	s.moving.Clear(i)
}

// show makes the row's newest version, words, its state.
func (s *replicaRows) show(i uint32, words []int32) {
	row := &s.rows[i]
	row.flags |= replicaVisible
	if t := s.types[row.typ]; t.IsMoving(t.At(words)) {
		s.moving.Set(i)
	} else {
		s.moving.Clear(i)
	}
}

// moves is whether a row is expected to change by itself, or was until its node went.
func (s *replicaRows) moves(i uint32) bool {
	row := &s.rows[i]
	if row.flags&replicaGone == 0 {
		return s.moving.Has(i)
	}
	words := s.received(i)
	return words != nil && s.types[row.typ].IsMoving(s.types[row.typ].At(words))
}

// version returns a version of a row: its tick, then its words.
func (s *replicaRows) version(row *ReplicaRow, slot uint8) []int32 {
	return s.slabs[row.typ].version(row.at, slot)
}

// keyMark in a version's tick says that the version came as a keyframe.
const keyMark = 1 << 31

// isKey is whether a version came as a keyframe. Of two versions of one tick (an arrival and a
// speculative update) both count as what one of them is.
func (s *replicaRows) isKey(row *ReplicaRow, slot uint8) bool {
	return uint32(s.version(row, slot)[0])&keyMark != 0
}

func (s *replicaRows) tickOf(row *ReplicaRow, slot uint8) ids.Tick {
	return ids.Tick(uint32(s.version(row, slot)[0]) &^ keyMark)
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
func (s *replicaRows) at(i uint32, tick ids.Tick) []int32 {
	words := s.received(i)
	if row := &s.rows[i]; words != nil {
		t := s.types[row.typ]
		switch {
		case t.IsReckoned():
			s.reckons.Reach(t, s.owners[i].r.ID, words, s.predicted[:len(words)], uint32(max(tick, row.tick)))
			return s.predicted[:len(words)]
		case tick > row.tick && t.IsMoving(t.At(words)):
			now := t.At(s.predicted)
			t.Advance(now, t.At(words), uint32(tick-row.tick))
			if r := s.owners[i].r; len(t.Counting) > 0 && r.marks&markPredicted == 0 {
				if to := s.countsTo(r); to < tick {
					t.AdvanceCounts(now, t.At(words), uint32(max(to, row.tick)-row.tick))
				}
			}
			return s.predicted[:len(words)]
		}
	}
	return words
}

// countsTo is the tick up to which a node's state is known, told or not.
func (s *replicaRows) countsTo(r *Replica) ids.Tick {
	if r.proxy.held.handles[r.handle].again > s.certainBy {
		return 0 // the authority did not know that it is here, or has these items
	}
	return s.certain
}

// values returns a row's values of variable length, nil if it has no state or no such
// values.
func (s *replicaRows) values(i uint32) []any {
	row := &s.rows[i]
	if row.flags&replicaVisible == 0 || len(s.types[row.typ].Vars) == 0 {
		return nil
	}
	return s.vars[i][row.slots[0]]
}
