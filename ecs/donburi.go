package ecs

// Every trap of donburi v1.15 stands in this file, and only here (but that of
// components/nodetype.go, which makes a component type):
//
//   - World.Create panics, later, in an archetype whose first entity came by
//     AddComponent or RemoveComponent: the storage counts from the wrong number.
//     So a set of components is primed (Create, Remove) before any move into it.
//   - An entity's slot is reused at once, and World.Entry(stale) writes through
//     to the new tenant. So entities are kept, never entries, and every entity
//     is compared with its version before its entry is taken.
//   - World.Valid indexes by the slot and panics for an entity of a larger world.
//   - Get's pointers survive moves, Set(entry, &v) replaces them. So no pointer
//     to a component is kept from one tick to the next.
//   - No hook tells of AddComponent and RemoveComponent. So the entity list of
//     each archetype is compared with a copy of it.
//   - A query inside OnCreate deadlocks, and donburi's queries keep maps that
//     all worlds share. So archetypes are walked here, never queried.

import (
	"bytes"
	"reflect"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
)

// add gives an entity the components that it lacks.
func add(e *donburi.Entry, cs ...donburi.IComponentType) {
	for _, c := range cs {
		if e.HasComponent(c) {
			continue
		}
		prime(e.World, append(slices.Clone(e.Archetype().ComponentTypes()), c))
		e.AddComponent(c)
	}
}

// drop takes components away from an entity; donburi knows no entity without
// any, so the last one stays.
func drop(e *donburi.Entry, cs ...donburi.IComponentType) {
	for _, c := range cs {
		set := e.Archetype().ComponentTypes()
		if !slices.Contains(set, c) || len(set) == 1 {
			continue
		}
		prime(e.World, slices.DeleteFunc(slices.Clone(set), func(o donburi.IComponentType) bool { return o == c }))
		e.RemoveComponent(c)
	}
}

// prime makes the archetype of a set of components by Create, so that moves
// into it leave its storage counting right.
func prime(w donburi.World, set []donburi.IComponentType) {
	for _, a := range w.Archetypes() {
		if a.LayoutMatches(set) {
			return
		}
	}
	w.Remove(w.Create(set...))
}

// sameWorld reports whether an entry is of a world. (An entry's World has a
// type of its own that cannot be named.)
func sameWorld(e *donburi.Entry, w donburi.World) bool {
	return e != nil && w != nil && donburi.World(e.World) == w
}

// changedNodes calls fn for the rows of an archetype whose NodeData is not what
// was known, and writes it down. Four rows are compared at once, for mostly none has
// changed.
func changedNodes(w donburi.World, archetype int, known []components.NodeData, fn func(row int, data *components.NodeData)) {
	list := stored(w, components.RplNode, archetype, len(known))
	known = known[:len(list)] // as it is: the compiler does not know
	row := 0
	for ; row < len(list)-3; row += 4 {
		if differs(list[row], &known[row])|differs(list[row+1], &known[row+1])|
			differs(list[row+2], &known[row+2])|differs(list[row+3], &known[row+3]) != 0 {
			changedAmong(list[row:row+4], row, known, fn)
		}
	}
	changedAmong(list[row:], row, known, fn)
}

// changedAmong is changedNodes for some rows from one on.
func changedAmong(list []unsafe.Pointer, from int, known []components.NodeData, fn func(row int, data *components.NodeData)) {
	for i, at := range list {
		if row := from + i; differs(at, &known[row]) != 0 {
			data := (*components.NodeData)(at)
			known[row] = *data
			fn(row, data)
		}
	}
}

// NodeData is one word without padding, and compared as one.
var _ [8]byte = [unsafe.Sizeof(components.NodeData{})]byte{}

// differs is 0 where NodeData is what was known.
func differs(at unsafe.Pointer, known *components.NodeData) uint64 {
	return *(*uint64)(at) ^ *(*uint64)(unsafe.Pointer(known))
}

// stored is where one component is for the first n rows of an archetype. It is
// donburi's own list, so it holds until the next thing is created or removed.
func stored(w donburi.World, c donburi.IComponentType, archetype, n int) []unsafe.Pointer {
	column := w.StorageAccessor().Components.Storage(c)
	if lists, ok := listsIn(column); ok {
		return lists[archetype][:n]
	}
	return askedOf(column.Component, archetype, n)
}

// listsIn finds the lists in a component's storage, one by archetype: asked for
// by Component, each row costs four loads. It reports false where a storage is
// not what it is in the donburi that is known here.
func listsIn(storage any) (lists [][]unsafe.Pointer, ok bool) {
	s := reflect.ValueOf(storage)
	if s.Kind() != reflect.Pointer || s.Elem().Kind() != reflect.Struct {
		return nil, false
	}
	s = s.Elem()
	if s.NumField() != 1 || s.Field(0).Type() != reflect.TypeFor[[][]unsafe.Pointer]() {
		return nil, false
	}
	return *(*[][]unsafe.Pointer)(s.Field(0).Addr().UnsafePointer()), true
}

// askedOf is the same by a storage's Component, whose index types cannot be
// named outside donburi, so they are inferred.
func askedOf[A, C ~int](component func(A, C) unsafe.Pointer, archetype, n int) []unsafe.Pointer {
	list := make([]unsafe.Pointer, n)
	for row := range list {
		list[row] = component(A(archetype), C(row))
	}
	return list
}

// sameMemory is slices.Equal by blocks of memory.
func sameMemory(a, b []donburi.Entity) bool {
	return bytes.Equal(bytesOf(a), bytesOf(b))
}

func bytesOf(s []donburi.Entity) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(donburi.Null)))
}

// firstOf finds the first entity of a world that has all of the components and
// passes ok.
func firstOf(w donburi.World, ok func(e *donburi.Entry) bool, cs ...donburi.IComponentType) (*donburi.Entry, bool) {
	for _, a := range w.Archetypes() {
		if a.Count() == 0 || !hasAll(a.ComponentTypes(), cs) {
			continue
		}
		for _, ent := range a.Entities() {
			if e := w.Entry(ent); ok(e) {
				return e, true
			}
		}
	}
	return nil, false
}

func hasAll(set, cs []donburi.IComponentType) bool {
	for _, c := range cs {
		if !slices.Contains(set, c) {
			return false
		}
	}
	return true
}
