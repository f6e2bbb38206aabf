package ecs

// View and Frame: what is drawn between two samples.

import (
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/own"
)

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
	return r.draw.Screen.Render
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
		r.draw.Screen.Draw(b.Track, w, false)
		b.Comp.StandIn.Set(e, unsafe.Pointer(v), w)
		return *v
	}
	v := *c.Get(e) // stays on the stack
	r.draw.Screen.Draw(b.Track, unsafe.Pointer(&v), false)
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
	r.draw.MoveRender()
	r.draw.Framed = true
	r.draw.Reveal()
	r.draw.InPlace.Draw()
	r.predict.paint()
	r.places.Again()
}
