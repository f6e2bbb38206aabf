package rpl_test

// Items that are used after they or their nodes were removed.

import (
	"errors"
	"reflect"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// An adapter that keeps an item for too long does no harm to what has its place now.
func TestRemovedItems(t *testing.T) {
	s := rpl.NewSchema("stale")
	kind := s.Item("coin", reflect.TypeFor[coin](), nil)
	a, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: s, Hz: 60, Local: rpl.Server})
	if err != nil {
		t.Fatal(err)
	}
	spawn := func() (rpl.Node, rpl.Item) {
		n, err := a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{kind}})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := a.Item(n, 0)
		return n, it
	}
	set := func(it rpl.Item, value int32) bool { return a.Set(it, unsafe.Pointer(&coin{value})) }
	ways := map[string]func(n rpl.Node, it rpl.Item){
		"its node is removed": func(n rpl.Node, _ rpl.Item) { a.Remove(n) },
		"it is removed": func(_ rpl.Node, it rpl.Item) {
			if err := a.RemoveItem(it); err != nil {
				t.Error(err)
			}
		},
	}
	for name, remove := range ways {
		t.Run(name, func(t *testing.T) {
			n, stale := spawn()
			set(stale, 1)
			remove(n, stale)
			if set(stale, 2) {
				t.Error("with nothing in its place it is set")
			}
			_, next := spawn()
			set(next, 3)
			column := a.NewColumn(kind, func(int) unsafe.Pointer { return nil })
			column.Resize(1)
			if column.Put(0, stale); column.Bump(0) {
				t.Error("it stands in a column")
			}
			a.FreeColumn(column)
			if set(stale, 4) || a.SetWords(stale, []int32{5}) {
				t.Error("it is set")
			}
			if err := a.RemoveItem(stale); !errors.Is(err, rpl.ErrNoNode) {
				t.Errorf("RemoveItem says %v", err)
			}
			if a.Ordinal(stale) != -1 || len(a.Words(stale, nil)) != 0 {
				t.Error("it has a place in a node, or a value")
			}
			if w := a.Words(next, nil); len(w) != 1 || w[0] != 3 {
				t.Errorf("what has its place now holds %v", w)
			}
		})
	}
	if set(0, 1) || set(rpl.NoItem, 1) || a.Ordinal(rpl.NoItem) != -1 {
		t.Error("no item is set")
	}
}
