package nodes

// prefab: what a node was made by, and the functions that build it.

import (
	"fmt"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
)

// String describes an origin in front of an entity in an error text.
func (o Origin) String() string {
	switch {
	case o.Prefab != nil:
		return "prefab " + o.Prefab.Name + ", "
	case o.Name != "":
		return fmt.Sprintf("load-time node %q, ", o.Name)
	}
	return ""
}

// CheckNode returns what is wrong with the NodeData that a prefab was given.
func (f *Prefab) CheckNode(given int) error {
	if given > 1 {
		return fmt.Errorf("tendon: prefab %s is given %d NodeData: put all of it into one", f.Name, given)
	}
	s := Streaming(&f.Node)
	if err := s.Check(); err != nil {
		return fmt.Errorf("tendon: NodeData of prefab %s: %w", f.Name, err)
	}
	return nil
}

// Streaming converts NodeData to what the core wants.
func Streaming(data *components.NodeData) rpl.Streaming {
	return rpl.Streaming{Relevance: data.Relevance, Weight: data.Weight, Hz: data.Hz, Keep: data.Keep}
}

// A Prefab is a Prefab without its type parameter.
type Prefab struct {
	Name  string
	Wire  *rpl.PrefabType
	Node  components.NodeData
	Build Builder
}

// A Builder is a prefab's function in two forms: spawn takes the authority's own
// arguments, parse takes arguments from the wire.
type Builder struct {
	Spawn func(w donburi.World, a unsafe.Pointer) *donburi.Entry
	Parse func(w donburi.World, t *rpl.ArgType, args []byte, refs rpl.Refs) (*donburi.Entry, error)
}

func FromWire[A any](build func(w donburi.World, a A) *donburi.Entry) Builder {
	return Builder{
		Spawn: func(w donburi.World, a unsafe.Pointer) *donburi.Entry { return build(w, *(*A)(a)) },
		Parse: func(w donburi.World, t *rpl.ArgType, args []byte, refs rpl.Refs) (*donburi.Entry, error) {
			a := new(A)
			if err := t.Parse(args, unsafe.Pointer(a), refs); err != nil {
				return nil, err
			}
			return build(w, *a), nil
		},
	}
}
