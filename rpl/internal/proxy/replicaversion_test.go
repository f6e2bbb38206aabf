package proxy

import (
	"math/rand/v2"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Whatever versions of a row arrive, in any order, those from the last named baseline
// on can be found. A query never returns a version older than the newest up to the
// asked tick.
func TestVersionsAreFound(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	schema := schema.NewSchema("versions")
	schema.Build("body").Int("x", 0, 1<<20).Done()
	if err := schema.Freeze(60); err != nil {
		t.Fatal(err)
	}
	types, byItem := rowtype.TypesOf(schema)
	layout := wire.NewLayout(schema.Items(), byItem, 0, 0, []int{0})
	for run := range 200 {
		s := newReplicaRows(types)
		s.add(&Replica{layout: layout}, 1)
		row := &s.rows[0]
		came := map[ids.Tick]int32{} // versions that must still be found
		all := map[ids.Tick]bool{}
		newest, base := ids.Tick(1000), ids.Tick(0)
		trip := 1 + r.IntN(25) // mean number of versions in flight
		pause := 1 + r.IntN(6)*r.IntN(60)
		for step := range 400 {
			tick := newest + 1 + ids.Tick(r.IntN(pause))
			if late := newest - ids.Tick(r.IntN(20)); r.IntN(5) == 0 && late > base && came[late] == 0 && step > 0 {
				tick = late
			}
			if old := base - min(base, ids.Tick(1+r.IntN(300))); r.IntN(10) == 0 && old > 1000 && !all[old] { // a keyframe that is very late
				all[old] = true
				s.keep(0, old, []int32{1}, nil, wire.BaseLen, true)
			}
			all[tick] = true
			newest = max(newest, tick)
			newer := 0
			for at := range came {
				if at > base {
					newer++
				}
			}
			came[tick] = r.Int32()%1000 + 1001
			s.keep(0, tick, []int32{came[tick]}, nil, newer, false)
			for newer++; newer > r.IntN(2*trip); newer-- { // the next deltas name a newer baseline
				delete(came, base)
				base = newest
				for at := range came {
					base = min(base, at)
				}
			}
			asked, want := 1001+ids.Tick(r.IntN(int(newest-1000))), ids.Tick(0)
			for at := range all {
				if at <= asked {
					want = max(want, at)
				}
			}
			if _, _, at, ok := s.base(row, asked); ok && at != want {
				t.Fatalf("seed %d, run %d, step %d: up to %d found %d, which was followed by %d", seed, run, step, asked, at, want)
			}
			for range 5 {
				asked := base + ids.Tick(r.IntN(int(newest-base)+3))
				want := base
				for at := range came {
					if at <= asked {
						want = max(want, at)
					}
				}
				slot, _, at, ok := s.base(row, asked)
				if want != 0 && (!ok || at != want || s.version(row, slot)[1] != came[want]) {
					t.Fatalf("seed %d, run %d, step %d: up to %d found %d (%v), want %d", seed, run, step, asked, at, ok, want)
				}
			}
		}
	}
}
