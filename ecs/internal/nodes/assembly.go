package nodes

// assembly: what a node of several entities consists of.

import (
	"unsafe"

	"github.com/yohamta/donburi"
)

// An assembly is what a node is made of that has several entities, a shape of its own, or was made
// by a client first.
type assembly struct {
	parts  []donburi.Entity
	built  []Place
	spares []donburi.Entity
	before []unsafe.Pointer
}

// Parts are the entities that share the node, beside its own.
func (n *Node) Parts() []donburi.Entity { return n.assembled().parts }

// Built is what the node was built with, by ordinal, if it has parts.
func (n *Node) Built() []Place { return n.assembled().built }

// Spares are, on a proxy, parts that stand for parts which came later on the authority.
func (n *Node) Spares() []donburi.Entity { return n.assembled().spares }

// Before is how the component at an ordinal was made, of a predicted spawn until the authority's has
// taken it over; nil: it is none.
func (n *Node) Before(ord int) unsafe.Pointer {
	if before := n.assembled().before; ord < len(before) {
		return before[ord]
	}
	return nil
}

func (n *Node) assembled() assembly {
	if n.made == nil {
		return assembly{}
	}
	return *n.made
}

func (n *Node) SetParts(ps []donburi.Entity) {
	if n.made != nil || len(ps) > 0 {
		n.assembly().parts = ps
	}
}

func (n *Node) SetBuilt(ps []Place) {
	if n.made != nil || len(ps) > 0 {
		n.assembly().built = ps
	}
}

func (n *Node) SetSpares(ps []donburi.Entity) { n.assembly().spares = ps }

func (n *Node) SetBefore(items []unsafe.Pointer) {
	if n.made != nil || len(items) > 0 {
		n.assembly().before = items
	}
}

func (n *Node) assembly() *assembly {
	if n.made == nil {
		n.made = new(assembly)
	}
	return n.made
}
