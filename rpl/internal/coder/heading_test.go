package coder

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// direction gives the same bits on every machine.
func TestDirectionVectors(t *testing.T) {
	for _, c := range []struct{ x, y, want int32 }{
		{1, 0, 0},
		{0, 1, 1 << 30},
		{-1, 0, math.MinInt32},
		{0, -1, -1 << 30},
		{1, 1, 536869775},
		{-3, 3, 1610613873},
		{1000, 1, 683548},
		{-7, -240, -1093673051},
		{math.MaxInt32, math.MinInt32, -536872052},
		{math.MinInt32, 0, math.MinInt32},
	} {
		if got := rowtype.Direction(c.x, c.y); got != c.want {
			t.Errorf("the direction of %d, %d is %d, want %d", c.x, c.y, got, c.want)
		}
	}
}

func TestDirectionIsNearlyTheArcTangent(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for range 20_000 {
		x, y := r.Int32()>>r.IntN(31), r.Int32()>>r.IntN(31)
		if x|y == 0 {
			continue
		}
		off := float64(rowtype.Direction(x, y))/(1<<32) - math.Atan2(float64(y), float64(x))/(2*math.Pi)
		if off -= math.Round(off); math.Abs(off) > 1e-6 {
			t.Fatalf("seed %d: the direction of %d, %d is off by %g of a turn", seed, x, y, off)
		}
	}
}

// A flock is updates of birds that change their velocity. With a heading, birds look
// where they fly.
type flock struct {
	types     []*rowtype.Type
	base, now [][]int32 // vx, x, vy, y, look
}

const flockLook = 4

func newFlock(t *testing.T, r *rand.Rand, h rowtype.Heading) *flock {
	s := schema.NewSchema("flock")
	s.Build("bird").Int("x", -1<<20, 1<<20).Int("y", -1<<20, 1<<20).Angle("look", -180, 179).
		Int("vx", -1<<15, 1<<15).Int("vy", -1<<15, 1<<15).Pos("x", "y").Predict("x", "vx", true).Predict("y", "vy", true).Done()
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	f := &flock{}
	f.types, _ = rowtype.TypesOf(s)
	typ := f.types[0]
	look, aim := &typ.Motions[flockLook], h.Aim(typ)
	angle := func(words []int32) {
		words[flockLook] = look.Min + r.Int32N(360)
		if x, y := words[0], words[2]; h.On && x|y != 0 {
			words[flockLook] = aim.Of(x, y)
		}
	}
	for range 4000 {
		base, now := make([]int32, typ.Width), make([]int32, typ.Width)
		for i := range 4 {
			base[i] = r.Int32N(4000) - 2000
		}
		if r.IntN(8) == 0 {
			base[0], base[2] = 0, 0
		}
		angle(base)
		copy(now, base)
		if r.IntN(3) > 0 {
			now[0], now[2] = r.Int32N(4000)-2000, r.Int32N(4000)-2000
			angle(now)
		}
		for _, i := range typ.Fractional {
			now[i], now[typ.Fraction[i]] = typ.Motions[i].Reach(typ.At(base), typ.At(now), i, 5)
			if now[typ.Words[i].Velocity] == 0 {
				now[typ.Fraction[i]] = 0
			}
		}
		f.base, f.now = append(f.base, base), append(f.now, now)
	}
	return f
}

func (f *flock) code(m *Model, l *Learner) []byte {
	var e prefix.Encoder
	e.Reset(nil)
	for i := range f.base {
		e.Put(m.AppendKey(nil, f.types[0], f.base[i], l)...)
		e.Put(m.appendUpdate(nil, f.types[0], f.base[i], f.now[i], 5, l)...)
	}
	return e.Finish()
}

