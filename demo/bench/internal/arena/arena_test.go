package arena

import (
	"slices"
	"testing"

	"github.com/tendonengine/tendon/demo/bench/trace"
)

// changing returns the mean number of slots that are alive at a tick, and of slots
// whose row differs from the tick before.
func changing(t *trace.Trace) (alive, changed float64) {
	for tick := 1; tick < t.Ticks; tick++ {
		for slot := range t.Slots {
			if t.Alive(tick, slot) {
				alive++
			}
			if !slices.Equal(t.Row(tick, slot), t.Row(tick-1, slot)) {
				changed++
			}
		}
	}
	n := float64(t.Ticks - 1)
	return alive / n, changed / n
}

// Each mix has about the share of living and of changing slots that the package comment
// promises.
func TestMixes(t *testing.T) {
	for _, c := range []struct {
		name           string
		alive, changed [2]float64 // least and most, as shares of all slots
	}{
		{"arena", [2]float64{0.88, 0.94}, [2]float64{0.43, 0.50}},
		{"crowd", [2]float64{1, 1}, [2]float64{0.81, 0.87}},
		{"still", [2]float64{1, 1}, [2]float64{0.014, 0.020}},
		{"march", [2]float64{1, 1}, [2]float64{0.99, 1}},
	} {
		m, err := Named(c.name)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Record(m, 3)
		if err != nil {
			t.Fatal(err)
		}
		alive, changed := changing(tr)
		n := float64(tr.Slots)
		if a := alive / n; a < c.alive[0] || a > c.alive[1] {
			t.Errorf("%s: %.3f of the slots are alive, want %v", c.name, a, c.alive)
		}
		if x := changed / n; x < c.changed[0] || x > c.changed[1] {
			t.Errorf("%s: %.4f of the slots change in a tick, want %v", c.name, x, c.changed)
		}
		if tr.Slots != m.Slots || tr.Ticks != m.Ticks || tr.Hz != Hz {
			t.Errorf("%s: recorded %d slots, %d ticks, %d Hz", c.name, tr.Slots, tr.Ticks, tr.Hz)
		}
	}
}

func TestSeedsDifferAndRepeat(t *testing.T) {
	m, _ := Named("arena")
	m.Slots, m.Ticks = 100, 30
	one, two, again := record(t, m, 1), record(t, m, 2), record(t, m, 1)
	same := func(a, b *trace.Trace) bool {
		for slot := range m.Slots {
			if !slices.Equal(a.Row(29, slot), b.Row(29, slot)) {
				return false
			}
		}
		return true
	}
	if !same(one, again) {
		t.Error("the same seed gave two worlds")
	}
	if same(one, two) {
		t.Error("two seeds gave the same world")
	}
}

func TestRefusals(t *testing.T) {
	if _, err := Named("island"); err == nil {
		t.Error("an unknown mix was found")
	}
	m, _ := Named("still")
	m.Slots = 0
	if _, err := Record(m, 1); err == nil {
		t.Error("a world without slots was recorded")
	}
}

func record(t *testing.T, m Mix, seed uint64) *trace.Trace {
	t.Helper()
	tr, err := Record(m, seed)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}
