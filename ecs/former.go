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

// noteFormer keeps what WorldView needs of the node's place, before a change of parent. Where it is drawn by
// that, it returns where in the world, for slip.
func (dr *drawing) noteFormer(n *nodes.Node) (drawn components.TransformData, ok bool) {
	b := n.DrawnBinding(n.Entity, components.Transform)
	if b == nil || n.Predicted != nil || dr.nodes.Of(n.Entity) != n || b.Comp.StandIn != nil || n.Hidden || n.Orphan || b.Track.Empty() {
		return drawn, false
	}
	now := dr.Proxy.Newest()
	if n.Former != nil && n.Former.Until == now { // it has left its parent in this Apply already
		return drawn, false
	}
	last := max(b.Track.Newest(), dr.screen.Received.Before(now))
	if !b.Track.Moving {
		last = max(last, dr.screen.SendBefore(now), dr.screen.Known(b.Track, now, now))
	}
	f := &nodes.Former{Parent: n.Parent, Track: b.Track, Last: float64(min(last, now-1)), Until: now}
	f.Sure = min(f.Last, float64(dr.screen.Sure(b.Track, now)))
	f.Leaps = n.Replica.Leapt > b.Track.Newest() // whatever has come since: the packet that told of it first may be lost
	drawn = WorldView(dr.World.Entry(n.Entity))
	dr.nodes.AddFormer(n, f, dr.screen.Render)
	b.Track = track.New(&b.Comp.Drawn)
	return drawn, true
}

// byFormer returns where the entity of n, whose parent has changed of late, is drawn, if not where it hangs now.
func (dr *drawing) byFormer(e *donburi.Entry, n *nodes.Node) (t components.TransformData, ok bool) {
	if n.Entity != e.Entity() {
		return t, false
	}
	newest := n.Former
	f := dr.nodes.FormerAt(n, dr.screen.Render)
	left := track.Fade(dr.screen.Now().Seconds() - newest.SlipAt)
	switch slips := newest.Slip != (components.TransformData{}) && left > 0; {
	case f != nil:
		t = dr.inWorld(f, e)
	case slips && !newest.Asked:
		newest.Asked = true
		t = dr.after(newest, e)
		newest.Asked = false
	default:
		return t, false
	}
	t.Pos = t.Pos.Add(newest.Slip.Pos.Mulf(left))
	t.Rot += newest.Slip.Rot * gmath.Rad(left)
	return t, true
}

// slip keeps a node from leaping from where it was drawn before its parent changed: the news may have been late.
func (dr *drawing) slip(n *nodes.Node, was components.TransformData) {
	f, e := n.Former, dr.World.Entry(n.Entity)
	if is := WorldView(e); !dr.leaps(f, e) {
		f.Goes = true
		f.Slip = components.TransformData{Pos: was.Pos.Sub(is.Pos), Rot: gmath.Rad(math.Remainder(float64(was.Rot-is.Rot), 2*math.Pi))}
		f.SlipAt = dr.screen.Now().Seconds()
	}
}

// inWorld returns where the entity is drawn in the world: at its former place as long as it
// is known to have been there, then on the way to the present one, unless that is a leap.
func (dr *drawing) inWorld(f *nodes.Former, e *donburi.Entry) components.TransformData {
	f.Asked = true
	render, aside := dr.screen.Render, dr.screen.Aside
	defer func() { f.Asked, dr.screen.Render, dr.screen.Aside = false, render, aside }()
	if render <= f.Sure {
		return dr.before(f, e)
	}
	from, leaps := f.Sure, !f.Goes && dr.leaps(f, e)
	if leaps {
		from = f.Last
	}
	dr.screen.Render, dr.screen.Aside = from, true
	was, is := dr.before(f, e), dr.after(f, e)
	dr.screen.Render, dr.screen.Aside = render, aside
	if render <= from {
		return dr.before(f, e)
	}
	left := (float64(f.Until) - render) / (float64(f.Until) - from)
	if leaps {
		left = 1
	}
	now := dr.after(f, e)
	now.Pos = now.Pos.Add(was.Pos.Sub(is.Pos).Mulf(left))
	now.Rot += gmath.Rad(math.Remainder(float64(was.Rot-is.Rot), 2*math.Pi) * left)
	return now
}

// leaps reports whether a change of parent is a leap from one place in the world to the other. From where it is
// known to have been, a node may have gone on as fast as it was, and come back as fast.
func (dr *drawing) leaps(f *nodes.Former, e *donburi.Entry) bool {
	render, aside := dr.screen.Render, dr.screen.Aside
	defer func() { dr.screen.Render, dr.screen.Aside = render, aside }()
	dr.screen.Render, dr.screen.Aside = f.Sure-1, true
	speed := dr.before(f, e).Pos
	dr.screen.Render = f.Sure
	was := dr.before(f, e).Pos
	most := track.JumpUnits*(float64(f.Until)-f.Last) + 2*was.DistanceTo(speed)*(f.Last-f.Sure)
	return f.Leaps || was.DistanceTo(dr.after(f, e).Pos) > most
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
