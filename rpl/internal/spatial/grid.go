package spatial

import (
	"math"
)

// A grid holds the roots that are relevant by distance. Its buckets repeat beyond its
// edge, so a world needs no bounds: nodes that share a bucket though they are far apart
// are distinguished by their distances.
//
// The grid has a node's place right only within a slack. So most moves of most nodes
// write nothing but the node's own place (its position), and the stamp of its cell if
// somebody looks for stamps. Whoever asks near the boundary of a peer's sight must read the
// position.
type grid struct {
	size  float64 // of a cell
	Slack float64 // along each axis
	Rough int     // nodes whose place float32s cannot hold; while there are any, no place in the grid is relied on

	Plain         bool // the Interest is a Grid or a Policy, with this Exit
	Exit          float64
	ranges        Grid
	Policy        Policy      // nil for a Grid
	ObserverSlack float64     // along each axis: how far an observer goes before its peer is scanned again
	Rings, Blind  Rings       // limits of lists, with room for both slacks; those for when the grid is not relied on
	Subscribers   subscribers // by bucket: the lists that hear of it when a node there leaves its place …
	watchers      []uint16    // … how many they are …
	sights        [][64]Sight // … and by list: which of these moves matter to it
	News          []News      // what was reported to lists since the last Stream
	sorted        []uint32    // the slots in news, sorted by peer …
	sortedEnds    []uint32    // … and where each peer's slots end

	Buckets [][]Placed
	Stamps  []uint32 // by bucket: the count of moves when a node in it last moved
	Moved   uint32   // the newest stamp
	Crossed []uint32 // slots of nodes that changed their cell since the last Stream
}

// MayRefuse reports whether the Interest may refuse a peer what is in its sight: it is a Policy, or a
// rule of which that is not known.
func (g *grid) MayRefuse() bool { return g != nil && (g.Policy != nil || !g.Plain) }

// GridSide is the buckets along each axis, a power of two. 128 cells of half a view
// radius make 64 radii before buckets repeat: a hundred thousand nodes, if a hundred are in
// sight. What repeats is looked at in vain, never taken for what is near.
const GridSide = 128

// gridSlack is the slack as a share of a cell: at a 32nd of the view radius about a
// tenth of the nodes in reach are near a boundary.
const gridSlack = 1. / 16

// observerSlack is the slack of an observer as a share of a cell: the larger it is, the more nodes are
// near the boundary of an observer's sight.
const observerSlack = 2. / 16

// diagonal is how much longer than a side a square's diagonal is, with room for the rounding
// of float32s.
const diagonal = math.Sqrt2 * 1.03

// newGrid makes a grid of cells of a size, in the unit of the `pos` prop.
func newGrid(size float64, in Interest) *grid {
	slack, observer := size*gridSlack, size*observerSlack
	sight, policy, plain := RangesOf(in)
	return &grid{
		Plain: plain, Exit: sight.Exit, ObserverSlack: observer, ranges: sight, Policy: policy,
		Rings:    newRings(sight, slack*diagonal, observer*diagonal),
		Blind:    newRings(sight, math.Inf(1), math.Inf(1)),
		size:     size,
		Slack:    slack,
		Buckets:  make([][]Placed, GridSide*GridSide),
		Stamps:   make([]uint32, GridSide*GridSide),
		watchers: make([]uint16, GridSide*GridSide),
		Crossed:  make([]uint32, 0, 256),
	}
}

type Placed struct {
	X, Y float32 // right within the slack
	Slot uint32
}

// Position is where a node is, and where the grid has it.
type Position struct {
	X, Y         float64
	GridX, GridY float32
	Cell         int32 // bucket of the grid, -1 if the node is not in it
	CellAt       int32
}

// Coarse is whether float32s are too coarse for a place.
func (g *grid) Coarse(x, y float64) bool {
	return Apart(x-float64(float32(x)), y-float64(float32(y))) > Apart(g.Slack/256, 0)
}

func (g *grid) BucketAt(cx, cy int) int32 {
	return int32(cy&(GridSide-1))*GridSide + int32(cx&(GridSide-1))
}

// CellOf is the cell that a coordinate is in, along one axis.
func (g *grid) CellOf(v float64) int {
	c := v / g.size
	if !(c > -1e9 && c < 1e9) { // NaN, and what no world reaches, share one cell
		return 0
	}
	n := int(c)
	if c < float64(n) {
		n--
	}
	return n
}

func (g *grid) Stamp(bucket int32, round uint32) {
	g.Stamps[bucket], g.Moved = round, round
}

// Span is the range of cells within reach of a coordinate, along one axis.
func (g *grid) Span(v, reach float64) (first, last int) {
	reach += g.Slack * 1.01 // with room for a float32's rounding
	first, last = g.CellOf(v-reach), g.CellOf(v+reach)
	return first, min(last, first+GridSide-1)
}

// Within is whether the grid has the node's place right within the slack.
func (s *Position) Within(slack float64) bool {
	return Apart(s.X-float64(s.GridX), s.Y-float64(s.GridY)) <= Apart(slack, 0)
}

// Apart is the longer of the distances along the two axes, as an integer in the same
// order. Floats without their signs are ordered like their bits, and comparing those
// takes no branch.
func Apart(x, y float64) uint64 {
	const signless = 1<<63 - 1
	return max(math.Float64bits(x)&signless, math.Float64bits(y)&signless)
}

// IsRough is whether float32s are too coarse for the node's place in the grid.
func (s *Position) IsRough() bool { return s.GridX != s.GridX }

// Roomy makes room for one more node, doubling it, so that a crowd that wanders over a
// steady world soon allocates nothing.
func Roomy(nodes []Placed) []Placed {
	if len(nodes) < cap(nodes) {
		return nodes
	}
	const least = 16 // three cache lines
	return append(make([]Placed, 0, max(least, 2*cap(nodes))), nodes...)
}

// Covers is whether a point sees all of a cell, or nearly all.
func (g *grid) Covers(o [2]float64, cx, cy int) bool {
	dx, dy := (float64(cx)+0.5)*g.size-o[0], (float64(cy)+0.5)*g.size-o[1]
	most := g.Exit - g.size
	return most > 0 && dx*dx+dy*dy < most*most
}
