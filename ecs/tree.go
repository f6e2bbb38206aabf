package ecs

// Trees: what is above and below a node, and where a thing is in the world when
// its transform is local to its parent's.

import (
	"iter"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
)

// Parent is the node above a node, or the node that a part belongs to; nil at
// the top, and while a proxy's parent is not here.
func Parent(e *donburi.Entry) *donburi.Entry {
	if r := of(e); r != nil {
		if n := r.nodeOf(e.Entity()); n != nil && n.entity == e.Entity() && n.parent != nil && n.parent.leaving {
			return nil
		}
	}
	return carrier(e)
}

// carrier is what something rides on: its parent, also one that is leaving, as
// long as it is drawn.
func carrier(e *donburi.Entry) *donburi.Entry {
	r := of(e)
	if r == nil {
		return nil
	}
	n := r.nodeOf(e.Entity())
	switch {
	case n == nil:
		return nil
	case n.entity != e.Entity():
		return r.world.Entry(n.entity)
	case n.parent == nil || !r.world.Valid(n.parent.entity):
		return nil
	}
	return r.world.Entry(n.parent.entity)
}

// Children are the nodes directly below a node, in the order of their coming;
// its parts are not among them, and a proxy that is on its way out has none. They may
// be moved and removed meanwhile.
func Children(e *donburi.Entry) iter.Seq[*donburi.Entry] {
	return func(yield func(*donburi.Entry) bool) {
		r := of(e)
		if r == nil {
			return
		}
		n := r.nodeOf(e.Entity())
		if n == nil || n.entity != e.Entity() || n.leaving {
			return
		}
		for _, c := range append([]*node(nil), n.children...) {
			if c.parent == n && !c.leaving && r.world.Valid(c.entity) && !yield(r.world.Entry(c.entity)) {
				return
			}
		}
	}
}

// WorldTransform is where something with components.Transform is in the world:
// its transform is local to its parent's, a part's to its node's. What is above
// and has no Transform counts as the origin.
func WorldTransform(e *donburi.Entry) components.TransformData {
	return climb(e, func(e *donburi.Entry) components.TransformData { return *components.Transform.Get(e) })
}

// WorldView is WorldTransform as it is to be drawn in this frame: each step of
// the way is drawn between its own samples, so what rides on something stays
// where it sits.
func WorldView(e *donburi.Entry) components.TransformData {
	return climb(e, func(e *donburi.Entry) components.TransformData { return View(e, components.Transform) })
}

func climb(e *donburi.Entry, at func(*donburi.Entry) components.TransformData) (t components.TransformData) {
	for ; e != nil; e = carrier(e) {
		if !e.HasComponent(components.Transform) {
			continue
		}
		up := at(e)
		t = components.TransformData{Pos: up.Pos.Add(t.Pos.Rotated(up.Rot)), Rot: up.Rot + t.Rot}
	}
	t.Rot = t.Rot.Normalized()
	return t
}
