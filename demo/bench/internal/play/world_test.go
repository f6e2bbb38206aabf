package play

import (
	"testing"

	"github.com/tendonengine/tendon/demo/bench/internal/arena"
	"github.com/tendonengine/tendon/demo/bench/trace"
)

func smallArena(t *testing.T, seed uint64) *trace.Trace {
	t.Helper()
	m, err := arena.Named("arena")
	if err != nil {
		t.Fatal(err)
	}
	m.Slots, m.Ticks, m.Edge = 120, 150, 1200
	tr, err := arena.Record(m, seed)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestExtractionFollowsTheFields(t *testing.T) {
	for want, tr := range map[string]*trace.Trace{"donburi": smallArena(t, 1), "direct": tiny(t, 1)} {
		o := options(tr)
		r, err := Run(o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Extract != want || r.Trace != tr.Name {
			t.Errorf("%s was extracted as %q, want %q", tr.Name, r.Extract, want)
		}
	}
}

// placeless makes a trace without positions.
func placeless(t *testing.T) *trace.Trace {
	t.Helper()
	r := trace.NewRecorder("placeless", 10, 3, []trace.Field{{Name: "alive", Role: trace.Alive}, {Name: "score"}})
	for i := range int32(30) {
		r.Add([]int32{1, i})
	}
	tr, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestAWorldWithoutPlaces(t *testing.T) {
	o := options(placeless(t))
	r, err := Run(o)
	if err != nil || r.Mismatches != 0 {
		t.Errorf("%v: %s", err, r.JSON())
	}
}
