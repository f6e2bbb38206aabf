package loadtime

// shape: what each load-time node was built with. An item is numbered by its ordinal, and
// both ends count what a node was built with in the same order.

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
)

// BuiltWith returns what a node was built with. A load-time node that is made again from
// its entity for another session keeps what it was first built with, as do the machines
// that build it then; what it got or lost in play does not count.
func (lt *Nodes) BuiltWith(n *nodes.Node) []nodes.Place {
	if ps, ok := lt.shapes[n.Name]; ok {
		return ps
	}
	return lt.table.Places(n)
}

// BeginShape records what a load-time node that has just been named is built with. Parts
// that it gets until the step ends count too.
func (lt *Nodes) BeginShape(e donburi.Entity, name string) {
	if n := lt.table.Of(e); n != nil {
		lt.shapes[name] = lt.table.PlacesOf(n.Entities())
		lt.shaping = append(lt.shaping, name)
	}
}

// GrowShape adds a part to what a load-time node is built with, while it is being built.
func (lt *Nodes) GrowShape(n *nodes.Node, part donburi.Entity) {
	if n.Name != "" && slices.Contains(lt.shaping, n.Name) {
		lt.shapes[n.Name] = append(lt.shapes[n.Name], lt.table.PlacesOf([]donburi.Entity{part})...)
		n.SetBuilt(lt.shapes[n.Name])
	}
}

// EndBuilding ends the building of load-time nodes, and returns their names.
func (lt *Nodes) EndBuilding() []string {
	built := lt.shaping
	lt.shaping = nil
	for _, name := range built {
		if n := lt.table.Of(lt.byName[name]); n != nil && n.Name == name {
			if len(n.Parts()) == 0 {
				lt.shapes[name] = nil // its components cannot be confused
			}
			n.SetBuilt(lt.shapes[name])
		}
	}
	return built
}
