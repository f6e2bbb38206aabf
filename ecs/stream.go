package ecs

// Stage Stream: where peers look from, and so what streams in and out.

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
)

func streamStage(r *Replication) {
	if r.auth == nil || !r.sending {
		return
	}
	if r.config.Interest != nil {
		r.observe()
	}
	r.auth.Stream(r.now())
}

// observe tells the core where each peer's observers are.
func (r *Replication) observe() {
	for _, s := range r.seats {
		s.points = s.points[:0]
	}
	for _, a := range r.world.Archetypes() {
		if a.Count() == 0 || !slices.Contains(a.ComponentTypes(), donburi.IComponentType(components.Observer)) {
			continue
		}
		for _, ent := range a.Entities() {
			n := r.nodeOf(ent)
			if n == nil || n.owner == 0 {
				continue
			}
			s := r.seatOf(n.owner)
			if s == nil {
				continue
			}
			if x, y, ok := r.position(n); ok {
				o := components.Observer.Get(r.world.Entry(ent)).Offset
				s.points = append(s.points, [2]float64{x + o.X, y + o.Y})
			}
		}
	}
	for _, s := range r.seats {
		if s.in {
			r.auth.Observe(s.peer, s.points...)
		}
	}
}

// position returns the position of a node: that of the top of its hierarchy, as in the
// core's grid.
func (r *Replication) position(n *node) (x, y float64, ok bool) {
	for n.parent != nil {
		n = n.parent
	}
	i := r.auth.PlaceItem(n.id)
	if i < 0 || i >= len(n.items) {
		return 0, 0, false
	}
	b := &n.items[i]
	e, p := r.component(b)
	if p == nil || len(b.comp.pos) != 2 {
		return 0, 0, false
	}
	p = r.tagged(b.comp, e, p)
	return b.comp.pos[0].get(p), b.comp.pos[1].get(p), true
}
