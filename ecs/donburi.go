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
//   - A query inside OnCreate deadlocks, and donburi's queries (Iter and Each of a
//     component type, too) keep maps that all worlds share, with an entry for each world
//     for ever. So archetypes are walked here, never queried.
//   - A component's storage has a list for each archetype, 256 at first, and doubles
//     once where it needs more: World.Create and AddComponent panic for a component
//     that is first used in archetype 512 or later. So lists are lengthened before
//     (create), those of what the game makes too (makeRoom).

import (
	"bytes"
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
)

// donburiLists is how many archetypes a component's storage has lists for at first.
const donburiLists = 256

// add gives an entity the components that it lacks.
func add(e *donburi.Entry, cs ...donburi.IComponentType) {
	set := slices.Clone(e.Archetype().ComponentTypes())
	for _, c := range cs {
		if !slices.Contains(set, c) {
			set = append(set, c)
		}
	}
	become(e, set)
}

// drop takes components away from an entity; donburi knows no entity without
// any, so the last one stays.
func drop(e *donburi.Entry, cs ...donburi.IComponentType) {
	set := slices.Clone(e.Archetype().ComponentTypes())
	for _, c := range cs {
		if i := slices.Index(set, c); i >= 0 && len(set) > 1 {
			set = slices.Delete(set, i, i+1)
		}
	}
	become(e, set)
}

// become gives an entity this set of components, in one move: by AddComponent and
// RemoveComponent each step of the way would be an archetype, for ever, and archetypes
// are what everything here is looked up by.
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

// becomeByOnes is become where it is not known how donburi says where an entity is.
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

// locationOf is the archetype of an entity and its row there. It reports false where an
// entry is not what it is in the donburi that is known here.
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

// transfer calls TransferArchetype, whose index types cannot be named outside donburi,
// so they are inferred.
func transfer[A, C ~int](move func(A, A, C) C, from, to, row int) { move(A(from), A(to), C(row)) }

// prime makes the archetype of a set of components by Create, so that moves
// into it leave its storage counting right.
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

// create is World.Create, in worlds of any number of archetypes.
func create(w donburi.World, set ...donburi.IComponentType) donburi.Entity {
	for _, c := range set {
		lengthen(w, c, len(w.Archetypes())+1)
	}
	return w.Create(set...)
}

// lengthen has a component's storage have a list for each of the first n archetypes.
func lengthen(w donburi.World, c donburi.IComponentType, n int) {
	if n <= donburiLists {
		return
	}
	if lists, ok := listsIn(w.StorageAccessor().Components.Storage(c)); ok && len(*lists) < n {
		*lists = append(*lists, make([][]unsafe.Pointer, n-len(*lists))...)
	}
}

// listed is for how many archetypes, of how many types of component, there are lists.
type listed struct{ archetypes, types int }

// enough is for how many archetypes so many lists will do, until the next look: donburi
// doubles them once, and in between no more archetypes come than AddComponent makes.
func enough(lists int) (archetypes int) { return lists + lists/2 }

// makeRoom is for what the game makes by itself, as in a prefab's function: each type of
// component that the program has gets lists before they are too few. It is called at
// first and when an entity has been created.
func (r *Replication) makeRoom() {
	n := len(r.world.Archetypes())
	if n <= enough(donburiLists) { // which is so in most games
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

// sessionOf stands on no entity: its storage, of which each world has its own, keeps the
// world's session where the first entity of archetype 0 would have it. So a world leads to
// its session in a few loads, whatever is in it; donburi gives a world nothing else to keep
// a thing by.
var sessionOf = donburi.NewComponentType[*Replication]().SetName("SessionOf")

// sessionIn is the session of a world, nil where it has none.
func sessionIn(w donburi.World) *Replication {
	s := w.StorageAccessor().Components.Storage(sessionOf)
	if !s.Contains(0, 0) {
		return nil
	}
	return *(**Replication)(s.Component(0, 0))
}

// setSession has a world lead to a session, or to none.
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
		return (*lists)[archetype][:n]
	}
	return askedOf(column.Component, archetype, n)
}

// listsIn finds the lists in a component's storage, one by archetype: asked for
// by Component, each row costs four loads. It reports false where a storage is
// not what it is in the donburi that is known here.
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

// entriesWith are the entities of a world that have all of the components. What goes
// over them creates and removes nothing, and adds and drops nothing.
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

// firstOf finds the first entity of a world that has all of the components and
// passes ok.
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
