package ecs

// This file alone deals with the traps of donburi v1.15 (apart from
// components/nodetype.go, which makes a component type):
//
//   - World.Create panics, later, in an archetype whose first entity came by
//     AddComponent or RemoveComponent: the storage counts from the wrong number.
//     So a set of components is primed (Create, Remove) before any move into it.
//   - An entity's slot is reused at once, and World.Entry(stale) writes through
//     to the new tenant. So entities are kept, never entries, and every entity
//     is compared with its version before its entry is taken.
//   - World.Valid indexes by the slot and panics for an entity of a larger world.
//   - Get's pointers survive moves, but Set(entry, &v) replaces them. So no pointer
//     to a component is kept from one tick to the next.
//   - There is no hook for AddComponent and RemoveComponent. So the entity list of
//     each archetype is compared with a copy of it.
//   - A query inside OnCreate deadlocks. And donburi's queries (Iter and Each of a
//     component type, too) keep maps that all worlds share, with an entry for each
//     world for ever. So archetypes are walked here, never queried.
//   - A component's storage has a list for each archetype, 256 at first, and doubles
//     them only once when it needs more: World.Create and AddComponent panic for a
//     component that is first used in archetype 512 or later. So the lists are
//     lengthened before that: by create for this package's own entities, by makeRoom
//     for those that the game makes.

import (
	"bytes"
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
)

// donburiLists is the number of archetypes for which a component's storage has lists at
// first.
const donburiLists = 256

// add gives an entity the components that it lacks.
func add(e *donburi.Entry, cs ...donburi.IComponentType) {
	has := e.Archetype().ComponentTypes()
	if hasAll(has, cs) { // mostly so, where a prefab's function has made them
		return
	}
	set := append(make([]donburi.IComponentType, 0, len(has)+len(cs)), has...)
	for _, c := range cs {
		if !slices.Contains(set, c) {
			set = append(set, c)
		}
	}
	become(e, set)
}

// drop takes components away from an entity. The last one stays, because donburi has no
// entity without components.
func drop(e *donburi.Entry, cs ...donburi.IComponentType) {
	set := slices.Clone(e.Archetype().ComponentTypes())
	for _, c := range cs {
		if i := slices.Index(set, c); i >= 0 && len(set) > 1 {
			set = slices.Delete(set, i, i+1)
		}
	}
	become(e, set)
}

// become gives an entity this set of components, in one move. With AddComponent and
// RemoveComponent each intermediate set would become an archetype, for ever, and
// everything here walks the archetypes.
func become(e *donburi.Entry, set []donburi.IComponentType) {
	if e.Archetype().LayoutMatches(set) {
		return
	}
	to := prime(e.World, set)
	if from, row, ok := locationOf(e); ok {
		transfer(e.World.TransferArchetype, from, to, row)
		return
	}
	becomeByOnes(e, set)
}

// becomeByOnes is become for a donburi in which locationOf does not find an entity's
// location.
func becomeByOnes(e *donburi.Entry, set []donburi.IComponentType) {
	for _, c := range set {
		if has := e.Archetype().ComponentTypes(); !slices.Contains(has, c) {
			prime(e.World, append(slices.Clone(has), c))
			e.AddComponent(c)
		}
	}
	for _, c := range slices.Clone(e.Archetype().ComponentTypes()) {
		if !slices.Contains(set, c) {
			has := slices.Clone(e.Archetype().ComponentTypes())
			prime(e.World, slices.DeleteFunc(has, func(o donburi.IComponentType) bool { return o == c }))
			e.RemoveComponent(c)
		}
	}
}

// locationOf returns the archetype of an entity and its row there. It reports false if an
// entry is not laid out as in the donburi that is known here.
func locationOf(e *donburi.Entry) (archetype, row int, ok bool) {
	loc := reflect.ValueOf(e).Elem().FieldByName("loc")
	if loc.Kind() != reflect.Pointer || loc.Type().Elem().Kind() != reflect.Struct || loc.IsNil() {
		return 0, 0, false
	}
	a, c := loc.Elem().FieldByName("Archetype"), loc.Elem().FieldByName("Component")
	if !a.CanInt() || !c.CanInt() {
		return 0, 0, false
	}
	return int(a.Int()), int(c.Int()), true
}

