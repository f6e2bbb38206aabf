package ecs

// node: what this machine knows of one node, and the tables that lead from entities and
// ids to nodes.

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
)

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

	calls callList
	batch uint32 // the batch of callbacks in which it last took a turn
	turn  int

	onProxy
}

// A binding is one item: a replicated component of the node's entity or of a
// part's.
type binding struct {
	comp   *component // nil where the item was removed
	entity donburi.Entity
	item   rpl.Item  // on the authority
	watch  *watch    // if OnChange is set for the component
	track  *track    // on a proxy, if it is drawn between samples
	refers *referrer // on a proxy, if it may refer to nodes
	memory *memory   // in debug mode
	seen   rpl.Tick  // on the authority: when an explicit item was last extracted
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
func (r *Replication) nodeOf(e donburi.Entity) *node {
	if id := int(e.Id()); id < len(r.slots) && r.slots[id].entity == e && e != donburi.Null {
		return r.slots[id].node
	}
	return nil
}

func (r *Replication) setSlot(e donburi.Entity, n *node) {
	for int(e.Id()) >= len(r.slots) {
		r.slots = append(r.slots, slot{})
	}
	r.slots[e.Id()] = slot{entity: e, node: n}
}

func (r *Replication) clearSlot(e donburi.Entity) {
	if r.nodeOf(e) != nil {
		r.slots[e.Id()] = slot{}
	}
}

// makeNode makes an entity a node of the authority. An entity that cannot be made a node
// stays local; that is reported, and tried again in later steps.
func (r *Replication) makeNode(e *donburi.Entry, o origin) *node {
	ent := e.Entity()
	if n := r.nodeOf(ent); n != nil && !r.endLeft(n, e) {
		r.refuse("node made twice", errNodeTwice)
		return nil
	}
	if o.prefab == nil && o.name == "" {
		o = r.unmade[ent].origin // the entity was found by its RplNode, and could not be made a node before
	}
	add(e, components.RplNode, components.Owner, components.Parent)
	if data := components.RplNode.Get(e); o.prefab != nil && *data == (components.NodeData{}) {
		*data = o.prefab.node
	}
	n := &node{entity: ent, name: o.name, data: *components.RplNode.Get(e), parts: r.parts[ent]}
	s := rpl.Spawn{
		Args: o.args, Name: o.name, Transient: n.data.Transient, Streaming: streaming(&n.data),
	}
	if o.prefab != nil {
		s.Prefab = o.prefab.wire
	}
	n.built = r.builtWith(n)
	n.items = n.byOrdinal(r.bindings(n))
	for _, b := range n.items {
		var t *rpl.ItemType
		if b.comp != nil {
			t = b.comp.item
		}
		s.Items = append(s.Items, t)
	}
	id, err := r.auth.Spawn(s)
	if err != nil {
		r.notMade(e, o, n.data, err)
		return nil
	}
	delete(r.unmade, ent)
	delete(r.parts, ent)
	n.id = id
	for i := range n.items {
		n.items[i].item, _ = r.auth.Item(id, i)
		r.startWatch(&n.items[i], o.prefab == nil && o.name == "")
	}
	r.addNode(n)
	r.setOwner(n, 0) // the entity may have been another node before
	r.showParent(n)
	r.fresh, r.made = append(r.fresh, n), append(r.made, n)
	return n
}

func (r *Replication) addNode(n *node) {
	r.setSlot(n.entity, n)
	for _, p := range n.parts {
		r.setSlot(p, n)
		r.regrouped = true
	}
	if n.id != 0 {
		r.byID[n.id] = n
		r.markReferrers(n.id)
	}
}

// sortedNodes returns all nodes but the session's, including those without a state yet
// and those that are leaving, in an order that is the same in each run.
func (r *Replication) sortedNodes() []*node {
	return r.sortedNodesIf(func(*node) bool { return true })
}

func (r *Replication) sortedNodesIf(is func(n *node) bool) []*node {
	var ns []*node
	for i := range r.slots {
		if n := r.slots[i].node; n != nil && n != r.session && n.entity == r.slots[i].entity && is(n) {
			ns = append(ns, n)
		}
	}
	slices.SortStableFunc(ns, func(a, b *node) int { return cmp.Compare(a.id, b.id) })
	return ns
}

// forget removes a node from the tables; its entities stay.
func (r *Replication) forget(n *node) {
	r.clearSlot(n.entity)
	for _, p := range n.parts {
		r.clearSlot(p)
		r.regrouped = true
	}
	r.unreferAll(n)
	r.unbind(n)
	for c := range n.kids {
		c.parent = nil
		r.showParent(c)
		r.tellParent(c)
	}
	n.children, n.gaps = nil, 0
	r.unlink(n)
}

// unbind removes a node's id from the table.
func (r *Replication) unbind(n *node) {
	if r.byID[n.id] == n {
		delete(r.byID, n.id)
		r.markReferrers(n.id)
	}
}

// linkTo puts a node under another, or at the top for nil, in this machine's tree and in
// components.Parent.
func (r *Replication) linkTo(n, parent *node) {
	r.unlink(n)
	n.parent = parent
	if parent != nil {
		n.nth, parent.children = len(parent.children), append(parent.children, n)
	}
	r.showParent(n)
}

// unlink takes a node from under its parent. It leaves a gap among the parent's children,
// which close up when half of them are gaps: thousands may go, one after the other.
func (r *Replication) unlink(n *node) {
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

func (r *Replication) showParent(n *node) {
	if !r.world.Valid(n.entity) {
		return
	}
	var to donburi.Entity
	if n.parent != nil {
		to = n.parent.entity
	}
	if e := r.world.Entry(n.entity); e.HasComponent(components.Parent) {
		components.Parent.SetValue(e, components.ParentData{Entity: to})
	}
}

// setOwner records the owner, in the node and in components.Owner.
func (r *Replication) setOwner(n *node, p rpl.Peer) {
	n.owner = p
	if r.world.Valid(n.entity) {
		if e := r.world.Entry(n.entity); e.HasComponent(components.Owner) {
			components.Owner.SetValue(e, components.OwnerData{Peer: p})
		}
	}
}

// component returns where an item's component is now, nil if it has gone.
func (r *Replication) component(b *binding) (*donburi.Entry, unsafe.Pointer) {
	if b.comp == nil || !r.world.Valid(b.entity) {
		return nil, nil
	}
	e := r.world.Entry(b.entity)
	if !e.HasComponent(b.comp.c) {
		return nil, nil
	}
	return e, e.Component(b.comp.c)
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
