package rpl

import (
	"fmt"
	"math"
	"time"
)

// What a game says of who sees what, beside the rules of nodes (Streaming) and the Interest.

// ObserveFrom is Observe for observers with scales of their own. An error wraps ErrRange, and
// then nothing has changed. Up to eight observers of a peer cost each what one costs; more
// share a full scan of all nodes in reach.
func (a *Authority) ObserveFrom(id Peer, observers ...Observer) error {
	for _, o := range observers {
		if err := o.Check(); err != nil {
			return fmt.Errorf("rpl: peer %d: %w", id, err)
		}
	}
	a.interest.ObserveFrom(id, observers)
	return nil
}

// Preload has a peer see from one more point for a time, whatever Observe says: from where it
// will be taken. Once more for the same observer lengthens the time. now is the time of the
// next Stream. An error wraps ErrRange, or ErrLimit if the peer has MaxPreloads.
func (a *Authority) Preload(id Peer, o Observer, now, d time.Duration) error {
	if err := o.Check(); err != nil {
		return fmt.Errorf("rpl: preload for peer %d: %w", id, err)
	}
	if at := o.X + o.Y; math.IsNaN(at) || math.IsInf(at, 0) {
		return fmt.Errorf("rpl: preload for peer %d at %v, %v: %w; say a place of finite numbers", id, o.X, o.Y, ErrRange)
	}
	if !(d > 0) {
		return fmt.Errorf("rpl: preload for peer %d for %v: %w; say for how long, above 0", id, d, ErrRange)
	}
	if !a.interest.Preload(id, o, now+min(d, math.MaxInt64-now)) {
		return fmt.Errorf("rpl: preload for peer %d: %w: it has %d; wait until one is over", id, ErrLimit, MaxPreloads)
	}
	return nil
}

// A Showing says whether a peer is shown a node against the rules.
type Showing uint8

const (
	ByRule Showing = iota // neither: Relevance and Interest decide
	Shown                 // the peer has the node, wherever it is
	Hidden                // the peer does not have it, unless it owns a node of its tree
)

// SetShowing shows a node to a peer, hides it from it, or leaves that to the rules again. As trees
// stream whole, it counts for the tree that the node is in, from tree to tree: a peer does not have
// a tree of which a node is hidden from it, and else has one of which a node is shown to it. It lasts
// until it is said otherwise, the peer is disconnected (a suspended one keeps it), or the node is
// removed. The peer is connected or expected (Expect). It costs nothing where it is not used. An error wraps ErrNoNode, ErrNoPeer or ErrRange.
func (a *Authority) SetShowing(id Peer, n Node, s Showing) error {
	slot, ok := a.store.Slot(n)
	if !ok {
		return fmt.Errorf("rpl: %v: %w", n, ErrNoNode)
	}
	if s > Hidden {
		return fmt.Errorf("rpl: showing %d of %v: %w; there are ByRule, Shown and Hidden", s, n, ErrRange)
	}
	if n == SessionNode {
		return fmt.Errorf("rpl: showing %d of the session's node: %w; every peer has it", s, ErrRange)
	}
	if !a.interest.SetSight(id, slot, s == Shown, s != ByRule) {
		return fmt.Errorf("rpl: showing %d of %v to peer %d: %w; say it once the peer is connected", s, n, id, ErrNoPeer)
	}
	return nil
}

// SetExtent says how far a node reaches round its place, in the unit of the `pos` prop: it is in
// sight by its edge, for the distances of the Interest and of a Policy, if it stands at the top
// of its tree. 0, as at first, makes it a point, and so does less than an eighth of the distance to
// enter. It may be called at any time on the authority. Large nodes cost more than others: say
// it of hundreds, not of tens of thousands. An error wraps ErrNoNode, or ErrRange for one that is
// negative, NaN or above MaxReach.
func (a *Authority) SetExtent(n Node, extent float64) error {
	slot, ok := a.store.Slot(n)
	if !ok {
		return fmt.Errorf("rpl: extent of %v: %w", n, ErrNoNode)
	}
	if !(extent >= 0 && extent <= MaxReach) {
		return fmt.Errorf("rpl: extent %v of %v: %w; it is a distance from 0 to %v", extent, n, ErrRange, MaxReach)
	}
	a.interest.SetExtent(slot, extent)
	return nil
}

// AskAgain has the next Stream ask the Interest anew about a node (0: all), for a peer (0:
// all): a wall has opened, a faction has changed sides. For one peer it may ask about all that is
// in its sight. What a peer is not to have by that goes in that Stream, however short a time it was there.
func (a *Authority) AskAgain(id Peer, n Node) {
	if slot, ok := a.store.Slot(n); n != 0 && !ok {
		return
	} else if n == 0 || id != 0 {
		a.interest.AskAgain(id)
	} else {
		a.interest.AskAgainAbout(slot)
	}
}
