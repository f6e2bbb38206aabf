package components

// The type of RplNode, which donburi takes for one of its own.

import (
	"fmt"
	"iter"
	"reflect"
	"sync"
	"unsafe"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/component"
	"github.com/yohamta/donburi/filter"
)

// NodeType is the type of RplNode: a donburi.ComponentType[NodeData] that stores its
// values side by side. Replication compares the 8 bytes of every node before every send;
// donburi's own type allocates each value alone and so spreads them over as many cache
// lines.
//
// Its methods are those of donburi.ComponentType. Call them wherever the world may be
// used.
type NodeType struct {
	plain *donburi.ComponentType[NodeData]
	query *donburi.Query

	mu   sync.Mutex // several worlds may make nodes at once
	free []NodeData // room for the next nodes
}

// nodeBlock is the number of nodes that New allocates room for at a time. A block lives
// as long as any of its nodes: one last node keeps half a kilobyte.
const nodeBlock = 64

func newNodeType(name string) *NodeType {
	t := &NodeType{plain: donburi.NewComponentType[NodeData]().SetName(name)}
	t.query = donburi.NewQuery(filter.Contains(t))
	// Code that walks over all component types must find this one: filters compare types
	// by identity, so an entity that had plain would be no node. The list is donburi's
	// own, and the type made last is at its end.
	all := donburi.AllComponentTypes()
	all[len(all)-1] = t
	return t
}

var _ component.IComponentType = (*NodeType)(nil)

// New returns room for the data of one more node. donburi calls it, for several worlds at
// once where there are several.
func (t *NodeType) New() unsafe.Pointer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.free) == 0 {
		t.free = make([]NodeData, nodeBlock)
	}
	data := &t.free[0]
	t.free = t.free[1:]
	return unsafe.Pointer(data)
}

// Id is donburi's number of the type.
func (t *NodeType) Id() component.ComponentTypeId { return t.plain.Id() }

// Typ is the type of NodeData.
func (t *NodeType) Typ() reflect.Type { return t.plain.Typ() }

// Name is the name of the type.
func (t *NodeType) Name() string { return t.plain.Name() }

// String is the name of the type.
func (t *NodeType) String() string { return t.plain.Name() }

// Get returns the data of a node.
func (t *NodeType) Get(e *donburi.Entry) *NodeData { return t.plain.Get(e) }

// GetValue returns a copy of the data of a node.
func (t *NodeType) GetValue(e *donburi.Entry) NodeData { return t.plain.GetValue(e) }

// Set makes a node use data in place of what it had, without a copy.
func (t *NodeType) Set(e *donburi.Entry, data *NodeData) { t.plain.Set(e, data) }

// SetValue writes the data of a node.
func (t *NodeType) SetValue(e *donburi.Entry, data NodeData) { t.plain.SetValue(e, data) }

// Each calls fn for every node of a world.
func (t *NodeType) Each(w donburi.World, fn func(*donburi.Entry)) { t.query.Each(w, fn) }

// Iter walks over every node of a world.
func (t *NodeType) Iter(w donburi.World) iter.Seq[*donburi.Entry] { return t.query.Iter(w) }

// First returns the first node of a world, if there is one.
func (t *NodeType) First(w donburi.World) (*donburi.Entry, bool) { return t.query.First(w) }

// MustFirst returns the first node of a world; it panics if there is none.
func (t *NodeType) MustFirst(w donburi.World) *donburi.Entry {
	e, ok := t.query.First(w)
	if !ok {
		panic(fmt.Sprintf("components: no entity has the component %s", t.Name()))
	}
	return e
}
