package donburix

import (
	"reflect"
	"unsafe"

	"github.com/yohamta/donburi"
)

// room: lists for components in late archetypes, and the count of each archetype's entities.

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
type Room struct {
	archetypes, types int // the numbers for which lists have been made
	counted           int // archetypes whose count is known to be right
}

// Make lengthens the lists of every component type in the program before they are too
// short, and mends the count of archetypes that a game's own AddComponent has made. It is to
// be called for a new world, after every creation of an entity, and after what of the game's
// may have added components. Where nothing has changed it costs a few loads.
func (r *Room) Make(w donburi.World) {
	n := len(w.Archetypes())
	if n > r.counted {
		recount(w, r.counted)
		r.counted = n
	}
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

// recount says to donburi's storage in which row each archetype from the given one on has its last
// entity. It counts from one too many where the first entity came by a move (see the package's
// documentation), but is right from then on. Nothing happens if a storage is not laid out as in the
// donburi that is known here.
func recount(w donburi.World, from int) {
	last := reflect.ValueOf(w.StorageAccessor().Components).Elem().FieldByName("componentIndices")
	if last.Kind() != reflect.Map || !last.CanAddr() || last.Type().Key().Kind() != reflect.Int || last.Type().Elem().Kind() != reflect.Int {
		return
	}
	last = reflect.NewAt(last.Type(), last.Addr().UnsafePointer()).Elem() // without the mark of an unexported field
	for i, a := range w.Archetypes()[from:] {
		row := reflect.ValueOf(len(a.Entities()) - 1).Convert(last.Type().Elem())
		last.SetMapIndex(reflect.ValueOf(from+i).Convert(last.Type().Key()), row)
	}
}
