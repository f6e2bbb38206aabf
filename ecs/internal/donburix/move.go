package donburix

import (
	"reflect"
	"slices"

	"github.com/yohamta/donburi"
)

// move: an entity gets or loses components.

// Add gives an entity the components that it lacks.
func Add(e *donburi.Entry, cs ...donburi.IComponentType) {
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

// Drop takes components away from an entity. The last one stays, because donburi has no
// entity without components.
func Drop(e *donburi.Entry, cs ...donburi.IComponentType) {
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
	w.Remove(Create(w, set...))
	return archetype
}

// Create is World.Create for worlds with any number of archetypes.
func Create(w donburi.World, set ...donburi.IComponentType) donburi.Entity {
	for _, c := range set {
		lengthen(w, c, len(w.Archetypes())+1)
	}
	return w.Create(set...)
}
