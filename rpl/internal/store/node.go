package store

import (
	"fmt"
	"math"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/pages"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Node is one entry of the authority's table: two cache lines, of which the first holds what
// most ticks read.
type Node struct {
	ID        ids.Node
	active    uint32 // on the active list if this is the round in progress
	Used      bool
	Judge     bool // on the list of the judged: Stream must judge its relevance again
	Transient bool // its state is never sent after its arrival
	Shared    bool // sharers hold it by its SharedHandle
	Holders   []Holder
	rows      few[uint32]
	Layout    *wire.NodeLayout

	Parent       uint32 // slot; 0 (the session's) means none
	Owner        ids.Peer
	Born         uint32 // Store.Send when it was made: until that changes, Stream has not decided on it
	PosItem      int16  // ordinal of the item that says where the node is, or -1
	items        few[itemSlot]
	Spawn        spawned
	rare         *rare // nil for most
	SharedHandle uint32
	Sharers      uint32
}

// Rows are the node's rows, item by item.
func (n *Node) Rows() []uint32 { return n.rows.all() }

// Items are the node's items by ordinal, NoSlot where one was removed.
func (n *Node) Items() []itemSlot { return n.items.all() }

// A rare is what few nodes have.
type rare struct {
	children []uint32
	past     []tenure // former owners, newest last
	Groups   uint64
	Leapt    ids.Tick // when it was last somewhere else without a way there, 0 for never
	Early    uint32   // Store.Send when a call on it was last left to RouteEarly
	EarlyAll bool     // calls that are early are for all its peers, also for those that were sent it
	Hidden   bool     // its tree, of which it is the top, is hidden from a peer
	ChildAt  uint32   // its index among the parent's children
	ownedAt  uint32   // its index among the nodes of its owner
}

// noRare is what all other nodes have of that. Nobody writes it.
var noRare = &rare{Early: never}

// RareView is what the node has of what few nodes have, to be read only: most nodes share it.
func (n *Node) RareView() *rare {
	if n.rare == nil {
		return noRare
	}
	return n.rare
}

// RareToWrite is the same to be written: the node has it for itself from then on.
func (n *Node) RareToWrite() *rare {
	if n.rare == nil {
		n.rare = &rare{Early: never}
	}
	return n.rare
}

// never is no send.
const never = math.MaxUint32

// begin begins a node in a slot that another may have had.
func (n *Node) begin() {
	if r := n.rare; r != nil {
		*r = rare{children: r.children[:0], past: r.past[:0], Early: never}
	}
}

// Children are the slots of the nodes below a node.
func (n *Node) Children() []uint32 { return n.RareView().children }

// spawned is what a node keeps of its Spawn.
type spawned struct {
	*Origin
	Streaming
}

// An Origin is how a node was made.
type Origin struct {
	Prefab *schema.PrefabType
	Args   []byte
	Name   string
}

// plain is the Origin of what was made from its items alone.
var plain = &Origin{}

// Spawn describes a node to be made.
type Spawn struct {
	Prefab    *schema.PrefabType // nil: the node is made from its items alone
	Args      []byte             // given to the prefab's function, sent once; at most MaxArgs bytes
	Name      string             // of a load-time node; at most MaxName bytes
	Items     []*schema.ItemType // by ordinal, nil for an ordinal that stays free; at most MaxItems
	Parent    ids.Node
	Owner     ids.Peer
	Transient bool // its state is never sent after its arrival
	Streaming
}

// Spawn makes a node, and returns its slot.
func (st *Store) Spawn(s *Spawn) (uint32, error) {
	switch {
	case len(s.Items) > wire.MaxItems:
		return 0, fmt.Errorf("rpl: node with %d items, at most %d: %w; split it into parent and children", len(s.Items), wire.MaxItems, ids.ErrLimit)
	case len(s.Args) > wire.MaxArgs:
		return 0, fmt.Errorf("rpl: prefab %s with %d bytes of arguments, at most %d: %w; replicate them in a component", s.prefabName(), len(s.Args), wire.MaxArgs, ids.ErrTooLong)
	case len(s.Name) > wire.MaxName:
		return 0, fmt.Errorf("rpl: name %q has %d bytes, at most %d: %w", s.Name[:wire.MaxName], len(s.Name), wire.MaxName, ids.ErrTooLong)
	}
	if err := s.Check(); err != nil {
		return 0, fmt.Errorf("rpl: %w", err)
	}
	var parent uint32
	if s.Parent != 0 {
		p, ok := st.Slot(s.Parent)
		if !ok {
			return 0, fmt.Errorf("rpl: parent %v: %w", s.Parent, ids.ErrNoNode)
		}
		parent = p
	}
	l, err := st.layoutOf(s)
	if err != nil {
		return 0, err
	}
	slot, err := st.newSlot()
	if err != nil {
		return 0, err
	}
	n := &st.Nodes[slot]
	n.Used, n.Layout, n.Transient = true, l, s.Transient
	n.begin()
	st.setOwner(slot, s.Owner)
	l.Nodes++
	n.Spawn = spawned{plain, s.Complete()}
	if s.Prefab != nil || len(s.Args) > 0 || s.Name != "" {
		n.Spawn.Origin = &Origin{s.Prefab, slices.Clone(s.Args), s.Name}
	}
	n.PosItem, n.Born = -1, st.Send
	n.Judge, n.active = false, 0
	st.Space.Positions[slot] = spatial.Position{Cell: -1}
	n.items.clear()
	n.rows.clear()
	n.Holders = n.Holders[:0]
	for ord, t := range s.Items {
		if t != nil {
			st.newItem(slot, ord, t)
		} else {
			n.items.add(NoSlot)
		}
	}
	st.SetParent(slot, parent)
	return slot, nil
}

func (s *Spawn) prefabName() string {
	if s.Prefab == nil {
		return "(none)"
	}
	return s.Prefab.Name
}

// newSlot returns a slot for a new node, with the node's id in it.
func (st *Store) newSlot() (uint32, error) {
	if n := len(st.FreeSlots); n > 0 {
		slot := st.FreeSlots[n-1]
		st.FreeSlots = st.FreeSlots[:n-1]
		st.spare.trim.took(n - 1)
		st.Nodes[slot].ID = ids.MakeNode(slot, st.Nodes[slot].ID.Tenant()+1)
		return slot, nil
	}
	if len(st.Nodes) >= wire.MaxNodes {
		return 0, fmt.Errorf("rpl: %d nodes: %w; keep what nobody needs as local entities", wire.MaxNodes, ids.ErrLimit)
	}
	slot := uint32(len(st.Nodes))
	st.Nodes = pages.Append(st.Nodes, Node{ID: ids.MakeNode(slot, 1)})
	st.Space.Positions = pages.Append(st.Space.Positions, spatial.Position{Cell: -1})
	return slot, nil
}

// Slot returns the slot of a node that exists.
func (st *Store) Slot(n ids.Node) (uint32, bool) {
	s := n.Slot()
	if n == 0 || int(s) >= len(st.Nodes) || st.Nodes[s].ID != n || !st.Nodes[s].Used {
		return 0, false
	}
	return s, true
}

// IsPlain reports whether a node is of the usual kind, of which a peer reads only its
// row: one row that everyone sees, not transient, without a rate of its own.
func (st *Store) IsPlain(n *Node) bool {
	return len(n.Rows()) == 1 && st.Rows[n.Rows()[0]].Type.Audience == ids.Everyone && !n.Transient && n.Spawn.Hz == 0
}

// newItem makes an item of a node, with its rows. The caller sets the layout.
func (st *Store) newItem(slot uint32, ord int, t *schema.ItemType) itemSlot {
	var it itemSlot
	if free := st.spare.items[t.Index]; len(free) > 0 {
		it = free[len(free)-1]
		st.spare.items[t.Index] = free[:len(free)-1]
	} else {
		it = itemSlot(len(st.Items))
		sh := &st.shadows[t.Index]
		st.Items = pages.Append(st.Items, item{Type: t, tenant: 1, shadow: len(*sh)})
		if k := len(st.typesOf[t.Index]); k > 1 {
			rows := make([]uint32, k)
			st.Items[it].many = &rows
		}
		st.Hots = pages.Append(st.Hots, hot{})
		*sh = append(*sh, make([]byte, t.ShadowSize)...)
	}
	m := &st.Items[it]
	m.Node, m.Ord = slot, uint8(ord)
	n, rows := &st.Nodes[slot], m.Rows()
	for k, rt := range st.typesOf[t.Index] {
		rows[k] = st.newRow(rt, slot)
	}
	n.rows.add(rows...)
	for len(n.Items()) <= ord {
		n.items.add(NoSlot)
	}
	n.Items()[ord] = it
	if t.Pos[0] >= 0 && n.PosItem < 0 {
		n.PosItem = int16(ord)
	}
	st.warm(it)
	return it
}

// Finish has a node's rows hold what they were last given, so that it can be sent of a node
// that is removed: no walk reads them any more.
func (st *Store) Finish(slot uint32) {
	for _, it := range st.Nodes[slot].Items() {
		if it != NoSlot {
			st.unwalk(it)
		}
	}
}

// LedTo returns to which ticks since the newest send a version of a row leads as the row is now, for
// a peer that had the version as it was at tick: bit i stands for i ticks ago, 0 for none.
func (st *Store) LedTo(r *Row, ver, tick uint32) (ticks uint64) {
	if r.Vars != nil && !r.SameVars(ver) {
		return 0
	}
	t, now := r.Type, st.Slabs[r.Type.Index].Now(r.Block)
	words, at := st.Version(r, ver)
	if before := tick - at; before != 0 {
		words = st.Advanced(t, words, before)
	}
	for i := range min(1+uint32(st.Tick)-max(uint32(st.Sent), tick), 64) {
		if t.IsAsPredicted(words, now, uint32(st.Tick)-i-tick) {
			ticks |= 1 << i
		}
	}
	return ticks
}

// Remove forgets a node that no peer holds any more and that has no children.
func (st *Store) Remove(slot uint32) {
	nd := &st.Nodes[slot]
	st.unlink(slot)
	st.setOwner(slot, 0)
	for _, it := range nd.Items() {
		if it != NoSlot {
			st.freeItem(it)
		}
	}
	for _, r := range nd.Rows() {
		st.freeRow(r)
	}
	nd.Used = false
	st.audience.seen.Clear(slot)
	nd.Layout.Nodes--
	nd.Spawn = spawned{}
	if nd.ID.Tenant() < math.MaxUint32 { // else the slot stays unused: one more tenant would repeat a Node
		st.FreeSlots = append(st.FreeSlots, slot)
	}
}

// freeItem lets another item have an item's slot.
func (st *Store) freeItem(it itemSlot) {
	st.outOfColumn(it)
	m := &st.Items[it]
	if m.tenant++; m.tenant == 0 {
		m.tenant = 1 // whoever kept a name from then has had 65,535 items to notice
	}
	st.spare.items[m.Type.Index] = append(st.spare.items[m.Type.Index], it)
}

// AddItem gives a node one more item, at the lowest free ordinal not below from.
func (st *Store) AddItem(slot uint32, t *schema.ItemType, from int) (itemSlot, error) {
	nd := &st.Nodes[slot]
	ord := nd.freeOrdinal(from)
	if ord >= wire.MaxItems {
		return 0, fmt.Errorf("rpl: %v has %d items: %w", nd.ID, wire.MaxItems, ids.ErrLimit)
	}
	items := append([]int(nil), nd.Layout.Items...)
	if ord == len(items) {
		items = append(items, 0)
	}
	items[ord] = t.Index
	l, err := st.layout(nd.Layout.Prefab, items)
	if err != nil {
		return 0, err
	}
	it := st.newItem(slot, ord, t)
	st.orderRows(nd)
	st.NoteSecrets(slot)
	st.relayout(nd, l)
	return it, nil
}

// freeOrdinal returns the lowest free ordinal not below from, or the lowest of all if
// that would be beyond MaxItems.
func (n *Node) freeOrdinal(from int) int {
	from = max(0, min(from, len(n.Items())))
	ord := slices.Index(n.Items()[from:], NoSlot)
	switch {
	case ord >= 0:
		return from + ord
	case len(n.Items()) >= wire.MaxItems && slices.Contains(n.Items(), NoSlot):
		return slices.Index(n.Items(), NoSlot)
	}
	return len(n.Items())
}

// RemoveItem takes an item away from its node, and reports whether it said where the node is.
func (st *Store) RemoveItem(it itemSlot) (wasPlace bool, err error) {
	m := &st.Items[it]
	nd := &st.Nodes[m.Node]
	items := append([]int(nil), nd.Layout.Items...)
	items[m.Ord] = -1
	l, err := st.layout(nd.Layout.Prefab, items)
	if err != nil {
		return false, err
	}
	nd.Items()[m.Ord] = NoSlot
	wasPlace = nd.PosItem == int16(m.Ord)
	for _, r := range m.Rows() {
		st.freeRow(r)
	}
	st.freeItem(it)
	if wasPlace {
		st.placeByNext(nd)
	}
	st.orderRows(nd)
	st.relayout(nd, l)
	return wasPlace, nil
}

// orderRows sorts a node's rows by the order of its items.
func (st *Store) orderRows(n *Node) {
	n.rows.clear()
	for _, it := range n.Items() {
		if it != NoSlot {
			n.rows.add(st.Items[it].Rows()...)
		}
	}
}
