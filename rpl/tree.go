package rpl

import (
	"fmt"
	"slices"
)

// Who is above a node in its tree, and whose it is.

// SetParent moves a node under another, or to the top for 0.
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

// move hangs a node elsewhere and has its holders told. Both trees are judged
// anew: who owns a node of a tree has all of it.
func (a *Authority) move(c, p uint32) {
	a.rejudge(c)
	a.setParent(c, p)
	a.rejudge(c)
	for _, h := range a.nodes[c].holders {
		if h.handle != noHandle {
			a.peers[h.peer].noteMoved(h.handle, a.tick)
		}
	}
}

func (a *Authority) setParent(c, p uint32) {
	a.unlink(c)
	n := &a.nodes[c]
	n.parent = p
	if p != 0 {
		pn := &a.nodes[p]
		pn.children = append(pn.children, c)
		a.leaveGrid(c)
	}
	a.noteSecrets(c)
}

func (a *Authority) unlink(c uint32) {
	n := &a.nodes[c]
	if n.parent == 0 {
		return
	}
	siblings := a.nodes[n.parent].children
	for i, s := range siblings {
		if s == c {
			siblings[i] = siblings[len(siblings)-1]
			a.nodes[n.parent].children = siblings[:len(siblings)-1]
			break
		}
	}
	n.parent = 0
}

// Parent is the node above, 0 for a root; Children are those below.
func (a *Authority) Parent(n Node) Node {
	if s, ok := a.slot(n); ok && a.nodes[s].parent != 0 {
		return a.nodes[a.nodes[s].parent].id
	}
	return 0
}

// root is the top of a node's tree.
func (a *Authority) root(slot uint32) uint32 {
	for a.nodes[slot].parent != 0 {
		slot = a.nodes[slot].parent
	}
	return slot
}

// Give passes a node and all below it to a peer, from this tick on.
func (a *Authority) Give(n Node, p Peer) {
	if slot, ok := a.slot(n); ok {
		a.give(slot, p)
	}
}

// HandOver passes a node alone to a peer, from this tick on: those below keep
// their owners.
func (a *Authority) HandOver(n Node, p Peer) {
	if slot, ok := a.slot(n); ok {
		a.handOver(slot, p)
	}
}

func (a *Authority) give(slot uint32, p Peer) {
	a.handOver(slot, p)
	for _, c := range a.nodes[slot].children {
		a.give(c, p)
	}
}

// handOver gives a node alone.
func (a *Authority) handOver(slot uint32, p Peer) {
	n := &a.nodes[slot]
	if n.owner == p {
		return
	}
	n.retire(a.tick, Tick(a.cfg.Hz))
	n.owner = p
	for _, h := range n.holders {
		if h.handle != noHandle {
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

// tenure is a time during which a node had an owner: until the tick of the
// hand-over, from which on the next one owns it.
type tenure struct {
	owner Peer
	until Tick
}

// retire notes that an owner has had a node until a tick. Those are remembered whose
// calls may still count (protocol rule 22), one a tick at most.
func (n *node) retire(t, second Tick) {
	old := 0
	for old < len(n.past) && n.past[old].until+second <= t {
		old++
	}
	n.past = slices.Delete(n.past, 0, old)
	if k := len(n.past); k > 0 && n.past[k-1].until == t {
		return // it owned the node at no tick
	}
	n.past = append(n.past, tenure{n.owner, t})
}

// ownerAt is who owned a node at a tick, and whether it has changed hands
// since (protocol rule 21: ownership is a function of the tick).
func (n *node) ownerAt(t Tick) (owner Peer, since bool) {
	for i := range n.past {
		if t < n.past[i].until {
			return n.past[i].owner, true
		}
	}
	return n.owner, false
}
