package nodes

// tree: what hangs below what.

import (
	"github.com/yohamta/donburi"
)

func (ns *Table) CarrierOf(e *donburi.Entry, n *Node) *donburi.Entry {
	if n != nil && n.Entity == e.Entity() {
		n = n.Parent
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

// HeldTruly reports whether a proxy hangs where the core has it.
func (n *Node) HeldTruly() bool {
	return n.Replica != nil && !n.Leaving && !n.Parent.Leaving && !n.Replica.Orphaned() && n.Replica.Parent == n.Parent.ID
}
