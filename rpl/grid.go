package rpl

import (
	"math"
)

// A grid holds the roots that are relevant by distance. Its buckets repeat beyond its
// edge, so a world needs no bounds: nodes that share a bucket though they are far apart
// are told apart by their distances.
//
// The grid has a node's place right only within a slack. So most moves of most nodes
// write nothing but the node's own place (its spot), and the stamp of its cell if
// somebody looks for stamps. Whoever asks near the edge of a peer's sight must read the
// spot.
type grid struct {
	size  float64 // of a cell
	slack float64 // along each axis
	rough int     // nodes whose place float32s cannot hold; while there are any, no place in the grid is relied on

	plain        bool // the Interest is a Grid, with this Exit
	exit         float64
	drift        float64     // along each axis: how far an observer goes before its peer looks again
	rings, blind rings       // limits of watches, with room for slack and drift; those for when the grid is not relied on
	watchers     watchers    // by bucket: the peers that are told when a node there leaves its place …
	sights       [][64]sight // … and by peer: which of these moves matter to it
	news         []news      // what peers were told since the last Stream
	told         []uint32    // the slots in news, sorted by peer …
	toldEnds     []uint32    // … and where each peer's slots end

	buckets [][]gridNode
	stamps  []uint32 // by bucket: Authority.moves when a node in it last moved
	moved   uint32   // the newest stamp
	crossed []uint32 // slots of nodes that changed their cell since the last Stream
}

// gridSide is the buckets along each axis, a power of two. 64 cells of half a view
// radius make 32 radii before buckets repeat.
const gridSide = 64

// gridSlack is the slack as a share of a cell: at a 32nd of the view radius about a
// tenth of the nodes in reach are near an edge.
const gridSlack = 1. / 16

// gridDrift is the drift as a share of a cell: the larger it is, the more nodes are
// near the edge of an observer's sight.
const gridDrift = 2. / 16

// newGrid makes a grid of cells of a size, in the unit of the `pos` prop.
func newGrid(size float64, in Interest) *grid {
	const diagonal = math.Sqrt2 * 1.03 // with room for the rounding of float32s
	slack, drift := size*gridSlack, size*gridDrift
	sight, plain := in.(Grid)
	return &grid{
		plain: plain, exit: sight.Exit, drift: drift,
		rings:   newRings(sight, slack*diagonal, drift*diagonal),
		blind:   newRings(sight, math.Inf(1), math.Inf(1)),
		size:    size,
		slack:   slack,
		buckets: make([][]gridNode, gridSide*gridSide),
		stamps:  make([]uint32, gridSide*gridSide),
		crossed: make([]uint32, 0, 256),
	}
}

type gridNode struct {
	x, y float32 // right within the slack
	slot uint32
}

// spot is where a node is, and where the grid has it.
type spot struct {
	x, y         float64
	gridX, gridY float32
	cell         int32 // bucket of the grid, -1 if the node is not in it
	cellAt       int32
}

// coarse is whether float32s are too coarse for a place.
func (g *grid) coarse(x, y float64) bool {
	return apart(x-float64(float32(x)), y-float64(float32(y))) > apart(g.slack/256, 0)
}

func (g *grid) bucketAt(cx, cy int) int32 {
	return int32(cy&(gridSide-1))*gridSide + int32(cx&(gridSide-1))
}

