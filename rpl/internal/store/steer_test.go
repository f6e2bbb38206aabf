package store

import (
	"math/rand/v2"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// lead gives the same answer as advancing a version to the tick at which a peer was
// told, with rounding, and from there to now.
func TestLeadIsAdvancingTwice(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	s := schema.NewSchema("lead")
	s.Build("body").Int("x", -500, 3000).Int("y", -1<<20, 1<<20).Int("vx", -1<<15, 1<<15).Int("vy", -1<<15, 1<<15).
		Pos("x", "y").Predict("x", "vx", true).Predict("y", "vy", true).Done()
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	types, _ := rowtype.TypesOf(s)
	typ := types[0]
	axes, led := axesOf(typ), 0
	const rounds = 20_000
	for range rounds {
		base, sent, now := make([]int32, typ.Width), make([]int32, typ.Width), make([]int32, typ.Width)
		for _, v := range typ.Velocities {
			base[v] = r.Int32N(1<<r.IntN(15)+1) - r.Int32N(1<<r.IntN(15)+1)
		}
		for _, i := range typ.Fractional {
			base[i] = r.Int32N(3000) - 500
			base[typ.Fraction[i]] = r.Int32N(2*rowtype.HalfStep) - rowtype.HalfStep
		}
		before, since := uint32(r.IntN(40)), uint32(r.IntN(40))
		if r.IntN(4) == 0 { // it may have stood at a bound for months
			before, since = r.Uint32N(wire.MaxHead), r.Uint32N(wire.MaxHead)
		}
		typ.Advance(typ.At(sent), typ.At(base), before)
		typ.Advance(typ.At(now), typ.At(sent), since)
		if r.IntN(4) == 0 {
			now[typ.Fractional[r.IntN(2)]] += r.Int32N(3) - 1
		}
		want := typ.IsAsPredicted(typ.At(sent), typ.At(now), since)
		if got := Lead(axes, typ.At(base), typ.At(now), int64(before), int64(since)); got != want {
			t.Fatalf("seed %d: %v, after %d and %d ticks %v: %t, want %t", seed, base, before, since, now, got, want)
		}
		led += flag(want)
	}
	if led < rounds/2 || led > rounds*99/100 {
		t.Errorf("seed %d: %d of %d are where they should be", seed, led, rounds)
	}
}
