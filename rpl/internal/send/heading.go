package send

import (
	"math"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// likeMessage is by how many bytes a set that expects something else may be shorter than the one
// in force: if that much would not pay, the set is not even written.
const likeMessage = 64

// chooseExpectations turns headings and lines on or off, where that saves more bits than it
// takes to send it to the peers.
func (a *tables) chooseExpectations() {
	number, free := a.NextTables()
	if !free {
		return
	}
	var set *coder.TableSet
	saved := 0.0
	with := func() *coder.TableSet {
		if set == nil {
			set = a.ModelSet.With(number)
		}
		return set
	}
	for i, t := range a.store.Types {
		lines := &a.Learner.Rows[i].Lines
		a.store.Slabs[i].PriceBy(t, lines, a.ModelSet.Rows[i].Lines)
		if next, gain := lines.Choose(t, a.ModelSet.Rows[i].Lines); gain > 0 {
			with().Rows[i].Lines = next
			saved += gain * coder.HeadingLasts
		}
		if t.Heading < 0 {
			continue
		}
		h := &a.Learner.Rows[i].Heading
		now, next := a.ModelSet.Rows[i].Heading, rowtype.Heading{}
		gain := h.Saved()
		if gain > 0 {
			next = h.Likeliest()
		}
		if now.On != next.On && math.Abs(gain) > coder.MinSaving*max(coder.LevelBits(&h.Still), coder.LevelBits(&h.Along))*coder.HintEvery {
			with().Rows[i].Heading = next
			saved += math.Abs(gain) * coder.HeadingLasts
		}
	}
	if set == nil || saved*a.Worth() < float64(8*(len(a.modelMsg)-likeMessage)) {
		return
	}
	if msg := a.paying(set, saved); msg != nil {
		a.Ship(set, set.Build(a.store.Types, a.Defaults), msg)
	}
}
