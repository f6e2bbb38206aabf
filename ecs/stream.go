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
		r.extract.observe()
	}
	r.auth.Stream(r.line.now())
}

// observe tells the core where each peer's observers are.
func (ex *extractor) observe() {
	for _, s := range ex.seats.all {
		s.points = s.points[:0]
	}
	for _, a := range ex.world.Archetypes() {
		if a.Count() == 0 || !slices.Contains(a.ComponentTypes(), donburi.IComponentType(components.Observer)) {
			continue
		}
		for _, ent := range a.Entities() {
			n := ex.nodes.of(ent)
			if n == nil || n.owner == 0 {
				continue
			}
			s := ex.seats.seatOf(n.owner)
			if s == nil {
				continue
			}
			if x, y, ok := ex.position(n); ok {
				o := components.Observer.Get(ex.world.Entry(ent)).Offset
				s.points = append(s.points, [2]float64{x + o.X, y + o.Y})
			}
		}
	}
	for _, s := range ex.seats.all {
		if s.in {
			ex.auth.Observe(s.peer, s.points...)
		}
	}
}

// position returns the position of a node: that of the top of its hierarchy, as in the
// core's grid.
func (ex *extractor) position(n *node) (x, y float64, ok bool) {
	for n.parent != nil {
		n = n.parent
	}
	i := ex.auth.PlaceItem(n.id)
	if i < 0 || i >= len(n.items) {
		return 0, 0, false
	}
	b := &n.items[i]
	e, p := ex.component(b)
	if p == nil || len(b.comp.pos) != 2 {
		return 0, 0, false
	}
	p = ex.tagged(b.comp, e, p)
	return b.comp.pos[0].get(p), b.comp.pos[1].get(p), true
}
