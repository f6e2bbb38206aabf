package nodes

// table: what leads from entities, ids and owners to nodes.

import (
	"cmp"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
)

// A Table leads from entities and ids to nodes.
type Table struct {
	World      donburi.World
	Components []*Component      // the protocol's, in order
	Changed    func(id rpl.Node) // is told of ids that come and go

	Session   *Node  // the session's own
	Slots     []Slot // by entity id
	ByID      map[rpl.Node]*Node
	Parts     map[donburi.Entity][]donburi.Entity // by the entity that they are parts of, until that is a node
	Ended     func(n *Node)                       // told of nodes that have ended
	Shifted   func(n *Node)                       // told of nodes that may be at another place; nil: nobody wants to know
	Added     int                                 // counts nodes that came
	Refits    int                                 // counts the items that nodes have got or lost since they were made
	Regrouped bool                                // a part may have changed its node, or lost it, since the last look

	owned map[rpl.Peer]map[*Node]struct{} // nodes by their owners
	then  map[*Node]*Node                 // in a Rewind: the parents of nodes that hung elsewhere
	stand map[*Node]*Stand                // on a client: where nodes are drawn whose parents are not known
}

// A Slot is one entity and the node that it is, or is a part of.
type Slot struct {
	entity donburi.Entity
	node   *Node
	Plan   uint32 // on the authority: the plan in which the components last stood …
	Row    uint32 // … and in which row
}

// Of returns the node that an entity is, or is a part of; nil if there is none, the
// entity has gone, or it belongs to another world.
func (ns *Table) Of(e donburi.Entity) *Node {
	if id := int(e.Id()); id < len(ns.Slots) && ns.Slots[id].entity == e && e != donburi.Null {
		return ns.Slots[id].node
	}
	return nil
}

// OfEntry is Of for an entry, which may be nil.
func (ns *Table) OfEntry(e *donburi.Entry) *Node {
	if e == nil {
		return nil
	}
	return ns.Of(e.Entity())
}

// SlotOf returns the slot of an entity that is a node or a part of one, nil for any other.
func (ns *Table) SlotOf(e donburi.Entity) *Slot {
	if id := int(e.Id()); id < len(ns.Slots) && ns.Slots[id].entity == e && ns.Slots[id].node != nil {
		return &ns.Slots[id]
	}
	return nil
}

// AtSlot returns the node whose own entity is in a slot, nil if there is none.
func (ns *Table) AtSlot(id int) *Node {
	if id < len(ns.Slots) {
		if n := ns.Slots[id].node; n != nil && n.Entity == ns.Slots[id].entity {
			return n
		}
	}
	return nil
}

// Shift says that a node may be at another place.
func (ns *Table) Shift(n *Node) {
	if ns.Shifted != nil {
		ns.Shifted(n)
	}
}

// Refit says that a node has got an item, or lost one.
func (ns *Table) Refit(n *Node) {
	ns.Refits++
	ns.Shift(n)
}

// SetSlot says which node an entity is, or is a part of.
func (ns *Table) SetSlot(e donburi.Entity, n *Node) {
	for int(e.Id()) >= len(ns.Slots) {
		ns.Slots = append(ns.Slots, Slot{})
	}
	ns.Slots[e.Id()] = Slot{entity: e, node: n}
}

// ClearSlot says that an entity is no node, nor a part of one.
func (ns *Table) ClearSlot(e donburi.Entity) {
	if ns.Of(e) != nil {
		ns.Slots[e.Id()] = Slot{}
	}
}

// NodeOf and EntityOf let the core translate references between entities and nodes.
func (ns *Table) NodeOf(e uint64) rpl.Node {
	if n := ns.Of(donburi.Entity(e)); n != nil && !n.Leaving {
		return n.ID
	}
	return 0
}

func (ns *Table) EntityOf(id rpl.Node) uint64 {
	if n := ns.ByID[id]; n != nil && !n.Leaving {
		return uint64(n.Entity)
	}
	return 0
}

var _ rpl.Refs = (*Table)(nil)

// New makes a node of an entity and the parts that wait for it. It is in no table yet.
func (ns *Table) New(e donburi.Entity, data components.NodeData) *Node {
	n := &Node{Entity: e, Data: data}
	n.SetParts(ns.Parts[e])
	return n
}

