package ecs

// tree: what is above and below a node, how the game changes that (Attach, Detach), and where an
// entity is in the world if its transform is relative to its parent's.

import (
	"fmt"
	"iter"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// Parent returns the node above a node, or the node that a part belongs to. It returns
// nil at the top, and while a proxy's parent is not on this machine.
//
// Proxies that go with their parent keep it in their last drawn frames and in OnStreamOut: a tree that is
// removed at once, or goes out of sight, vanishes in one frame, and then ends, children first. What
// does not go with its parent, as far as this machine knows, has none from when it hears of that end, though
// it is drawn where it sat until drawn time gets there.
func Parent(e *donburi.Entry) *donburi.Entry {
	if _, n := nodeAt(e); n != nil && n.Entity == e.Entity() && n.Parent != nil && n.Parent.Leaving && !n.Leaving {
		return nil
	}
	return carrier(e)
}

// carrier is Parent, but also returns a parent that is leaving, as long as it is drawn.
func carrier(e *donburi.Entry) *donburi.Entry {
	r := of(e)
	if r == nil {
		return nil
	}
	return r.nodes.CarrierOf(e, r.nodes.Of(e.Entity()))
}

// Children returns the nodes directly below a node, in the order of their IDs, which is the
// same on every machine; on the authority those made in this step come last. It leaves out
// the node's parts. The children of a proxy that goes are those that go with it (see Parent). The loop may
// move and remove them.
func Children(e *donburi.Entry) iter.Seq[*donburi.Entry] {
	return func(yield func(*donburi.Entry) bool) {
		r := of(e)
		if r == nil {
			return
		}
		n := r.nodes.Of(e.Entity())
		if n == nil || n.Entity != e.Entity() {
			return
		}
		kids := slices.AppendSeq(make([]*nodes.Node, 0, n.KidsMost()), n.Kids)
		nodes.SortByID(kids)
		for _, c := range kids {
			if c.Parent == n && c.Leaving == n.Leaving && r.shared.World.Valid(c.Entity) && !yield(r.shared.World.Entry(c.Entity)) {
				return
			}
		}
	}
}

// Attach moves a node under another, or to the top if parent is nil, on the authority. If
// parent is a part, its node is the parent. Attach returns an error on a client, for a
// cycle, for a child that is no node or only a part of one, for a parent that is no node,
// for a parent in another world, and for the session's node.
func Attach(child, parent *donburi.Entry) error {
	r := of(child)
	if r == nil {
		return fmt.Errorf("tendon: Attach: %w: the child's world has no session", ErrNoNode)
	}
	if r.shared.Auth == nil {
		return fmt.Errorf("tendon: Attach: %w: only the authority changes parents", ErrNotAllowed)
	}
	c := r.nodes.Of(child.Entity())
	if c == nil || c.Entity != child.Entity() {
		return fmt.Errorf("tendon: Attach: the child is %w: %s", ErrNoNode, howToBeNode(child))
	}
	if c == r.nodes.Session {
		return fmt.Errorf("tendon: Attach: %w: the session's node is in no tree", ErrNotAllowed)
	}
	var p *nodes.Node
	var id rpl.Node
	if parent != nil {
		if !donburix.SameWorld(parent, r.shared.World) {
			return fmt.Errorf("tendon: Attach: %w: the parent is of another world", ErrNotAllowed)
		}
		if p = r.nodes.Of(parent.Entity()); p == nil {
			return fmt.Errorf("tendon: Attach: the parent is %w: %s", ErrNoNode, howToBeNode(parent))
		}
		if p == r.nodes.Session {
			return fmt.Errorf("tendon: Attach: %w: the session's node is in no tree", ErrNotAllowed)
		}
		id = p.ID
	}
	if err := r.shared.Auth.SetParent(c.ID, id); err != nil {
		return fmt.Errorf("tendon: Attach: %w", err)
	}
	r.nodes.LinkTo(c, p)
	r.notify.ParentChanged(c)
	return nil
}

// AttachInPlace is Attach that leaves the child where it is in the world, also under a parent that is turned: it rewrites
// its components.Transform, if it has one. What is aboard a ship walks on from where it stood, and an arrow stays
// where it hit. Attach alone leaves all fields as they are.
func AttachInPlace(child, parent *donburi.Entry) error {
	if child == nil || !child.Valid() || !child.HasComponent(components.Transform) {
		return Attach(child, parent)
	}
	at := WorldTransform(child)
	if err := Attach(child, parent); err != nil {
		return err
	}
	if up := Parent(child); up != nil {
		at = nodes.Below(at, WorldTransform(up))
	}
	components.Transform.SetValue(child, at)
	Bump(child, components.Transform)
	return nil
}

// Detach moves a node to the top and leaves it where it is in the world: AttachInPlace(child, nil).
func Detach(child *donburi.Entry) error { return AttachInPlace(child, nil) }

// WorldTransform returns where an entity with components.Transform is in the world: its
// transform is relative to its parent's, a part's to its node's. A node above without
// Transform counts as the origin. On a client whose node hangs on what has not arrived yet, it is where that is
// drawn meanwhile: where it was last. It panics for an entity that has been removed, as
// WorldView does.
func WorldTransform(e *donburi.Entry) components.TransformData {
	return climb("WorldTransform", e, func(r *Replication, e *donburi.Entry, n *nodes.Node) (components.TransformData, bool) {
		if n != nil && n.Orphan && n.Entity == e.Entity() {
			if s := r.nodes.StandOf(n); s != nil {
				return s.At, true
			}
		}
		return *components.Transform.Get(e), false
	})
}

// WorldView is WorldTransform as it should be drawn in this frame: each transform on the way up is drawn
// between its own samples, so a rider stays where it sits. A node whose parent has changed is drawn on the
// former one until drawn time reaches the change; between what is predicted and what is not, it goes over in a
// quarter of a second. What this machine decides goes from its place in the world in one step to that in the next.
func WorldView(e *donburi.Entry) components.TransformData {
	return climb("WorldView", e, func(r *Replication, e *donburi.Entry, n *nodes.Node) (components.TransformData, bool) {
		if n != nil && (n.Former != nil || n.Slip != nil || r.nodes.StandOf(n) != nil) && !r.past.Sets(n, e.Entity(), components.Transform) {
			if t, ok := r.draw.Moved.Place(e, n); ok {
				return t, true
			}
		}
		if n != nil && r.shared.Auth != nil {
			if t, ok := r.own.Hung(e, n); ok {
				return t, true
			}
		}
		return viewOf(r, e, n, components.Transform), false
	})
}

// climb goes up from an entity, until at says that what it returns is in the world. at is
// given the session and the node too, nil where there is none: a game asks this for
// thousands of entities in each frame, and each of them is looked up once.
func climb(what string, e *donburi.Entry, at func(*Replication, *donburi.Entry, *nodes.Node) (up components.TransformData, world bool)) (t components.TransformData) {
	r, n := nodeAt(e)
	if e != nil && n == nil && !e.Valid() {
		mustBeThere(what+": this", e)
	}
	for top := false; e != nil && !top; {
		if e.HasComponent(components.Transform) {
			var up components.TransformData
			up, top = at(r, e, n)
			t = nodes.Within(t, up)
		}
		if r == nil { // the world has no session, or not any more: nothing is above anything
			break
		}
		if e = r.nodes.CarrierOf(e, n); e != nil {
			n = r.nodes.Of(e.Entity())
		}
	}
	t.Rot = t.Rot.Normalized()
	return t
}
