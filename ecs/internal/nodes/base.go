package nodes

// base: what the parts of a session work on that know nothing of other machines.

import (
	"strings"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/faults"
	"github.com/tendonengine/tendon/rpl"
)

// Base is what the parts that know nothing of other machines work on.
type Base struct {
	Kinds  *Kinds
	Steps  int  // a second
	Debug  bool // mistakes are looked for
	Remove func(e *donburi.Entry)
	World  donburi.World

	// At most one of the two is set; both are nil on a client that has not been let in
	// yet.
	Auth  *rpl.Authority
	Proxy *rpl.Proxy

	Me      rpl.Peer
	Tick    rpl.Tick
	Sending bool // this step sends

	Faults   *faults.Log
	StandIns []unsafe.Pointer // by component.order: scratch
}

// RemoveEntities removes a node's entities by Config.Remove.
func (sh *Base) RemoveEntities(n *Node) {
	ents := n.Entities()
	if sh.World.Valid(n.Entity) {
		sh.Remove(sh.World.Entry(n.Entity))
	}
	for _, e := range ents { // the entities that Config.Remove has left
		if sh.World.Valid(e) {
			sh.World.Remove(e)
		}
	}
}

// Hide sets whether a node is drawn now.
func (sh *Base) Hide(n *Node, hidden bool) {
	n.Hidden = hidden
	for _, ent := range n.Entities() {
		switch {
		case !sh.World.Valid(ent):
		case hidden:
			donburix.Add(sh.World.Entry(ent), components.Hidden)
		default:
			donburix.Drop(sh.World.Entry(ent), components.Hidden)
		}
	}
}

// HideTree hides a node with all nodes below it.
func (sh *Base) HideTree(n *Node) {
	if !n.Hidden {
		sh.Hide(n, true)
	}
	for c := range n.Kids {
		sh.HideTree(c)
	}
}

// Tagged returns where the tagged fields of a component are: in the component itself, or
// in the scratch stand-in, filled from it.
func (sh *Base) Tagged(c *Component, e *donburi.Entry, p unsafe.Pointer) unsafe.Pointer {
	if c.StandIn == nil {
		return p
	}
	w := sh.Scratch(c)
	c.StandIn.Get(e, p, w)
	return w
}

// Scratch returns this session's one stand-in of a component type; each use overwrites
// it.
func (sh *Base) Scratch(c *Component) unsafe.Pointer {
	if sh.StandIns[c.Order] == nil {
		sh.StandIns[c.Order] = c.StandIn.Make()
	}
	return sh.StandIns[c.Order]
}

// Component returns where an item's component is now, nil if it has gone.
func (sh *Base) Component(b *Binding) (*donburi.Entry, unsafe.Pointer) {
	if b.Comp == nil || !sh.World.Valid(b.Entity) {
		return nil, nil
	}
	e := sh.World.Entry(b.Entity)
	if !e.HasComponent(b.Comp.Type) {
		return nil, nil
	}
	return e, e.Component(b.Comp.Type)
}

// ScoldOf is faults.Scold for a mistake about an entity, which its components identify.
func (sh *Base) ScoldOf(counter, what string, e *donburi.Entry, remedy string, attributes ...any) {
	if sh.Debug { // else nobody reads it
		what += " " + sh.ItemsOf(e)
	}
	sh.Faults.Scold(counter, what, remedy, append([]any{"entity", e.Entity()}, attributes...)...)
}

// ItemsOf describes an entity by its replicated components.
func (sh *Base) ItemsOf(e *donburi.Entry) string {
	if !sh.World.Valid(e.Entity()) {
		return "what has gone"
	}
	var names []string
	for _, c := range sh.Kinds.Components {
		if e.HasComponent(c.Type) {
			names = append(names, c.Name)
		}
	}
	if names == nil {
		return "nothing replicated"
	}
	return strings.Join(names, ", ")
}