// transfer calls TransferArchetype. Its index types cannot be named outside donburi, so
// they are inferred.
func transfer[A, C ~int](move func(A, A, C) C, from, to, row int) { move(A(from), A(to), C(row)) }

// prime returns the archetype of a set of components. If there is none it makes one by
// Create, so that moves into it leave its storage counting right.
func prime(w donburi.World, set []donburi.IComponentType) (archetype int) {
	for i, a := range w.Archetypes() {
		if a.LayoutMatches(set) {
			return i
		}
	}
	archetype = len(w.Archetypes())
	w.Remove(create(w, set...))
	return archetype
}

// create is World.Create for worlds with any number of archetypes.
func create(w donburi.World, set ...donburi.IComponentType) donburi.Entity {
	for _, c := range set {
		lengthen(w, c, len(w.Archetypes())+1)
	}
	return w.Create(set...)
}

// lengthen gives a component's storage a list for each of the first n archetypes.
func lengthen(w donburi.World, c donburi.IComponentType, n int) {
	if n <= donburiLists {
		return
	}
	if lists, ok := listsIn(w.StorageAccessor().Components.Storage(c)); ok && len(*lists) < n {
		*lists = append(*lists, make([][]unsafe.Pointer, n-len(*lists))...)
	}
}

// listed is the number of archetypes, and of component types, for which lists have been
// made.
type listed struct{ archetypes, types int }

// enough returns for how many archetypes so many lists will do until the next look:
// donburi doubles them once, and between two looks no archetypes are added but those that
// AddComponent makes.
func enough(lists int) (archetypes int) { return lists + lists/2 }

// makeRoom makes room for entities that the game creates by itself, as in a prefab's
// function: it lengthens the lists of every component type in the program before they are
// too short. It is called for a new world and after every creation of an entity.
func (r *Replication) makeRoom() {
	n := len(r.world.Archetypes())
	if n <= enough(donburiLists) { // most games stay here
		return
	}
	types := donburi.AllComponentTypes()
	if n <= enough(r.listed.archetypes) && len(types) == r.listed.types {
		return
	}
	r.listed = listed{archetypes: n, types: len(types)}
	for _, c := range types {
		lengthen(r.world, c, n)
	}
}

// sessionOf stands on no entity. Its storage, of which each world has its own, keeps the
// world's session where the first entity of archetype 0 would have the component. So Of
// needs only a few loads, whatever is in the world; donburi offers no other place to
// attach something to a world.
var sessionOf = donburi.NewComponentType[*Replication]().SetName("SessionOf")

// sessionIn returns the session of a world, nil if it has none.
func sessionIn(w donburi.World) *Replication {
	s := w.StorageAccessor().Components.Storage(sessionOf)
	if !s.Contains(0, 0) {
		return nil
	}
	return *(**Replication)(s.Component(0, 0))
}

// setSession attaches a session to a world; nil detaches it.
func setSession(w donburi.World, r *Replication) {
	s := w.StorageAccessor().Components.Storage(sessionOf)
	if s.Contains(0, 0) {
		s.SwapRemove(0, 0)
	}
	if r != nil {
		s.PushComponent(sessionOf, 0)
		s.SetComponent(0, 0, unsafe.Pointer(&r))
	}
}

// sameWorld reports whether an entry belongs to a world. (The type of an entry's World
// cannot be named.)
func sameWorld(e *donburi.Entry, w donburi.World) bool {
	return e != nil && w != nil && donburi.World(e.World) == w
}

