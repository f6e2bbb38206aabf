package ecs

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
	"github.com/tendonengine/tendon/rpl"
)

// A burial is what a load-time node was made of when it was destroyed.
type burial struct {
	entities []donburi.Entity // its own and its parts', as they were
	carried  [][]carried      // by entity
	shape    []place
}

// carried is a component and where its value is.
type carried struct {
	c  donburi.IComponentType
	at unsafe.Pointer
}

// bury notes what a load-time node is made of, before its entities go.
func (lt *loadTime) bury(n *node) {
	if n.name == "" {
		return
	}
	b := burial{shape: lt.shapes[n.name]}
	for _, ent := range n.entities() {
		if !lt.world.Valid(ent) {
			continue
		}
		e := lt.world.Entry(ent)
		var cs []carried
		for _, c := range e.Archetype().ComponentTypes() {
			switch c {
			case donburi.IComponentType(components.Owner), donburi.IComponentType(components.Parent),
				donburi.IComponentType(components.Proxy), donburi.IComponentType(components.Hidden), donburi.IComponentType(partOf):
			default:
				cs = append(cs, carried{c, e.Component(c)})
			}
		}
		b.entities, b.carried = append(b.entities, ent), append(b.carried, cs)
	}
	if len(b.entities) == 0 || b.entities[0] != n.entity {
		return
	}
	if lt.buried == nil {
		lt.buried = map[string]burial{}
	}
	lt.buried[n.name] = b
}

// exhume makes the entities of all buried nodes again.
func (lt *loadTime) exhume() {
	for _, name := range slices.Sorted(maps.Keys(lt.buried)) {
		if _, taken := lt.byName[name]; !taken {
			lt.exhumeOne(name, lt.buried[name])
		}
	}
	clear(lt.buried)
}

func (lt *loadTime) exhumeOne(name string, b burial) {
	now := map[donburi.Entity]donburi.Entity{}
	var all []donburi.Entity
	for i, cs := range b.carried {
		var set []donburi.IComponentType
		for _, c := range cs {
			set = append(set, c.c)
		}
		if i > 0 {
			set = append(set, partOf)
		}
		e := lt.world.Entry(donburix.Create(lt.world, set...))
		for _, c := range cs {
			e.SetComponent(c.c, c.at)
		}
		if i > 0 {
			partOf.SetValue(e, partData{node: all[0]})
		}
		now[b.entities[i]], all = e.Entity(), append(all, e.Entity())
	}
	if len(all) > 1 {
		lt.nodes.parts[all[0]] = all[1:]
	}
	if b.shape != nil {
		shape := slices.Clone(b.shape)
		for i := range shape {
			shape[i].entity = now[shape[i].entity]
		}
		lt.shapes[name] = shape
	}
	lt.byName[name] = all[0]
	delete(lt.destroyed, name)
	lt.book = nil
}

// dropStale leaves the references null, in load-time nodes that stay in a world whose other
// nodes have ended, that were to those.
func (lt *loadTime) dropStale() {
	for _, ent := range lt.byName {
		for _, ent := range append([]donburi.Entity{ent}, lt.nodes.parts[ent]...) {
			if !lt.world.Valid(ent) {
				continue
			}
			e := lt.world.Entry(ent)
			for _, c := range lt.kinds.components {
				if !c.item.HasRefs || !e.HasComponent(c.c) {
					continue
				}
				p := e.Component(c.c)
				w := lt.tagged(c, e, p)
				c.item.Repoint(w, nil, nil, lt.valid)
				if c.standIn != nil {
					c.standIn.set(e, p, w)
				}
			}
		}
	}
}

// valid is a Repoint that leaves a reference to what has gone null.
func (lt *loadTime) valid(_ rpl.Node, entity uint64) uint64 {
	if lt.world.Valid(donburi.Entity(entity)) {
		return entity
	}
	return 0
}
