package ecs

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
)

type pointData struct{ X, Y float64 }

var (
	pointType = donburi.NewComponentType[pointData]()
	tagA      = donburi.NewTag("A")
	tagB      = donburi.NewTag("B")
)

// Without priming, Create panics in an archetype that a move has populated
// first: this is what donburi does, and the reason for add and drop.
func TestDonburiNeedsPriming(t *testing.T) {
	create := func(prime bool) (panicked bool) {
		defer func() { panicked = recover() != nil }()
		w := donburi.NewWorld()
		e := w.Entry(w.Create(pointType))
		if prime {
			add(e, tagA)
		} else {
			e.AddComponent(tagA)
		}
		w.Create(pointType, tagA)
		return false
	}
	if !create(false) {
		t.Error("donburi has no such trap any more: add and drop may go")
	}
	if create(true) {
		t.Error("add does not prime")
	}
}

func TestAddAndDrop(t *testing.T) {
	w := donburi.NewWorld()
	var es []*donburi.Entry
	for i := range 10 {
		e := w.Entry(w.Create(pointType))
		pointType.Get(e).X = float64(i)
		es = append(es, e)
	}
	p := pointType.Get(es[3])
	add(es[3], tagA, tagB)
	if pointType.Get(es[3]) != p {
		t.Error("a move has changed the component's place")
	}
	for range 3 { // archetypes fill and empty in any order
		for _, e := range es {
			add(e, tagA, tagB)
			w.Create(pointType, tagA)
			drop(e, tagA)
			w.Create(pointType, tagB)
			drop(e, tagB)
			w.Create(pointType)
		}
	}
	for i, e := range es {
		if x := pointType.Get(e).X; x != float64(i) {
			t.Errorf("entity %d has %v", i, x)
		}
	}
	drop(es[0], pointType)
	if !es[0].HasComponent(pointType) {
		t.Error("an entity without components")
	}
}

func TestStoredIsWhereComponentsAre(t *testing.T) {
	w := donburi.NewWorld()
	w.CreateMany(3, tagA)
	ents := w.CreateMany(5, pointType, tagB)
	for i, a := range w.Archetypes() {
		if !slices.Contains(a.ComponentTypes(), donburi.IComponentType(pointType)) {
			continue
		}
		rows := stored(w, pointType, i, a.Count())
		for row, at := range rows {
			if at != unsafe.Pointer(pointType.Get(w.Entry(ents[row]))) {
				t.Errorf("row %d is at another place", row)
			}
		}
		column := w.StorageAccessor().Components.Storage(pointType)
		if _, ok := listsIn(column); !ok {
			t.Error("donburi keeps its components in another way: they are asked for one by one")
		}
		if asked := askedOf(column.Component, i, a.Count()); !slices.Equal(asked, rows) {
			t.Error("asked for one by one they are others")
		}
		return
	}
	t.Error("no archetype")
}

func TestNodeDataIsOneWord(t *testing.T) {
	if n := unsafe.Sizeof(components.NodeData{}); n != 8 {
		t.Errorf("NodeData takes %d bytes, not one word without padding", n)
	}
}

func TestSameMemory(t *testing.T) {
	ents := donburi.NewWorld().CreateMany(3, tagA)
	other := slices.Clone(ents)
	other[2]++
	for _, c := range []struct {
		a, b []donburi.Entity
		same bool
	}{{nil, nil, true}, {nil, ents[:0], true}, {ents, slices.Clone(ents), true}, {ents, ents[:2], false}, {ents, other, false}} {
		if sameMemory(c.a, c.b) != c.same {
			t.Errorf("%v and %v: same is not %v", c.a, c.b, c.same)
		}
	}
}

func TestOf(t *testing.T) {
	p := NewProtocol("of")
	w := donburi.NewWorld()
	w.CreateMany(3, pointType, tagA)
	r, err := New(w, p, Config{})
	if err != nil {
		t.Fatal(err)
	}
	e := r.Session()
	add(e, pointType)
	if Of(w) != r || Of(donburi.NewWorld()) != nil || Of(nil) != nil {
		t.Error("Of does not find the session, or finds one elsewhere")
	}
	if _, err := New(w, p, Config{}); err == nil {
		t.Error("two sessions in one world")
	}
	again, err := New(donburi.NewWorld(), p, Config{})
	if err != nil || again == r {
		t.Errorf("a second session of one process: %v", err)
	}
}
