package ecs

// Space: what is where. The index is that of internal/places.

import (
	"iter"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/ecs/internal/places"
)

// Space answers questions about where nodes are, on every machine; a client knows the nodes that it has. A
// node is at its place in the world, its parents' included, and reaches as far as its components.Extent says;
// a node without a place is where the node above it is.
//
// Within a step, answers go by where nodes were at the step's first question. What is made, removed, given
// another parent, bumped or Moved since counts at once, and so does what this client predicts, including what
// its commands have made. After Receive, Send and Frame questions look again. Inside Call.Rewind and in
// replays the answers are as of then, without what the caller did not see. Nodes whose place is not a finite
// number are not found.
//
// A game that never asks pays nothing. Asking allocates nothing once the index is warm. The loops may move,
// make and remove nodes, and ask again: each goes on with what it has found, less what has ended. Questions
// with NaN, and with a negative radius or size, find nothing.
//
// On a client a removed node is found while it is still drawn, as by the world's own queries, but not by
// commands' rules.
type Space struct {
	r *Replication
	v *places.View
}

// Space returns a Space of the nodes that a filter takes; nil takes all. Keep it: it remembers
// what the filter has said of each set of components.
func (r *Replication) Space(f filter.LayoutFilter) *Space {
	mustBeMade("Space", r)
	return &Space{r, places.NewView(&r.places, f)}
}

// view is the index as this Space sees it. It panics for a Space that nobody made, as all of a
// Space's methods do.
func (s *Space) view(what string) *places.View {
	if s == nil || s.v == nil {
		panic("tendon: " + what + " of no Space: make it with Replication.Space, once")
	}
	return s.v
}

// InRect loops over the nodes that touch a rectangle, such as what the camera sees. On a
// client a camera that draws by View wants a margin: nodes are found where they are said to
// be, which is a little ahead of where they are drawn.
func (s *Space) InRect(area gmath.Rect) iter.Seq[*donburi.Entry] {
	v := s.view("InRect")
	return func(yield func(*donburi.Entry) bool) {
		v.InRect(area.Min.X, area.Min.Y, area.Max.X, area.Max.Y, yield)
	}
}

// Within loops over the nodes whose edge is within a radius of a point.
func (s *Space) Within(at gmath.Vec, radius float64) iter.Seq[*donburi.Entry] {
	v := s.view("Within")
	return func(yield func(*donburi.Entry) bool) { v.Within(at.X, at.Y, radius, yield) }
}

// Nearest loops over the n nodes that are nearest to a point, the nearest first, with the
// distance of each one's edge, which is 0 inside. Nodes that are equally far come in one order
// on every machine.
func (s *Space) Nearest(at gmath.Vec, n int) iter.Seq2[*donburi.Entry, float64] {
	v := s.view("Nearest")
	return func(yield func(*donburi.Entry, float64) bool) { v.Nearest(at.X, at.Y, n, yield) }
}

// Intersecting loops over the nodes that the shape of a node touches, without itself. For what
// is no node, and for a node without a place, there are none.
func (s *Space) Intersecting(e *donburi.Entry) iter.Seq[*donburi.Entry] {
	v := s.view("Intersecting")
	return func(yield func(*donburi.Entry) bool) {
		if n := s.r.nodes.OfEntry(e); n != nil {
			v.Touching(n, yield)
		}
	}
}

// A Hit is where a ray has hit a node.
type Hit struct {
	Entry    *donburi.Entry
	At       gmath.Vec
	Normal   gmath.Vec // away from the node's edge, of length 1; zero where the ray began inside
	Distance float64   // from where the ray began
}

// Trace follows a ray from a place to another and returns the first node that it hits, other
// than those in but. Nodes without an Extent are not hit, and a way to an infinite place hits
// nothing: say how far the ray goes.
func (s *Space) Trace(from, to gmath.Vec, but ...*donburi.Entry) (Hit, bool) {
	e, h, ok := s.view("Trace").Trace(from.X, from.Y, to.X, to.Y, but)
	if !ok {
		return Hit{}, false
	}
	way := to.Sub(from).Mulf(h.Share)
	return Hit{Entry: e, At: from.Add(way), Normal: gmath.Vec{X: h.NX, Y: h.NY}, Distance: way.Len()}, true
}

// Moved says that a node has moved in this step, or has another Extent, so that questions of the same step see it. It is
// needed only by a game whose rules ask about what other rules have moved in the same step.
func Moved(e *donburi.Entry) {
	if r := of(e); r != nil {
		r.places.MarkEntity(e.Entity())
	}
}
