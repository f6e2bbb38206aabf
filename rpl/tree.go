package rpl

import (
	"fmt"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The tree of nodes (parents and children) and their owners.

// SetParent moves a node under another, or makes it a root if parent is 0. An error
// wraps ErrNoNode or ErrCycle.
func (a *Authority) SetParent(child, parent Node) error {
	c, ok := a.slot(child)
	if !ok {
		return fmt.Errorf("rpl: child %v: %w", child, ErrNoNode)
	}
	var p uint32
	if parent != 0 {
		if p, ok = a.slot(parent); !ok {
			return fmt.Errorf("rpl: parent %v: %w", parent, ErrNoNode)
		}
	}
	for up := p; up != 0; up = a.nodes[up].parent {
		if up == c {
			return fmt.Errorf("rpl: %v under %v: %w", child, parent, ErrCycle)
		}
	}
	if a.nodes[c].parent == p {
		return nil
	}
	a.move(c, p)
	return nil
}

// move hangs a node elsewhere and has its holders told. Both trees are judged anew,
// because a peer that owns one node of a tree has all of it.
func (a *Authority) move(c, p uint32) {
	a.rejudge(c)
	a.setParent(c, p)
	a.rejudge(c)
	for _, h := range a.nodes[c].holders {
		if h.handle != wire.NoHandle {
			a.peers[h.peer].noteNewParent(h.handle, a.tick)
		}
	}
}

// setParent hangs a node under another, or makes it a root if p is 0.
func (a *Authority) setParent(c, p uint32) {
	a.unlink(c)
	n := &a.nodes[c]
	n.parent = p
	if p != 0 {
		pn := &a.nodes[p]
		n.childAt, pn.children = uint32(len(pn.children)), append(pn.children, c)
		a.leaveGrid(c)
	}
	a.noteSecrets(c)
}

// unlink makes a node a root.
func (a *Authority) unlink(c uint32) {
	n := &a.nodes[c]
	if n.parent == 0 {
		return
	}
	up := &a.nodes[n.parent]
	last := up.children[len(up.children)-1]
	up.children[n.childAt], a.nodes[last].childAt = last, n.childAt
	up.children = up.children[:len(up.children)-1]
	n.parent = 0
}

// Parent is the node above n, 0 for a root.
func (a *Authority) Parent(n Node) Node {
	if s, ok := a.slot(n); ok && a.nodes[s].parent != 0 {
		return a.nodes[a.nodes[s].parent].id
	}
	return 0
}

// root is the root of a node's tree.
func (a *Authority) root(slot uint32) uint32 {
	for a.nodes[slot].parent != 0 {
		slot = a.nodes[slot].parent
	}
	return slot
}

// Give makes a peer the owner of a node and of all nodes below it, from this tick on.
func (a *Authority) Give(n Node, p Peer) {
	if slot, ok := a.slot(n); ok {
		a.give(slot, p)
	}
}

// HandOver makes a peer the owner of a node from this tick on. The nodes below keep
// their owners.
func (a *Authority) HandOver(n Node, p Peer) {
	if slot, ok := a.slot(n); ok {
		a.handOver(slot, p)
	}
}

// give is Give by slot.
func (a *Authority) give(slot uint32, p Peer) {
	a.handOver(slot, p)
	for _, c := range a.nodes[slot].children {
		a.give(c, p)
	}
}

// handOver is HandOver by slot.
func (a *Authority) handOver(slot uint32, p Peer) {
	n := &a.nodes[slot]
	if n.owner == p {
		return
	}
	n.retire(a.tick, Tick(a.cfg.Hz))
	n.owner = p
	for _, h := range n.holders {
		if h.handle != wire.NoHandle {
			pr := a.peers[h.peer]
			pr.entries[h.handle].meta = true
			pr.marks.set(markDirty, h.handle)
		}
	}
	a.rejudge(slot)
}

// Owner is the peer whose input drives a node, 0 for nobody.
func (a *Authority) Owner(n Node) Peer {
	if s, ok := a.slot(n); ok {
		return a.nodes[s].owner
	}
	return 0
}

// tenure is one former ownership of a node. It ended with the tick until, from which on
// the next owner has the node.
type tenure struct {
	owner Peer
	until Tick
}

// retire notes that the owner has had a node until a tick. Only owners whose calls may
// still count are remembered (protocol rule 22), at most one a tick.
func (n *node) retire(t, second Tick) {
	old := 0
	for old < len(n.past) && n.past[old].until+second <= t {
		old++
	}
	n.past = slices.Delete(n.past, 0, old)
	if k := len(n.past); k > 0 && n.past[k-1].until == t {
		return // the owner had the node at no tick
	}
	n.past = append(n.past, tenure{n.owner, t})
}

// ownerAt returns who owned a node at a tick, and whether the node has changed hands
// since (protocol rule 21: ownership is a function of the tick).
func (n *node) ownerAt(t Tick) (owner Peer, since bool) {
	for i := range n.past {
		if t < n.past[i].until {
			return n.past[i].owner, true
		}
	}
	return n.owner, false
}
