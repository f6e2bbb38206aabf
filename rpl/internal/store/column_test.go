package store

import (
	"math/rand/v2"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/spatial"
)

// Whatever slots the nodes of 64 rows have, those that nobody is near are the same ones read at
// once and read one by one.
func TestUnwatchedRows(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 2000 {
		space := &spatial.Space{Unwatched: make([]uint64, rng.IntN(5))}
		for i := range space.Unwatched {
			space.Unwatched[i] = rng.Uint64()
		}
		c := &Column{st: &Store{Space: space}, Items: make([]itemSlot, sheaf), slots: make([]uint32, sheaf), inOrder: make([]order, 1)}
		first, far := uint32(rng.IntN(400)), uint64(0)
		for i := range c.slots {
			c.slots[i] = first + uint32(i)
			if rng.IntN(4) == 0 { // a row that is empty has the slot of what was there
				c.Items[i], c.slots[i] = NoSlot, uint32(rng.IntN(400))
			} else {
				far |= 1 << i
			}
		}
		if rng.IntN(2) == 0 {
			c.slots[rng.IntN(sheaf)] = uint32(rng.IntN(400))
		}
		want := space.UnwatchedOf((*[sheaf]uint32)(c.slots), far)
		for range 2 { // the second time the order is known
			if got := far & c.unwatched(0, far); got != want {
				t.Fatalf("seed %d: %b, not %b, of the slots %d", seed, got, want, c.slots)
			}
		}
	}
}
