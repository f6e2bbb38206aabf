package rpl

import "math"

// A grid holds the roots that are relevant by distance. Buckets repeat beyond
// its edge, so a world needs no bounds: what is far away in the same bucket is
// told apart by its distance.
//
// Where a node stands in the grid is right within a slack only, so that most
// steps of most nodes write nothing but their own place, and their cell's stamp
// where somebody looks for it; who asks near the edge of somebody's sight reads
// the node's own place.
type grid struct {
	size  float64 // of a cell
	slack float64 // along each axis
	rough int     // nodes beyond a float32's precision: while there are some nothing is taken from the grid

	plain        bool // the Interest is a Grid, of this reach
	exit         float64
	drift        float64     // along each axis: how far an observer goes before it looks again
	rings, blind rings       // by the slack and the drift; when the grid says nothing
	watchers     watchers    // by bucket: who is told when a node leaves its place there …
	sights       [][64]sight // … and by peer, as there, whether it is
	news         []news      // since the last Stream
	told         []uint32    // slots of them, peer by peer …
	toldEnds     []uint32    // … and where each peer's end

	buckets [][]gridNode
	stamps  []uint32 // by bucket: the round in which a node of it last moved
	moved   uint32   // the newest of them
	crossed []uint32 // slots that came into a cell in this round
}

// gridSide is the buckets along each axis; a power of two. 64 cells of half a
// view radius are 32 radii before anything repeats.
const gridSide = 64

// gridSlack is the slack's share of a cell: at a 32nd of the view radius some
// tenth of what is in reach is near an edge.
const gridSlack = 1. / 16

// gridDrift is the same of how far an observer goes before it looks again: the
// farther, the more nodes are near an edge of its sight.
const gridDrift = 2. / 16

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
	x, y float32 // within the slack
	slot uint32
}

// spot is where a node is, as the stream sees it, and where the grid has it.
type spot struct {
	x, y         float64
	gridX, gridY float32
	cell         int32 // bucket of the grid, -1 when not in it
	cellAt       int32
}

// coarse is whether float32s are too coarse for a place.
func (g *grid) coarse(x, y float64) bool {
	return apart(x-float64(float32(x)), y-float64(float32(y))) > apart(g.slack/256, 0)
}

func (g *grid) bucketAt(cx, cy int) int32 {
	return int32(cy&(gridSide-1))*gridSide + int32(cx&(gridSide-1))
}

func (g *grid) cellOf(v float64) int {
	c := v / g.size
	if !(c > -1e9 && c < 1e9) { // NaN and what no world reaches share one cell
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

// span is the cells within reach of a coordinate.
func (g *grid) span(v, reach float64) (first, last int) {
	reach += g.slack * 1.01 // with room for a float32's rounding
	first, last = g.cellOf(v-reach), g.cellOf(v+reach)
	return first, min(last, first+gridSide-1)
}

// moved puts a node where it is now. It is called for nodes with a `pos` prop
// whenever that changed; only roots that are Near stand in the grid.
func (a *Authority) moved(slot uint32, x, y float64) {
	s := &a.spots[slot]
	s.x, s.y = x, y
	a.strayed(slot)
}

// strayed puts a node where its spot says, unless the grid has it there.
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

// within is whether the grid has the node where it is, but for the slack.
func (s *spot) within(slack float64) bool {
	return apart(s.x-float64(s.gridX), s.y-float64(s.gridY)) <= apart(slack, 0)
}

// apart is the longer of two ways along the axes, as a number of the same order:
// floats without their signs are in the order of their bits, and no branch depends
// on them.
func apart(x, y float64) uint64 {
	const signless = 1<<63 - 1
	return max(math.Float64bits(x)&signless, math.Float64bits(y)&signless)
}

// enterCell puts a node into the grid, or anew.
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
				p.near = append(p.near, slot)
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

// locate notes where the grid is to have a node: nowhere if float32s cannot tell.
// Such a node strays with every move, so that its cell is right.
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

// isRough is whether the grid cannot tell where a node of it is.
func (s *spot) isRough() bool { return s.gridX != s.gridX }

// noteFarOut counts a node of which the grid cannot tell where it is, and says so
// once: a game has seldom meant it.
func (a *Authority) noteFarOut(slot uint32) {
	if a.counters.FarOut++; a.counters.FarOut > 1 {
		return
	}
	s := &a.spots[slot]
	a.cfg.Log.Warn("a node is where float32s are too coarse to find it by: as long as one is, every peer looks at all of its sight in every send",
		"node", a.nodes[slot].id, "x", s.x, "y", s.y,
		"remedy", "keep infinities out of positions, and the world nearer to its origin")
}

// roomy makes room for one more: a crowd that wanders over a steady world soon
// takes no new memory.
func roomy(nodes []gridNode) []gridNode {
	if len(nodes) < cap(nodes) {
		return nodes
	}
	const least = 16 // three lines of the cache
	return append(make([]gridNode, 0, max(least, 2*cap(nodes))), nodes...)
}

// leaveGrid takes a node out of the grid that may come in again: it is no longer
// held for its distance.
func (a *Authority) leaveGrid(slot uint32) {
	if a.spots[slot].cell < 0 {
		return
	}
	for _, h := range a.nodes[slot].holders {
		a.peers[h.peer].farther(slot)
	}
	a.ungrid(slot)
}

// ungrid takes a node out of the grid, if it is there.
func (a *Authority) ungrid(slot uint32) {
	if s := &a.spots[slot]; s.cell >= 0 {
		a.grid.rough -= flag(s.isRough())
		a.leaveCell(slot)
	}
}

// leaveCell takes a node out of the cell that it is in.
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
