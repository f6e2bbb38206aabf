package rpl

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/pages"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// node is one entry of the authority's table: four cache lines, of which the first
// holds what most ticks read.
type node struct {
	id        Node
	active    uint32 // on the active list if this is Authority.round
	used      bool
	judge     bool // on Authority.judged: Stream must judge its relevance again
	transient bool // its state is never sent after its arrival
	shared    bool // sharers hold it by the handle common
	holders   []holder
	rows      []uint32

	parent   uint32 // slot; 0 (the session's) means none
	childAt  uint32 // its index among the parent's children
	owner    Peer
	born     uint32 // value of Authority.send when it was made: until that changes, Stream has not decided on it
	posItem  int16  // ordinal of the item that says where the node is, or -1
	earlyAll bool   // calls that are early are for all its peers, also for those that were told of it
	early    uint32 // value of Authority.send when a call on it was last left to routeEarly
	groups   uint64
	layout   *wire.NodeLayout
	items    []itemSlot // by ordinal; noItem where removed
	children []uint32
	past     []tenure // former owners, newest last
	spawn    spawned
	common   uint32
	sharers  uint32
	_        [8]byte
}

// spawned is what a node keeps of its Spawn.
type spawned struct {
	Prefab *PrefabType
	Args   []byte
	Name   string
	Streaming
}

// A holder is a peer to which the node is relevant. handle is noHandle until the node's
// arrival is first planned.
type holder struct {
	peer   int32
	handle uint32
	since  time.Duration // when the peer began to want it, on the caller's clock
}

// Spawn describes a node to be made.
type Spawn struct {
	Prefab    *PrefabType // nil: the node is made from its items alone
	Args      []byte      // given to the prefab's function, sent once; at most MaxArgs bytes
	Name      string      // of a load-time node; at most MaxName bytes
	Items     []*ItemType // by ordinal, nil for an ordinal that stays free; at most MaxItems
	Parent    Node
	Owner     Peer
	Transient bool // its state is never sent after its arrival
	Streaming
}

// Spawn makes a node. The authority's calls accept it at once; peers get it from the
// next Stream on, with the state that it has then.
func (a *Authority) Spawn(s Spawn) (Node, error) {
	switch {
	case len(s.Items) > MaxItems:
		return 0, fmt.Errorf("rpl: node with %d items, at most %d: %w; split it into parent and children", len(s.Items), MaxItems, ErrLimit)
	case len(s.Args) > MaxArgs:
		return 0, fmt.Errorf("rpl: prefab %s with %d bytes of arguments, at most %d: %w; replicate them in a component", s.prefabName(), len(s.Args), MaxArgs, ErrTooLong)
	case len(s.Name) > MaxName:
		return 0, fmt.Errorf("rpl: name %q has %d bytes, at most %d: %w", s.Name[:MaxName], len(s.Name), MaxName, ErrTooLong)
	}
	if err := s.Check(); err != nil {
		return 0, fmt.Errorf("rpl: %w", err)
	}
	var parent uint32
	if s.Parent != 0 {
		p, ok := a.slot(s.Parent)
		if !ok {
			return 0, fmt.Errorf("rpl: parent %v: %w", s.Parent, ErrNoNode)
		}
		parent = p
	}
	l, err := a.layoutOf(&s)
	if err != nil {
		return 0, err
	}
	slot, err := a.newSlot()
	if err != nil {
		return 0, err
	}
	n := &a.nodes[slot]
	if s.Args != nil {
		s.Args = append([]byte(nil), s.Args...)
	}
	n.used, n.layout, n.owner, n.transient = true, l, s.Owner, s.Transient
	l.Nodes++
	n.spawn = spawned{s.Prefab, s.Args, s.Name, s.complete()}
	a.noteGrouped(slot)
	n.posItem, n.groups, n.born, n.early = -1, 0, a.send, a.send-1
	n.past = n.past[:0]
	n.judge, n.active = false, 0
	a.spots[slot] = spot{cell: -1}
	n.items, n.rows, n.holders, n.children = n.items[:0], n.rows[:0], n.holders[:0], n.children[:0]
	for ord, t := range s.Items {
		if t != nil {
			a.newItem(slot, ord, t)
		} else {
			n.items = append(n.items, noItem)
		}
	}
	a.setParent(slot, parent)
	a.rejudge(slot)
	return n.id, nil
}

