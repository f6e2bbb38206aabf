package coder

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// fitted returns the tables that are fitted to l's counts of the default model.
func fitted(l *Learner, types []*rowtype.Type, d *Model) *TableSet {
	g := Fitter{Worth: 1}.Begin(l, types, d, d, 1)
	for !g.On() {
	}
	return g.Set
}

// Each tick does at most pace steps of a fit, and the tables are the same as those of a
// fit in one tick.
func TestFitTakesManyTicks(t *testing.T) {
	seed := rand.Uint64()
	h := newHerd(t, rand.New(rand.NewPCG(seed, 1)))
	d, l := defaultModel(h.types), NewLearner(h.types, 60)
	l.Rows[0].Regroup(h.types[0], herdSpecies)
	h.code(d, l)
	want := fitted(l, h.types, d).Append(nil, h.types, d, nil)
	for _, pace := range []int{1, 3, 10, 1000} {
		g := Fitter{Worth: 1}.Begin(l, h.types, d, d, 1)
		g.StepsPerTick = pace
		all, ticks := len(g.steps), 0
		for done := false; !done; ticks++ {
			left := len(g.steps)
			done = g.On()
			if n := left - len(g.steps); n > pace {
				t.Fatalf("seed %d: a tick does %d of %d steps, not %d", seed, n, all, pace)
			}
		}
		if want := (all + pace - 1) / pace; ticks != want {
			t.Errorf("seed %d: %d steps took %d ticks, not %d", seed, all, ticks, want)
		}
		if all < 16 {
			t.Errorf("seed %d: all that is to be fitted is %d steps", seed, all)
		}
		if got := g.Set.Append(nil, h.types, d, nil); !bytes.Equal(got, want) {
			t.Errorf("seed %d: what was fitted in %d ticks differs from what was fitted at once", seed, ticks)
		}
		m, once := l.Cost(h.types, d), l.Cost(h.types, g.Next)
		if saved := m - once; saved != g.Saved || saved <= 0 {
			t.Errorf("seed %d: tables save %g bits, the fit says %g", seed, saved, g.Saved)
		}
	}
}

// A step of a large row counts as several, so that a tick looks at few of its words, too.
func TestFitOfLargeRowsTakesMoreTicks(t *testing.T) {
	s := schema.NewSchema("large")
	for _, name := range []string{"tiles", "heights", "doors"} {
		s.Item(name, reflect.TypeFor[struct {
			T [1024]uint8 `rpl:"max=15"`
		}](), nil)
	}
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	types, _ := rowtype.TypesOf(s)
	d := defaultModel(types)
	g := Fitter{Worth: 1}.Begin(NewLearner(types, 60), types, d, d, 1)
	g.ThenOfAll(func() {})
	g.Over(1)
	for done := false; !done; {
		left := len(g.steps)
		done = g.On()
		if n, most := left-len(g.steps), 1+fitSteps*stepWords/1024; n > most {
			t.Errorf("a tick does %d steps of rows of 1,024 words, not %d", n, most)
		}
	}
}
