package ecs

// Audience: who has a node, and whether anybody does, so that what nobody sees need not be computed.

import (
	"iter"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
)

// Viewers loops over the peers that a node is relevant to, this machine's player first: on the
// authority those of the last send, of whom some may not have been told of it yet. Those for whom it is
// irrelevant again before are never told of it, nor of calls on it. Who has been silent for a second is
// taken off as others are, and comes to see by distance only when something comes from it again. A machine
// with a player has every node. On a client it is the client alone, for nodes that it has. For what is no
// node there are none.
func Viewers(e *donburi.Entry) iter.Seq[rpl.Peer] {
	return func(yield func(rpl.Peer) bool) {
		r, n := nodeAt(e)
		if n == nil || n.ID == 0 || n.Leaving || r.shared.Me != 0 && !yield(r.shared.Me) || r.shared.Auth == nil {
			return
		}
		var room [32]rpl.Peer
		for _, p := range r.shared.Auth.Viewers(n.ID, room[:0]) {
			if !yield(p) {
				return
			}
		}
	}
}

// Watched reports whether a node has any viewer: what follows from a node and changes nothing
// else, such as a marker, an animation, a mind that only walks about, may be left out while
// it has none. It costs the same for any number of peers. On a machine with a player every
// node is watched. A peer that leaves or is lost is no viewer from that Receive on, and OnUnseen
// follows in the next step that sends.
func Watched(e *donburi.Entry) bool {
	r, n := nodeAt(e)
	if n == nil || n.ID == 0 || n.Leaving {
		return false
	}
	return r.shared.Me != 0 || r.shared.Auth != nil && r.shared.Auth.Watched(n.ID)
}

// OnSeen runs on the authority when a node with the component gets its first viewer: in the Send that decides
// so, after OnStreamIn. What fn changes leaves with the next send; until then a viewer may have the former
// values. On a machine with a player it runs once for each node, after OnStreamIn. Give fn before the first
// peer joins.
func (r *Replication) OnSeen(c donburi.IComponentType, fn func(e *donburi.Entry)) {
	mustBeMade("OnSeen", r)
	r.notify.Seen = append(r.notify.Seen, on(c, "OnSeen", fn))
}

// OnUnseen runs on the authority when a node with the component has lost its last viewer,
// because it has gone out of sight of all or because they have left or are lost: a peer that is lost
// views nothing until it is back. It does not run for a node that ends.
func (r *Replication) OnUnseen(c donburi.IComponentType, fn func(e *donburi.Entry)) {
	mustBeMade("OnUnseen", r)
	r.notify.Unseen = append(r.notify.Unseen, on(c, "OnUnseen", fn))
}

// An audienceChange is a node that has got its first viewer or lost its last.
type audienceChange struct {
	id      rpl.Node
	watched bool
}

// reportAudience runs OnSeen and OnUnseen.
func (r *Replication) reportAudience() {
	if len(r.notify.Seen) == 0 && len(r.notify.Unseen) == 0 || r.shared.Me != 0 {
		return
	}
	r.audience = r.audience[:0]
	r.shared.Auth.Audience(func(n rpl.Node, watched bool) { r.audience = append(r.audience, audienceChange{n, watched}) })
	for _, t := range r.audience {
		if n := r.nodes.ByID[t.id]; n != nil && n != r.nodes.Session {
			r.notify.Watched(n, t.watched)
		}
	}
}
