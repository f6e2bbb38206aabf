package donburix

// What the library relies on in donburi, and how it avoids donburi's defects.

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
	tagC      = donburi.NewTag("C")
	tagD      = donburi.NewTag("D")
)

// Without priming, Create panics in an archetype that an entity has moved into first: a
// defect of donburi, and the reason for Add and Drop.
func TestDonburiNeedsPriming(t *testing.T) {
	panics := func(move func(e *donburi.Entry)) (panicked bool) {
		defer func() { panicked = recover() != nil }()
		w := donburi.NewWorld()
		move(w.Entry(w.Create(pointType)))
		for range 3 {
			pointType.Get(w.Entry(w.Create(pointType, tagA))).X = 1
		}
		return false
	}
	if !panics(func(e *donburi.Entry) { e.AddComponent(tagA) }) {
		t.Error("donburi has no such trap any more: add, drop and recount may go")
	}
	if panics(func(e *donburi.Entry) { Add(e, tagA) }) {
		t.Error("add does not prime")
	}
	for name, then := range map[string]func(e *donburi.Entry){
		"stays": func(*donburi.Entry) {}, "goes": func(e *donburi.Entry) { e.Remove() }, "moves back": func(e *donburi.Entry) { e.RemoveComponent(tagA) },
	} {
		if panics(func(e *donburi.Entry) {
			e.AddComponent(tagA)
			then(e)
			new(Room).Make(e.World)
		}) {
			t.Errorf("the first entity %s: Room does not mend the count", name)
		}
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
	Add(es[3], tagA, tagB)
	if pointType.Get(es[3]) != p {
		t.Error("a move has changed the component's place")
	}
	for range 3 { // archetypes fill and empty in any order
		for _, e := range es {
			Add(e, tagA, tagB)
			w.Create(pointType, tagA)
			Drop(e, tagA)
			w.Create(pointType, tagB)
			Drop(e, tagB)
			w.Create(pointType)
		}
	}
	for i, e := range es {
		if x := pointType.Get(e).X; x != float64(i) {
			t.Errorf("entity %d has %v", i, x)
		}
	}
	Drop(es[0], pointType)
	if !es[0].HasComponent(pointType) {
		t.Error("an entity without components")
	}
}

// Without lists for it, donburi panics in a late archetype that is the first with one of
// its components: the reason for Create.
func TestDonburiNeedsLists(t *testing.T) {
	early, late := donburi.NewComponentType[pointData](), donburi.NewComponentType[pointData]()
	panics := func(first int, make func(w donburi.World)) (panicked bool) {
		w := donburi.NewWorld()
		for len(w.Archetypes()) < first {
			set := []donburi.IComponentType{early}
			for i, c := range bitTypes {
				if len(w.Archetypes())>>i&1 == 1 {
					set = append(set, c)
				}
			}
			Create(w, set...)
		}
		defer func() { panicked = recover() != nil }()
		make(w)
		return false
	}
	if panics(511, func(w donburi.World) { w.Create(late) }) {
		t.Error("archetype 511 is too many for donburi already")
	}
	for _, first := range []int{512, 2000} {
		if !panics(first, func(w donburi.World) { w.Create(late) }) {
			t.Error("donburi has no such trap any more: create, lengthen and Room may go")
		}
		if panics(first, func(w donburi.World) { Create(w, late) }) {
			t.Errorf("create makes no lists for archetype %d", first)
		}
		if panics(first, func(w donburi.World) { Add(w.Entry(w.Archetypes()[0].Entities()[0]), late) }) {
			t.Errorf("add makes no lists for archetype %d", first)
		}
	}
}

// bitTypes are component types whose subsets give as many archetypes.
var bitTypes = func() (cs [11]donburi.IComponentType) {
	for i := range cs {
		cs[i] = donburi.NewTag()
	}
	return cs
}()

// Several components are added and removed in one move, without archetypes in between;
// where that is not possible, they are moved one by one, with the same result.
func TestBecome(t *testing.T) {
	for _, c := range []struct {
		name       string
		become     func(e *donburi.Entry, set []donburi.IComponentType)
		archetypes int
	}{{"at once", become, 2}, {"by ones", becomeByOnes, 5}} {
		w := donburi.NewWorld()
		var es []*donburi.Entry
		for i := range 10 {
			e := w.Entry(w.Create(pointType, tagA))
			pointType.Get(e).X = float64(i)
			es = append(es, e)
		}
		for _, i := range []int{3, 9, 0} {
			p := pointType.Get(es[i])
			c.become(es[i], []donburi.IComponentType{pointType, tagB, tagC, tagD})
			if pointType.Get(es[i]) != p || !es[i].HasComponent(tagC) || es[i].HasComponent(tagA) || !es[i].Valid() {
				t.Errorf("%s: entity %d is %v", c.name, i, es[i])
			}
			if at, row, ok := locationOf(es[i]); !ok || w.Archetypes()[at].Entities()[row] != es[i].Entity() {
				t.Errorf("%s: entity %d is not in row %d of archetype %d", c.name, i, row, at)
			}
		}
		if n := len(w.Archetypes()); n != c.archetypes {
			t.Errorf("%s: %d archetypes, not %d", c.name, n, c.archetypes)
		}
		for i := range es { // archetypes count right
			w.Create(pointType, tagA)
			w.Create(pointType, tagB, tagC, tagD)
			if x := pointType.Get(es[i]).X; x != float64(i) {
				t.Errorf("%s: entity %d has %v", c.name, i, x)
			}
		}
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
		rows := Column(w, pointType, i, a.Count())
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
		if SameEntities(c.a, c.b) != c.same {
			t.Errorf("%v and %v: same is not %v", c.a, c.b, c.same)
		}
	}
}

// Changed tells of each row that has changed since the last call, once, whether all rows were
// equal before or not, and whether there are few rows or many.
func TestChangedNodeData(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 64, 131} {
		w := donburi.NewWorld()
		var list []*donburi.Entry
		var k NodeDatas
		k.Resize(n)
		for i, e := range w.CreateMany(n, components.RplNode) {
			list = append(list, w.Entry(e))
			k.Put(i, components.NodeData{})
		}
		changed := func() (rows []int) {
			k.Changed(w, 0, func(row int, data *components.NodeData) {
				if *data != *components.RplNode.Get(list[row]) {
					t.Errorf("%d rows: row %d is %v", n, row, *data)
				}
				rows = append(rows, row)
			})
			return rows
		}
		if got := changed(); len(got) > 0 {
			t.Errorf("%d rows: %v have changed before any has", n, got)
		}
		for round := range 200 { // so that rows that are equal again are found to be
			var want []int
			for row := range list {
				switch {
				case round%100 == 50: // all
					components.RplNode.Set(list[row], &components.NodeData{Hz: uint8(1 + round/100)})
				case (row+round)%97 == 0 && round%100 < 10:
					components.RplNode.Get(list[row]).Weight++
				default:
					continue
				}
				want = append(want, row)
			}
			if got := changed(); !slices.Equal(got, want) {
				t.Fatalf("%d rows, round %d: %v have changed, want %v", n, round, got, want)
			}
		}
	}
}
