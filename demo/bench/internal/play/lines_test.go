package play

import (
	"testing"

	"github.com/tendonengine/tendon/demo/bench/internal/arena"
	"github.com/tendonengine/tendon/demo/bench/trace"
)

// Learned tables that expect values along lines are right where packets are lost and nodes come
// and go: both ends start a line from the same version, also of a node of which a copy of the
// arrival and a newer version leave at the same time.
func TestLinesUnderLoss(t *testing.T) {
	crowd := func(seed uint64) *trace.Trace {
		m, err := arena.Named("crowd")
		if err != nil {
			t.Fatal(err)
		}
		m.Slots, m.Ticks, m.Edge = 600, 150, 2048
		tr, err := arena.Record(m, seed)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	walked, before := crowd(7), crowd(8)
	for _, seed := range []uint64{0, 3} {
		o := options(walked)
		o.Warm, o.Clients, o.Radius, o.Loss, o.Seed = before, 4, 12_800, 0.1, seed
		r, err := Run(o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Mismatches > 0 {
			t.Errorf("seed %d: %+v, %d packets refused", seed, r.Kinds, r.Refused)
		}
	}
}
