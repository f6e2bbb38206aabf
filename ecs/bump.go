package ecs

// Bump: how a game reports changes of explicit components, which are looked at only then.

import "github.com/yohamta/donburi"

// Bump says that a component tagged `explicit` has changed; without it the change is not
// sent. A component that has just been added need not be bumped, but one that was removed
// and added again in the same step must be. The component is read in the next step that
// sends, or, while no peer has the node, when a peer is about to get it; if OnChange is
// set for it, in this step. On a proxy, on an entity that is no node, and for a component
// that is not tagged so, Bump does nothing. It panics for a nil component.
func Bump(e *donburi.Entry, c donburi.IComponentType) {
	r := of(e)
	if c == nil {
		panic("tendon: Bump of no component")
	}
	if r == nil || r.auth == nil {
		return
	}
	if def := r.protocol.replicated(c); def != nil && def.item.Explicit {
		r.extract.bumped = append(r.extract.bumped, bump{entity: e.Entity(), comp: def})
	}
}

type bump struct {
	entity donburi.Entity
	comp   *component
	added  bool // the component was just added, for which the game need not call Bump
}

// byItself reports whether an item is extracted one by one instead of with its column:
// because OnChange looks at it, it has a stand-in, or debug mode checks its bumps.
func (ex *extractor) byItself(b *binding) bool {
	return b.watch != nil || b.comp.standIn != nil || b.comp.item.Explicit && ex.config.Debug
}

// bumpRows marks the bumped components that are read with their columns, and returns the
// others. The result is valid until the next Bump.
func (ex *extractor) bumpRows() (alone []bump) {
	alone = ex.bumped[:0]
	for _, b := range ex.bumped {
		if !ex.bumpRow(b) {
			alone = append(alone, b)
		}
	}
	ex.bumped = ex.bumped[:0]
	return alone
}

func (ex *extractor) bumpRow(b bump) bool {
	if ex.nodes.of(b.entity) == nil {
		return true // it has gone
	}
	s := &ex.nodes.slots[b.entity.Id()]
	p, row := &ex.plans[s.plan], int(s.row)
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

// extractBumped extracts the bumped items that are extracted one by one.
func (ex *extractor) extractBumped(bumped []bump) {
	for _, b := range bumped {
		n := ex.nodes.of(b.entity)
		if n == nil {
			continue
		}
		if bound := n.binding(b.comp, b.entity); bound != nil {
			told := bound.seen == ex.tick // already extracted in this step: as new, or bumped twice
			if !ex.extractItem(n, bound) && !b.added && !told {
				ex.checks.wasted(bound)
			}
		}
	}
}
