// Package inplace puts what is drawn of proxies into their components, for games that draw
// their own components (`interp=inplace`), and takes it out again before their rules run.
package inplace

import (
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/track"
)

// Painter draws the nodes in place that may have to be drawn otherwise than they are.
type Painter struct {
	*nodes.Base
	Nodes  *nodes.Table
	Screen *track.Screen

	moving []*nodes.Node
}

// Start has a node drawn in place, from now until drawn time has reached its newest sample:
// then its components hold what would be drawn.
func (pt *Painter) Start(n *nodes.Node, b *nodes.Binding) {
	if b.Comp.Drawn.InPlace && !n.InPlace {
		n.InPlace, pt.moving = true, append(pt.moving, n)
	}
}

// Forget stops drawing anything in place, when a level ends.
func (pt *Painter) Forget() { pt.moving = nil }

// Draw writes what is drawn in this frame.
func (pt *Painter) Draw() {
	for _, n := range pt.moving {
		for i := range n.Items {
			if b := &n.Items[i]; b.Track != nil && b.Comp.Drawn.InPlace && n.Predicted == nil { // that is replay's
				pt.draw(b)
			}
		}
	}
}

func (pt *Painter) draw(b *nodes.Binding) {
	e, p := pt.Component(b)
	if p == nil {
		return
	}
	w := pt.Tagged(b.Comp, e, p)
	if !b.Track.Saved() { // else an earlier frame has saved it
		b.Track.Save(w)
	}
	pt.Screen.Draw(b.Track, w, true)
	if b.Comp.StandIn != nil {
		b.Comp.StandIn.Set(e, p, w)
	}
}

// Restore undoes what Draw has written, before the game's rules run, and forgets the nodes
// that need not be drawn in place any more.
func (pt *Painter) Restore() {
	alive := pt.moving[:0]
	for _, n := range pt.moving {
		if pt.Nodes.Of(n.Entity) != n {
			continue
		}
		if n.InPlace = pt.differs(n); n.InPlace {
			alive = append(alive, n)
		}
		for i := range n.Items {
			pt.restore(&n.Items[i])
		}
	}
	clear(pt.moving[len(alive):])
	pt.moving = alive
}

func (pt *Painter) restore(b *nodes.Binding) {
	if b.Track == nil || !b.Track.Saved() {
		return
	}
	if e, p := pt.Component(b); p != nil {
		w := pt.Tagged(b.Comp, e, p)
		b.Track.Restore(w)
		if b.Comp.StandIn != nil {
			b.Comp.StandIn.Set(e, p, w)
		}
	}
}

// differs reports whether what would be drawn of a node in place may still differ from its
// state. What leaves is drawn at an older state than it has.
func (pt *Painter) differs(n *nodes.Node) bool {
	for i := range n.Items {
		if b := &n.Items[i]; b.Track != nil && b.Comp.Drawn.InPlace && !pt.Screen.Rests(b.Track) {
			return true
		}
	}
	return n.Leaving
}

// Len is how many nodes may be drawn otherwise than they are.
func (pt *Painter) Len() int { return len(pt.moving) }
