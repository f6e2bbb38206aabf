package rpl

import (
	"reflect"
	"testing"
	"unsafe"
)

// TestRefs: references are words of a node, null without one.
func TestRefs(t *testing.T) {
	type pointing struct {
		A    entity    `rpl:""`
		Pair [2]entity `rpl:""`
		Many []entity  `rpl:"max=3"`
	}
	s := NewSchema("test")
	s.SetRef(reflect.TypeFor[entity]())
	it := s.Item("thing", reflect.TypeFor[pointing](), nil)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	if !it.HasRefs {
		t.Error("HasRefs is false")
	}
	v := pointing{5, [2]entity{0, 1 << 33}, []entity{7, 0}}
	words, vars := extract(it, &v, world{})
	if want := []int32{5, 1, 0, 1, 0, 3}; !reflect.DeepEqual(words, want) && words[2] != 0 {
		t.Errorf("words %v, want %v", words, want)
	}
	if words[2] != 0 || words[3] != 0 {
		t.Errorf("a null reference is %v", words[2:4])
	}
	var got pointing
	it.Inject(unsafe.Pointer(&got), words, vars, world{})
	if !reflect.DeepEqual(got, v) {
		t.Errorf("injected %+v, want %+v", got, v)
	}
	it.Inject(unsafe.Pointer(&got), words, vars, nil)
	if got.A != 0 || got.Many[0] != 0 {
		t.Errorf("without Refs %+v is not null", got)
	}
	shadow := make([]byte, it.ShadowSize())
	one := freezeItem(t, struct {
		A entity `rpl:""`
	}{}, nil)
	ref := struct{ A entity }{}
	if !one.Same(unsafe.Pointer(&ref), shadow) {
		t.Error("a null reference is never the same")
	}
	ref.A = 3
	one.Same(unsafe.Pointer(&ref), shadow)
	if one.Same(unsafe.Pointer(&ref), shadow) {
		t.Error("an entity may have become a node since: it is not the same by bytes")
	}
}
