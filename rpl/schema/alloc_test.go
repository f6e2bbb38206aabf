//go:build !race

// The race detector makes sync.Pools drop objects on purpose, so these tests are not
// built with it.

package schema

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// Comparing, extracting and injecting a component does not allocate.
func TestNoAllocations(t *testing.T) {
	it := freezeItem(t, nine{}, nil)
	v, words, shadow := someNine(), make([]int32, len(it.Words)), make([]byte, it.ShadowSize)
	packs := freezeItem(t, pack{}, nil)
	p := somePack(12)
	pw, pv := extract(packs, &p, nil)
	if n := testing.AllocsPerRun(100, func() {
		v.X++
		it.Unchanged(unsafe.Pointer(&v), shadow)
		it.Extract(unsafe.Pointer(&v), words, nil, nil)
		it.Inject(unsafe.Pointer(&v), words, nil, nil)
		packs.Extract(unsafe.Pointer(&p), pw, pv, nil)
		packs.Inject(unsafe.Pointer(&p), pw, pv, nil)
	}); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}

// Injecting unchanged values does not allocate, whichever of the nodes that they refer
// to are there.
func TestReferencesInListsAllocateNothing(t *testing.T) {
	s := NewSchema("test")
	s.SetRef(reflect.TypeFor[entity]())
	it := s.Item("crew", reflect.TypeFor[crew](), nil)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	l := limb{ID: 1, To: 1, In: post{To: 2}, Deep: []post{{To: 1}, {To: 3}}}
	server := crew{Refs: []entity{1, 0, 2}, Slots: []post{{To: 1}, {To: 2}}, Limbs: []limb{l}, Maps: map[uint8]limb{1: l}, Rows: [][]entity{{1, 2}}}
	words, vars := extract(it, &server, world{})
	here := &whereabouts{here: map[ids.Node]uint64{}}
	here.toggle(world{}.NodeOf(1))
	var client crew
	was := make([]any, len(it.Vars))
	inject := func() {
		it.Layout.Inject(unsafe.Pointer(&client), words, vars, was, here)
		copy(was, vars)
	}
	inject()
	if n := testing.AllocsPerRun(100, inject); n != 0 {
		t.Errorf("%v allocations to write what has not changed", n)
	}
	two := world{}.NodeOf(2)
	here.toggle(two)
	if n := testing.AllocsPerRun(100, func() {
		if _, ok := here.here[two]; ok {
			delete(here.here, two)
		} else {
			here.here[two] = 7
		}
		inject()
	}); n != 0 {
		t.Errorf("%v allocations to write what comes and goes", n)
	}
}
