package store

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// Which rows are secret. Code tables go to every peer, so they must not be learned from
// what some peers may not see: usual values, frequent patterns, even the lengths of
// residuals would reveal it. What is kept to an audience, an owner or a group is secret, and so is
// a tree that is hidden from a peer. What a Policy may refuse is most of a game that has one, and refused
// to somebody nearly always: how it changes is learned from, its values are not. A node that is only out
// of a peer's sight is no secret.

// A Privacy is what code tables may be learned from a row.
type Privacy uint8

const (
	Open      Privacy = iota // everything
	Refusable                // how it changes: the Interest may refuse it to a peer
	Secret                   // nothing: it is kept from a peer
)

// NoteSecrets notes which rows are secret, for a node and all nodes below it.
func (st *Store) NoteSecrets(slot uint32) {
	p := Open
	if IsKept(st, slot) {
		p, st.Secrets = Secret, true
	} else if st.Nodes[st.Root(slot)].Spawn.Relevance == ids.Near && st.Space.Index.MayRefuse() {
		p = Refusable
	}
	noteSecrets(st, slot, p)
}

// noteSecrets does so once it is known what the tree's rows are that are for everyone.
func noteSecrets(st *Store, slot uint32, p Privacy) {
	n := &st.Nodes[slot]
	for _, i := range n.Rows() {
		r := &st.Rows[i]
		if r.Privacy = p; r.Type.Audience != ids.Everyone {
			r.Privacy, st.Secrets = Secret, true
		}
		st.Slabs[r.Type.Index].Owners[r.Block].kept = r.Privacy == Secret
	}
	for _, c := range n.Children() {
		noteSecrets(st, c, p)
	}
}

// IsKept reports whether the tree of a node is kept to an owner or a group, or hidden from a peer.
func IsKept(st *Store, slot uint32) bool {
	root := &st.Nodes[st.Root(slot)]
	return root.Spawn.Relevance == ids.OwnerOnly || root.Spawn.Relevance == ids.Grouped || root.RareView().Hidden
}

// Hide notes that the tree under a node is hidden from a peer now, or from none.
func (st *Store) Hide(root uint32, from bool) {
	if n := &st.Nodes[root]; n.RareView().Hidden != from {
		n.RareToWrite().Hidden = from
		st.NoteSecrets(root)
	}
}
