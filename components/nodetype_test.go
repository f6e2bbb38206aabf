package components_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
)

var other = donburi.NewComponentType[components.OwnerData]()

// Nodes are found, read and written as with a component type of donburi's own.
func TestNodeTypeIsAComponentType(t *testing.T) {
	w := donburi.NewWorld()
	if _, ok := components.RplNode.First(w); ok {
		t.Fatal("a world without nodes has a first one")
	}
	func() {
		defer func() {
			if why := fmt.Sprint(recover()); !strings.Contains(why, "RplNode") {
				t.Errorf("a world without nodes must have a first one: %s", why)
			}
		}()
		components.RplNode.MustFirst(w)
	}()
	w.Create(other)
	e := w.Entry(w.Create(components.RplNode, other))
	e2 := w.Entry(w.Create(other))
	e2.AddComponent(components.RplNode)

	components.RplNode.SetValue(e, components.NodeData{Hz: 7})
	components.RplNode.Get(e2).Weight = 2
	if got := donburi.GetValue[components.NodeData](e, components.RplNode); got.Hz != 7 {
		t.Errorf("donburi reads %+v, 7 Hz were written", got)
	}
	mine := &components.NodeData{Relevance: rpl.Always}
	components.RplNode.Set(e, mine)
	if components.RplNode.Get(e) != mine || components.RplNode.GetValue(e) != *mine {
		t.Error("Set does not have the data stand for the node's")
	}

	want := []donburi.Entity{e.Entity(), e2.Entity()}
	var each, iter, query []donburi.Entity
	components.RplNode.Each(w, func(e *donburi.Entry) { each = append(each, e.Entity()) })
	for e := range components.RplNode.Iter(w) {
		iter = append(iter, e.Entity())
	}
	donburi.NewQuery(filter.Contains(components.RplNode)).Each(w, func(e *donburi.Entry) { query = append(query, e.Entity()) })
	for name, got := range map[string][]donburi.Entity{"Each": each, "Iter": iter, "a query": query} {
		if !slices.Equal(got, want) {
			t.Errorf("%s finds %v, the nodes are %v", name, got, want)
		}
	}
	if first, ok := components.RplNode.First(w); !ok || first != components.RplNode.MustFirst(w) || first.Entity() != want[0] {
		t.Errorf("the first node is %v, want %v", first, want[0])
	}
	if name := components.RplNode.String(); name != "RplNode" || name != components.RplNode.Name() {
		t.Errorf("the type is called %q", name)
	}
	if !slices.Contains(donburi.AllComponentTypes(), donburi.IComponentType(components.RplNode)) {
		t.Error("donburi's list of all types does not have it")
	}
	e.RemoveComponent(components.RplNode)
	if e.HasComponent(components.RplNode) || !e.HasComponent(other) {
		t.Error("a node cannot be made an entity again")
	}
}

// What nodes made one after the other have lies side by side, and is zero.
func TestNodesLieSideBySide(t *testing.T) {
	const n = 10_000
	w := donburi.NewWorld()
	lines, far := map[uintptr]bool{}, 0
	var last uintptr
	for range n {
		data := components.RplNode.Get(w.Entry(w.Create(components.RplNode, other)))
		if *data != (components.NodeData{}) {
			t.Fatalf("a new node has %+v", *data)
		}
		data.Hz = 1
		at := uintptr(unsafe.Pointer(data))
		lines[at/64] = true
		if at != last+unsafe.Sizeof(*data) {
			far++
		}
		last = at
	}
	if most := n / 32; len(lines) > n/8+most || far > most {
		t.Errorf("%d nodes are in %d lines, %d of them not beside the one before", n, len(lines), far)
	}
}

// Worlds of their own may be filled at once.
func TestWorldsMakeNodesAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	seen := make([][]*components.NodeData, 4)
	for i := range seen {
		wg.Go(func() {
			for range 1_000 {
				data := (*components.NodeData)(components.RplNode.New())
				data.Hz = uint8(i + 1)
				seen[i] = append(seen[i], data)
			}
		})
	}
	wg.Wait()
	for i, list := range seen {
		for _, data := range list {
			if data.Hz != uint8(i+1) {
				t.Fatalf("the data of a node of world %d say %d", i+1, data.Hz)
			}
		}
	}
}
