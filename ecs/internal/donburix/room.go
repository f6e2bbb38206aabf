package donburix

import (
	"unsafe"

	"github.com/yohamta/donburi"
)

// room: lists for components in late archetypes.

// firstLists is the number of archetypes for which a component's storage has lists at
// first.
const firstLists = 256

// lengthen gives a component's storage a list for each of the first n archetypes.
func lengthen(w donburi.World, c donburi.IComponentType, n int) {
	if n <= firstLists {
		return
	}
	if lists, ok := listsIn(w.StorageAccessor().Components.Storage(c)); ok && len(*lists) < n {
		*lists = append(*lists, make([][]unsafe.Pointer, n-len(*lists))...)
	}
}

// enough returns for how many archetypes so many lists will do until the next look:
// donburi doubles them once, and between two looks no archetypes are added but those that
// AddComponent makes.
func enough(lists int) (archetypes int) { return lists + lists/2 }

// A Room makes room in one world for entities that the game creates by itself.
type Room struct{ archetypes, types int } // the numbers for which lists have been made

// Make lengthens the lists of every component type in the program before they are too
// short. It is to be called for a new world and after every creation of an entity.
func (r *Room) Make(w donburi.World) {
	n := len(w.Archetypes())
	if n <= enough(firstLists) { // most games stay here
		return
	}
	types := donburi.AllComponentTypes()
	if n <= enough(r.archetypes) && len(types) == r.types {
		return
	}
	*r = Room{archetypes: n, types: len(types)}
	for _, c := range types {
		lengthen(w, c, n)
	}
}
