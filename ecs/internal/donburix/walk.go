package donburix

import (
	"iter"
	"slices"

	"github.com/yohamta/donburi"
)

// walk: over the entities of a world.

// With walks over the entities of a world that have all of the components. The
// caller must not create or remove entities meanwhile, nor add or drop components.
func With(w donburi.World, cs ...donburi.IComponentType) iter.Seq[*donburi.Entry] {
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

// First returns the first entity of a world that has all of the components and passes
// ok.
func First(w donburi.World, ok func(e *donburi.Entry) bool, cs ...donburi.IComponentType) (*donburi.Entry, bool) {
	for e := range With(w, cs...) {
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

// SameWorld reports whether an entry belongs to a world. (The type of an entry's World
// cannot be named.)
func SameWorld(e *donburi.Entry, w donburi.World) bool {
	return e != nil && w != nil && donburi.World(e.World) == w
}
