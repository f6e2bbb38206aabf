package tendontest

// A snapshot is what all components of a world were at a moment.

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
)

// A place is a component of an entity.
type place struct {
	entity donburi.Entity
	typ    donburi.IComponentType
}

// A cell is what stood there.
type cell struct {
	place
	value     reflect.Value // addressable, never changed
	predicted bool          // a replicated component of a predicted node
}

type snapshot struct {
	world donburi.World
	cells []cell
	at    map[place]int
	ents  map[donburi.Entity]bool
}

// own are the library's and donburi's components: they say what an entity is, not what it does.
func own(c donburi.IComponentType) bool {
	t := c.Typ()
	return t.Size() == 0 || t.PkgPath() == reflect.TypeFor[tendon.Config]().PkgPath() ||
		t == components.RplNode.Typ() || t == components.Parent.Typ()
}

// take copies a world.
func take(m *Machine, p *tendon.Protocol) *snapshot {
	w := m.World()
	s := &snapshot{world: w, at: map[place]int{}, ents: map[donburi.Entity]bool{}}
	for _, a := range w.Archetypes() {
		for _, ent := range a.Entities() {
			if !w.Valid(ent) {
				continue
			}
			e := w.Entry(ent)
			s.ents[ent] = true
			predicted := tendon.Predicted(e)
			for _, c := range a.ComponentTypes() {
				if own(c) {
					continue
				}
				it, _ := p.Item(c)
				s.at[place{ent, c}] = len(s.cells)
				s.cells = append(s.cells, cell{place{ent, c}, clone(live(e, c)), predicted && it != nil})
			}
		}
	}
	return s
}

// live returns a component as it is in the world.
func live(e *donburi.Entry, c donburi.IComponentType) reflect.Value {
	return reflect.NewAt(c.Typ(), e.Component(c)).Elem()
}

// find returns what stood at a place.
func (s *snapshot) find(at place) (reflect.Value, bool) {
	if i, ok := s.at[at]; ok {
		return s.cells[i].value, true
	}
	return reflect.Value{}, false
}

// restore sets the world's components back. Entities and components that have come since go again, and
// components that have gone come; which entity has gone stays away, and is returned.
func (s *snapshot) restore() (gone []donburi.Entity) {
	for _, a := range s.world.Archetypes() {
		for _, ent := range append([]donburi.Entity(nil), a.Entities()...) {
			if s.world.Valid(ent) && !s.ents[ent] {
				s.world.Remove(ent)
			}
		}
	}
	for ent := range s.ents {
		if s.world.Valid(ent) {
			e := s.world.Entry(ent)
			for _, c := range append([]donburi.IComponentType(nil), e.Archetype().ComponentTypes()...) {
				if _, was := s.at[place{ent, c}]; !was && !own(c) {
					donburix.Drop(e, c)
				}
			}
		}
	}
	for _, c := range s.cells {
		if !s.world.Valid(c.entity) {
			gone = append(gone, c.entity)
			continue
		}
		e := s.world.Entry(c.entity)
		donburix.Add(e, c.typ)
		restore(live(e, c.typ), c.value)
	}
	return gone
}

// fieldsOf returns the fields of a component type, and which of them travel.
func fieldsOf(p *tendon.Protocol, c donburi.IComponentType) []field {
	t := c.Typ()
	it, direct := p.Item(c)
	if t.Kind() != reflect.Struct || it != nil && !direct {
		return []field{{typ: t, local: it == nil}}
	}
	var names []string
	if it != nil {
		for _, prop := range it.Props {
			names = append(names, prop.Name)
		}
	}
	return split(t, "", nil, names, nil)
}

// split appends the fields of a struct; those of a struct in it where only some travel.
func split(t reflect.Type, path string, index []int, names []string, to []field) []field {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		name, at := path+f.Name, append(append([]int(nil), index...), i)
		whole, inside := false, false
		for _, n := range names {
			whole = whole || n == name || strings.HasPrefix(n, name+"[") // of an array of structs each field is one
			inside = inside || strings.HasPrefix(n, name+".")
		}
		switch {
		case !whole && f.Type.Kind() == reflect.Struct && inside:
			to = split(f.Type, name+".", at, names, to)
		case !whole && f.Type.Kind() == reflect.Struct && f.Anonymous && len(names) > 0:
			to = split(f.Type, path, at, names, to)
		default:
			to = append(to, field{path: name, index: at, typ: f.Type, local: !whole})
		}
	}
	return to
}

// who names an entity.
func who(w donburi.World, ent donburi.Entity) string {
	if w.Valid(ent) {
		if id := tendon.ID(w.Entry(ent)); id != 0 {
			return fmt.Sprintf("%v (entity %d)", id, ent.Id())
		}
	}
	return fmt.Sprintf("entity %d", ent.Id())
}
