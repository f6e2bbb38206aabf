package schema

import (
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// TestReferencesAreExtractedAndInjected checks that references are extracted as words of a node and injected as
// entities, and that a reference without a node is null.
func TestReferencesAreExtractedAndInjected(t *testing.T) {
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
	if want := []int32{5, 1, 0, 0, 0, 3}; !reflect.DeepEqual(words, want) {
		t.Errorf("words %v, want %v", words, want)
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
	shadow := make([]byte, it.ShadowSize)
	one := freezeItem(t, struct {
		A entity `rpl:""`
	}{}, nil)
	ref := struct{ A entity }{}
	if !one.Unchanged(unsafe.Pointer(&ref), shadow) {
		t.Error("a null reference is never the same")
	}
	ref.A = 3
	one.Unchanged(unsafe.Pointer(&ref), shadow)
	if one.Unchanged(unsafe.Pointer(&ref), shadow) {
		t.Error("an entity may have become a node since: it is not the same by bytes")
	}
}

// TestNodesOfARow checks that the nodes to which an item refers are found in every kind
// of field, and that an absent Opt refers to none.
func TestNodesOfARow(t *testing.T) {
	type inner struct {
		To   entity   `rpl:""`
		More []entity `rpl:"max=2"`
	}
	type pointing struct {
		A    entity            `rpl:""`
		Pair [2]entity         `rpl:""`
		Text string            `rpl:"max=9"`
		Opt  Opt[inner]        `rpl:""`
		None Opt[entity]       `rpl:""`
		Many []inner           `rpl:"max=3"`
		Map  map[string]entity `rpl:"max=3,each=4"`
		Ints []int             `rpl:"max=3"`
	}
	s := NewSchema("test")
	s.SetRef(reflect.TypeFor[entity]())
	it := s.Item("thing", reflect.TypeFor[pointing](), nil)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	v := pointing{
		A: 1, Pair: [2]entity{0, 2}, Text: "text", Opt: Some(inner{3, []entity{4, 0}}),
		Many: []inner{{5, nil}, {0, []entity{6, 5}}}, Map: map[string]entity{"a": 7, "b": 0, "c": 1}, Ints: []int{8, 9},
	}
	words, vars := extract(it, &v, world{})
	var want []ids.Node
	for _, e := range []uint64{1, 1, 2, 3, 4, 5, 5, 6, 7} {
		want = append(want, world{}.NodeOf(e))
	}
	got := it.Layout.Nodes(words, vars, nil)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("it refers to %v, not %v", got, want)
	}
	words, vars = extract(it, &pointing{}, world{})
	if got := it.Layout.Nodes(words, vars, nil); len(got) > 0 {
		t.Errorf("a zero item refers to %v", got)
	}
}