// Add puts a node and its parts into the tables.
func (ns *Table) Add(n *Node) {
	ns.Added++
	ns.SetSlot(n.Entity, n)
	for _, p := range n.Parts() {
		ns.SetSlot(p, n)
		ns.Regrouped = true
	}
	if n.ID != 0 {
		ns.ByID[n.ID] = n
		ns.Changed(n.ID)
	}
	ns.Shift(n)
}

// Sorted returns all nodes but the session's, including those without a state yet
// and those that are leaving, in an order that is the same in each run.
func (ns *Table) Sorted() []*Node {
	return ns.SortedIf(func(*Node) bool { return true })
}

// SortedIf returns those of Sorted for which is reports true.
func (ns *Table) SortedIf(is func(n *Node) bool) []*Node {
	var all []*Node
	for i := range ns.Slots {
		if n := ns.Slots[i].node; n != nil && n != ns.Session && n.Entity == ns.Slots[i].entity && is(n) {
			all = append(all, n)
		}
	}
	slices.SortStableFunc(all, func(a, b *Node) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// SortByID sorts nodes by id, those without one yet last, as they came.
func SortByID(ns []*Node) {
	slices.SortStableFunc(ns, func(a, b *Node) int {
		if a.ID == 0 || b.ID == 0 {
			return cmp.Compare(b.ID, a.ID)
		}
		return cmp.Compare(a.ID, b.ID)
	})
}

// OwnedBy returns the nodes that a peer owns, in the order of Sorted, without a look at others.
func (ns *Table) OwnedBy(p rpl.Peer) []*Node {
	var all []*Node
	for n := range ns.owned[p] {
		if ns.Of(n.Entity) == n {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Entity.Id(), b.Entity.Id()))
	})
	return all
}

// noteOwner puts a node among those of its next owner.
func (ns *Table) noteOwner(n *Node, next rpl.Peer) {
	if of := ns.owned[n.Owner]; of != nil {
		if delete(of, n); len(of) == 0 {
			delete(ns.owned, n.Owner)
		}
	}
	if next == 0 {
		return
	}
	if ns.owned == nil {
		ns.owned = make(map[rpl.Peer]map[*Node]struct{})
	}
	if ns.owned[next] == nil {
		ns.owned[next] = make(map[*Node]struct{})
	}
	ns.owned[next][n] = struct{}{}
}

// Forget removes a node from the tables; its entities stay. Of the nodes below it, which are
// at the top from now on, report is called.
func (ns *Table) Forget(n *Node, report func(c *Node)) {
	ns.Ended(n)
	ns.ClearSlot(n.Entity)
	for _, p := range n.Parts() {
		ns.ClearSlot(p)
		ns.Regrouped = true
	}
	ns.Unbind(n)
	ns.noteOwner(n, 0)
	ns.SetStand(n, nil)
	for c := range n.Kids {
		c.Parent = nil
		ns.ShowParent(c)
		report(c)
	}
	n.below = nil
	ns.unlink(n)
}

// Rest keeps a load-time node in the tables that Forget has removed from them: hidden, without an owner, and bound to
// its name alone. Nothing that is known of one life holds for the next. But the game's wishes of the entity, as whether
// it is predicted, last as long as that, and a list that the node is in (Moves) is left where it is next looked through.
func (ns *Table) Rest(n *Node) {
	n.ID, n.Items, n.OnProxy = 0, nil, OnProxy{Hidden: n.Hidden, Moves: n.Moves}
	ns.SetOwner(n, 0)
	ns.ShowParent(n)
	n.Here, n.ReportedParent, n.ReportedOwner, n.Why, n.Leapt, n.Predicted = false, donburi.Null, 0, Removed, 0, nil
	ns.Add(n)
}

// Unbind removes a node's id from the table.
func (ns *Table) Unbind(n *Node) {
	if ns.ByID[n.ID] == n {
		delete(ns.ByID, n.ID)
		ns.Changed(n.ID)
	}
	ns.Shift(n)
}

// SetOwner records the owner, in the node and in components.Owner.
func (ns *Table) SetOwner(n *Node, p rpl.Peer) {
	ns.noteOwner(n, p)
	n.Owner = p
	if ns.World.Valid(n.Entity) {
		if e := ns.World.Entry(n.Entity); e.HasComponent(components.Owner) {
			components.Owner.SetValue(e, components.OwnerData{Peer: p})
		}
	}
}

// DriverOf returns the owner of an entity's node, 0 if it has none or is no node.
func (ns *Table) DriverOf(e *donburi.Entry) rpl.Peer {
	if n := ns.Of(e.Entity()); n != nil {
		return n.Owner
	}
	return 0
}
