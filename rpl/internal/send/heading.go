package send

import (
	"math"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// smallestChange is the bytes that it takes at least to send other expectations as differences
// from the set in force: if that much would not pay, the set is not even written.
const smallestChange = 16

// chooseExpectations turns headings and lines on or off, where that saves more bits than it
// takes to send it to the peers.
func (ts *tables) chooseExpectations() {
	number, free := ts.NextTables()
	if !free {
		return
	}
	var set *coder.TableSet
	saved := 0.0
	with := func() *coder.TableSet {
		if set == nil {
			set = ts.Model.Set.With(number)
		}
		return set
	}
	for i, t := range ts.store.Types {
		lines := &ts.Learner.Rows[i].Lines
		ts.store.Slabs[i].PriceBy(t, lines, ts.Model.Set.Rows[i].Lines)
		if next, gain := lines.Choose(t, ts.Model.Set.Rows[i].Lines); gain > 0 {
			with().Rows[i].Lines = next
			saved += gain * coder.HeadingLasts
		}
		if t.Heading < 0 {
			continue
		}
		h := &ts.Learner.Rows[i].Heading
		now, next := ts.Model.Set.Rows[i].Heading, rowtype.Heading{}
		gain := h.Saved()
		if gain > 0 {
			next = h.Likeliest()
		}
		if now.On != next.On && math.Abs(gain) > coder.MinSaving*max(coder.LevelBits(&h.Still), coder.LevelBits(&h.Along))*coder.HintEvery {
			with().Rows[i].Heading = next
			saved += math.Abs(gain) * coder.HeadingLasts
		}
	}
	if set == nil || saved*ts.Worth() < 8*smallestChange {
		return
	}
	if m := ts.paying(set, saved); m != nil {
		ts.Ship(set.Build(ts.store.Types, ts.Defaults), m)
		ts.fitted = ts.Learner.Counted(ts.store.Types, ts.Model)
	}
}
