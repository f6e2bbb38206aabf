package ecs

// remove: how the game ends a node, and why one has gone.

import (
	"fmt"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
)

// A Reason says why a node has gone; Why returns it inside OnStreamOut. A game's own reasons are
// the numbers 1 to 239, the same on every machine, as constants of its protocol.
type Reason = nodes.Reason

// The reasons that are not a game's own.
const (
	Removed     = nodes.Removed     // the game has removed it and gave no reason
	OwnerLeft   = nodes.OwnerLeft   // its owner has left, and it was not to be kept
	OutOfSight  = nodes.OutOfSight  // it still exists, out of this machine's sight
	LevelEnded  = nodes.LevelEnded  // Load has ended its level
	SessionOver = nodes.SessionOver // this machine has left the session or the single-player world
)

// Remove removes an entity for a reason, on the authority: a node with its parts, as proxies
// of it go. Every machine that has the node is told the reason (Why), and with it what the
// entity's components hold now: the last hit is seen. World.Remove does the same for Removed. Where the node
// has just gone out of sight, as by Hide in the same step, it is OutOfSight, and nothing is told with it.
// On a proxy Remove does nothing, and is counted ("stale remove"). It panics for a reason
// that is not a game's own or Removed.
func Remove(e *donburi.Entry, why Reason) {
	if why >= OwnerLeft {
		panic(fmt.Sprintf("tendon: Remove for reason %d: those of a game are 1 to %d", why, OwnerLeft-1))
	}
	mustBeThere("Remove: this", e)
	r, n := nodeAt(e)
	switch {
	case n == nil || n.Entity != e.Entity() && r.shared.Auth != nil:
		e.World.Remove(e.Entity())
	case r.shared.Auth == nil || n == r.nodes.Session:
		r.shared.ScoldOf("stale remove", "a node of", e, "only the authority removes nodes, and nobody the session's: ask tendon.IsAuthority")
	case !n.Ending: // else it is going already, and this is one of its last callbacks
		n.Why = why
		r.shared.RemoveEntities(n)
	}
}

// RemoveTree removes a node with all that is attached below it, children first: a chest with its contents.
// Remove alone leaves the children behind, at the top, with their fields as they are. Detach first what shall
// keep its place.
func RemoveTree(e *donburi.Entry, why Reason) {
	mustBeThere("RemoveTree: this", e)
	if IsAuthority(e) {
		for c := range Children(e) {
			RemoveTree(c, why)
		}
	}
	if e.Valid() { // else a callback of what was below has removed it
		Remove(e, why)
	}
}

// Why returns, inside OnStreamOut, the reason for which the entity's node goes, also for a part.
func Why(e *donburi.Entry) Reason {
	if _, n := nodeAt(e); n != nil {
		return n.Why
	}
	return Removed
}
