package interest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Whatever goes and comes in whatever order, the list is the set that it stands for.
func TestSlotListIsASet(t *testing.T) {
	const slots, seed = 3000, 7
	rnd := rand.New(rand.NewPCG(seed, seed))
	l := SlotList{marks: new(wire.Bitset)}
	in := map[uint32]bool{}
	most := 0
	for round := range 300 {
		order := rnd.Perm(slots)
		if round%3 == 0 {
			slices.Sort(order)
		}
		for _, k := range order[:rnd.IntN(slots)] {
			slot := uint32(k)
			if in[slot] = !in[slot]; in[slot] {
				l.Add(slot)
			} else {
				delete(in, slot)
				l.Cut(slot)
			}
			most = max(most, len(l.gone))
		}
		if round%4 != 0 {
			continue
		}
		l.Compact()
		got := l.Slots
		if len(got) != len(in) {
			t.Fatalf("round %d: %d slots, not %d", round, len(got), len(in))
		}
		for _, slot := range got {
			if !in[slot] {
				t.Fatalf("round %d: slot %d is in the list, and has gone", round, slot)
			}
		}
	}
	if most < slots/10 {
		t.Errorf("at most %d strays: the test has tried nothing", most)
	}
}

// A list that nobody reads does not grow with what comes and goes.
func TestSlotListDoesNotGrow(t *testing.T) {
	const held = 1000
	l := SlotList{marks: new(wire.Bitset)}
	rnd := rand.New(rand.NewPCG(1, 1))
	in := make([]uint32, held)
	for k := range in {
		in[k] = uint32(k)
		l.Add(in[k])
	}
	for next := uint32(held); next < 100*held; next++ {
		k := rnd.IntN(held)
		l.Cut(in[k])
		in[k] = next
		l.Add(next)
	}
	if n := len(l.Slots); n > 3*held {
		t.Errorf("%d slots for %d nodes", n, held)
	}
}
