package nodes

// node: what this machine knows of one node, and the tables that lead from entities and ids
// to nodes.

import (
	"cmp"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/callqueue"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/ecs/internal/references"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// OnProxy is the part of a node that only a client needs.
type OnProxy struct {
	Replica *rpl.Replica
	Until   rpl.Tick // tick of its removal: not drawn from then on
	Hidden  bool
	Orphan  bool    // its parent is not known, or not here, and so its place is not: not drawn
	Leaving bool    // removed on the wire; stays until drawn time reaches the removal
	Moves   bool    // it is among those that predicted rules see set on
	Former  *Former // where it hung before, as long as it is drawn there
}

// IsOwnNow reports whether this machine decides about an item of a proxy since it arrived. For
// a transient node only copies of the arrival come later, with what the authority's node is
// like by then. An item of several parts may also be told anew because rights have changed.
func (n *Node) IsOwnNow(ord int) bool {
	b := &n.Items[ord]
	return n.Data.Transient && b.Comp != nil && len(b.Comp.Item.Parts) == 1
}

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
	Regrouped bool                                // a part may have changed its node, or lost it, since the last look

	owned map[rpl.Peer]map[*Node]struct{} // nodes by their owners
	then  map[*Node]*Node                 // in a Rewind: the parents of nodes that hung elsewhere
}

// A Slot is one entity and the node that it is, or is a part of.
type Slot struct {
	entity donburi.Entity
	node   *Node
	Plan   uint32 // on the authority: the plan in which the components last stood …
	Row    uint32 // … and in which row
}

// A Node is an entity and the parts that share the node, on the authority and on proxies. A
// world has a hundred thousand: what few nodes have stands behind a pointer.
type Node struct {
	ID     rpl.Node // 0 while a load-time node of a client is not bound
	Entity donburi.Entity
	Name   string // of a load-time node
	Data   components.NodeData
	Owner  rpl.Peer
	nth    int32 // its index among the parent's children
	Parent *Node
	below  *children
	made   *assembly
	Groups uint64    // on the authority: the groups that it was added to, a bit for each
	Items  []Binding // by ordinal

	InPlace bool    // on a proxy: inplace.Painter writes drawn values into its component
	Ending  bool    // on the authority: EndNode is at work on it
	Here    bool    // OnStreamIn has run
	Unseen  bool    // in a Rewind: it was not on the caller's screen
	Asked   bool    // the game has said that it is predicted
	Waits   bool    // the game has said that it is not, although it is this player's
	Awaited bool    // this machine has made it before the authority has told of it
	Why     Reason  // it ends, or has ended
	Extent  float32 // on the authority: how far it reaches, as the core knows it; below 0: nothing that counts

	From           rpl.Tick // when it was made; on a proxy the tick of its first sample: not drawn before
	Leapt          rpl.Tick // when the game last said that it leapt: on the authority, and where it is predicted
	ReportedOwner  rpl.Peer // the owner and the parent that OnOwner and OnParent have told of
	ReportedParent donburi.Entity

	Calls callqueue.List
	Batch uint32 // the batch of callbacks in which it last took a place in the order
	Order int32

	Predicted *predict.Node // on a client that predicts it
	Spawned   rpl.Node      // stands for it in the names of what its commands do (predict.Name.Spawned), of what a command has spawned

	OnProxy
}

// children are the nodes directly below a node.
type children struct {
	all  []*Node // in the order in which they came, nil where one has gone: see Kids
	gaps int     // how many of all are nil
}

// A Binding is one item: a replicated component of the node's entity or of a
// part's.
type Binding struct {
	Comp     *Component // nil where the item was removed
	Entity   donburi.Entity
	Item     rpl.Item     // on the authority
	Reported *Reported    // if OnChange is set for the component
	Track    *track.Track // on a proxy, if it is drawn between samples
	Refers   *Referrer    // on a proxy, if it may refer to nodes
	Memory   *Memory      // in debug mode
	Seen     rpl.Tick     // on the authority: when an explicit item was last extracted
}

// An Origin is how a node was made: by a prefab with its arguments, under a name, or by
// neither.
type Origin struct {
	Prefab *Prefab
	Args   []byte
	Name   string
}

// RunsAs is the node in the names of what its commands do: the same on its owner's machine and on
// the authority, from its first tick to its last.
func (n *Node) RunsAs() rpl.Node {
	if n.Spawned != 0 {
		return n.Spawned
	}
	return n.ID
}

// Entities returns the node's own entity and its parts.
func (n *Node) Entities() []donburi.Entity {
	return append([]donburi.Entity{n.Entity}, n.Parts()...)
}

// WithNode adds the components of every node to a set.
func WithNode(cs []donburi.IComponentType) []donburi.IComponentType {
	all := slices.Clone(cs)
	for _, c := range []donburi.IComponentType{components.RplNode, components.Owner, components.Parent} {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
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

func (ns *Table) SetSlot(e donburi.Entity, n *Node) {
	for int(e.Id()) >= len(ns.Slots) {
		ns.Slots = append(ns.Slots, Slot{})
	}
	ns.Slots[e.Id()] = Slot{entity: e, node: n}
}

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
	for c := range n.Kids {
		c.Parent = nil
		ns.ShowParent(c)
		report(c)
	}
	n.below = nil
	ns.unlink(n)
}

// Unbind removes a node's id from the table.
func (ns *Table) Unbind(n *Node) {
	if ns.ByID[n.ID] == n {
		delete(ns.ByID, n.ID)
		ns.Changed(n.ID)
	}
	ns.Shift(n)
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

// Binding returns the item that a component of an entity is, nil if it is none.
func (n *Node) Binding(c *Component, ent donburi.Entity) *Binding {
	for i := range n.Items {
		if b := &n.Items[i]; b.Comp == c && b.Entity == ent {
			return b
		}
	}
	return nil
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

// A Referrer is an item that may refer to nodes.
type Referrer = references.Referrer[ItemOf]

// ItemOf names an item of a proxy.
type ItemOf struct {
	Node *Node
	Ord  int
}

// DriverOf returns the owner of an entity's node, 0 if it has none or is no node.
func (ns *Table) DriverOf(e *donburi.Entry) rpl.Peer {
	if n := ns.Of(e.Entity()); n != nil {
		return n.Owner
	}
	return 0
}
