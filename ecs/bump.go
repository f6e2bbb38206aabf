package ecs

// Bump: what a game says of explicit components, which are looked at only then.

import (
	"github.com/yohamta/donburi"
)

// Bump says that a component tagged `explicit` has changed: without it nobody is told. One
// that has been added need not be bumped, one that was taken away in the same step must.
// It is read in the next step that sends, or, while no peer has the node, when one is
// about to get it; with an OnChange in this one. On a proxy it does nothing.
func Bump(e *donburi.Entry, c donburi.IComponentType) {
	r := of(e)
	if r == nil || r.auth == nil {
		return
	}
	if def := r.protocol.replicated(c); def != nil && def.item.Explicit {
		r.bumped = append(r.bumped, bump{entity: e.Entity(), comp: def})
	}
}

type bump struct {
	entity donburi.Entity
	comp   *component
	added  bool // the component was, which the game need not say
}

// byItself is whether an item goes by itself, not with its column: OnChange looks at
// it, it has a stand-in, or debug mode asks whether it was bumped rightly.
func (r *Replication) byItself(b *binding) bool {
	return b.watch != nil || b.comp.standIn != nil || b.comp.item.Explicit && r.config.Debug
}

// stands notes the plan and the row in which an entity's components stand.
func (r *Replication) stands(e donburi.Entity, plan, row int) {
	if r.nodeOf(e) != nil {
		s := &r.slots[e.Id()]
		s.plan, s.row = uint32(plan), uint32(row)
	}
}

// bumpRows has what was bumped read with its columns, and returns what goes by
// itself: until the next Bump.
func (r *Replication) bumpRows() (alone []bump) {
	alone = r.bumped[:0]
	for _, b := range r.bumped {
		if !r.bumpRow(b) {
			alone = append(alone, b)
		}
	}
	r.bumped = r.bumped[:0]
	return alone
}

func (r *Replication) bumpRow(b bump) bool {
	if r.nodeOf(b.entity) == nil {
		return true // it has gone
	}
	s := &r.slots[b.entity.Id()]
	p, row := &r.plans[s.plan], int(s.row)
	if row >= len(p.entities) || p.entities[row] != b.entity {
		return false
	}
	for k := range p.columns {
		if c := &p.columns[k]; c.comp == b.comp {
			return c.items.Bump(row)
		}
	}
	return false
}

// extractBumped looks at what was bumped and goes by itself.
func (r *Replication) extractBumped(bumped []bump) {
	for _, b := range bumped {
		n := r.nodeOf(b.entity)
		if n == nil {
			continue
		}
		if bound := n.binding(b.comp, b.entity); bound != nil {
			told := bound.seen == r.tick // as new, in this step, or twice
			if !r.extractItem(n, bound) && !b.added && !told {
				r.wasted(bound)
			}
		}
	}
}
