package spatial

import (
	"fmt"

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
// in the unit of the `pos` prop. Enter is above 0, and Exit is at least Enter and at most
// MaxReach; 1.1 times Enter is usual.
type Grid struct{ Enter, Exit float64 }

// Ranges is the Grid itself: so a Policy that embeds one has its ranges.
func (g Grid) Ranges() Grid { return g }

// A Policy is an Interest that refuses nodes which are in sight by distance: what stands
// behind a wall, or belongs to another faction. It embeds a Grid, which has all methods but
// Sees, and is as fast as one: a node that a viewer has, and that has moved less than a
// 32nd of Enter since it was asked for, is not asked for again until one of the viewer's
// observers has moved an eighth of Enter, or Authority.AskAgain is called. One that is refused
// in sight may be asked for in any send, and is for certain after AskAgain. What is refused
// stays for half a second after it has come, like what goes out of sight, so that who stands at
// a corner does not flicker; what is refused after AskAgain goes at once.
type Policy interface {
	Interest
	Ranges() Grid
	// Sees reports whether a viewer should have a node that is in its sight. It may read the
	// game's world, and must not change it. It is asked in a send, and in a step as a node is called
	// or removed of which something has changed.
	Sees(v View) bool
}

// A Favourer is an Interest that says how much sooner than others a viewer is sent a node:
// Favour is a factor above 0, on top of the node's Weight and nearness, where not everything
// can be sent at once.
type Favourer interface {
	Favour(viewer ids.Peer, n ids.Node) float32
}

// A Rater is an Interest that has what is far off sent less often than in every send.
type Rater interface {
	// Rate is the share of the sends in which viewer is sent changes to a node at this
	// distance from its nearest observer: 1 is all of them. It is rounded to 1, 1/2, 1/4, 1/8
	// or 1/16. It is asked for nodes that viewer has, now and then: a node that comes nearer is
	// sent at its new rate within a second. Arrivals, removals, new owners and parents do not
	// wait, nor do a viewer's own nodes. What such a node was last is sent in any case.
	Rate(viewer ids.Peer, distance float64) float64
}

// mostSparse is the logarithm of the sends from one update to the next, at most.
const mostSparse = 4

// Sparseness is the logarithm of the sends from one update of what is so far off to the next.
func Sparseness(r Rater, p ids.Peer, distance float64) uint8 {
	every := uint8(0)
	for rate := r.Rate(p, distance); every < mostSparse && rate <= 0.5; every++ {
		rate *= 2
	}
	return every
}

// Fading is a Grid with rates: nodes within Full are sent in every send, those farther off
// less often, in proportion: at twice Full in every second send, at eight times in every eighth.
// Full is above 0. A Policy may embed one.
type Fading struct {
	Grid
	Full float64
}

// Rate is Full divided by the distance, at most 1.
func (f Fading) Rate(_ ids.Peer, distance float64) float64 {
	if distance <= f.Full {
		return 1
	}
	return f.Full / distance
}

// A View is what a Policy is asked about.
type View struct {
	Viewer   ids.Peer
	Node     ids.Node
	X, Y     float64    // where the node is, or the top of its tree; it may be rounded to the step of the field, as it is sent
	From     [2]float64 // the observer that has it in sight
	Distance float64    // between them
	Had      bool       // the viewer has the node now
}

// An Observer is a point round which a peer sees. Scale is what the distances of the Interest
// are multiplied by for it, above 0: a scope's is 2 and a guard's lantern's 0.5; 0 means 1.
type Observer struct {
	X, Y  float64
	Scale float64
}

// Check reports what is wrong with an observer: a scale that is negative, NaN or infinite, or
// above MaxScale. Any place is allowed: from one that is no number nothing is seen.
func (o Observer) Check() error {
	if !(o.Scale >= 0 && o.Scale <= MaxScale) {
		return fmt.Errorf("observer of scale %v: %w; it is 0 (for 1) to %v times the distances of the Interest", o.Scale, ids.ErrRange, MaxScale)
	}
	return nil
}

// MaxReach is the largest distance of a Grid: farther out the float32s of the grid tell no
// nodes apart.
const MaxReach = 1e9

// MaxScale is the largest scale of an observer: it reaches over a quarter of the grid's cells.
// Who sees farther than that may as well be shown everything.
const MaxScale = 16.0

// RangesOf returns the ranges by which an Interest decides, if it does so by ranges, and the
// Interest as a Policy if it is one.
func RangesOf(in Interest) (g Grid, p Policy, plain bool) {
	switch in := in.(type) {
	case Grid:
		return in, nil, true
	case Fading:
		return in.Grid, nil, true
	case Policy:
		return in.Ranges(), in, true
	}
	return Grid{}, nil, false
}

// Reach is the greater of Enter and Exit.
func (g Grid) Reach(ids.Peer) float64 { return max(g.Enter, g.Exit) }

// Wants reports whether d is within Enter, or within Exit for a node that the viewer
// has.
func (g Grid) Wants(_ ids.Peer, _ ids.Node, d float64, had bool) bool {
	return d <= g.Enter || had && d <= g.Exit
}
