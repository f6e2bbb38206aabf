package donburix

import (
	"bytes"
	"reflect"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
)

// columns: components by archetype and row.

// Column returns where a component is for the first n rows of an archetype. The list is
// donburi's own, so it is valid until the next creation or removal.
func Column(w donburi.World, c donburi.IComponentType, archetype, n int) []unsafe.Pointer {
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

// ChangedNodes calls fn for the rows of an archetype whose NodeData differs from known,
// and updates known. It compares four rows at once, because mostly none has changed.
func ChangedNodes(w donburi.World, archetype int, known []components.NodeData, fn func(row int, data *components.NodeData)) {
	list := Column(w, components.RplNode, archetype, len(known))
	known = known[:len(list)] // already so, but the compiler does not know it
	row := 0
	for ; row < len(list)-3; row += 4 {
		if NodeDataDiffers(list[row], &known[row])|NodeDataDiffers(list[row+1], &known[row+1])|
			NodeDataDiffers(list[row+2], &known[row+2])|NodeDataDiffers(list[row+3], &known[row+3]) != 0 {
			changedAmong(list[row:row+4], row, known, fn)
		}
	}
	changedAmong(list[row:], row, known, fn)
}

// changedAmong is ChangedNodes for the rows of list, of which from is the first.
func changedAmong(list []unsafe.Pointer, from int, known []components.NodeData, fn func(row int, data *components.NodeData)) {
	for i, at := range list {
		if row := from + i; NodeDataDiffers(at, &known[row]) != 0 {
			data := (*components.NodeData)(at)
			known[row] = *data
			fn(row, data)
		}
	}
}

// NodeDataDiffers returns 0 if the NodeData at a pointer equals known.
func NodeDataDiffers(at unsafe.Pointer, known *components.NodeData) uint64 {
	return *(*uint64)(at) ^ *(*uint64)(unsafe.Pointer(known))
}

// NodeData is 8 bytes without padding, and is compared as one word.
var _ [8]byte = [unsafe.Sizeof(components.NodeData{})]byte{}

// SameEntities is slices.Equal, comparing blocks of memory.
func SameEntities(a, b []donburi.Entity) bool {
	return bytes.Equal(bytesOf(a), bytesOf(b))
}

func bytesOf(s []donburi.Entity) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(donburi.Null)))
}
