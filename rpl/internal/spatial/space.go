package spatial

import (
	"fmt"
)

// A Space is where nodes are.
type Space struct {
	Positions   []Position // by slot
	Unwatched   []uint64   // by slot: the node stands in a cell that no list covers (watched.go)
	Index       *grid      // nil: everyone sees everything
	Moves       uint32     // stamps grid cells in which a node moved; counted up at the end of Stream
	Unstamped   bool       // SetColumn moved nodes in this tick without stamping their cells …
	NeedsStamps bool       // … which it may not do while this is set: a peer looked for stamps in the last Stream
}

// NewSpace makes a space without nodes. Its error says that the rule has no reach to size the
// grid by.
func NewSpace(rule Interest) (*Space, error) {
	s := &Space{Moves: 1}
	if rule == nil {
		return s, nil
	}
	size := rule.Reach(0) / 2
	if g, _, ok := RangesOf(rule); ok {
		if !(g.Enter > 0 && g.Exit >= g.Enter && g.Exit <= MaxReach) {
			return nil, fmt.Errorf("rpl: an Interest with the distances %v to enter and %v to exit; the first is above 0, the second at least as far and at most %v", g.Enter, g.Exit, MaxReach)
		}
		size = g.Enter / 2
	}
	if f, ok := rule.(Fading); ok && !(f.Full > 0) {
		return nil, fmt.Errorf("rpl: a Fading with full rates within %v: say a distance above 0", f.Full)
	}
	if !(size > 0) {
		return nil, fmt.Errorf("rpl: Interest.Reach(0) is %v: return a distance above 0, by which the grid is sized, for a peer that you do not know too", rule.Reach(0))
	}
	s.Index = newGrid(size, rule)
	return s, nil
}
