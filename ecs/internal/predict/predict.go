// Package predict keeps the states of predicted nodes after each of the last ticks, and says by
// how much two states differ.
package predict

import (
	"math"
	"strings"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Ticks is how many ticks a prediction goes back at most: a second, more than commands
// are ever ahead. Predictions older than that are not judged.
const Ticks = 64

// A Node is what is kept of one predicted node.
type Node struct {
	Round uint64
	Leapt rpl.Tick
	Born  rpl.Tick // of a node that this machine has made by a command: when; else 0
	Met   bool     // it has been compared with the server's, or was made here
	Gone  bool     // in the tick that runs again it has not been made yet
	Begun bool     // it is predicted since the newest state, and goes over from where it was drawn
	Under rpl.Node // its parent, as of when its state was last kept
	Items []Item   // by ordinal
	At    float64  // when its error was last changed, in seconds
	Wakes Wakes    // when it is to be woken, and was
}

// A Item is an item's component after each of the last ticks.
type Item struct {
	Ring  [Ticks]unsafe.Pointer
	Ticks [Ticks]rpl.Tick
	Off   []float64 // what is drawn beside it, by drawn field
	Was   []float64 // the drawn fields before a replay; empty where it was not there
}

// Item returns what is kept of an item.
func (p *Node) Item(ord int) *Item {
	for len(p.Items) <= ord {
		p.Items = append(p.Items, Item{})
	}
	return &p.Items[ord]
}

// Apart returns by how much two words differ beyond the rounding of so many steps, one for
// states that should be the same.
func Apart(p *schema.Prop, w *schema.Word, mine, theirs int32, steps int64) float64 {
	d := int64(mine) - int64(theirs)
	if w.Wrap {
		all := int64(w.Max) - int64(w.Min) + 1
		if d %= all; d > all/2 {
			d -= all
		} else if d < -all/2 {
			d += all
		}
	}
	d = max(d, -d)
	if w.Raw {
		if w.Wide {
			return float64(d)
		}
		a, b := float64(math.Float32frombits(uint32(mine))), float64(math.Float32frombits(uint32(theirs)))
		if off := math.Abs(a - b); off > 1e-5*max(1, math.Abs(a)) {
			return off
		}
		return 0
	}
	if d <= steps && (strings.HasPrefix(p.Kind, "float") || strings.HasPrefix(p.Kind, "angle")) {
		return 0
	}
	return float64(d) * max(p.Step, 0)
}