// cellOf is the cell that a coordinate is in, along one axis.
func (g *grid) cellOf(v float64) int {
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

func (g *grid) stamp(bucket int32, round uint32) {
	g.stamps[bucket], g.moved = round, round
}

// span is the range of cells within reach of a coordinate, along one axis.
func (g *grid) span(v, reach float64) (first, last int) {
	reach += g.slack * 1.01 // with room for a float32's rounding
	first, last = g.cellOf(v-reach), g.cellOf(v+reach)
	return first, min(last, first+gridSide-1)
}

// setSpot sets where a node is. It is called for nodes with a `pos` prop whenever that
// has changed; only roots of Relevance Near stand in the grid.
func (a *Authority) setSpot(slot uint32, x, y float64) {
	s := &a.spots[slot]
	s.x, s.y = x, y
	a.strayed(slot)
}

// strayed moves a node to its spot in the grid, unless the grid has it there within the
// slack.
func (a *Authority) strayed(slot uint32) {
	g, s := a.grid, &a.spots[slot]
	if s.cell >= 0 {
		if s.within(g.slack) {
			g.stamp(s.cell, a.moves)
			return
		}
	} else if n := &a.nodes[slot]; g == nil || n.parent != 0 || n.spawn.Relevance != Near {
		return
	}
	a.enterCell(slot)
}

// within is whether the grid has the node's place right within the slack.
func (s *spot) within(slack float64) bool {
	return apart(s.x-float64(s.gridX), s.y-float64(s.gridY)) <= apart(slack, 0)
}

// apart is the longer of the distances along the two axes, as an integer in the same
// order. Floats without their signs are ordered like their bits, and comparing those
// takes no branch.
func apart(x, y float64) uint64 {
	const signless = 1<<63 - 1
	return max(math.Float64bits(x)&signless, math.Float64bits(y)&signless)
}

// enterCell puts a node into the grid, or updates its place there.
func (a *Authority) enterCell(slot uint32) {
	g, s := a.grid, &a.spots[slot]
	from, nowhere := gridNode{x: s.gridX, y: s.gridY}, s.cell < 0
	a.locate(slot)
	i := g.bucketAt(g.cellOf(s.x), g.cellOf(s.y))
	e := gridNode{s.gridX, s.gridY, slot}
	if i == s.cell {
		g.buckets[i][s.cellAt] = e
	} else {
		for _, h := range a.nodes[slot].holders {
			p := a.peers[h.peer]
			if nowhere {
				p.near.add(slot)
			}
			if !g.watchers.of(i).has(h.peer) && (nowhere || g.sightOf(h.peer).sees(from, e) != 0) {
				a.tell(h.peer, slot)
			}
		}
		if !nowhere {
			a.leaveCell(slot)
		}
		g.crossed = append(g.crossed, slot)
		s.cell, s.cellAt = i, int32(len(g.buckets[i]))
		g.buckets[i] = append(roomy(g.buckets[i]), e)
	}
	g.stamp(i, a.moves)
	if nowhere {
		a.tellWatchers(i, slot)
	} else {
		for word, some := range g.watchers.of(i) {
			if some != 0 {
				g.tellOfMove(word, some, from, e)
			}
		}
	}
}

// locate sets the place that the grid has of a node: NaN if float32s are too coarse.
// Such a node strays with every move, so its cell stays right.
func (a *Authority) locate(slot uint32) {
	g, s := a.grid, &a.spots[slot]
	was := s.cell >= 0 && s.isRough()
	s.gridX, s.gridY = float32(s.x), float32(s.y)
	is := g.coarse(s.x, s.y)
	if is {
		s.gridX, s.gridY = float32(math.NaN()), float32(math.NaN())
	}
	if is && !was {
		a.noteFarOut(slot)
	}
	g.rough += flag(is) - flag(was)
}

// isRough is whether float32s are too coarse for the node's place in the grid.
func (s *spot) isRough() bool { return s.gridX != s.gridX }

// noteFarOut counts a node whose place is too far out for float32s. The first one is
// logged: games seldom mean it.
func (a *Authority) noteFarOut(slot uint32) {
	if a.counters.FarOut++; a.counters.FarOut > 1 {
		return
	}
	s := &a.spots[slot]
	a.cfg.Log.Warn("a node is where float32s are too coarse to find it by: as long as one is, every peer looks at all of its sight in every send",
		"node", a.nodes[slot].id, "x", s.x, "y", s.y,
		"remedy", "keep infinities out of positions, and the world nearer to its origin")
}

// roomy makes room for one more node, doubling it, so that a crowd that wanders over a
// steady world soon allocates nothing.
func roomy(nodes []gridNode) []gridNode {
	if len(nodes) < cap(nodes) {
		return nodes
	}
	const least = 16 // three cache lines
	return append(make([]gridNode, 0, max(least, 2*cap(nodes))), nodes...)
}

// leaveGrid takes a node that lives on out of the grid: peers no longer hold it for its
// distance.
func (a *Authority) leaveGrid(slot uint32) {
	if a.spots[slot].cell < 0 {
		return
	}
	for _, h := range a.nodes[slot].holders {
		a.peers[h.peer].near.cut(slot)
	}
	a.ungrid(slot)
}

// ungrid takes a node out of the grid, if it is in it.
func (a *Authority) ungrid(slot uint32) {
	if s := &a.spots[slot]; s.cell >= 0 {
		a.grid.rough -= flag(s.isRough())
		a.leaveCell(slot)
	}
}

// leaveCell takes a node out of its cell.
func (a *Authority) leaveCell(slot uint32) {
	g, s := a.grid, &a.spots[slot]
	nodes := g.buckets[s.cell]
	last := len(nodes) - 1
	nodes[s.cellAt] = nodes[last]
	a.spots[nodes[last].slot].cellAt = s.cellAt
	g.buckets[s.cell] = nodes[:last]
	g.stamp(s.cell, a.moves)
	s.cell = -1
}
