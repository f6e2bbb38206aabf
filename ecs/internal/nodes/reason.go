package nodes

// reason: why a node ends.

// A Reason says why a node has gone.
type Reason uint8

// The reasons that are not a game's own. Those of a game are 1 to 239.
const (
	Removed     Reason = 0 // the game has removed it and gave no reason
	OwnerLeft   Reason = 240 + iota - 1
	OutOfSight         // it still exists, out of this machine's sight
	LevelEnded         // its level has ended
	SessionOver        // this machine has left the session, or its single-player world, that it belonged to
)

// Destroyed reports whether a node that has gone for this reason is nowhere any more, because
// the game, or its owner's end, has taken it away.
func (r Reason) Destroyed() bool { return r <= OwnerLeft }
