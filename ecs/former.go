package ecs

// former: where a node hung before. Drawn time trails the state, so a rider that has got
// out is drawn in its seat until drawn time reaches the step in which it did.

import (
	"math"
	"unsafe"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// A former is the parent that a proxy had, and its transform relative to it.
type former struct {
	parent *node // nil: it was at the top
	track  *track.Track
	last   float64  // the newest tick at which it is known to have hung there
	until  rpl.Tick // when it hangs where it does now
	asked  bool     // inWorld is looking for it: two nodes may each have been above the other
	older  *former  // where it hung before that, as long as it is drawn there
	newer  *former  // nil: after this it hangs where it does now
}

// noteFormer keeps what WorldView needs of the node's place, before a change of parent.
func (dr *drawing) noteFormer(n *node) {
	b := n.drawnBinding(n.entity, components.Transform)
	if b == nil || dr.nodes.of(n.entity) != n || b.comp.standIn != nil || n.hidden || n.orphan || b.track.Empty() {
		return
	}
	now := dr.proxy.Newest()
	if n.former != nil && n.former.until == now { // it has left its parent in this Apply already
		return
	}
	last := max(b.track.Newest(), dr.screen.Heard.Before(now))
	f := &former{parent: n.parent, track: b.track, last: float64(min(last, now-1)), until: now}
	dr.formerOf(dr.world.Entry(n.entity), n) // forgets those that are over
	if n.former != nil {
		n.former.newer, f.older = f, n.former
	}
	n.former = f
	b.track = track.New(&b.comp.drawn)
}

// formerOf returns where an entity hung at drawn time, nil if that is where it hangs. n is
// the node that it is or belongs to, nil if there is none.
func (dr *drawing) formerOf(e *donburi.Entry, n *node) *former {
	if n == nil || n.former == nil || n.entity != e.Entity() {
		return nil
	}
	f := n.former
	for f.older != nil {
		f = f.older
	}
	for f.newer != nil && dr.screen.Render >= float64(f.until+keepFormer) {
		f = f.newer
		f.older = nil
	}
	if dr.screen.Render >= float64(f.until+keepFormer) {
		n.former = nil
		return nil
	}
	for f != nil && !dr.drawnAt(f) {
		f = f.newer
	}
	if f == nil || f.asked {
		return nil
	}
	return f
}

// keepFormer is for how many ticks a former is kept after drawn time has got to its end: on
// the way from a former place to the next, inWorld asks where things were before that.
const keepFormer = 60

// drawnAt reports whether drawn time has not got to the end of a former, and the parent is
// still where it can be drawn.
func (dr *drawing) drawnAt(f *former) bool {
	p := f.parent
	return dr.screen.Render < float64(f.until) && (p == nil || dr.nodes.of(p.entity) == p && !p.isAdrift())
}

// inWorld returns where the entity is drawn in the world: at its former place as long as it
// is known to have been there, then on the way to the present one, unless that is a leap.
func (dr *drawing) inWorld(f *former, e *donburi.Entry) components.TransformData {
	f.asked = true
	render := dr.screen.Render
	defer func() { f.asked, dr.screen.Render = false, render }()
	if render <= f.last {
		return dr.before(f, e)
	}
	now := dr.after(f, e)
	dr.screen.Render = f.last
	was, is := dr.before(f, e), dr.after(f, e)
	left := (float64(f.until) - render) / (float64(f.until) - f.last)
	if was.Pos.DistanceTo(is.Pos) > track.JumpUnits*(float64(f.until)-f.last) {
		left = 1
	}
	now.Pos = now.Pos.Add(was.Pos.Sub(is.Pos).Mulf(left))
	now.Rot += gmath.Rad(math.Remainder(float64(was.Rot-is.Rot), 2*math.Pi) * left)
	return now
}

// before and after return the entity's former and its next place in the world, both as they
// are drawn at dr.screen.Render.
func (dr *drawing) before(f *former, e *donburi.Entry) components.TransformData {
	t := *components.Transform.Get(e)
	f.track.Draw(unsafe.Pointer(&t), dr.screen.Render, false)
	if f.parent != nil {
		t = within(t, WorldView(dr.world.Entry(f.parent.entity)))
	}
	return t
}

func (dr *drawing) after(f *former, e *donburi.Entry) components.TransformData {
	if f.newer != nil {
		return dr.before(f.newer, e)
	}
	t := View(e, components.Transform)
	if up := carrier(e); up != nil {
		t = within(t, WorldView(up))
	}
	return t
}
