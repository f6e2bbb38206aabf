package ecs

// Callbacks that change entities between extraction and streaming.

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
)

// A callback may remove entities and change their components between Extract
// and Stream: Stream then finds every component where it is now, or none.
func TestComponentsThatMoveAfterExtract(t *testing.T) {
	type count struct {
		N int32 `rpl:""`
	}
	p := NewProtocol("moves")
	counts := Replicate(p, "count", donburi.NewComponentType[count]())
	w := donburi.NewWorld()
	r, err := New(w, p, Config{})
	if err != nil {
		t.Fatal(err)
	}
	var ents []donburi.Entity
	for range 4 {
		ents = append(ents, w.Create(counts, components.RplNode))
	}
	r.Receive()
	r.Send()
	archetype := slices.IndexFunc(r.extract.plans, func(p plan) bool { return len(p.entities) == len(ents) })
	if archetype < 0 {
		t.Fatal("no archetype has them all")
	}
	rows := r.extract.plans[archetype].entities
	w.Remove(rows[0])                        // the last entity takes its row
	w.Entry(rows[1]).AddComponent(tagA)      // the entity moves to another archetype
	w.Entry(rows[2]).RemoveComponent(counts) // the component is gone
	for row, e := range rows {
		var want unsafe.Pointer
		if w.Valid(e) && w.Entry(e).HasComponent(counts) {
			want = unsafe.Pointer(counts.Get(w.Entry(e)))
		}
		if got := r.extract.componentAt(archetype, p.kinds.Components[0], row); got != want {
			t.Errorf("the component of row %d is found at %v, it is at %v", row, got, want)
		}
	}
}
