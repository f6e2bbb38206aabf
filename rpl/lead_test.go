package rpl

import (
	"math/rand/v2"
	"testing"
)

// lead gives the same answer as advancing a version to the tick at which a peer was
// told, with rounding, and from there to now.
func TestLeadIsAdvancingTwice(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	s := NewSchema("lead")
	s.Build("body").Int("x", -500, 3000).Int("y", -1<<20, 1<<20).Int("vx", -1<<15, 1<<15).Int("vy", -1<<15, 1<<15).
		Pos("x", "y").Predict("x", "vx", true).Predict("y", "vy", true).Done()
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	types, _ := rowTypesOf(s)
	typ := types[0]
	axes, led := typ.axesOf(), 0
	const rounds = 20_000
	for range rounds {
		base, told, now := make([]int32, typ.width), make([]int32, typ.width), make([]int32, typ.width)
		for _, v := range typ.velocities {
			base[v] = r.Int32N(1<<r.IntN(15)+1) - r.Int32N(1<<r.IntN(15)+1)
		}
		for _, i := range typ.phased {
			base[i] = r.Int32N(3000) - 500
			base[typ.phase[i]] = r.Int32N(2*phaseHalf) - phaseHalf
		}
		before, since := uint32(r.IntN(40)), uint32(r.IntN(40))
		if r.IntN(4) == 0 { // it may have stood at a bound for months
			before, since = r.Uint32N(maxHead), r.Uint32N(maxHead)
		}
		typ.advance(typ.at(told), typ.at(base), before)
		typ.advance(typ.at(now), typ.at(told), since)
		if r.IntN(4) == 0 {
			now[typ.phased[r.IntN(2)]] += r.Int32N(3) - 1
		}
		want := typ.onCourse(typ.at(told), typ.at(now), since)
		if got := lead(axes, typ.at(base), typ.at(now), int64(before), int64(since)); got != want {
			t.Fatalf("seed %d: %v, after %d and %d ticks %v: %t, want %t", seed, base, before, since, now, got, want)
		}
		led += flag(want)
	}
	if led < rounds/2 || led > rounds*99/100 {
		t.Errorf("seed %d: %d of %d are where they should be", seed, led, rounds)
	}
}
