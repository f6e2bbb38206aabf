package store

import (
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// A value that takes more than 2^20 steps a tick leaps, however straight it goes: to clamp its
// velocity would predict what it never is.
func TestLeapsHaveNoVelocity(t *testing.T) {
	for step, want := range map[int32]int32{
		3:           3 << rowtype.InferBits,
		-(1 << 19):  -(1 << 19) << rowtype.InferBits,
		1<<20 + 1:   0,
		-(1 << 24):  0,
		100_000_000: 0,
	} {
		r := runFrom(7, 10)
		x := int32(7)
		for tick := uint32(11); tick < 20; tick++ {
			x += step
			r.follow(x, tick, 1)
		}
		if got := r.velocity(19, 1); got != want {
			t.Errorf("a value that goes %d steps a tick has the velocity %d/%d, want %d/%d", step, got, 1<<rowtype.InferBits, want, 1<<rowtype.InferBits)
		}
	}
}