// changedNodes calls fn for the rows of an archetype whose NodeData differs from known,
// and updates known. It compares four rows at once, because mostly none has changed.
func changedNodes(w donburi.World, archetype int, known []components.NodeData, fn func(row int, data *components.NodeData)) {
	list := stored(w, components.RplNode, archetype, len(known))
	known = known[:len(list)] // already so, but the compiler does not know it
	row := 0
	for ; row < len(list)-3; row += 4 {
		if differs(list[row], &known[row])|differs(list[row+1], &known[row+1])|
			differs(list[row+2], &known[row+2])|differs(list[row+3], &known[row+3]) != 0 {
			changedAmong(list[row:row+4], row, known, fn)
		}
	}
	changedAmong(list[row:], row, known, fn)
}

// changedAmong is changedNodes for the rows of list, of which from is the first.
func changedAmong(list []unsafe.Pointer, from int, known []components.NodeData, fn func(row int, data *components.NodeData)) {
	for i, at := range list {
		if row := from + i; differs(at, &known[row]) != 0 {
			data := (*components.NodeData)(at)
			known[row] = *data
			fn(row, data)
		}
	}
}

// NodeData is 8 bytes without padding, and is compared as one word.
var _ [8]byte = [unsafe.Sizeof(components.NodeData{})]byte{}

// differs returns 0 if the NodeData at a pointer equals known.
func differs(at unsafe.Pointer, known *components.NodeData) uint64 {
	return *(*uint64)(at) ^ *(*uint64)(unsafe.Pointer(known))
}

// stored returns where a component is for the first n rows of an archetype. The list is
// donburi's own, so it is valid until the next creation or removal.
func stored(w donburi.World, c donburi.IComponentType, archetype, n int) []unsafe.Pointer {
	column := w.StorageAccessor().Components.Storage(c)
	if lists, ok := listsIn(column); ok {
		return (*lists)[archetype][:n]
	}
	return askedOf(column.Component, archetype, n)
}

// listsIn finds the lists in a component's storage, one for each archetype, because
// asking Component for each row costs four loads. It reports false if the storage is not
// laid out as in the donburi that is known here.
func listsIn(storage any) (lists *[][]unsafe.Pointer, ok bool) {
	s := reflect.ValueOf(storage)
	if s.Kind() != reflect.Pointer || s.Elem().Kind() != reflect.Struct {
		return nil, false
	}
	s = s.Elem()
	if s.NumField() != 1 || s.Field(0).Type() != reflect.TypeFor[[][]unsafe.Pointer]() {
		return nil, false
	}
	return (*[][]unsafe.Pointer)(s.Field(0).Addr().UnsafePointer()), true
}

// askedOf does the same by the storage's Component. Its index types cannot be named
// outside donburi, so they are inferred.
func askedOf[A, C ~int](component func(A, C) unsafe.Pointer, archetype, n int) []unsafe.Pointer {
	list := make([]unsafe.Pointer, n)
	for row := range list {
		list[row] = component(A(archetype), C(row))
	}
	return list
}

// sameMemory is slices.Equal, comparing blocks of memory.
func sameMemory(a, b []donburi.Entity) bool {
	return bytes.Equal(bytesOf(a), bytesOf(b))
}

func bytesOf(s []donburi.Entity) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(donburi.Null)))
}

// entriesWith walks over the entities of a world that have all of the components. The
// caller must not create or remove entities meanwhile, nor add or drop components.
func entriesWith(w donburi.World, cs ...donburi.IComponentType) iter.Seq[*donburi.Entry] {
	return func(yield func(*donburi.Entry) bool) {
		for _, a := range w.Archetypes() {
			if a.Count() == 0 || !hasAll(a.ComponentTypes(), cs) {
				continue
			}
			for _, ent := range a.Entities() {
				if !yield(w.Entry(ent)) {
					return
				}
			}
		}
	}
}

// firstOf returns the first entity of a world that has all of the components and passes
// ok.
func firstOf(w donburi.World, ok func(e *donburi.Entry) bool, cs ...donburi.IComponentType) (*donburi.Entry, bool) {
	for e := range entriesWith(w, cs...) {
		if ok(e) {
			return e, true
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
