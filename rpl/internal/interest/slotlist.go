package interest

import (
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// SlotList is the list of the slots that a peer holds for their distance, in no order.
//
// A slot that goes is only noted: thousands may go at once in any order, and must not cost a
// search of all others each. Compact takes those out, before the list is read.
type SlotList struct {
	Slots []uint32
	gone  []uint32     // slots that are in the list once more than they should be, for each time that they are here
	marks *wire.Bitset // empty memory for Compact
}

// Add puts a slot into the list, which does not have it.
func (l *SlotList) Add(slot uint32) {
	if len(l.gone) > len(l.Slots)/2 { // a list that is seldom read does not fill with them
		l.Compact()
	}
	l.Slots = append(l.Slots, slot)
}

// Cut takes a slot off the list, which has it.
func (l *SlotList) Cut(slot uint32) { l.gone = append(l.gone, slot) }

// Compact takes out what has gone.
func (l *SlotList) Compact() {
	if len(l.gone) == 0 {
		return
	}
	marked := 0
	for _, slot := range l.gone {
		if marked > 0 && l.marks.Has(slot) { // it has come again meanwhile, and gone again
			l.takeOut()
			marked = 0
		}
		l.marks.Set(slot)
		marked++
	}
	l.takeOut()
	l.gone = l.gone[:0]
}

// takeOut takes out each slot that is marked, once, and clears the marks.
func (l *SlotList) takeOut() {
	kept := l.Slots[:0]
	for _, slot := range l.Slots {
		if l.marks.Has(slot) {
			l.marks.Clear(slot)
		} else {
			kept = append(kept, slot)
		}
	}
	l.Slots = kept
}
