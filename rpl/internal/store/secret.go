package store

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// Which rows are secret. Code tables go to every peer, so they must not be learned from
// what some peers may not see: usual values, frequent patterns, even the lengths of
// residuals would reveal it. A node that is only out of a peer's sight is no secret;
// what is kept to an audience, an owner or a group is.

// NoteSecrets notes which rows are secret, for a node and all nodes below it.
func (st *Store) NoteSecrets(slot uint32) {
	kept := false
	switch st.Nodes[st.Root(slot)].Spawn.Relevance {
	case ids.OwnerOnly, ids.Grouped:
		kept = true
	}
	st.hide(slot, kept)
}

// hide does so once it is known whether the tree is kept to an owner or a group.
func (st *Store) hide(slot uint32, kept bool) {
	n := &st.Nodes[slot]
	for _, i := range n.Rows() {
		r := &st.Rows[i]
		r.Secret = kept || r.Type.Audience != ids.Everyone
	}
	for _, c := range n.Children() {
		st.hide(c, kept)
	}
}
