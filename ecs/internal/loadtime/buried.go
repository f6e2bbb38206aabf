package loadtime

// buried: load-time nodes that were destroyed in a world that stays. The next session's world
// is one that was made anew, so they are there again when this machine enters or leaves a
// session.

import (
	"maps"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// A burial is what a load-time node was made of when it was destroyed.
type burial struct {
	entities []donburi.Entity // its own and its parts', as they were
	carried  [][]carried      // by entity
	shape    []nodes.Place
}

// carried is a component and where its value is.
type carried struct {
	c  donburi.IComponentType
	at unsafe.Pointer
}

// Bury notes what a load-time node is made of, before its entities go.
func (lt *Nodes) Bury(n *nodes.Node) {
	if n.Name == "" {
		return
	}
	b := burial{shape: lt.shapes[n.Name]}
	for _, ent := range n.Entities() {
		if !lt.World.Valid(ent) {
			continue
		}
		e := lt.World.Entry(ent)
		var cs []carried
		for _, c := range e.Archetype().ComponentTypes() {
			switch c {
			case donburi.IComponentType(components.Owner), donburi.IComponentType(components.Parent),
				donburi.IComponentType(components.Proxy), donburi.IComponentType(components.Hidden), donburi.IComponentType(nodes.PartOf):
			default:
				cs = append(cs, carried{c, e.Component(c)})
			}
		}
		b.entities, b.carried = append(b.entities, ent), append(b.carried, cs)
	}
	if len(b.entities) == 0 || b.entities[0] != n.Entity {
		return
	}
	lt.buried[n.Name] = b
}

// Exhume makes the entities of all buried nodes again.
func (lt *Nodes) Exhume() {
	for _, name := range slices.Sorted(maps.Keys(lt.buried)) {
		if _, taken := lt.byName[name]; !taken {
			lt.exhumeOne(name, lt.buried[name])
		}
	}
	clear(lt.buried)
}

func (lt *Nodes) exhumeOne(name string, b burial) {
	now := map[donburi.Entity]donburi.Entity{}
	var all []donburi.Entity
	for i, cs := range b.carried {
		var set []donburi.IComponentType
		for _, c := range cs {
			set = append(set, c.c)
		}
		switch {
		case i > 0:
			set = append(set, nodes.PartOf)
		case !slices.Contains(set, donburi.IComponentType(components.RplNode)): // the game has taken it away, maybe with all else
			set = append(set, components.RplNode)
		}
		e := lt.World.Entry(donburix.Create(lt.World, set...))
		for _, c := range cs {
			e.SetComponent(c.c, c.at)
		}
		if i > 0 {
			nodes.PartOf.SetValue(e, nodes.PartData{Node: all[0]})
		}
		now[b.entities[i]], all = e.Entity(), append(all, e.Entity())
	}
	if len(all) > 1 {
		lt.table.Parts[all[0]] = all[1:]
	}
	if b.shape != nil {
		shape := slices.Clone(b.shape)
		for i := range shape {
			shape[i].Entity = now[shape[i].Entity]
		}
		lt.shapes[name] = shape
	}
	lt.byName[name] = all[0]
	delete(lt.destroyed, name)
	lt.names = nil
}

// DropStale leaves the references null, in load-time nodes that stay in a world whose other
// nodes have ended, that were to those.
func (lt *Nodes) DropStale() {
	for _, ent := range lt.byName {
		for _, ent := range append([]donburi.Entity{ent}, lt.table.Parts[ent]...) {
			if !lt.World.Valid(ent) {
				continue
			}
			e := lt.World.Entry(ent)
			for _, c := range lt.Kinds.Components {
				if !c.Item.HasRefs || !e.HasComponent(c.Type) {
					continue
				}
				p := e.Component(c.Type)
				w := lt.Tagged(c, e, p)
				c.Item.Repoint(w, nil, nil, lt.valid)
				if c.StandIn != nil {
					c.StandIn.Set(e, p, w)
				}
			}
		}
	}
}

// valid is a Repoint that leaves a reference to what has gone null.
func (lt *Nodes) valid(_ rpl.Node, entity uint64) uint64 {
	if lt.World.Valid(donburi.Entity(entity)) {
		return entity
	}
	return 0
}
