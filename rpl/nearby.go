package rpl

import (
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// nearby is the list of the slots that a peer holds for their distance, in no order.
//
// A slot that goes is searched for beside the one that went before it, since nodes that
// leave together mostly came together. One that is not found there stays in the list as a
// stray: thousands may go at once in any order, and must not cost a search of all others
// each. settle takes the strays out, before the list is read.
type nearby struct {
	slots  []uint32
	parted int         // where the last slot was taken off
	stray  wire.Bitset // slots that are in the list and should not be
	strays int
}

// beside is how far a slot is searched for to either side: a few cache lines.
const beside = 64

// add puts a slot into the list, which does not have it.
func (l *nearby) add(slot uint32) {
	switch {
	case l.strays == 0:
	case l.stray.Has(slot):
		l.stray.Clear(slot)
		l.strays--
		return
	case l.strays > len(l.slots)/2: // a list that is seldom read does not fill with them
		l.settle()
	}
	l.slots = append(l.slots, slot)
}

// cut takes a slot off the list, which has it.
func (l *nearby) cut(slot uint32) {
	last := len(l.slots) - 1
	from := min(l.parted, last)
	for down, up := from, from+1; down > from-beside && (down >= 0 || up <= last); down, up = down-1, up+1 {
		switch {
		case down >= 0 && l.slots[down] == slot:
			l.parted = down
		case up <= last && l.slots[up] == slot:
			l.parted = up
		default:
			continue
		}
		l.slots[l.parted] = l.slots[last]
		l.slots = l.slots[:last]
		return
	}
	l.stray.Set(slot)
	l.strays++
}

// settle takes the strays out.
func (l *nearby) settle() {
	if l.strays == 0 {
		return
	}
	kept := l.slots[:0]
	for _, slot := range l.slots {
		if l.stray.Has(slot) {
			l.stray.Clear(slot)
		} else {
			kept = append(kept, slot)
		}
	}
	l.slots, l.strays = kept, 0
}
