package nodes

// tree: what hangs below what, now and in a Rewind.

import (
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
)

// children are the nodes directly below a node.
type children struct {
	all  []*Node // in the order in which they came, nil where one has gone: see Kids
	gaps int     // how many of all are nil
}

// LinkTo puts a node under another, or at the top for nil, in this machine's tree and in
// components.Parent.
func (ns *Table) LinkTo(n, parent *Node) {
	ns.unlink(n)
	if delete(ns.then, n); ns.then != nil && ns.hangsBelow(parent, n) {
		ns.HangAsNow()
	}
	n.Parent = parent
	if parent != nil {
		if parent.below == nil {
			parent.below = new(children)
		}
		b := parent.below
		n.nth, b.all = int32(len(b.all)), append(b.all, n)
	}
	ns.ShowParent(n)
}

// unlink takes a node from under its parent. It leaves a gap among the parent's children,
// which close up when half of them are gaps: thousands may go, one after the other.
func (ns *Table) unlink(n *Node) {
	if n.Parent == nil {
		return
	}
	b := n.Parent.below
	n.Parent, b.all[n.nth] = nil, nil
	if b.gaps++; b.gaps <= len(b.all)/2 {
		return
	}
	kept := b.all[:0]
	for _, c := range b.all {
		if c != nil {
			c.nth, kept = int32(len(kept)), append(kept, c)
		}
	}
	clear(b.all[len(kept):])
	b.all, b.gaps = kept, 0
}

// KidsMost is how many nodes are directly below a node at most.
func (n *Node) KidsMost() int {
	if n.below == nil {
		return 0
	}
	return len(n.below.all)
}

// Kids are the nodes directly below a node.
func (n *Node) Kids(yield func(*Node) bool) {
	if n.below == nil {
		return
	}
	for _, c := range n.below.all {
		if c != nil && !yield(c) {
			return
		}
	}
}

// ShowParent writes the parent into components.Parent.
func (ns *Table) ShowParent(n *Node) {
	ns.Shift(n)
	if !ns.World.Valid(n.Entity) {
		return
	}
	var to donburi.Entity
	if n.Parent != nil {
		to = n.Parent.Entity
	}
	if e := ns.World.Entry(n.Entity); e.HasComponent(components.Parent) {
		components.Parent.SetValue(e, components.ParentData{Entity: to})
	}
}

// Above returns the node above a node, in a Rewind as of then.
func (ns *Table) Above(n *Node) *Node {
	if ns.then != nil {
		if parent, other := ns.then[n]; other {
			return parent
		}
	}
	return n.Parent
}

// HangAsThen has Above return another parent of a node, until HangAsNow or until the game says where
// it hangs now. It reports false, and has done nothing, where the node is above that parent: not all
// of a tree need go back, and what has changed places since would hang below itself.
func (ns *Table) HangAsThen(n, parent *Node) bool {
	if n.Parent == parent {
		return true
	}
	if ns.hangsBelow(parent, n) {
		return false
	}
	if ns.then == nil {
		ns.then = map[*Node]*Node{}
	}
	ns.then[n] = parent
	return true
}

// hangsBelow reports whether n is top or hangs below it, in a Rewind as of then.
func (ns *Table) hangsBelow(n, top *Node) bool {
	for ; n != nil; n = ns.Above(n) {
		if n == top {
			return true
		}
	}
	return false
}

// HangAsNow has Above return what is above nodes now.
func (ns *Table) HangAsNow() { ns.then = nil }

// IsUnseen reports whether a node, or one above it, was not on the screen that the Rewind in progress
// goes back to.
func (ns *Table) IsUnseen(n *Node) bool {
	for ; n != nil; n = ns.Above(n) {
		if n.Unseen {
			return true
		}
	}
	return false
}

// CarrierOf returns what an entity's place is relative to: its node, or the node above that.
func (ns *Table) CarrierOf(e *donburi.Entry, n *Node) *donburi.Entry {
	if n != nil && n.Entity == e.Entity() {
		n = ns.Above(n)
	}
	if n == nil || !ns.World.Valid(n.Entity) {
		return nil
	}
	return ns.World.Entry(n.Entity)
}

// IsBelow reports whether n is top or hangs below it.
func (n *Node) IsBelow(top *Node) bool {
	for ; n != nil; n = n.Parent {
		if n == top {
			return true
		}
	}
	return false
}

// IsOrphan reports whether a proxy's place in the world is not known, because it or a node
// above it is an orphan.
func (n *Node) IsOrphan() bool {
	for ; n != nil; n = n.Parent {
		if n.Orphan {
			return true
		}
	}
	return false
}

// IsLost reports whether a proxy is an orphan, or below one, that is not drawn standing.
func (ns *Table) IsLost(n *Node) bool {
	for ; n != nil; n = n.Parent {
		if n.Orphan {
			return ns.StandOf(n) == nil
		}
	}
	return false
}

// HeldTruly reports whether a proxy hangs where the core has it.
func (n *Node) HeldTruly() bool {
	return n.Replica != nil && !n.Leaving && !n.Parent.Leaving && !n.Replica.Orphaned() && n.Replica.Parent == n.Parent.ID
}

// IsAhead reports whether a node is drawn ahead of drawn time: it is predicted, and at the tick of this
// machine already, or hangs below what is.
func (n *Node) IsAhead() bool {
	for ; n != nil; n = n.Parent {
		if n.Predicted != nil && n.Predicted.Caught() {
			return true
		}
	}
	return false
}
