package rpl

// Interest decides what peers see of nodes whose Relevance is Near; nil in an
// AuthorityConfig means that everyone sees everything.
type Interest interface {
	// Reach is the farthest that a viewer can see; nothing beyond is asked about.
	Reach(viewer Peer) float64
	// Wants reports whether a viewer should have a node; asked when the node or
	// an observer has moved. had tells whether it has it now.
	Wants(viewer Peer, n Node, distance float64, had bool) bool
}

// Grid is the usual Interest: in inside Enter, out beyond Exit, in the unit of
// the `pos` prop. Exit is at least Enter; 1.1 times it is usual.
type Grid struct{ Enter, Exit float64 }

// Reach is Exit.
func (g Grid) Reach(Peer) float64 { return max(g.Enter, g.Exit) }

// Wants is the hysteresis.
func (g Grid) Wants(_ Peer, _ Node, d float64, had bool) bool {
	return d <= g.Enter || had && d <= g.Exit
}
