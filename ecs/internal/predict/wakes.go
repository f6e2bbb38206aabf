package predict

import (
	"slices"

	"github.com/tendonengine/tendon/rpl"
)

// Wakes keeps the wakes of one node that a client predicts, and of its parts, so that a correction
// runs them again: those that ran since, and without those that were asked for since, which the rules
// that run again ask for anew.
type Wakes []wake

type wake struct {
	of             uint64   // the entity
	at, asked, ran rpl.Tick // asked: in the rules of which tick, 0 for none of them; ran: 0 while it waits
}

// Add adds a wake of an entity, once for each tick. oldest is the earliest tick to which a correction
// still goes: what ran before is forgotten.
func (p *Wakes) Add(of uint64, at, asked, oldest rpl.Tick) {
	kept := (*p)[:0]
	known := false
	for _, w := range *p {
		if w.ran == 0 || w.ran >= oldest {
			kept = append(kept, w)
			known = known || w.at == at && w.of == of
		}
	}
	if !known {
		kept = append(kept, wake{of: of, at: at, asked: asked})
	}
	*p = kept
}

// Due appends which entities are woken in a tick to due, and notes that they were.
func (p Wakes) Due(t rpl.Tick, due []uint64) []uint64 {
	for i := range p {
		if w := &p[i]; w.ran == 0 && w.at <= t {
			if w.ran = t; !slices.Contains(due, w.of) {
				due = append(due, w.of)
			}
		}
	}
	return due
}

// Back sets all back to how it was after a tick.
func (p *Wakes) Back(t rpl.Tick) {
	kept := (*p)[:0]
	for _, w := range *p {
		if w.asked > t {
			continue
		}
		if w.ran > t {
			w.ran = 0
		}
		kept = append(kept, w)
	}
	*p = kept
}
