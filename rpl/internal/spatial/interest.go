package spatial

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// Interest decides which nodes of Relevance Near a peer gets. If
// AuthorityConfig.Interest is nil, everyone gets all of them.
type Interest interface {
	// Reach is the farthest that viewer can see, in the unit of the `pos` prop. Wants
	// is not asked about nodes farther away. At the start it is asked of peer 0, which is
	// nobody, and must be above 0: half of that is the width of the grid's cells, so
	// return there what is usual.
	Reach(viewer ids.Peer) float64
	// Wants reports whether viewer should have a node at this distance from its nearest
	// observer. It is asked when the node or an observer has moved. had says whether
	// viewer has the node now.
	Wants(viewer ids.Peer, n ids.Node, distance float64, had bool) bool
}

// Grid is the usual Interest: a node streams in at Enter or nearer and out beyond Exit,
// in the unit of the `pos` prop. Enter is above 0, and Exit is at least Enter; 1.1 times
// Enter is usual.
type Grid struct{ Enter, Exit float64 }

// Reach is the greater of Enter and Exit.
func (g Grid) Reach(ids.Peer) float64 { return max(g.Enter, g.Exit) }

// Wants reports whether d is within Enter, or within Exit for a node that the viewer
// has.
func (g Grid) Wants(_ ids.Peer, _ ids.Node, d float64, had bool) bool {
	return d <= g.Enter || had && d <= g.Exit
}
