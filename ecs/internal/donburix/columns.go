package donburix

import (
	"bytes"
	"reflect"
	"slices"
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

// NodeDatas is the NodeData of an archetype's rows as it was last seen.
type NodeDatas struct {
	rows    []components.NodeData
	at      []*components.NodeData // where each row that is a node is, also once it has left the archetype
	of      components.NodeData    // what all rows were when they were last equal
	uniform bool                   // all rows are equal to of, as they mostly are: then rows need not be read
	looks   uint32                 // calls of Changed
}

// Resize makes it n rows. A new row is one of those that were last equal, until Put or Changed says
// what it is.
func (k *NodeDatas) Resize(n int) {
	before := min(len(k.rows), n)
	k.rows = slices.Grow(k.rows[:before], n-before)[:n]
	if before == 0 {
		k.uniform = true
	}
	for i := range k.rows[before:] {
		k.rows[before+i] = k.of
	}
}

// Put sets a row.
func (k *NodeDatas) Put(row int, data components.NodeData) {
	k.rows[row] = data
	k.uniform = k.uniform && data == k.of
}

// Keep notes where the NodeData of a row is, which has just come there.
func (k *NodeDatas) Keep(row int, at *components.NodeData) {
	k.at = slices.Grow(k.at, max(0, len(k.rows)-len(k.at)))[:len(k.rows)]
	k.at[row] = at
}

// Last is what the NodeData of a row is now, or was when it was taken from its entity.
func (k *NodeDatas) Last(row int) *components.NodeData { return k.at[row] }

// Changed calls fn for the rows of the archetype that differ from what was last seen, and notes
// what they are now. It compares eight or four rows at once, because mostly none has changed.
func (k *NodeDatas) Changed(w donburi.World, archetype int, fn func(row int, data *components.NodeData)) {
	list := Column(w, components.RplNode, archetype, len(k.rows))
	const patience = 64 // calls from one look at whether all rows are equal to the next
	if k.looks++; !k.uniform && k.looks%patience == 0 {
		k.compare()
	}
	row, of := 0, *(*uint64)(unsafe.Pointer(&k.of))
	for ; k.uniform && row < len(list)-7; row += 8 {
		l := (*[8]unsafe.Pointer)(list[row:])
		if (*(*uint64)(l[0])^of)|(*(*uint64)(l[1])^of)|(*(*uint64)(l[2])^of)|(*(*uint64)(l[3])^of)|
			(*(*uint64)(l[4])^of)|(*(*uint64)(l[5])^of)|(*(*uint64)(l[6])^of)|(*(*uint64)(l[7])^of) != 0 {
			break
		}
	}
	known := k.rows[:len(list)] // already so, but the compiler does not know it
	for ; row < len(list)-3; row += 4 {
		if NodeDataDiffers(list[row], &known[row])|NodeDataDiffers(list[row+1], &known[row+1])|
			NodeDataDiffers(list[row+2], &known[row+2])|NodeDataDiffers(list[row+3], &known[row+3]) != 0 {
			k.changedAmong(list[row:row+4], row, fn)
		}
	}
	k.changedAmong(list[row:], row, fn)
}

// changedAmong is Changed for the rows of list, of which from is the first.
func (k *NodeDatas) changedAmong(list []unsafe.Pointer, from int, fn func(row int, data *components.NodeData)) {
	for i, at := range list {
		if row := from + i; NodeDataDiffers(at, &k.rows[row]) != 0 {
			data := (*components.NodeData)(at)
			k.Put(row, *data)
			fn(row, data)
		}
	}
}

// compare looks whether all rows are equal.
func (k *NodeDatas) compare() {
	for i := range k.rows {
		if k.rows[i] != k.rows[0] {
			return
		}
	}
	if len(k.rows) > 0 {
		k.of, k.uniform = k.rows[0], true
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
