package rpl

// Interest decides what peers see of nodes whose Relevance is Near; nil in a
// Config means that everyone sees everything.
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

// A grid holds the roots that are relevant by distance. Buckets repeat beyond
// its edge, so a world needs no bounds: what is far away in the same bucket is
// told apart by its distance.
type grid struct {
	size    float64 // of a cell
	buckets []bucket
}

// gridSide is the buckets along each axis; a power of two. 64 cells of half a
// view radius are 32 radii before anything repeats.
const gridSide = 64

type bucket struct {
	nodes []gridNode
	moved uint32 // the round in which a node of it last moved
}

type gridNode struct {
	x, y  float64
	slot  uint32
	moved uint32 // the round in which it last moved
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

// moved puts a node where it is now. It is called for nodes with a `pos` prop
// whenever that changed; only roots that are Near stand in the grid.
func (a *Authority) moved(slot uint32, x, y float64) {
	n := &a.nodes[slot]
	n.x, n.y = x, y
	if a.grid == nil || n.parent != 0 || n.spawn.Relevance != Near {
		return
	}
	g := a.grid
	i := g.bucketAt(g.cellOf(x), g.cellOf(y))
	b := &g.buckets[i]
	b.moved = a.moves
	if i != n.cell {
		if n.cell < 0 {
			for _, h := range n.holders {
				a.peers[h.peer].near = append(a.peers[h.peer].near, slot)
			}
		}
		a.ungrid(slot)
		n.cell, n.cellAt = i, int32(len(b.nodes))
		b.nodes = append(b.nodes, gridNode{x, y, slot, a.moves})
	} else {
		e := &b.nodes[n.cellAt]
		e.x, e.y, e.moved = x, y, a.moves
	}
	if n.moved != a.moves {
		n.moved = a.moves
		a.movers = append(a.movers, slot)
	}
}

// leaveGrid takes a node out of the grid that may come in again: it is no longer
// held for its distance.
func (a *Authority) leaveGrid(slot uint32) {
	n := &a.nodes[slot]
	if n.cell < 0 {
		return
	}
	for _, h := range n.holders {
		a.peers[h.peer].farther(slot)
	}
	a.ungrid(slot)
}

func (a *Authority) ungrid(slot uint32) {
	n := &a.nodes[slot]
	if n.cell < 0 {
		return
	}
	nodes := a.grid.buckets[n.cell].nodes
	last := len(nodes) - 1
	nodes[n.cellAt] = nodes[last]
	a.nodes[nodes[last].slot].cellAt = n.cellAt
	a.grid.buckets[n.cell].nodes = nodes[:last]
	n.cell = -1
}
