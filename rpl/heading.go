package rpl

import (
	"math"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// chooseHeadings turns headings on or off, where that saves more bits than it takes to
// tell the peers.
func (a *Authority) chooseHeadings() {
	number, free := a.nextTables()
	if !free {
		return
	}
	var set *coder.TableSet
	saved := 0.0
	for i, t := range a.types {
		if t.Heading < 0 {
			continue
		}
		h := &a.learner.Rows[i].Course
		now, next := a.modelSet.Rows[i].Heading, rowtype.Heading{}
		gain := h.Saved()
		if gain > 0 {
			next = h.Guess()
		}
		if now.On != next.On && math.Abs(gain) > coder.MinSaving*max(coder.LevelBits(&h.Still), coder.LevelBits(&h.Along))*coder.HintEvery {
			if set == nil {
				set = a.modelSet.With(number)
			}
			set.Rows[i].Heading = next
			saved += math.Abs(gain) * coder.HeadingLasts
		}
	}
	if set == nil {
		return
	}
	if msg := a.paying(set, saved); msg != nil {
		a.ship(set, set.Build(a.types, a.defaults), msg)
	}
}
