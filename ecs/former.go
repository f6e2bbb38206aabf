package ecs

// former: where a node hung before. Drawn time trails the state, so a rider that has got
// out is drawn in its seat until drawn time reaches the step in which it did.

import (
	"math"
	"unsafe"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/track"
)

// noteFormer keeps what WorldView needs of the node's place, before a change of parent.
func (dr *drawing) noteFormer(n *nodes.Node) {
	b := n.DrawnBinding(n.Entity, components.Transform)
	if b == nil || n.Predicted != nil || dr.nodes.Of(n.Entity) != n || b.Comp.StandIn != nil || n.Hidden || n.Orphan || b.Track.Empty() {
		return
	}
	now := dr.Proxy.Newest()
	if n.Former != nil && n.Former.Until == now { // it has left its parent in this Apply already
		return
	}
	last := max(b.Track.Newest(), dr.screen.Received.Before(now))
	if !b.Track.Moving {
		last = max(last, dr.screen.SendBefore(now), dr.screen.Known(b.Track, now, now))
	}
	f := &nodes.Former{Parent: n.Parent, Track: b.Track, Last: float64(min(last, now-1)), Until: now}
	f.Leaps = n.Replica.Leapt > b.Track.Newest() // whatever has come since: the packet that told of it first may be lost
	dr.nodes.AddFormer(n, f, dr.screen.Render)
	b.Track = track.New(&b.Comp.Drawn)
}

// formerOf returns where an entity hung at drawn time, nil if that is where it hangs. n is
// the node that it is or belongs to, nil if there is none.
func (dr *drawing) formerOf(e *donburi.Entry, n *nodes.Node) *nodes.Former {
	if n == nil || n.Former == nil || n.Entity != e.Entity() {
		return nil
	}
	return dr.nodes.FormerAt(n, dr.screen.Render)
}

// inWorld returns where the entity is drawn in the world: at its former place as long as it
// is known to have been there, then on the way to the present one, unless that is a leap.
func (dr *drawing) inWorld(f *nodes.Former, e *donburi.Entry) components.TransformData {
	f.Asked = true
	render := dr.screen.Render
	defer func() { f.Asked, dr.screen.Render = false, render }()
	if render <= f.Last {
		return dr.before(f, e)
	}
	now := dr.after(f, e)
	dr.screen.Render = f.Last
	was, is := dr.before(f, e), dr.after(f, e)
	left := (float64(f.Until) - render) / (float64(f.Until) - f.Last)
	if was.Pos.DistanceTo(is.Pos) > track.JumpUnits*(float64(f.Until)-f.Last) || f.Leaps {
		left = 1
	}
	now.Pos = now.Pos.Add(was.Pos.Sub(is.Pos).Mulf(left))
	now.Rot += gmath.Rad(math.Remainder(float64(was.Rot-is.Rot), 2*math.Pi) * left)
	return now
}

// before and after return the entity's former and its next place in the world, both as they
// are drawn at dr.screen.Render.
func (dr *drawing) before(f *nodes.Former, e *donburi.Entry) components.TransformData {
	t := *components.Transform.Get(e)
	f.Track.Draw(unsafe.Pointer(&t), dr.screen.Render, false)
	if f.Parent != nil {
		t = within(t, WorldView(dr.World.Entry(f.Parent.Entity)))
	}
	return t
}

func (dr *drawing) after(f *nodes.Former, e *donburi.Entry) components.TransformData {
	if next := dr.nodes.Next(f); next != nil {
		return dr.before(next, e)
	}
	t := View(e, components.Transform)
	if up := carrier(e); up != nil {
		t = within(t, WorldView(up))
	}
	return t
}
