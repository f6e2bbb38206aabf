package interest

import "github.com/tendonengine/tendon/rpl/internal/spatial"

// The boundary of a neighbour list: the nodes that can come in or go out before the next scan, and which
// of them a send must ask about.

// A boundaryNode is a node near the boundary of a peer's sight. It stays right until the grid
// reports the node.
type boundaryNode struct {
	x, y float32 // its place in the grid
	who  uint32  // its slot, with boundaryHeld if the peer should hold it
}

const boundaryHeld = 1 << 31 // a bit that no slot has

func boundaryAt(slot uint32, held bool) boundaryNode {
	return boundaryNode{who: slot | uint32(flag(held))<<31}
}

func (e *boundaryNode) slot() uint32 { return e.who &^ boundaryHeld }

// held is 1 if the peer should hold the node, else 0.
func (e *boundaryNode) held() int { return int(e.who >> 31) }

// departs is 1 if a node is held and farther than limits[1], or not held and not
// farther than limits[0]; else 0.
func departs(held int, d spatial.Far, limits *[2]spatial.Far) int {
	return held ^ flag(d <= limits[held&1])
}

// uncertainMost is how many nodes of the boundary are checked together.
const uncertainMost = 64

// uncertain returns the indices in boundary of the nodes that their places in the grid do
// not decide, and of those with news, if there is any. It appends them to dst, which has room. No
// branch depends on a node.
func (v *scanPass) uncertain(dst []uint8, boundary []boundaryNode, some bool) []uint8 {
	if len(v.beside) > 0 {
		return v.uncertainBeside(dst, boundary)
	}
	news := &v.m.news
	x, y := float32(v.o[0]), float32(v.o[1])
	limits := &v.Unsure
	dst = dst[:uncertainMost]
	n := 0
	if v.all {
		for i := range boundary {
			e := &boundary[i]
			dst[n&(uncertainMost-1)] = uint8(i)
			n += e.held() | departs(e.held(), spatial.FarBetween(e.x-x, e.y-y), limits) | flag(news.Has(e.slot()))
		}
		return dst[:n]
	}
	if !some {
		for i := range boundary {
			e := &boundary[i]
			dst[n&(uncertainMost-1)] = uint8(i)
			n += departs(e.held(), spatial.FarBetween(e.x-x, e.y-y), limits)
		}
		return dst[:n]
	}
	for i := range boundary {
		e := &boundary[i]
		dst[n&(uncertainMost-1)] = uint8(i)
		n += departs(e.held(), spatial.FarBetween(e.x-x, e.y-y), limits) | flag(news.Has(e.slot()))
	}
	return dst[:n]
}

// dropBoundary takes a node out of the boundary; the last one takes its place.
func (w *neighbourList) dropBoundary(i int) {
	last := len(w.boundary) - 1
	w.boundary[i] = w.boundary[last]
	w.boundary = w.boundary[:last]
}

// markBoundary marks the nodes of a list's boundary in the manager's marks, which are empty, and
// unmarkBoundary clears these.
func (m *Manager) markBoundary(w *neighbourList) {
	for i := range w.boundary {
		m.marks.Set(w.boundary[i].slot())
	}
}

func (m *Manager) unmarkBoundary(w *neighbourList) {
	for i := range w.boundary {
		m.marks.Clear(w.boundary[i].slot())
	}
}
