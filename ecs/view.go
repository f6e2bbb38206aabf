package ecs

// View and Frame: what is drawn between two samples.

import (
	"math"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/clock"
	"github.com/tendonengine/tendon/ecs/internal/command"
	"github.com/tendonengine/tendon/ecs/internal/inplace"
	"github.com/tendonengine/tendon/ecs/internal/line"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/own"
	"github.com/tendonengine/tendon/ecs/internal/reparent"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// drawing moves the time that is drawn, which trails the state, and shows proxies by it.
type drawing struct {
	*shared
	nodes   *nodes.Table
	proxies *proxies
	line    *line.Line

	clock   *clock.Clock // nil until welcomed
	screen  track.Screen
	framed  bool          // a frame was drawn since the last Receive
	hiding  []*nodes.Node // nodes to show once drawn time reaches their first sample
	inPlace inplace.Painter
	moved   reparent.Drawer // what has changed its parent

	// Scratch.
	words     []int32
	confirmed []int32
}

// View returns a copy of a component as it should be drawn in this frame: fields tagged `interp` as of the
// time that Frame has set, the others as they are. What this machine decides itself (as the authority, and
// local entities) is drawn between its last two steps, so that a fast display shows motion in each frame; only
// components that View is asked for cost memory for it. Without `interp` fields View returns the component as
// it is.
//
// Within a step, also in a replay, View shows others as the newest frame did, and what this machine decides or
// predicts as it is; inside Call.Rewind it shows what was set back. It panics if the entity was removed or
// lacks the component.
func View[T any](e *donburi.Entry, c *donburi.ComponentType[T]) T {
	r, n := nodeAt(e)
	if n == nil && !e.Valid() { // the entity of a node is there
		mustBeThere("View of component "+c.Name()+": this", e)
	}
	mustHave("View", e, c)
	return viewOf(r, e, n, c)
}

// ViewTick is the server's tick that proxies are drawn at in this frame, with its fraction;
// on an authority the step in progress.
func (r *Replication) ViewTick() float64 {
	if r.shared.Auth != nil {
		return float64(r.shared.Tick)
	}
	return r.draw.screen.Render
}

// Confirmed returns a copy of a component as the server has last sent it, without what rules of
// this client have done to it; what has a velocity, replicated or inferred, has gone on by it since. Where nothing
// is predicted it is the component as it is. It panics if the entity does not have the component.
func Confirmed[T any](e *donburi.Entry, c *donburi.ComponentType[T]) T {
	mustHave("Confirmed", e, c)
	v := *c.Get(e)
	r, n := nodeAt(e)
	if n == nil || n.Predicted == nil || n.Replica == nil || r.shared.Proxy == nil {
		return v
	}
	for ord := range n.Items {
		if b := &n.Items[ord]; b.Comp != nil && b.Entity == e.Entity() && b.Comp.Type == donburi.IComponentType(c) {
			if b.Comp.Lists != nil { // else what the server has said would be written into those that are predicted
				v = *new(T)
				b.Comp.Lists.Keep(unsafe.Pointer(&v), unsafe.Pointer(c.Get(e)))
			}
			w := r.shared.Tagged(b.Comp, e, unsafe.Pointer(&v))
			if r.shared.Proxy.Inject(n.Replica, ord, b.Comp.Item, w) && b.Comp.StandIn != nil {
				b.Comp.StandIn.Set(e, unsafe.Pointer(&v), w)
			}
		}
	}
	return v
}

// Teleport marks this step's movement of a node as a leap: every machine draws the node, and what
// hangs under it, at the new place at once instead of sliding there, however near that is and
// whatever packets are lost. It counts for all fields of the node that are drawn between states.
// Call it in the step that moves the node, on the authority, and in a command's Apply for
// what is predicted; for proxies that are not predicted, and for local entities, it does
// nothing. Without it, a way is taken for a leap if it is four times as fast as any of the
// node before, and more than 32 units a tick.
func Teleport(e *donburi.Entry) {
	r, n := nodeAt(e)
	switch {
	case n == nil || n == r.nodes.Session:
	case r.shared.Auth != nil:
		n.Leapt = r.shared.Auth.Leap(n.ID)
	case n.Predicted != nil && r.commands.playing > 0:
		n.Leapt = max(n.Leapt, r.commands.playing)
		if n.Predicted.Leap(r.commands.playing); !r.commands.replays { // what is drawn beside it is of the place that it leaves
			n.Predicted.Settle()
		}
	}
}

// nodeAt returns the session and the node of an entry, nil where there is none.
func nodeAt(e *donburi.Entry) (*Replication, *nodes.Node) {
	r := of(e)
	if r == nil {
		return nil, nil
	}
	return r, r.nodes.Of(e.Entity())
}

// viewOf is View for an entity with the component, of a session and a node that may be nil.
func viewOf[T any](r *Replication, e *donburi.Entry, n *nodes.Node, c *donburi.ComponentType[T]) T {
	if n == nil || r.shared.Auth != nil {
		return ownView(r, e, c)
	}
	if n.Predicted != nil {
		v := *c.Get(e)
		r.predict.view(n, e.Entity(), c, unsafe.Pointer(&v))
		return v
	}
	b := n.DrawnBinding(e.Entity(), c)
	if b == nil || r.past.Sets(n, e.Entity(), c) {
		return *c.Get(e)
	}
	if b.Comp.StandIn != nil {
		v := new(T)
		*v = *c.Get(e)
		w := r.shared.Tagged(b.Comp, e, unsafe.Pointer(v))
		r.draw.screen.Draw(b.Track, w, false)
		b.Comp.StandIn.Set(e, unsafe.Pointer(v), w)
		return *v
	}
	v := *c.Get(e) // stays on the stack
	r.draw.screen.Draw(b.Track, unsafe.Pointer(&v), false)
	return v
}

// ownView is View of what this machine decides.
func ownView[T any](r *Replication, e *donburi.Entry, c *donburi.ComponentType[T]) T {
	v := *c.Get(e) // stays on the stack
	if r == nil {
		return v
	}
	comp := r.shared.Kinds.Of(c)
	was, share := r.own.Was(e.Entity(), comp)
	if was == nil {
		return v
	}
	if comp.StandIn == nil {
		own.Draw(comp, unsafe.Pointer(&v), was, share)
		return v
	}
	s := new(T)
	*s = v
	w := r.shared.Tagged(comp, e, unsafe.Pointer(s))
	own.Draw(comp, w, was, share)
	comp.StandIn.Set(e, unsafe.Pointer(s), w)
	return *s
}

// Frame is the first call of a drawn frame: it moves the time that View shows, and puts
// the drawn values of `interp=inplace` fields into their components until the next
// Receive. Run no game rules between the two. In a step View shows others as the newest frame
// did, which is what the player answers; where none was drawn since the step before, Receive moves
// the time.
func (r *Replication) Frame() {
	mustBeMade("Frame", r)
	r.own.Framed()
	if r.shared.Proxy == nil {
		return
	}
	r.draw.moveRender()
	r.draw.framed = true
	r.draw.reveal()
	r.draw.inPlace.Draw()
	r.predict.paint()
	r.places.Again()
}

// sampleTick returns the tick at which an item's state is drawn that came for tick t.
// That is the newest tick if the core has advanced the item since, or if a late packet
// corrects what is already drawn for a later tick.
func (dr *drawing) sampleTick(n *nodes.Node, ord int, t rpl.Tick) rpl.Tick {
	newest, k, sent := dr.Proxy.Newest(), n.Items[ord].Track, n.Replica.Tick(ord)
	if dr.screen.Pace(k) > 0 && sent > k.Newest() { // where it has come to since is an estimate
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

// moveToEnd has a node that goes move on, as it is drawn, up to its end: tick t, or that of what came
// last of a component. Else what flies evenly, of which little is said, would stand still before it
// vanishes. Where the end is heard of too late, and it was drawn beyond it, callbacks find it at its end.
func (dr *drawing) moveToEnd(n *nodes.Node, t rpl.Tick) {
	for ord := range n.Items {
		k := n.Items[ord].Track
		if k == nil {
			continue
		}
		end := dr.proxies.leaving.Ends(n.Replica, ord, t)
		k.Leap(n.Replica.Leapt)
		dr.words = n.Replica.WordsAt(ord, end, dr.words[:0])
		switch {
		case dr.screen.Render >= float64(end):
			k.Restart(end, dr.words)
			dr.inPlace.Start(n, &n.Items[ord])
		case k.Newest() < end:
			dr.push(n, ord, end, dr.screen.Before(k, end))
			dr.inPlace.Start(n, &n.Items[ord])
		}
		k.Ends = true
	}
}

// push adds an item's state, which is in words, to what it is drawn from.
func (dr *drawing) push(n *nodes.Node, ord int, t, before rpl.Tick) {
	k := n.Items[ord].Track
	k.SentAt = n.Replica.Tick(ord)
	dr.screen.Push(k, track.Item{Replica: n.Replica, Ord: ord}, t, before, dr.Proxy.Newest(), dr.words)
}

// moveRender moves the drawn time, in ticks, on; it never goes back.
func (dr *drawing) moveRender() {
	if dr.clock != nil {
		drawn := math.Floor(dr.clock.Draw(dr.line.Now())*command.DrawnUnit) / command.DrawnUnit // as commands say it
		dr.screen.Render = max(dr.screen.Render, drawn)
	}
	dr.moved.Frame()
}

// reveal shows and hides proxies by drawn time: a proxy is not drawn before its first
// sample, nor from its removal's tick on. What is predicted is drawn ahead of that.
func (dr *drawing) reveal() {
	waiting := dr.hiding[:0]
	for _, n := range dr.hiding {
		switch {
		case dr.nodes.Of(n.Entity) != n || n.Leaving || !n.Hidden || n.Orphan: // an orphan comes back when its parent is known
		case dr.screen.Render < float64(n.From) && !n.IsAhead(), n.Parent != nil && n.Parent.Hidden:
			waiting = append(waiting, n)
		default:
			dr.Hide(n, false)
		}
	}
	clear(dr.hiding[len(waiting):])
	dr.hiding = waiting
	dr.proxies.leaving.Hide()
}

// stand has a node be drawn where it is until its parent is known. It reports false for what is not drawn.
func (dr *drawing) stand(n *nodes.Node) bool {
	return !n.Hidden && dr.World.Valid(n.Entity) && dr.moved.Stand(n, dr.moved.InWorld(dr.World.Entry(n.Entity)))
}

// showWhenDue lets reveal show the hidden nodes of a tree once drawn time reaches their state.
func (dr *drawing) showWhenDue(n *nodes.Node) {
	if n.Hidden && !n.Leaving {
		dr.hiding = append(dr.hiding, n)
	}
	for c := range n.Kids {
		dr.showWhenDue(c)
	}
}