func (s *Spawn) prefabName() string {
	if s.Prefab == nil {
		return "(none)"
	}
	return s.Prefab.Name
}

// newSlot returns a slot for a new node, with the node's id in it.
func (a *Authority) newSlot() (uint32, error) {
	if n := len(a.freeSlots); n > 0 {
		slot := a.freeSlots[n-1]
		a.freeSlots = a.freeSlots[:n-1]
		a.nodes[slot].id = ids.MakeNode(slot, a.nodes[slot].id.Tenant()+1)
		return slot, nil
	}
	if len(a.nodes) >= MaxNodes {
		return 0, fmt.Errorf("rpl: %d nodes: %w; keep what nobody needs as local entities", MaxNodes, ErrLimit)
	}
	slot := uint32(len(a.nodes))
	a.nodes = pages.Append(a.nodes, node{id: ids.MakeNode(slot, 1)})
	a.spots = pages.Append(a.spots, spot{cell: -1})
	return slot, nil
}

// slot returns the slot of a node that exists.
func (a *Authority) slot(n Node) (uint32, bool) {
	s := n.Slot()
	if n == 0 || int(s) >= len(a.nodes) || a.nodes[s].id != n || !a.nodes[s].used {
		return 0, false
	}
	return s, true
}

// newItem makes an item of a node, with its rows. The caller sets the layout.
func (a *Authority) newItem(slot uint32, ord int, t *ItemType) itemSlot {
	var it itemSlot
	if free := a.freeItems[t.Index]; len(free) > 0 {
		it = free[len(free)-1]
		a.freeItems[t.Index] = free[:len(free)-1]
	} else {
		it = itemSlot(len(a.items))
		sh := &a.shadows[t.Index]
		a.items = append(a.items, item{t: t, tenant: 1, shadow: len(*sh)})
		a.hots = pages.Append(a.hots, hot{})
		*sh = append(*sh, make([]byte, t.ShadowSize)...)
	}
	m := &a.items[it]
	m.node, m.ord, m.rows = slot, uint8(ord), m.rows[:0]
	n := &a.nodes[slot]
	for _, rt := range a.typesOf[t.Index] {
		i := a.newRow(rt, slot)
		m.rows = append(m.rows, i)
		n.rows = append(n.rows, i)
	}
	for len(n.items) <= ord {
		n.items = append(n.items, noItem)
	}
	n.items[ord] = it
	if t.Pos[0] >= 0 && n.posItem < 0 {
		n.posItem = int16(ord)
	}
	a.warm(it)
	return it
}

// PlaceItem returns the ordinal of the item that says where a node is, or -1: of several
// items with a place, the first one that the node was made with counts, and the first of
// the others once that one is removed.
func (a *Authority) PlaceItem(n Node) int {
	if s, ok := a.slot(n); ok {
		return int(a.nodes[s].posItem)
	}
	return -1
}

// Item returns a node's item by its ordinal. Spawn.Items gives ordinals from 0 on;
// items added later take a free one, else the next.
func (a *Authority) Item(n Node, ordinal int) (Item, bool) {
	s, ok := a.slot(n)
	if !ok || ordinal < 0 || ordinal >= len(a.nodes[s].items) {
		return 0, false
	}
	it := a.nodes[s].items[ordinal]
	if it == noItem {
		return NoItem, false
	}
	return a.nameOf(it), true
}

// Remove destroys a node. Its children become roots unless they are removed too before
// the next Stream. It does nothing for the session's node.
func (a *Authority) Remove(n Node) {
	slot, ok := a.slot(n)
	if !ok || n == SessionNode {
		return
	}
	nd := &a.nodes[slot]
	if nd.shared {
		a.unshare(nd)
	}
	for _, h := range nd.holders {
		p := a.peers[h.peer]
		p.drop(a, slot)
		if h.handle != wire.NoHandle {
			p.startRemoval(a, h.handle, true)
		}
	}
	nd.holders = nd.holders[:0]
	for len(nd.children) > 0 {
		a.move(nd.children[len(nd.children)-1], 0)
	}
	a.rejudge(slot)
	a.unlink(slot)
	a.ungrid(slot)
	for _, it := range nd.items {
		if it != noItem {
			a.freeItem(it)
		}
	}
	for _, r := range nd.rows {
		a.freeRow(r)
	}
	nd.used = false
	nd.layout.Nodes--
	nd.spawn = spawned{}
	a.noteGrouped(slot)
	if n.Tenant() < math.MaxUint32 { // else the slot stays unused: one more tenant would repeat a Node
		a.freeSlots = append(a.freeSlots, slot)
	}
}

