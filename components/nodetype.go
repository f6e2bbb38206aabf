package components

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

// NodeType is the type of RplNode: a donburi.ComponentType[NodeData] whose data lie
// side by side. Replication looks at the 8 bytes of every node before every send;
// one by one donburi's own type scatters them over as many lines of the cache.
//
// Its methods are those of donburi.ComponentType, and may be called by whoever may
// use the world.
type NodeType struct {
	plain *donburi.ComponentType[NodeData]
	query *donburi.Query

	mu   sync.Mutex // nodes may be made in several worlds at once
	free []NodeData // room for those that come next
}

// nodeBlock is for how many nodes there is room at a time. It lives as long as any
// of them: what is kept for one last node is half a kilobyte.
const nodeBlock = 64

func newNodeType(name string) *NodeType {
	t := &NodeType{plain: donburi.NewComponentType[NodeData]().SetName(name)}
	t.query = donburi.NewQuery(filter.Contains(t))
	// Who goes over all types must find this one: filters compare types by identity,
	// so an entity that had plain would be no node. The list is donburi's own, and
	// what was made last is at its end.
	all := donburi.AllComponentTypes()
	all[len(all)-1] = t
	return t
}

var _ component.IComponentType = (*NodeType)(nil)

// New is for donburi: room for the data of one more node. It may be called for
// several worlds at once.
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

// Get is the data of a node.
func (t *NodeType) Get(e *donburi.Entry) *NodeData { return t.plain.Get(e) }

// GetValue is a copy of the data of a node.
func (t *NodeType) GetValue(e *donburi.Entry) NodeData { return t.plain.GetValue(e) }

// Set has data stand for those of a node.
func (t *NodeType) Set(e *donburi.Entry, data *NodeData) { t.plain.Set(e, data) }

// SetValue writes the data of a node.
func (t *NodeType) SetValue(e *donburi.Entry, data NodeData) { t.plain.SetValue(e, data) }

// Each calls fn for every node of a world.
func (t *NodeType) Each(w donburi.World, fn func(*donburi.Entry)) { t.query.Each(w, fn) }

// Iter goes over every node of a world.
func (t *NodeType) Iter(w donburi.World) iter.Seq[*donburi.Entry] { return t.query.Iter(w) }

// First is the first node of a world, if it has any.
func (t *NodeType) First(w donburi.World) (*donburi.Entry, bool) { return t.query.First(w) }

// MustFirst is the first node of a world; it panics where there is none.
func (t *NodeType) MustFirst(w donburi.World) *donburi.Entry {
	e, ok := t.query.First(w)
	if !ok {
		panic(fmt.Sprintf("components: no entity has the component %s", t.Name()))
	}
	return e
}
