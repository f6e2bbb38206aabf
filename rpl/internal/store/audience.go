package store

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// An audience notes which nodes have got their first holder or lost their last, once somebody
// has asked for that.
type audience struct {
	on      bool
	changed []ids.Node  // may be held by others than at the last report
	seen    wire.Bitset // slots of the nodes that were reported as held
}

// noteAudience notes that a node has got its first holder or lost its last.
func (st *Store) noteAudience(n *Node) {
	if st.audience.on {
		st.audience.changed = append(st.audience.changed, n.ID)
	}
}

// Audience calls fn for each node that is held by somebody now and was not at the last call, or
// the other way round; the first time, for each that is held. fn must not change the store.
func (st *Store) Audience(fn func(n ids.Node, held bool)) {
	u := &st.audience
	if !u.on {
		u.on = true
		for i := range st.Nodes {
			if n := &st.Nodes[i]; n.Used && len(n.Holders) > 0 {
				st.noteAudience(n)
			}
		}
	}
	for _, id := range u.changed {
		slot, ok := st.Slot(id)
		if !ok {
			continue // its end has been reported
		}
		held := len(st.Nodes[slot].Holders) > 0
		if held == u.seen.Has(slot) {
			continue
		}
		if held {
			u.seen.Set(slot)
		} else {
			u.seen.Clear(slot)
		}
		fn(id, held)
	}
	u.changed = u.changed[:0]
}
