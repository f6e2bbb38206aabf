package proxy

import (
	"encoding/binary"
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The versions of a proxy's rows: finding the one that a packet names as a base, and
// storing a new one.

func (row *ReplicaRow) versions() int { return bits.OnesCount64(row.used) }

// near is how many versions are listed in the row itself, in slots and gaps.
func (row *ReplicaRow) near() int { return min(row.versions(), nearVersions) }

// base returns the newest version up to a tick, and how many versions are newer.
func (s *replicaRows) base(row *ReplicaRow, tick ids.Tick) (slot uint8, newer int, at ids.Tick, ok bool) {
	at = row.tick
	n := row.near()
	for k := range n {
		if at <= tick {
			return row.slots[k], k, at, true
		}
		if gap := row.gaps[k]; gap < farGap {
			at -= ids.Tick(gap)
		} else if k+1 < n {
			at = s.tickOf(row, row.slots[k+1])
		}
	}
	for rest := row.far(); rest != 0; rest &= rest - 1 {
		i := uint8(bits.TrailingZeros64(rest))
		switch t := s.tickOf(row, i); {
		case t > tick:
			newer++
		case !ok || t > at:
			slot, at, ok = i, t, true
		}
	}
	return slot, n + newer, at, ok
}

// far returns the slots, a bit each, of the versions that are not listed in the row.
func (row *ReplicaRow) far() uint64 {
	if row.versions() <= nearVersions {
		return 0
	}
	rest := row.used
	for _, slot := range row.slots[:row.near()] {
		rest &^= 1 << slot
	}
	return rest
}

// keep stores a version. newer is how many versions are newer than its base: versions
// older than the base are named only by late packets from now on (protocol rule 14), so
// all but a few of them may go. It is BaseLen if there is no base, or if the base says
// nothing about later packets. A late version older than all others is not kept if a
// version after it may have been dropped: a packet that names the dropped one would be
// read against this one.
func (s *replicaRows) keep(i uint32, t ids.Tick, words []int32, vars []any, newer int, key bool) {
	row := &s.rows[i]
	if row.used != 0 && t < row.tick && (row.flags&replicaShed != 0 || row.versions() == wire.BaseLen) && t < s.tickOf(row, s.oldest(row)) {
		row.flags |= replicaShed
		return
	}
	if row.versions() == int(row.size) && row.size < wire.BaseLen && int(row.size)-newer <= s.late {
		s.grow(i)
	}
	if old, _, at, ok := s.base(row, t); ok && at == t {
		if key = key || s.isKey(row, old); key {
			s.version(row, old)[0] |= -keyMark
		}
	}
	slot := s.room(row, t, newer)
	v := s.version(row, slot)
	if v[0] = int32(uint32(t)); key {
		v[0] |= -keyMark
	}
	copy(v[1:], words)
	if vars != nil {
		s.vars[i][slot] = vars
	}
	late := row.used != 0 && t < row.tick
	row.used |= 1 << slot
	if late {
		s.order(row)
		return
	}
	push(&row.slots, slot)
	push(&row.gaps, uint8(min(t-row.tick, farGap)))
	row.tick = t
}

// push puts a byte in front of a list; the last byte drops out.
func push(list *[nearVersions]uint8, first uint8) {
	low, high := binary.LittleEndian.Uint64(list[:8]), binary.LittleEndian.Uint64(list[8:])
	binary.LittleEndian.PutUint64(list[8:], high<<8|low>>56)
	binary.LittleEndian.PutUint64(list[:8], low<<8|uint64(first))
}

// slotFor is the slot of a row that a version of tick t gets, unless the one there may still
// be named: all rows use the same for a tick.
func (row *ReplicaRow) slotFor(t ids.Tick) uint8 { return uint8(t) & (row.size - 1) }

// touch reads what applying and reporting a record of tick t will need beside the row: the
// line of memory that is going to be written, and the node. It is called before the record
// is read, whose symbols wait for one another; meanwhile the processor fetches both.
func (s *replicaRows) touch(i uint32, row *ReplicaRow, t ids.Tick) {
	s.sum += s.version(row, row.slotFor(t))[0] + int32(s.owners[i].r.until)
}

// room returns a slot for a version of tick t. First choice is the slot that all rows
// use for that tick, so that the versions that one packet brings, and the next packet
// builds upon, lie side by side. If the version there may still be named, room takes a
// free slot, or that of the oldest version.
func (s *replicaRows) room(row *ReplicaRow, t ids.Tick, newer int) uint8 {
	slot := row.slotFor(t)
	if row.used>>slot&1 == 0 {
		return slot
	}
	n := row.near()
	for k := n - 1; k >= newer+s.late; k-- {
		if row.slots[k] == slot {
			row.cut(k)
			return slot
		}
	}
	if row.versions() < int(row.size) {
		return uint8(bits.TrailingZeros64(^row.used))
	}
	if oldest := s.oldest(row); oldest != row.slots[n-1] {
		row.used &^= 1 << oldest
		row.flags |= replicaShed
		return oldest
	}
	slot = row.slots[n-1]
	row.cut(n - 1)
	return slot
}

// cut drops all versions but the newest n; n is at most near().
func (row *ReplicaRow) cut(n int) {
	row.flags |= replicaShed
	row.used &^= row.far()
	for _, slot := range row.slots[n:row.near()] {
		row.used &^= 1 << slot
	}
}

// oldest returns the slot of a row's oldest version.
func (s *replicaRows) oldest(row *ReplicaRow) (slot uint8) {
	slot = row.slots[row.near()-1]
	rest := row.far()
	if rest == 0 {
		return slot
	}
	at := s.tickOf(row, slot)
	for ; rest != 0; rest &= rest - 1 {
		i := uint8(bits.TrailingZeros64(rest))
		if t := s.tickOf(row, i); t < at {
			slot, at = i, t
		}
	}
	return slot
}

// order lists a row's newest versions anew, after a late one was stored.
func (s *replicaRows) order(row *ReplicaRow) {
	rest := row.used
	for k := range row.near() {
		var newest uint8
		var at ids.Tick
		for left := rest; left != 0; left &= left - 1 {
			i := uint8(bits.TrailingZeros64(left))
			if t := s.tickOf(row, i); left == rest || t > at {
				newest, at = i, t
			}
		}
		row.slots[k], rest = newest, rest&^(1<<newest)
		if k > 0 {
			before := s.tickOf(row, row.slots[k-1])
			row.gaps[k-1] = uint8(min(before-at, farGap))
		}
	}
	row.tick = s.tickOf(row, row.slots[0])
}

// grow doubles a row's slots.
func (s *replicaRows) grow(i uint32) {
	row, slab := &s.rows[i], &s.slabs[s.rows[i].typ]
	at, size := row.at, row.size
	row.size = 2 * size
	row.at = slab.take(row.size)
	for slot := range size {
		copy(slab.version(row.at, slot), slab.version(at, slot))
	}
	slab.give(at, size)
	if vars := s.vars[i]; vars != nil {
		s.vars[i] = make([][]any, row.size)
		copy(s.vars[i], vars)
	}
}