// The learner finds the heading, in whichever direction and from wherever angles are
// counted. The tables carry it, it saves the bits of the angles, and every word is
// decoded unchanged.
func TestAnglesFollowVelocities(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for _, h := range []rowtype.Heading{{On: true, Mirrored: false, From: 0}, {On: true, Mirrored: true, From: 90}, {On: true, Mirrored: false, From: -137}} {
		f := newFlock(t, r, h)
		typ, d, l := f.types[0], defaultModel(f.types), NewLearner(f.types, 60)
		plain := f.code(d, l)
		if g := l.Rows[0].Heading.Likeliest(); g != h || l.Rows[0].Heading.Saved() < 1000 {
			t.Fatalf("seed %d: the heading %v is taken for %v, which saves %g bits", seed, h, g, l.Rows[0].Heading.Saved())
		}
		set := NewTableSet(f.types).With(1)
		set.Rows[0].Heading = h
		set, err := ParseTables(set.Append(nil, f.types, d, nil), f.types, d, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := set.Build(f.types, d)
		msg := f.code(m, l)
		if len(plain)-len(msg) < len(f.base) {
			t.Errorf("seed %d: %d bytes with the heading, %d without", seed, len(msg), len(plain))
		}
		var dec prefix.Decoder
		dec.Reset(msg)
		key, got := make([]int32, typ.Width), make([]int32, typ.Width)
		for i := range f.base {
			if !m.ReadKey(&dec, typ, key) || !rowtype.EqualWords(key, f.base[i]) {
				t.Fatalf("seed %d: keyframe %d is %v, want %v", seed, i, key, f.base[i])
			}
			if !m.ReadUpdate(&dec, typ, f.base[i], got, &rowtype.Second{}, nil, 5) || !rowtype.EqualWords(got, f.now[i]) {
				t.Fatalf("seed %d: update %d is %v, want %v", seed, i, got, f.now[i])
			}
		}
	}
}

// Angles that do not follow velocities get no heading.
func TestAnglesOfTheirOwn(t *testing.T) {
	seed := rand.Uint64()
	f := newFlock(t, rand.New(rand.NewPCG(seed, 1)), rowtype.Heading{})
	l := NewLearner(f.types, 60)
	f.code(defaultModel(f.types), l)
	h := &l.Rows[0].Heading
	if share := h.Saved() / HintEvery / LevelBits(&h.Still); share > MinSaving {
		t.Errorf("seed %d: a heading is thought to save %.2f of the angles", seed, share)
	}
}

// expect gives the same angle as slowExpect, for any range of the angle: the direction
// of the new velocity, plus the angle's former offset from the old one.
func TestHeadingsAreExact(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		least := -r.Int32N(5000)
		most := least + 1 + r.Int32N(9000)
		s := schema.NewSchema("flock")
		s.Build("bird").Int("x", -1<<20, 1<<20).Int("y", -1<<20, 1<<20).Angle("look", least, most).
			Int("vx", -1<<15, 1<<15).Int("vy", -1<<15, 1<<15).Pos("x", "y").Predict("x", "vx", true).Predict("y", "vy", true).Done()
		if err := s.Freeze(60); err != nil {
			t.Fatal(err)
		}
		types, _ := rowtype.TypesOf(s)
		typ, h := types[0], rowtype.Heading{On: true, Mirrored: r.IntN(2) == 0, From: least + r.Int32N(most-least+1)}
		aim := h.Aim(typ)
		for range 200 {
			base, now := make([]int32, typ.Width), make([]int32, typ.Width)
			for _, w := range [][]int32{base, now} {
				w[typ.HeadingX], w[typ.HeadingY] = r.Int32N(1<<r.IntN(12)+1)-r.Int32N(8), r.Int32N(1<<r.IntN(12)+1)-r.Int32N(8)
			}
			base[typ.Heading] = least + r.Int32N(most-least+1)
			if x, y := base[typ.HeadingX], base[typ.HeadingY]; r.IntN(2) == 0 && x|y != 0 {
				base[typ.Heading] = slowHeading(&h, typ, x, y)
			}
			if got, want := aim.Expect(typ.At(base), typ.At(now)), slowExpect(&h, typ, base, now); got != want {
				t.Fatalf("seed %d: %+v from %v to %v (%d to %d): %d, want %d", seed, h, base, now, least, most, got, want)
			}
		}
	}
}

// slowHeading computes the angle of the velocity x, y in the plainest way.
func slowHeading(h *rowtype.Heading, t *rowtype.Type, x, y int32) int32 {
	c := &t.Motions[t.Heading]
	turn := int64(rowtype.Direction(x, y))
	if h.Mirrored {
		turn = -turn
	}
	return slowAround(c, int64(c.Min)+(turn*c.All()+1<<31)>>32+int64(h.From))
}

func slowAround(c *rowtype.Motion, x int64) int32 {
	for x < int64(c.Min) {
		x += c.All()
	}
	for x > int64(c.Max) {
		x -= c.All()
	}
	return int32(x)
}

func slowExpect(h *rowtype.Heading, t *rowtype.Type, base, now []int32) int32 {
	was, x0, y0, x, y := base[t.Heading], base[t.HeadingX], base[t.HeadingY], now[t.HeadingX], now[t.HeadingY]
	if x == x0 && y == y0 || x == 0 && y == 0 {
		return was
	}
	along := slowHeading(h, t, x, y)
	if x0 == 0 && y0 == 0 {
		return along
	}
	c := &t.Motions[t.Heading]
	off := int64(was) - int64(slowHeading(h, t, x0, y0))
	for off > c.All()>>1 {
		off -= c.All()
	}
	for off < -((c.All() - 1) >> 1) {
		off += c.All()
	}
	if off >= -1 && off <= 1 {
		return along
	}
	return slowAround(c, int64(along)+off)
}
