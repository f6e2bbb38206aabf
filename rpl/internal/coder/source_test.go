package coder

import (
	"math/rand/v2"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// The learner finds out to which values words leap: a hook comes back to the place of who
// threw it, a charge falls to zero, a mark is where nothing else is. The tables that say so
// survive encoding, save bits, and decode every update unchanged, also before the tables
// expect it and where a residual is shorter.
func TestFrequentValues(t *testing.T) {
	const x, hook, charge, mark = 0, 1, 2, 3
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	s := schema.NewSchema("hooks")
	s.Build("thrower").Int("x", -1<<13, 1<<13).Int("hook", -1<<13, 1<<13).Int("charge", 0, 1000).Int("mark", 0, 1000).Done()
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	types, _ := rowtype.TypesOf(s)
	typ := types[0]
	var base, now [][]int32
	for range 20_000 {
		b := []int32{r.Int32N(1000), r.Int32N(1000), 100 + r.Int32N(800), r.Int32N(1000)}
		n := append([]int32(nil), b...)
		n[x] += r.Int32N(9) - 4
		switch r.IntN(4) {
		case 0:
			n[hook] = n[x]
		case 1:
			n[hook] = r.Int32N(1000)
		case 2:
			n[charge] = 0
		case 3:
			n[mark] = r.Int32N(1000)
		}
		base, now = append(base, b), append(now, n)
	}
	d, l := defaultModel(types), NewLearner(types, 60)
	code := func(m *Model) []byte {
		var e prefix.Encoder
		e.Reset(nil)
		var out []prefix.Sym
		for i := range base {
			out = m.appendUpdate(out[:0], typ, base[i], now[i], 3, l)
			e.Put(out...)
		}
		return e.Finish()
	}
	read := func(m *Model, msg []byte) {
		t.Helper()
		var dec prefix.Decoder
		dec.Reset(msg)
		got := make([]int32, typ.Width)
		for i := range base {
			if !m.ReadUpdate(&dec, typ, base[i], got, &rowtype.Second{}, nil, 3) || !rowtype.EqualWords(got, now[i]) {
				t.Fatalf("update %d is %v, want %v", i, got, now[i])
			}
		}
		if err := dec.End(); err != nil {
			t.Fatal(err)
		}
	}
	m, lens := d, [3]int{}
	for k := range lens {
		msg := code(m)
		lens[k] = len(msg)
		read(m, msg)
		f := Fitter{Worth: 1}.Begin(l, types, d, m, uint8(k+1))
		for !f.On() {
		}
		set, err := ParseTables(f.Set.Append(nil, types, d, nil), types, d, nil)
		if err != nil {
			t.Fatal(err)
		}
		next := set.Build(types, d)
		l.Rebase(types, m, next)
		if m = next; m.Rows[0].sources == nil {
			t.Fatal("no word has a frequent value")
		}
		l.Serve(m)
	}
	of := m.Rows[0].sources
	if of[x] != sourceNone || of[hook] != sourceWord+x || of[charge] != sourceUsual || of[mark] != sourceNone {
		t.Errorf("sources are %v", of)
	}
	t.Logf("%v bytes", lens)
	if lens[2] > lens[1]*95/100 {
		t.Errorf("%d bytes, %d where tables do not expect the values yet", lens[2], lens[1])
	}
	{ // a source must stand before its word
		bad := NewTableSet(types).With(1)
		bad.Rows[0].sources = []uint8{sourceNone, sourceWord + 1, sourceNone, sourceNone}
		if _, err := ParseTables(bad.Append(nil, types, d, nil), types, d, nil); err == nil {
			t.Error("a word is its own source")
		}
	}
}

// What is told once is no source: no update carries it, so that peers may have another value of it.
func TestOnceIsNoSource(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	s := schema.NewSchema("fields")
	s.Build("field").Int("sown", 0, 1000).Tag("sown", "once").Int("grows", 0, 1000).Int("other", 0, 1000).Done()
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	types, _ := rowtype.TypesOf(s)
	typ := types[0]
	d, l := defaultModel(types), NewLearner(types, 60)
	m := d
	for k := range 3 {
		var e prefix.Encoder
		e.Reset(nil)
		var base, now [][]int32
		for range 5_000 {
			b := []int32{r.Int32N(1000), r.Int32N(1000), r.Int32N(1000)}
			n := []int32{r.Int32N(1000), r.Int32N(1000), b[2]}
			if r.IntN(3) > 0 {
				n[1] = n[0]
			}
			e.Put(m.appendUpdate(nil, typ, b, n, 3, l)...)
			base, now = append(base, b), append(now, n)
		}
		var dec prefix.Decoder
		dec.Reset(e.Finish())
		got := make([]int32, typ.Width)
		for i := range base {
			if !m.ReadUpdate(&dec, typ, base[i], got, &rowtype.Second{}, nil, 3) || got[1] != now[i][1] || got[2] != now[i][2] {
				t.Fatalf("round %d: update %d of %v is %v, want %v", k, i, base[i], got, now[i])
			}
		}
		f := Fitter{Worth: 1}.Begin(l, types, d, m, uint8(k+1))
		for !f.On() {
		}
		set, err := ParseTables(f.Set.Append(nil, types, d, nil), types, d, nil)
		if err != nil {
			t.Fatal(err)
		}
		next := set.Build(types, d)
		l.Rebase(types, m, next)
		m = next
		l.Serve(m)
	}
	bad := NewTableSet(types).With(1)
	bad.Rows[0].sources = []uint8{sourceNone, sourceWord, sourceNone}
	if _, err := ParseTables(bad.Append(nil, types, d, nil), types, d, nil); err == nil {
		t.Error("what is told once is a source")
	}
}
