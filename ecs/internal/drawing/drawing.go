// Package drawing moves the time that is drawn, which trails the state, and shows proxies by it: from which
// tick on, as of which of their states, and up to their end.
package drawing

import (
	"math"
	"slices"

	"github.com/tendonengine/tendon/ecs/internal/clock"
	"github.com/tendonengine/tendon/ecs/internal/command"
	"github.com/tendonengine/tendon/ecs/internal/inplace"
	"github.com/tendonengine/tendon/ecs/internal/leaving"
	"github.com/tendonengine/tendon/ecs/internal/line"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/reparent"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// A Keeper keeps what a client draws of proxies, and when.
type Keeper struct {
	*nodes.Base
	Nodes   *nodes.Table
	Line    *line.Line
	Leaving *leaving.List

	Clock   *clock.Clock // nil until welcomed
	Screen  track.Screen
	Framed  bool // a frame was drawn since the last Receive
	InPlace inplace.Painter
	Moved   reparent.Drawer // what has changed its parent

	hiding []*nodes.Node // nodes to show once drawn time reaches their first sample

	// Scratch.
	words     []int32
	confirmed []int32
}

// ForgetLevel forgets the nodes of a level that has ended.
func (dr *Keeper) ForgetLevel() {
	dr.InPlace.Forget()
	dr.hiding = nil
	dr.Moved.Reset()
}

// Arrived hides a node that has arrived until drawn time reaches its first sample.
func (dr *Keeper) Arrived(n *nodes.Node) {
	if !n.Hidden {
		dr.Hide(n, true)
	}
	dr.hiding = append(dr.hiding, n)
}

// Came takes what has come of an item for tick t.
func (dr *Keeper) Came(n *nodes.Node, ord int, t rpl.Tick) {
	b := &n.Items[ord]
	dr.words = n.Replica.Words(ord, dr.words[:0])
	t = dr.sampleTick(n, ord, t)
	b.Track.Leap(n.Replica.Leapt)
	dr.push(n, ord, t, dr.Screen.StillUntil(b.Track, t))
	b.Track.Moving = n.Replica.IsMoving(ord)
	dr.InPlace.Start(n, b)
}

// sampleTick returns the tick at which an item's state is drawn that came for tick t.
// That is the newest tick if the core has advanced the item since, or if a late packet
// corrects what is already drawn for a later tick.
func (dr *Keeper) sampleTick(n *nodes.Node, ord int, t rpl.Tick) rpl.Tick {
	newest, k, sent := dr.Proxy.Newest(), n.Items[ord].Track, n.Replica.Tick(ord)
	if dr.Screen.Pace(k) > 0 && sent > k.Newest() { // where it has come to since is an estimate
		dr.words, _ = n.Replica.Confirmed(ord, dr.words[:0])
		return sent
	}
	if t >= newest || k.Newest() > t {
		return newest
	}
	if dr.confirmed, _ = n.Replica.Confirmed(ord, dr.confirmed[:0]); !slices.Equal(dr.confirmed, dr.words) {
		return newest
	}
	return t
}

// push adds an item's state, which is in words, to what it is drawn from.
func (dr *Keeper) push(n *nodes.Node, ord int, t, before rpl.Tick) {
	k := n.Items[ord].Track
	k.SentAt = n.Replica.Tick(ord)
	dr.Screen.Push(k, track.Item{Replica: n.Replica, Ord: ord}, t, before, dr.Proxy.Newest(), dr.words)
}

// Parented draws the items of a node that has another parent from their newest states alone, unless those
// follow from what is drawn. What is predicted is not drawn by them.
func (dr *Keeper) Parented(n *nodes.Node) {
	if n.Predicted != nil {
		return
	}
	for ord := range n.Items {
		if k := n.Items[ord].Track; k != nil {
			dr.words = n.Replica.Words(ord, dr.words[:0])
			if !k.Follows(dr.Proxy.Newest(), dr.words) {
				k.Restart(n.Replica.Tick(ord), dr.words)
				dr.InPlace.Start(n, &n.Items[ord])
			}
		}
	}
}

// Restart draws an item from its newest state alone, where its samples are of before it was predicted.
func (dr *Keeper) Restart(n *nodes.Node, ord int) {
	if k := n.Items[ord].Track; k != nil {
		dr.words = n.Replica.Words(ord, dr.words[:0])
		k.Restart(dr.Proxy.Newest(), dr.words)
	}
}

// MoveToEnd has a node that goes move on, as it is drawn, up to its end: tick t, or that of what came
// last of a component. Else what flies evenly, of which little is said, would stand still before it
// vanishes. Where the end is heard of too late, and it was drawn beyond it, callbacks find it at its end.
func (dr *Keeper) MoveToEnd(n *nodes.Node, t rpl.Tick) {
	for ord := range n.Items {
		k := n.Items[ord].Track
		if k == nil {
			continue
		}
		end := dr.Leaving.Ends(n.Replica, ord, t)
		k.Leap(n.Replica.Leapt)
		dr.words = n.Replica.WordsAt(ord, end, dr.words[:0])
		switch {
		case dr.Screen.Render >= float64(end):
			k.Restart(end, dr.words)
			dr.InPlace.Start(n, &n.Items[ord])
		case k.Newest() < end:
			dr.push(n, ord, end, dr.Screen.Before(k, end))
			dr.InPlace.Start(n, &n.Items[ord])
		}
		k.Ends = true
	}
}

// MoveRender moves the drawn time, in ticks, on; it never goes back.
func (dr *Keeper) MoveRender() {
	if dr.Clock != nil {
		drawn := math.Floor(dr.Clock.Draw(dr.Line.Now())*command.DrawnUnit) / command.DrawnUnit // as commands say it
		dr.Screen.Render = max(dr.Screen.Render, drawn)
	}
	dr.Moved.Frame()
}

// Seen returns between which packets drawn time is.
func (dr *Keeper) Seen() command.Drawn {
	to, span := dr.Screen.Received.Around(dr.Screen.Render)
	return command.Drawn{To: uint32(to), Span: uint32(span), At: dr.Screen.Render}
}

// Reveal shows and hides proxies by drawn time: a proxy is not drawn before its first
// sample, nor from its removal's tick on. What is predicted is drawn ahead of that.
func (dr *Keeper) Reveal() {
	waiting := dr.hiding[:0]
	for _, n := range dr.hiding {
		switch {
		case dr.Nodes.Of(n.Entity) != n || n.Leaving || !n.Hidden || n.Orphan: // an orphan comes back when its parent is known
		case dr.Screen.Render < float64(n.From) && !n.IsAhead(), n.Parent != nil && n.Parent.Hidden:
			waiting = append(waiting, n)
		default:
			dr.Hide(n, false)
		}
	}
	clear(dr.hiding[len(waiting):])
	dr.hiding = waiting
	dr.Leaving.Hide()
}

// Stand has a node be drawn where it is until its parent is known. It reports false for what is not drawn.
func (dr *Keeper) Stand(n *nodes.Node) bool {
	return !n.Hidden && dr.World.Valid(n.Entity) && dr.Moved.Stand(n, dr.Moved.InWorld(dr.World.Entry(n.Entity)))
}

// ShowWhenDue lets Reveal show the hidden nodes of a tree once drawn time reaches their state.
func (dr *Keeper) ShowWhenDue(n *nodes.Node) {
	if n.Hidden && !n.Leaving {
		dr.hiding = append(dr.hiding, n)
	}
	for c := range n.Kids {
		dr.ShowWhenDue(c)
	}
}
