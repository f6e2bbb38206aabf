package rpl

// The audience of nodes: to whom they are relevant.

// Viewers appends to dst the peers to which a node is relevant since the last Stream, whether
// or not it has been sent to them yet. The local player is not among them.
func (a *Authority) Viewers(n Node, dst []Peer) []Peer {
	slot, ok := a.store.Slot(n)
	if !ok {
		return dst
	}
	for _, h := range a.store.Nodes[slot].Holders {
		dst = append(dst, a.interest.Viewers[h.Peer()].ID)
	}
	return dst
}

// Watched reports whether a node has a viewer. It costs the same for any number of them.
func (a *Authority) Watched(n Node) bool {
	slot, ok := a.store.Slot(n)
	return ok && len(a.store.Nodes[slot].Holders) > 0
}

// Audience calls fn for each node that has got its first viewer, or lost its last, since the
// last call; in the first call, for each node that has one. It costs what has changed, and is
// meant to be called after each Stream. fn must not change nodes. A node that ends while it
// is watched is not reported.
func (a *Authority) Audience(fn func(n Node, watched bool)) { a.store.Audience(fn) }

// Filling is how far a peer has what it should have: the nodes that it is known to have, those
// that it should have, the session's among them, and how many of these were not sent yet. It is
// 0, 0, 0 for a peer that is not connected.
func (a *Authority) Filling(id Peer) (has, wanted, waiting int) { return a.sender.Filling(id) }

// Filled reports whether a peer is known to have all that it was sent up to a tick and should have.
func (a *Authority) Filled(id Peer, by Tick) bool { return a.sender.Filled(id, by) }
