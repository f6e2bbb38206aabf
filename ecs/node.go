package ecs

// node: what this machine knows of one node, and the tables that lead from entities and
// ids to nodes.

import (
	"cmp"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/callqueue"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// A nodeTable leads from entities and ids to nodes.
type nodeTable struct {
	world      donburi.World
	components []*component      // the protocol's, in order
	changed    func(id rpl.Node) // is told of ids that come and go

	session   *node  // the session's own
	slots     []slot // by entity id
	byID      map[rpl.Node]*node
	parts     map[donburi.Entity][]donburi.Entity // by the entity that they are parts of, until that is a node
	ended     func(n *node)                       // told of nodes that have ended
	regrouped bool                                // a part may have changed its node, or lost it, since the last look
}

// A slot is one entity and the node that it is, or is a part of.
type slot struct {
	entity donburi.Entity
	node   *node
	plan   uint32 // on the authority: the plan in which the components last stood …
	row    uint32 // … and in which row
}

// A node is an entity and the parts that share the node, on the authority and on proxies.
type node struct {
	id       rpl.Node // 0 while a load-time node of a client is not bound
	entity   donburi.Entity
	name     string // of a load-time node
	data     components.NodeData
	owner    rpl.Peer
	parent   *node
	children []*node // in the order in which they came, nil where one has gone: see kids
	gaps     int     // how many of children are nil
	nth      int     // its index among the parent's children
	parts    []donburi.Entity
	groups   uint64           // on the authority: the groups that it was added to, a bit for each
	items    []binding        // by ordinal
	built    []place          // by ordinal: what it was built with, if it has parts
	spares   []donburi.Entity // on a proxy: parts that stand for parts which came later on the authority
	inPlace  bool             // on a proxy: it is in Replication.inPlace
	ending   bool             // on the authority: endNode is at work on it
	here     bool             // OnStreamIn has run

	toldParent donburi.Entity // the parent and the owner that OnParent and OnOwner have told of
	toldOwner  rpl.Peer

	calls callqueue.List
	batch uint32 // the batch of callbacks in which it last took a turn
	turn  int

	predicted *predicted // on a client that predicts it
	asked     bool       // the game has said that it is predicted

	onProxy
}

// A binding is one item: a replicated component of the node's entity or of a
// part's.
type binding struct {
	comp   *component // nil where the item was removed
	entity donburi.Entity
	item   rpl.Item     // on the authority
	watch  *watch       // if OnChange is set for the component
	track  *track.Track // on a proxy, if it is drawn between samples
	refers *referrer    // on a proxy, if it may refer to nodes
	memory *memory      // in debug mode
	seen   rpl.Tick     // on the authority: when an explicit item was last extracted
}

// An origin is how a node was made: by a prefab with its arguments, under a name, or by
// neither.
type origin struct {
	prefab *prefab
	args   []byte
	name   string
}

// entities returns the node's own entity and its parts.
func (n *node) entities() []donburi.Entity {
	return append([]donburi.Entity{n.entity}, n.parts...)
}

// withNode adds the components of every node to a set.
func withNode(cs []donburi.IComponentType) []donburi.IComponentType {
	all := slices.Clone(cs)
	for _, c := range []donburi.IComponentType{components.RplNode, components.Owner, components.Parent} {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// nodeOf returns the node that an entity is, or is a part of; nil if there is none, the
// entity has gone, or it belongs to another world.
func (ns *nodeTable) of(e donburi.Entity) *node {
	if id := int(e.Id()); id < len(ns.slots) && ns.slots[id].entity == e && e != donburi.Null {
		return ns.slots[id].node
	}
	return nil
}

func (ns *nodeTable) setSlot(e donburi.Entity, n *node) {
	for int(e.Id()) >= len(ns.slots) {
		ns.slots = append(ns.slots, slot{})
	}
	ns.slots[e.Id()] = slot{entity: e, node: n}
}

func (ns *nodeTable) clearSlot(e donburi.Entity) {
	if ns.of(e) != nil {
		ns.slots[e.Id()] = slot{}
	}
}

// NodeOf and EntityOf let the core translate references between entities and nodes.
func (ns *nodeTable) NodeOf(e uint64) rpl.Node {
	if n := ns.of(donburi.Entity(e)); n != nil && !n.leaving {
		return n.id
	}
	return 0
}

func (ns *nodeTable) EntityOf(id rpl.Node) uint64 {
	if n := ns.byID[id]; n != nil && !n.leaving {
		return uint64(n.entity)
	}
	return 0
}

var _ rpl.Refs = (*nodeTable)(nil)

func (ns *nodeTable) add(n *node) {
	ns.setSlot(n.entity, n)
	for _, p := range n.parts {
		ns.setSlot(p, n)
		ns.regrouped = true
	}
	if n.id != 0 {
		ns.byID[n.id] = n
		ns.changed(n.id)
	}
}

// sortedNodes returns all nodes but the session's, including those without a state yet
// and those that are leaving, in an order that is the same in each run.
func (ns *nodeTable) sorted() []*node {
	return ns.sortedIf(func(*node) bool { return true })
}

func (ns *nodeTable) sortedIf(is func(n *node) bool) []*node {
	var all []*node
	for i := range ns.slots {
		if n := ns.slots[i].node; n != nil && n != ns.session && n.entity == ns.slots[i].entity && is(n) {
			all = append(all, n)
		}
	}
	slices.SortStableFunc(all, func(a, b *node) int { return cmp.Compare(a.id, b.id) })
	return all
}

// forget removes a node from the tables; its entities stay. Of the nodes below it, which are
// at the top from now on, tell is told.
func (ns *nodeTable) forget(n *node, tell func(c *node)) {
	ns.ended(n)
	ns.clearSlot(n.entity)
	for _, p := range n.parts {
		ns.clearSlot(p)
		ns.regrouped = true
	}
	ns.unbind(n)
	for c := range n.kids {
		c.parent = nil
		ns.showParent(c)
		tell(c)
	}
	n.children, n.gaps = nil, 0
	ns.unlink(n)
}

// unbind removes a node's id from the table.
func (ns *nodeTable) unbind(n *node) {
	if ns.byID[n.id] == n {
		delete(ns.byID, n.id)
		ns.changed(n.id)
	}
}

// linkTo puts a node under another, or at the top for nil, in this machine's tree and in
// components.Parent.
func (ns *nodeTable) linkTo(n, parent *node) {
	ns.unlink(n)
	n.parent = parent
	if parent != nil {
		n.nth, parent.children = len(parent.children), append(parent.children, n)
	}
	ns.showParent(n)
}

// unlink takes a node from under its parent. It leaves a gap among the parent's children,
// which close up when half of them are gaps: thousands may go, one after the other.
func (ns *nodeTable) unlink(n *node) {
	up := n.parent
	if up == nil {
		return
	}
	n.parent, up.children[n.nth] = nil, nil
	if up.gaps++; up.gaps <= len(up.children)/2 {
		return
	}
	kept := up.children[:0]
	for c := range up.kids {
		c.nth, kept = len(kept), append(kept, c)
	}
	clear(up.children[len(kept):])
	up.children, up.gaps = kept, 0
}

// kids are the nodes directly below a node.
func (n *node) kids(yield func(*node) bool) {
	for _, c := range n.children {
		if c != nil && !yield(c) {
			return
		}
	}
}

func (ns *nodeTable) showParent(n *node) {
	if !ns.world.Valid(n.entity) {
		return
	}
	var to donburi.Entity
	if n.parent != nil {
		to = n.parent.entity
	}
	if e := ns.world.Entry(n.entity); e.HasComponent(components.Parent) {
		components.Parent.SetValue(e, components.ParentData{Entity: to})
	}
}

// binding returns the item that a component of an entity is, nil if it is none.
func (n *node) binding(c *component, ent donburi.Entity) *binding {
	for i := range n.items {
		if b := &n.items[i]; b.comp == c && b.entity == ent {
			return b
		}
	}
	return nil
}

// setOwner records the owner, in the node and in components.Owner.
func (ns *nodeTable) setOwner(n *node, p rpl.Peer) {
	n.owner = p
	if ns.world.Valid(n.entity) {
		if e := ns.world.Entry(n.entity); e.HasComponent(components.Owner) {
			components.Owner.SetValue(e, components.OwnerData{Peer: p})
		}
	}
}
