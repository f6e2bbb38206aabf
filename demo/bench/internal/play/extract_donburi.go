package play

import (
	"slices"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/rpl"
)

// extract walks the archetype's storage, as package ecs does. All entities here
// have the same components, so there is one archetype.
func (f *donburiFeed) extract(a *rpl.Authority, n *nodes) error {
	if f.walk == nil {
		q := donburi.NewQuery(filter.Contains(f.c))
		first, ok := q.First(f.world)
		if !ok {
			return nil // nothing was ever alive
		}
		f.walk = f.walker(first)
	}
	return f.walk(a, n)
}

// walker makes the loop over the archetype of an entity. donburi keeps the
// types of its indices to itself; moving a component from an archetype to the
// same one does nothing and returns the index, and so names its type.
func (f *donburiFeed) walker(e *donburi.Entry) func(*rpl.Authority, *nodes) error {
	it := f.world.StorageAccessor().Index.Search(filter.Contains(f.c))
	archetype := it.Next()
	zero := e.World.TransferArchetype(archetype, archetype, 0)
	return func(a *rpl.Authority, n *nodes) error {
		acc := f.world.StorageAccessor()
		entities := acc.Archetypes[archetype].Entities()
		if !slices.Equal(f.seen, entities) {
			if err := f.restructure(a, n, entities); err != nil {
				return err
			}
		}
		components := acc.Components.Storage(f.c)
		for i, at := 0, zero; i < len(entities); i, at = i+1, at+1 {
			a.Set(f.link[entities[i].Id()].item, components.Component(archetype, at))
		}
		return nil
	}
}

// restructure makes nodes of entities that came and removes those that went. A
// gap that donburi filled with a new entity of the same id is both.
func (f *donburiFeed) restructure(a *rpl.Authority, n *nodes, entities []donburi.Entity) error {
	f.mark++
	for _, e := range entities {
		id := int(e.Id())
		for id >= len(f.link) {
			f.link = append(f.link, linked{})
		}
		l := &f.link[id]
		if l.entity != e {
			f.unlink(a, n, l)
			node, err := a.Spawn(f.spawn)
			if err != nil {
				return err
			}
			item, _ := a.Item(node, 0)
			*l = linked{entity: e, slot: f.slot.GetValue(f.world.Entry(e)), node: node, item: item}
			n.born(l.slot, node)
		}
		l.mark = f.mark
	}
	for _, e := range f.seen {
		if l := &f.link[e.Id()]; l.entity == e && l.mark != f.mark {
			f.unlink(a, n, l)
		}
	}
	f.seen = append(f.seen[:0], entities...)
	return nil
}

func (f *donburiFeed) unlink(a *rpl.Authority, n *nodes, l *linked) {
	if l.node != 0 {
		a.Remove(l.node)
		n.gone(l.slot, l.node)
		*l = linked{}
	}
}
