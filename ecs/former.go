package ecs

// former: where a node hung before. Drawn time trails the state, so a rider that has got
// out is drawn in its seat until drawn time reaches the step in which it did.

import (
	"math"
	"unsafe"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
)

// A former is the parent that a proxy had, and its transform relative to it.
type former struct {
	parent *node // nil: it was at the top
	track  *track
	last   float64  // the newest tick at which it is known to have hung there
	until  rpl.Tick // when it hangs where it does now
	asked  bool     // inWorld is looking for it: two nodes may each have been above the other
}

// noteFormer keeps what WorldView needs of the node's place, before a change of parent.
func (dr *drawing) noteFormer(n *node) {
	b := n.drawnBinding(n.entity, components.Transform)
	if b == nil || dr.nodes.of(n.entity) != n || b.comp.standIn != nil || n.hidden || n.orphan || b.track.n == 0 {
		return
	}
	now := dr.proxy.Newest()
	last := max(b.track.newest(), dr.client.heardBefore(now))
	n.former = &former{parent: n.parent, track: b.track, last: float64(min(last, now-1)), until: now}
	b.track = newTrack(b.comp)
}

// formerOf returns where an entity hung at drawn time, nil if that is where it hangs. n is
// the node that it is or belongs to, nil if there is none.
func (dr *drawing) formerOf(e *donburi.Entry, n *node) *former {
	if n == nil || n.former == nil || n.entity != e.Entity() || n.former.asked {
		return nil
	}
	f := n.former
	if p := f.parent; dr.render >= float64(f.until) || p != nil && dr.nodes.of(p.entity) != p {
		n.former = nil
		return nil
	}
	return f
}

// inWorld returns where the entity is drawn in the world: at its former place as long as it
// is known to have been there, then on the way to the present one, unless that is a leap.
func (f *former) inWorld(dr *drawing, e *donburi.Entry) components.TransformData {
	f.asked = true
	render := dr.render
	defer func() { f.asked, dr.render = false, render }()
	if render <= f.last {
		return f.before(dr, e)
	}
	now := f.now(e)
	dr.render = f.last
	was, is := f.before(dr, e), f.now(e)
	left := (float64(f.until) - render) / (float64(f.until) - f.last)
	if was.Pos.DistanceTo(is.Pos) > jumpUnits*(float64(f.until)-f.last) {
		left = 1
	}
	now.Pos = now.Pos.Add(was.Pos.Sub(is.Pos).Mulf(left))
	now.Rot += gmath.Rad(math.Remainder(float64(was.Rot-is.Rot), 2*math.Pi) * left)
	return now
}

// before and now return the entity's former and its present place in the world, both as
// they are drawn at dr.render.
func (f *former) before(dr *drawing, e *donburi.Entry) components.TransformData {
	t := *components.Transform.Get(e)
	f.track.draw(unsafe.Pointer(&t), dr.render, false)
	if f.parent != nil {
		t = within(t, WorldView(dr.world.Entry(f.parent.entity)))
	}
	return t
}

func (f *former) now(e *donburi.Entry) components.TransformData {
	t := View(e, components.Transform)
	if up := carrier(e); up != nil {
		t = within(t, WorldView(up))
	}
	return t
}
