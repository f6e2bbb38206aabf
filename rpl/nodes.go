package rpl

import (
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/interest"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// What a caller does with nodes. Each change goes to the store, then to those whom it
// concerns: what decides who gets the node, and what reaches those who have it.

// Spawn makes a node. The authority's calls accept it at once; peers get it from the
// next Stream on, with the state that it has then.
func (a *Authority) Spawn(s Spawn) (Node, error) {
	slot, err := a.store.Spawn(&s)
	if err != nil {
		return 0, err
	}
	a.sender.ForgetLayouts()
	a.interest.NoteGrouped(slot)
	a.interest.Rejudge(slot)
	return a.store.Nodes[slot].ID, nil
}

// Remove destroys a node. Whoever has it is sent with the removal what was Set of it last, except
// peers whose sight of it has ended since the last Stream: to them it goes as out of sight.
// Its children become roots unless they are removed too before the next Stream. It does
// nothing for the session's node.
func (a *Authority) Remove(n Node) { a.RemoveFor(n, 0) }

// RemoveFor is Remove for a reason of the game's, a number other than 0, which is sent with
// it (Replica.Reason).
func (a *Authority) RemoveFor(n Node, reason uint8) {
	slot, ok := a.store.Slot(n)
	if !ok || n == SessionNode {
		return
	}
	nd := &a.store.Nodes[slot]
	a.store.Finish(slot)
	a.interest.Going(slot)
	a.sender.Apply()
	a.sender.RemoveAtHolders(nd, reason)
	a.interest.Forget(slot)
	nd.Holders = nd.Holders[:0]
	for len(nd.Children()) > 0 {
		a.move(nd.Children()[len(nd.Children())-1], 0)
	}
	a.interest.Rejudge(slot)
	a.store.Remove(slot)
	a.interest.NoteGrouped(slot)
}

// Held reports whether any peer holds a node, or is to have it.
func (a *Authority) Held(n Node) bool {
	s, ok := a.store.Slot(n)
	return ok && len(a.store.Nodes[s].Holders) > 0
}

// PlaceItem returns the ordinal of the item that says where a node is, or -1: of several
// items with a place, the first one that the node was made with counts, and the first of
// the others once that one is removed.
func (a *Authority) PlaceItem(n Node) int {
	if s, ok := a.store.Slot(n); ok {
		return int(a.store.Nodes[s].PosItem)
	}
	return -1
}

// Item returns a node's item by its ordinal. Spawn.Items gives ordinals from 0 on;
// items added later take a free one, else the next.
func (a *Authority) Item(n Node, ordinal int) (Item, bool) {
	s, ok := a.store.Slot(n)
	if !ok || ordinal < 0 || ordinal >= len(a.store.Nodes[s].Items()) {
		return 0, false
	}
	it := a.store.Nodes[s].Items()[ordinal]
	if it == store.NoSlot {
		return NoItem, false
	}
	return a.store.NameOf(it), true
}

// Ordinal returns the place of an item among the items of its node, -1 for one that was
// removed.
func (a *Authority) Ordinal(item Item) int {
	if it, ok := a.store.Item(item); ok {
		return int(a.store.Items[it].Ord)
	}
	return -1
}

// AddItem gives a node one more item, at the lowest free ordinal, so that an item which
// comes and goes takes no new ordinals; RemoveItem takes it away. Peers that hold the
// node are sent its new set of items, with their state.
func (a *Authority) AddItem(n Node, t *ItemType) (Item, error) { return a.AddItemFrom(n, t, 0) }

// AddItemFrom is AddItem for an item whose ordinal has a meaning, such as which of
// several alike it is. It gets the lowest free ordinal not below from, or another if
// that one would exceed MaxItems.
func (a *Authority) AddItemFrom(n Node, t *ItemType, from int) (Item, error) {
	a.cfg.Schema.OwnItem(t)
	slot, ok := a.store.Slot(n)
	if !ok {
		return 0, fmt.Errorf("rpl: item %s for %v: %w", t.Name, n, ErrNoNode)
	}
	it, err := a.store.AddItem(slot, t, from)
	if err != nil {
		return 0, err
	}
	a.sender.ForgetLayouts()
	a.sender.RefreshAtHolders(slot)
	return a.store.NameOf(it), nil
}

// RemoveItem takes an item away from its node.
func (a *Authority) RemoveItem(item Item) error {
	it, ok := a.store.Item(item)
	if !ok {
		return fmt.Errorf("rpl: item: %w", ErrNoNode)
	}
	slot := a.store.Items[it].Node
	wasPlace, err := a.store.RemoveItem(it)
	if err != nil {
		return err
	}
	if wasPlace {
		a.interest.Replaced(slot)
	}
	a.sender.ForgetLayouts()
	a.sender.RefreshAtHolders(slot)
	return nil
}

// SetParent moves a node under another, or makes it a root if parent is 0. An error
// wraps ErrNoNode or ErrCycle.
func (a *Authority) SetParent(child, parent Node) error {
	c, ok := a.store.Slot(child)
	if !ok {
		return fmt.Errorf("rpl: child %v: %w", child, ErrNoNode)
	}
	var p uint32
	if parent != 0 {
		if p, ok = a.store.Slot(parent); !ok {
			return fmt.Errorf("rpl: parent %v: %w", parent, ErrNoNode)
		}
	}
	if !a.store.MayHang(c, p) {
		return fmt.Errorf("rpl: %v under %v: %w", child, parent, ErrCycle)
	}
	if a.store.Nodes[c].Parent != p {
		a.move(c, p)
	}
	return nil
}

// move hangs a node elsewhere and has its holders sent that. Both trees are judged anew,
// because a peer that owns one node of a tree has all of it.
func (a *Authority) move(c, p uint32) {
	a.interest.Moves(c)
	a.store.SetParent(c, p)
	if p != 0 {
		a.interest.LeaveGrid(c)
	}
	a.interest.Moved(c)
	a.sender.OwnershipAtHolders(c, a.unsent(), true)
}

// Leap says that what changes of a node in this tick, or in the next if this one was sent
// already, is no motion: there is no way between its state before and then. It is sent with
// the state, and again until a peer is known to have it. It returns that tick.
func (a *Authority) Leap(n Node) (t Tick) {
	t = a.unsent()
	if slot, ok := a.store.Slot(n); ok {
		a.store.Nodes[slot].RareToWrite().Leapt = t
		a.store.Space.Wake(a.store.Root(slot)) // it may have come from where nobody is to where somebody is
		a.sender.OwnershipAtHolders(slot, t, true)
	}
	return t
}

// unsent is the first tick of which no packet has been sent: what changes now is of that tick.
func (a *Authority) unsent() Tick {
	if a.store.Tick == a.store.Sent {
		return a.store.Tick + 1
	}
	return a.store.Tick
}

// Parent is the node above n, 0 for a root.
func (a *Authority) Parent(n Node) Node {
	if s, ok := a.store.Slot(n); ok && a.store.Nodes[s].Parent != 0 {
		return a.store.Nodes[a.store.Nodes[s].Parent].ID
	}
	return 0
}

// Give makes a peer the owner of a node and of all nodes below it, from this tick on.
func (a *Authority) Give(n Node, p Peer) {
	if slot, ok := a.store.Slot(n); ok {
		a.give(slot, p)
	}
}

// OwnedLately reports whether a node was a peer's until less than ten seconds ago: what comes from
// that peer about the node may have been sent before it heard of the hand-over.
func (a *Authority) OwnedLately(n Node, p Peer) bool {
	slot, ok := a.store.Slot(n)
	return ok && a.store.OwnedLately(&a.store.Nodes[slot], p)
}

// HandOver makes a peer the owner of a node from this tick on. The nodes below keep
// their owners.
func (a *Authority) HandOver(n Node, p Peer) {
	if slot, ok := a.store.Slot(n); ok {
		a.handOver(slot, p)
	}
}

// give is Give by slot.
func (a *Authority) give(slot uint32, p Peer) {
	a.handOver(slot, p)
	for _, c := range a.store.Nodes[slot].Children() {
		a.give(c, p)
	}
}

// handOver is HandOver by slot.
func (a *Authority) handOver(slot uint32, p Peer) {
	if was := a.store.Nodes[slot].Owner; a.store.SetOwner(slot, p) {
		a.sender.OwnershipAtHolders(slot, a.unsent(), false)
		a.sender.PredictedAtHolders(&a.store.Nodes[slot], was)
		a.interest.Rejudge(slot)
	}
}

// Owner is the peer whose input drives a node, 0 for nobody.
func (a *Authority) Owner(n Node) Peer {
	if s, ok := a.store.Slot(n); ok {
		return a.store.Nodes[s].Owner
	}
	return 0
}

// SetStreaming changes how a node is sent. If it returns an error nothing has changed.
func (a *Authority) SetStreaming(n Node, s Streaming) error {
	slot, ok := a.store.Slot(n)
	if !ok {
		return fmt.Errorf("rpl: %v: %w", n, ErrNoNode)
	}
	if err := s.Check(); err != nil {
		return fmt.Errorf("rpl: %v: %w", n, err)
	}
	nd := &a.store.Nodes[slot]
	was := nd.Spawn.Relevance
	nd.Spawn.Streaming = s.Complete()
	a.store.NoteRate(slot)
	a.sender.PlainAtHolders(nd)
	if was != s.Relevance {
		a.interest.NoteGrouped(slot)
		a.store.NoteSecrets(slot)
		a.interest.Rejudge(slot)
	}
	return nil
}

// SetTransient sets what Spawn.Transient does: whether the node's state is sent with
// its arrival alone. It is an error to change that once a peer holds the node.
func (a *Authority) SetTransient(n Node, on bool) error {
	slot, ok := a.store.Slot(n)
	if !ok {
		return fmt.Errorf("rpl: %v: %w", n, ErrNoNode)
	}
	nd := &a.store.Nodes[slot]
	if on != nd.Transient && len(nd.Holders) > 0 {
		return fmt.Errorf("rpl: %v: Transient is changed after others were told of it: %w; say it when the node is made", n, ErrRange)
	}
	nd.Transient = on
	return nil
}

// SetNodeGroup puts a node into a group or takes it out.
func (a *Authority) SetNodeGroup(n Node, g Audience, in bool) {
	if slot, ok := a.store.Slot(n); ok && g >= FirstGroup {
		interest.SetBit(&a.store.Nodes[slot].RareToWrite().Groups, g-FirstGroup, in)
		a.interest.Rejudge(slot)
	}
}

// Holders appends to dst the peers to which a node has been sent and from which it has
// not been taken away: its audience.
func (a *Authority) Holders(n Node, dst []Peer) []Peer {
	slot, ok := a.store.Slot(n)
	if !ok {
		return dst
	}
	for _, h := range a.store.Nodes[slot].Holders {
		if h.Handle() != wire.NoHandle {
			dst = append(dst, a.interest.Viewers[h.Peer()].ID)
		}
	}
	return dst
}

// Has reports whether a node exists.
func (a *Authority) Has(n Node) bool {
	_, ok := a.store.Slot(n)
	return ok
}
