package extract

// A reader of a world of its own, without a session.

import (
	"log/slog"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/callbacks"
	"github.com/tendonengine/tendon/ecs/internal/faults"
	"github.com/tendonengine/tendon/ecs/internal/loadtime"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

type count struct {
	N int32 `rpl:""`
}

var (
	counts = donburi.NewComponentType[count]()
	tagged = donburi.NewTag("tagged")
)

// newReader returns a reader of an empty world in which counts are replicated.
func newReader(t *testing.T) *Reader {
	t.Helper()
	schema := rpl.NewSchema("extract")
	kinds := nodes.NewKinds()
	kinds.Add(&nodes.Component{
		Name: "count", Type: counts, Wire: reflect.TypeFor[count](), Item: schema.Item("count", reflect.TypeFor[count](), nil),
		Copy: func(dst, src unsafe.Pointer) { *(*count)(dst) = *(*count)(src) },
	})
	if err := schema.Freeze(60); err != nil {
		t.Fatal(err)
	}
	w := donburi.NewWorld()
	table := &nodes.Table{
		World: w, Components: kinds.Components, Changed: func(rpl.Node) {}, Ended: func(*nodes.Node) {},
		ByID: map[rpl.Node]*nodes.Node{}, Parts: map[donburi.Entity][]donburi.Entity{},
	}
	auth, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: schema, Refs: table, Hz: 60})
	if err != nil {
		t.Fatal(err)
	}
	base := &nodes.Base{
		Kinds: &kinds, Steps: 60, World: w, Auth: auth, Sending: true,
		Faults: faults.New(slog.New(slog.DiscardHandler), false), StandIns: make([]unsafe.Pointer, len(kinds.Components)),
	}
	notify, lt := callbacks.New(base, table), loadtime.New(base, table)
	return &Reader{
		Base: base, Nodes: table, LoadTime: &lt, Notify: &notify,
		LastCalls: func(*nodes.Node) {}, During: func(fn func()) { fn() },
	}
}

// A callback may remove entities and change their components between Extract
// and Stream: Stream then finds every component where it is now, or none.
func TestComponentsThatMoveAfterExtract(t *testing.T) {
	ex := newReader(t)
	w := ex.World
	var ents []donburi.Entity
	for range 4 {
		ents = append(ents, w.Create(counts, components.RplNode))
	}
	ex.Extract()
	archetype := slices.IndexFunc(ex.plans, func(p plan) bool { return len(p.entities) == len(ents) })
	if archetype < 0 {
		t.Fatal("no archetype has them all")
	}
	rows := ex.plans[archetype].entities
	w.Remove(rows[0])                        // the last entity takes its row
	w.Entry(rows[1]).AddComponent(tagged)    // the entity moves to another archetype
	w.Entry(rows[2]).RemoveComponent(counts) // the component is gone
	for row, e := range rows {
		var want unsafe.Pointer
		if w.Valid(e) && w.Entry(e).HasComponent(counts) {
			want = unsafe.Pointer(counts.Get(w.Entry(e)))
		}
		if got := ex.componentAt(archetype, ex.Kinds.Components[0], row); got != want {
			t.Errorf("the component of row %d is found at %v, it is at %v", row, got, want)
		}
	}
}
