// Package predict keeps the states of predicted nodes after each of the last ticks.
package predict

import (
	"slices"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// Ticks is how many ticks a prediction goes back at most: four seconds at 60 a second, and one
// at 240, more than commands are ahead on any line that is played on. Predictions older
// than that are not judged: what the server tells is taken as it comes.
const Ticks = 256

// A Node is what is kept of one predicted node.
type Node struct {
	Round uint64
	Leapt rpl.Tick // the server's newest leap that what is drawn is after
	Born  rpl.Tick // of a node that this machine has made by a command: when; else 0 …
	Aside bool     // … and the authority has made it in another tick: its states are as much later, or sooner
	Met   bool     // it has been compared with the server's, or was made here
	Gone  bool     // in the tick that runs again it has not been made yet
	Comes bool     // it has come from the server, and is to be brought up to this machine's tick …
	Came  bool     // … and was: from then on it waits until the server knows that it is here
	Pass  uint64   // of a command in which it was made, or made again
	Begun bool     // it is predicted since the newest state, and goes over from where it was drawn
	Under rpl.Node // its parent, as of when it was last brought up to this machine's tick …
	Hung  bool     // … and whether it has had another since
	Items []Item   // by ordinal
	At    float64  // when its error was last changed, in seconds
	Wakes Wakes    // when it is to be woken, and was
	Set

	leaps []rpl.Tick // in which rules have it leap here, oldest first
	since rpl.Tick   // after which tick it goes another way than it went …
	had   int        // … and how often it leapt on that
}

// Caught reports whether the node has caught up with this machine's tick since it came.
func (p *Node) Caught() bool { return p.Met || p.Came }

// Leap notes that a rule has the node leap in a tick.
func (p *Node) Leap(t rpl.Tick) {
	if i, ok := slices.BinarySearch(p.leaps, t); !ok {
		p.leaps = slices.Insert(p.leaps, i, t)
	}
	for p.leaps[0]+Ticks < t {
		p.leaps = slices.Delete(p.leaps, 0, 1)
	}
}

// LeapsIn reports whether a rule has the node leap in a tick.
func (p *Node) LeapsIn(t rpl.Tick) bool {
	_, ok := slices.BinarySearch(p.leaps, t)
	return ok
}

// Anew forgets the leaps after a tick, since which rules run anew, and returns the newest before it.
func (p *Node) Anew(t rpl.Tick) (newest rpl.Tick) {
	i, _ := slices.BinarySearch(p.leaps, t+1)
	p.since, p.had, p.leaps = t, len(p.leaps)-i, p.leaps[:i]
	if i > 0 {
		newest = p.leaps[i-1]
	}
	return newest
}

// LeapsOtherwise reports whether the node has not leapt as often since Anew as it had by then.
func (p *Node) LeapsOtherwise() bool {
	i, _ := slices.BinarySearch(p.leaps, p.since+1)
	return len(p.leaps)-i != p.had
}

// Settle has nothing of the node drawn beside where it is.
func (p *Node) Settle() {
	for i := range p.Items {
		clear(p.Items[i].Off)
	}
}

// An Item is an item's component after each of the last ticks.
type Item struct {
	of     *rpl.ItemType // whose state it is
	since  rpl.Tick      // before this tick that it was not there says nothing: the server has told of it since
	Ring   [Ticks]unsafe.Pointer
	Ticks  [Ticks]rpl.Tick
	Beside []int32        // the server's words where this was at rest beside it within a tolerance, when it was last set right …
	Rested rpl.Tick       // … at which tick …
	Tries  uint8          // … and for which time in a row
	Judged []rpl.Tick     // by part: the newest tick that was compared before the server knew that the node is here …
	Wrong  bool           // … and one of them was predicted wrong, and is not mended yet
	Has    uint64         // which parts of it the server tells of
	Other  bool           // these are others since it was last compared
	Vars   []any          // lists, strings and the like of the state that was compared last
	Theirs unsafe.Pointer // the server's state as a component, where it has references; nil: not needed yet
	Off    []float64      // what is drawn beside it, by drawn field
	Was    []float64      // the drawn fields before a replay; empty where it was not there
	Plain  []float64      // the drawn fields while they are drawn in place; else empty
	Apart  []float64      // how far they were from the server's at its tick; empty where that is not known
}

// News reports whether an item is to be mended by what has come of it before the server knew that the node is here,
// and forgets that it is.
func (p *Node) News(ord int) (is bool) {
	if ord < len(p.Items) {
		is, p.Items[ord].Wrong = p.Items[ord].Wrong, false
	}
	return is
}

// At is the state after a tick, nil if it is not kept.
func (k *Item) At(t rpl.Tick) unsafe.Pointer {
	if k.Ticks[t%Ticks] != t {
		return nil
	}
	return k.Ring[t%Ticks]
}

// Item returns what is kept of an item, of a type: nothing yet if what is kept at its ordinal is
// of another, which the node has lost since, or had here before the server told what it has. The
// memory of one component must never be taken for that of another.
func (p *Node) Item(ord int, of *rpl.ItemType) *Item {
	for len(p.Items) <= ord {
		p.Items = append(p.Items, Item{})
	}
	k := &p.Items[ord]
	if k.of != of {
		*k = Item{of: of, since: p.newest + 1}
	}
	return k
}
