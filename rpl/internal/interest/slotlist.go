package interest

import (
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Nearby is the list of the slots that a peer holds for their distance, in no order.
//
// A slot that goes is searched for beside the one that went before it, since nodes that
// leave together mostly came together. One that is not found there stays in the list as a
// stray: thousands may go at once in any order, and must not cost a search of all others
// each. settle takes the strays out, before the list is read.
type Nearby struct {
	Slots  []uint32
	parted int         // where the last slot was taken off
	stray  wire.Bitset // slots that are in the list and should not be
	strays int
}

// beside is how far a slot is searched for to either side: a few cache lines.
const beside = 64

// Add puts a slot into the list, which does not have it.
func (l *Nearby) Add(slot uint32) {
	switch {
	case l.strays == 0:
	case l.stray.Has(slot):
		l.stray.Clear(slot)
		l.strays--
		return
	case l.strays > len(l.Slots)/2: // a list that is seldom read does not fill with them
		l.Settle()
	}
	l.Slots = append(l.Slots, slot)
}

// Cut takes a slot off the list, which has it.
func (l *Nearby) Cut(slot uint32) {
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
	l.stray.Set(slot)
	l.strays++
}

// Settle takes the strays out.
func (l *Nearby) Settle() {
	if l.strays == 0 {
		return
	}
	kept := l.Slots[:0]
	for _, slot := range l.Slots {
		if l.stray.Has(slot) {
			l.stray.Clear(slot)
		} else {
			kept = append(kept, slot)
		}
	}
	l.Slots, l.strays = kept, 0
}
