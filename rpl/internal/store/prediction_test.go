package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Whoever predicts a row predicts the same: the row type that advances it, the store that
// compares it with what a peer knows, the walk that steers it, and the coder, which finds
// nothing to tell of a row that is where it was expected.
func TestAllPredictAlike(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	s := schema.NewSchema("alike")
	s.Build("body").Int("x", -500, 3000).Int("y", -1<<20, 1<<20).Int("vx", -1<<15, 1<<15).Int("vy", -1<<15, 1<<15).
		Pos("x", "y").Predict("x", "vx", true).Predict("y", "vy", true).Done()
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	k := coder.CodingOf(s)
	typ, m := k.Types[0], k.Defaults
	learner := coder.NewLearner(k.Types, 60)
	learner.Serve(m)
	bits := func(was, is []int32, n uint32) (bits int, b []byte) {
		syms, last := m.CodeUpdate(nil, typ, typ.At(was), typ.At(is), &rowtype.Second{}, nil, n, learner)
		var e prefix.Encoder
		e.Reset(nil)
		for _, s := range append(syms, last) {
			bits += s.Bits()
			e.PutOne(s)
		}
		return bits, e.Finish()
	}
	axes, still := axesOf(typ), 0
	for range 5000 {
		base, now := make([]int32, typ.Width), make([]int32, typ.Width)
		for _, v := range typ.Velocities {
			base[v] = r.Int32N(1<<r.IntN(15)+1) - r.Int32N(1<<r.IntN(15)+1)
		}
		for _, i := range typ.Fractional {
			base[i], base[typ.Fraction[i]] = r.Int32N(3000)-500, (r.Int32N(16)-8)|1
		}
		n := 1 + uint32(r.IntN(30))
		typ.Advance(typ.At(now), typ.At(base), n)
		off := slices.Clone(now)
		if i := typ.Fractional[r.IntN(2)]; off[i] < typ.Words[i].Max { // a word is never beyond its range
			off[i]++
		} else {
			off[i]--
		}
		for name, follows := range map[string]func(is []int32) bool{
			"the row type": func(is []int32) bool { return typ.IsAsPredicted(typ.At(base), typ.At(is), n) },
			"the store":    func(is []int32) bool { return Lead(axes, typ.At(base), typ.At(is), 0, int64(n)) },
			"the walk":     func(is []int32) bool { return !steers(typ, base, is, n) },
		} {
			if !follows(now) || follows(off) {
				t.Fatalf("seed %d: %v, %d ticks later: %s takes %v for on its course: %t, and %v: %t", seed, base, n, name, now, follows(now), off, follows(off))
			}
		}
		for _, i := range typ.Fractional { // the coder tells fractions as odd numbers
			if v := now[typ.Words[i].Velocity]; v != 0 {
				now[typ.Fraction[i]] |= 1
			} else {
				now[typ.Fraction[i]] = 0
			}
		}
		copy(off[len(typ.Words):], now[len(typ.Words):])
		as, b := bits(base, now, n)
		if more, _ := bits(base, off, n); more <= as {
			t.Fatalf("seed %d: %v, %d ticks later: the coder takes %d bits for %v, and %d for %v", seed, base, n, as, now, more, off)
		}
		var d prefix.Decoder
		d.Reset(b)
		read := make([]int32, typ.Width)
		if !m.ReadUpdate(&d, typ, base, read, &rowtype.Second{}, nil, n) || !slices.Equal(read, now) {
			t.Fatalf("seed %d: %v, %d ticks later: %v is read as %v", seed, base, n, now, read)
		}
		if slices.Equal(base[:2], now[:2]) {
			still++
		}
	}
	if still > 2500 {
		t.Errorf("seed %d: %d of 5000 rows stood", seed, still)
	}
}

// steers is whether the walk takes a row to have departed that was base n ticks ago and was
// looked at a tick ago.
func steers(typ *rowtype.Type, base, is []int32, n uint32) bool {
	const born = 100
	s := newSlab(typ)
	s.Walk.Axes = axesOf(typ)
	s.Blocks, s.rows = make([]int32, s.Block), 1
	copy(s.Blocks, is)
	copy(s.Blocks[s.Head:], base)
	s.Blocks[s.Head+s.Width] = born
	*s.tracked(0) = int32(born + n - 1)
	return s.steer(typ, new([sheaf]uint32), 1, 0, born+n) != 0
}
