package coder

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// A set that is given by its differences from the one before is the same set, in fewer bytes,
// while what is coded changes; and a message that is damaged, or whose set before is not
// here, is refused or makes tables that can be used, but ends nothing.
func TestSetsByDifferences(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 3))
	h := newHerd(t, r)
	typ := h.types[0]
	d, l := defaultModel(h.types), NewLearner(h.types, 60)
	m, here := d, d // of the authority, and of a proxy
	whole, differing := 0, 0
	for k := range 9 {
		switch k {
		case 3:
			l.Rows[0].Regroup(typ, herdSpecies)
		case 6:
			for i := range h.now { // other patterns
				h.now[i][herdX] = h.base[i][herdX] - r.Int32N(2)
			}
		}
		part := *h
		from := r.IntN(len(h.base) / 2)
		part.base, part.now = h.base[from:from+2000+k*900], h.now[from:from+2000+k*900]
		part.code(m, l)
		f := Fitter{Worth: 1}.Begin(l, h.types, d, m, After(m.Number))
		for !f.On() {
		}
		alone := f.Set.Append(nil, h.types, d, nil)
		before := m.Set
		if m.Number == 0 {
			before = nil
		}
		msg := f.Set.Append(nil, h.types, d, before)
		set, err := ParseTables(msg, h.types, d, here)
		if err != nil {
			t.Fatalf("seed %d, set %d: %v", seed, k, err)
		}
		if again := set.Append(nil, h.types, d, nil); !bytes.Equal(again, alone) {
			t.Fatalf("seed %d: set %d is another by its differences", seed, k)
		}
		if before != nil {
			whole, differing = whole+len(alone), differing+len(msg)
			if _, err := ParseTables(msg, h.types, d, nil); err == nil {
				t.Errorf("seed %d: set %d is read without the set before", seed, k)
			}
			for range 2000 {
				bad := bytes.Clone(msg)
				for range 1 + r.IntN(3) {
					bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
				}
				if set, err := ParseTables(bad[:len(bad)-r.IntN(2)], h.types, d, here); err == nil {
					set.Build(h.types, d)
				}
			}
		}
		next := set.Build(h.types, d)
		coded := part.code(f.Next, l)
		var dec prefix.Decoder
		dec.Reset(coded)
		got := make([]int32, typ.Width)
		for i := range part.base {
			if !next.ReadUpdate(&dec, typ, part.base[i], got, &rowtype.Second{}, nil, 3) || !rowtype.EqualWords(got, part.now[i]) {
				t.Fatalf("seed %d, set %d: update %d is %v, want %v", seed, k, i, got, part.now[i])
			}
		}
		l.Rebase(h.types, m, f.Next)
		if w := f.Next.Rows[0].ClassWord; w >= 0 && w != l.Rows[0].ClassWord {
			l.Rows[0].Regroup(typ, w)
		}
		l.Serve(f.Next)
		l.Fade()
		m, here = f.Next, next
	}
	t.Logf("seed %d: sets of %d bytes, %d by differences", seed, whole, differing)
	if differing*10 > whole*7 {
		t.Errorf("seed %d: sets take %d bytes, %d by differences", seed, whole, differing)
	}
}

// A pattern that is counted in two slots, since one before it in their row has become free, is one pattern of a set:
// by differences nobody could read a set that has it twice.
func TestPatternInTwoSlotsIsOne(t *testing.T) {
	h := newHerd(t, rand.New(rand.NewPCG(1, 3)))
	def := defaultModel(h.types).Rows[0].Shapes[ShapeKey].quads(0)
	first, second := uint32(1), uint32(2)
	for chunkSlot(second) != chunkSlot(first) {
		second++
	}
	p := &patternCount{}
	p.add(first, 1)
	p.add(second, 200)
	p.fade() // the first goes
	p.add(second, 200)
	slots := 0
	for i := range p.Slots {
		if p.Slots[i].pattern == second {
			slots++
		}
	}
	f := Fitter{Worth: 1}
	s := f.chunk(p, &chunkSet{}, min(chunkLen, len(h.types[0].Words)), def)
	if slots != 2 || len(s.patterns) != 1 || s.patterns[0] != second || len(s.joint) != 2 {
		t.Errorf("counted in %d slots, it is %v with code lengths %v", slots, s.patterns, s.joint)
	}
}
