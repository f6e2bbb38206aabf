package nodes

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
)

// Repointed is what a reference is to hold in a component that this machine has changed since it was
// sent, or predicts, after some nodes have come or gone: one that has come fills a null reference
// that was sent as one to it, and one that has gone leaves it null, whatever the authority's own says
// by then; so does an entity that is no more. All else is the game's.
func (ns *Table) Repointed(news []rpl.Node, sent rpl.Node, entity uint64) uint64 {
	if entity == 0 {
		if slices.Contains(news, sent) {
			return ns.EntityOf(sent)
		}
		return 0
	}
	e := donburi.Entity(entity)
	if !ns.World.Valid(e) {
		return 0
	}
	if n := ns.Of(e); n != nil && n.ID != 0 && ns.EntityOf(n.ID) == 0 {
		return 0
	}
	return entity
}
