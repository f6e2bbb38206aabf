package callqueue

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever is added and taken, each call comes once, by tick and then as it was added, and none before its tick.
func TestTimed(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	type waits struct {
		tick     uint32
		node, nr int
	}
	rng := rand.New(rand.NewPCG(seed, seed))
	var q Timed[int, int]
	var want []waits // in order
	for nr := range 20_000 {
		switch node, tick := 1+rng.IntN(4), uint32(nr/4+rng.IntN(10)); rng.IntN(4) {
		case 0, 1:
			q.Add(tick, node, Late[int]{Call: nr})
			want = append(want, waits{tick, node, nr})
			slices.SortStableFunc(want, func(a, b waits) int { return int(a.tick) - int(b.tick) })
		default:
			if rng.IntN(3) > 0 {
				node = 0
			}
			at := slices.IndexFunc(want, func(w waits) bool { return w.tick <= tick && (node == 0 || w.node == node) })
			n, c, ok := q.Next(node, tick)
			if ok != (at >= 0) || ok && (n != want[at].node || c.Call != want[at].nr) {
				t.Fatalf("%d on %d comes, %v, of %+v up to %d on %d", c.Call, n, ok, want, tick, node)
			}
			if ok {
				want = slices.Delete(want, at, at+1)
			}
		}
		if q.Len() != len(want) || len(want) > 0 && q.First() != want[0].tick {
			t.Fatalf("%d wait, not %d", q.Len(), len(want))
		}
	}
}

// A queue through which calls go all the time allocates nothing.
func TestTimedAllocatesNothing(t *testing.T) {
	var q Timed[int, int]
	tick := uint32(0)
	step := func() {
		tick++
		q.Add(tick+9, 1, Late[int]{})
		q.Add(tick+5, 1, Late[int]{})
		for _, _, ok := q.Next(0, tick); ok; _, _, ok = q.Next(0, tick) {
			continue
		}
	}
	for range 100 {
		step()
	}
	if n := testing.AllocsPerRun(1000, step); n > 0 {
		t.Errorf("%v allocations a step", n)
	}
}
