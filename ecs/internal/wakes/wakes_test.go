package wakes_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/wakes"
	"github.com/tendonengine/tendon/rpl"
)

// What is due comes at its tick, by entity, once for each tick that it was given; what has ended
// makes room.
func TestSet(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	var s wakes.Set
	there := func(e donburi.Entity) bool { return e%7 != 0 }
	want := map[rpl.Tick]map[donburi.Entity]bool{}
	for now := rpl.Tick(1); now < 3000; now++ {
		for range r.IntN(8) {
			e, at := donburi.Entity(r.IntN(500)), now+rpl.Tick(r.IntN(100))
			s.Add(wakes.Woken{Entity: e}, at, there)
			if want[at] == nil {
				want[at] = map[donburi.Entity]bool{}
			}
			want[at][e] = true
		}
		due := s.Due(now)
		if !slices.IsSortedFunc(due, func(a, b wakes.Woken) int { return cmp.Compare(a.Entity, b.Entity) }) {
			t.Fatalf("tick %d: not in order: %v", now, due)
		}
		for _, w := range due {
			e := w.Entity
			if !want[now][e] {
				t.Fatalf("tick %d: %v is woken, which it is not to be, or twice", now, e)
			}
			delete(want[now], e)
		}
		for e := range want[now] {
			if there(e) {
				t.Fatalf("tick %d: %v is not woken", now, e)
			}
		}
	}
	for range 100_000 {
		s.Add(wakes.Woken{Entity: 7}, 1<<30, there)
	}
	if s.Len() > 2000 {
		t.Errorf("%d wait, of which none is there", s.Len())
	}
}

func BenchmarkDue(b *testing.B) {
	var s wakes.Set
	there := func(donburi.Entity) bool { return true }
	for i := range 1_000_000 {
		s.Add(wakes.Woken{Entity: donburi.Entity(i)}, 1<<30, there)
	}
	b.ReportAllocs()
	for i := range b.N { // one in a step, of a million that wait
		s.Add(wakes.Woken{Entity: 1}, rpl.Tick(i), there)
		s.Due(rpl.Tick(i))
	}
}
