package interest

import (
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// SlotList is the list of the slots that a peer holds for their distance, in no order.
//
// A slot that goes is searched for beside the one that went before it, since nodes that
// leave together mostly came together. One that is not found there stays in the list as a
// stale slot: thousands may go at once in any order, and must not cost a search of all others
// each. Compact takes the stale slots out, before the list is read.
type SlotList struct {
	Slots  []uint32
	parted int         // where the last slot was taken off
	stale  wire.Bitset // slots that are in the list and should not be
	stales int
}

// beside is how far a slot is searched for to either side: a few cache lines.
const beside = 64

// Add puts a slot into the list, which does not have it.
func (l *SlotList) Add(slot uint32) {
	switch {
	case l.stales == 0:
	case l.stale.Has(slot):
		l.stale.Clear(slot)
		l.stales--
		return
	case l.stales > len(l.Slots)/2: // a list that is seldom read does not fill with them
		l.Compact()
	}
	l.Slots = append(l.Slots, slot)
}

// Cut takes a slot off the list, which has it.
func (l *SlotList) Cut(slot uint32) {
	last := len(l.Slots) - 1
	from := min(l.parted, last)
	for down, up := from, from+1; down > from-beside && (down >= 0 || up <= last); down, up = down-1, up+1 {
		switch {
		case down >= 0 && l.Slots[down] == slot:
			l.parted = down
		case up <= last && l.Slots[up] == slot:
			l.parted = up
		default:
			continue
		}
		l.Slots[l.parted] = l.Slots[last]
		l.Slots = l.Slots[:last]
		return
	}
	l.stale.Set(slot)
	l.stales++
}

// Compact takes the stale slots out.
func (l *SlotList) Compact() {
	if l.stales == 0 {
		return
	}
	kept := l.Slots[:0]
	for _, slot := range l.Slots {
		if l.stale.Has(slot) {
			l.stale.Clear(slot)
		} else {
			kept = append(kept, slot)
		}
	}
	l.Slots, l.stales = kept, 0
}