// freeItem lets another item have an item's slot.
func (a *Authority) freeItem(it itemSlot) {
	a.outOfColumn(it)
	m := &a.items[it]
	if m.tenant++; m.tenant == 0 {
		m.tenant = 1 // whoever kept a name from then has had 65,535 items to notice
	}
	a.freeItems[m.t.Index] = append(a.freeItems[m.t.Index], it)
}

// AddItem gives a node one more item, at the lowest free ordinal, so that an item which
// comes and goes takes no new ordinals; RemoveItem takes it away. Peers that hold the
// node are sent its new set of items, with their state.
func (a *Authority) AddItem(n Node, t *ItemType) (Item, error) { return a.AddItemFrom(n, t, 0) }

// AddItemFrom is AddItem for an item whose ordinal has a meaning, such as which of
// several alike it is. It gets the lowest free ordinal not below from, or another if
// that one would exceed MaxItems.
func (a *Authority) AddItemFrom(n Node, t *ItemType, from int) (Item, error) {
	a.cfg.Schema.OwnItem(t)
	slot, ok := a.slot(n)
	if !ok {
		return 0, fmt.Errorf("rpl: item %s for %v: %w", t.Name, n, ErrNoNode)
	}
	nd := &a.nodes[slot]
	ord := nd.freeOrdinal(from)
	if ord >= MaxItems {
		return 0, fmt.Errorf("rpl: %v has %d items: %w", n, MaxItems, ErrLimit)
	}
	items := append([]int(nil), nd.layout.Items...)
	if ord == len(items) {
		items = append(items, 0)
	}
	items[ord] = t.Index
	l, err := a.layout(nd.layout.Prefab, items)
	if err != nil {
		return 0, err
	}
	it := a.newItem(slot, ord, t)
	a.orderRows(nd)
	a.noteSecrets(slot)
	a.relayout(slot, l)
	return a.nameOf(it), nil
}

// freeOrdinal returns the lowest free ordinal not below from, or the lowest of all if
// that would be beyond MaxItems.
func (n *node) freeOrdinal(from int) int {
	from = max(0, min(from, len(n.items)))
	ord := slices.Index(n.items[from:], noItem)
	switch {
	case ord >= 0:
		return from + ord
	case len(n.items) >= MaxItems && slices.Contains(n.items, noItem):
		return slices.Index(n.items, noItem)
	}
	return len(n.items)
}

// RemoveItem takes an item away from its node.
func (a *Authority) RemoveItem(item Item) error {
	it, ok := a.item(item)
	if !ok {
		return fmt.Errorf("rpl: item: %w", ErrNoNode)
	}
	m := &a.items[it]
	nd := &a.nodes[m.node]
	items := append([]int(nil), nd.layout.Items...)
	items[m.ord] = -1
	l, err := a.layout(nd.layout.Prefab, items)
	if err != nil {
		return err
	}
	nd.items[m.ord] = noItem
	wasPlace := nd.posItem == int16(m.ord)
	for _, r := range m.rows {
		a.freeRow(r)
	}
	slot := m.node
	a.freeItem(it)
	if wasPlace {
		a.placeByNext(slot)
	}
	a.orderRows(nd)
	a.relayout(slot, l)
	return nil
}

// orderRows sorts a node's rows by the order of its items.
func (a *Authority) orderRows(n *node) {
	n.rows = n.rows[:0]
	for _, it := range n.items {
		if it != noItem {
			n.rows = append(n.rows, a.items[it].rows...)
		}
	}
}

// Ordinal returns the place of an item among the items of its node, -1 for one that was
// removed.
func (a *Authority) Ordinal(item Item) int {
	if it, ok := a.item(item); ok {
		return int(a.items[it].ord)
	}
	return -1
}
