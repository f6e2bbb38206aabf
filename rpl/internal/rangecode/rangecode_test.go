package rangecode

import (
	"math/rand/v2"
	"testing"
)

type step struct {
	t *Table
	s int
	n int // raw bits when t is nil
}

func random(r *rand.Rand) ([]step, []byte) {
	tables := []*Table{
		Fit([]float64{1}),
		Fit([]float64{1e6, 1}),
		Fit([]float64{1, 2, 3, 4, 5}),
		Fit(make([]float64, MaxSymbols)),
	}
	var e Encoder
	e.Reset(nil)
	steps := make([]step, r.IntN(400))
	for i := range steps {
		t := tables[r.IntN(len(tables))]
		if r.IntN(4) == 0 {
			n := r.IntN(33)
			v := uint32(r.Uint64() & (1<<n - 1))
			steps[i] = step{nil, int(v), n}
			e.PutBits(v, n)
			continue
		}
		s := r.IntN(t.Len())
		if r.IntN(3) == 0 {
			s = t.Len() - 1
		}
		steps[i] = step{t, s, 0}
		e.Put(t.Sym(s))
	}
	return steps, e.Finish()
}

func TestRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for range 3000 {
		steps, b := random(r)
		var d Decoder
		d.Reset(b)
		for i, s := range steps {
			got := 0
			if s.t == nil {
				got = int(d.Bits(s.n))
			} else {
				got = d.Symbol(s.t)
			}
			if got != s.s {
				t.Fatalf("seed %d: symbol %d is %d, want %d", seed, i, got, s.s)
			}
		}
		if d.Err() != nil {
			t.Fatalf("seed %d: %v after the last symbol", seed, d.Err())
		}
	}
}

func TestEmptyMessageHasNoBytes(t *testing.T) {
	var e Encoder
	e.Reset(nil)
	if b := e.Finish(); len(b) != 0 {
		t.Fatalf("%d bytes", len(b))
	}
}

func TestSkewedTableCostsItsEntropy(t *testing.T) {
	tab := Fit([]float64{999, 1})
	var e Encoder
	e.Reset(nil)
	for range 10000 {
		e.Put(tab.Sym(0))
	}
	if n := len(e.Finish()); n > 10 { // 10,000 × log2(1000/999) = 14.4 bits
		t.Fatalf("%d bytes for 14 bits", n)
	}
}

func TestTablesThatCannotBe(t *testing.T) {
	for _, f := range [][]uint16{nil, {1}, {total, 1}, {0, total}, make([]uint16, 257)} {
		if _, err := NewTable(f); err == nil {
			t.Errorf("%v was accepted", f)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{255, 255, 255, 255, 255})
	tab := Fit([]float64{5, 1, 1, 9})
	f.Fuzz(func(t *testing.T, b []byte) {
		var d Decoder
		d.Reset(b)
		for i := 0; d.Err() == nil && i < 10000; i++ {
			d.Symbol(tab)
			d.Bits(i % 33)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	tab := Fit([]float64{50, 20, 10, 5, 3, 1, 1, 1})
	syms := make([]Sym, 1000)
	for i := range syms {
		syms[i] = tab.Sym(min(r.IntN(8), r.IntN(8)))
	}
	var e Encoder
	buf := make([]byte, 0, 4096)
	for b.Loop() {
		e.Reset(buf)
		e.Put(syms...)
		e.Finish()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/symbol")
}

func BenchmarkDecode(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	tab := Fit([]float64{50, 20, 10, 5, 3, 1, 1, 1})
	var e Encoder
	e.Reset(nil)
	for range 1000 {
		e.Put(tab.Sym(min(r.IntN(8), r.IntN(8))))
	}
	msg := e.Finish()
	var d Decoder
	for b.Loop() {
		d.Reset(msg)
		for range 1000 {
			d.Symbol(tab)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/symbol")
}

func TestAdaptiveRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	values := make([]uint32, 5000)
	var e Encoder
	e.Reset(nil)
	var tree Tree
	for i := range values {
		if r.IntN(10) == 0 {
			values[i] = uint32(r.IntN(64))
		}
		e.PutTree(&tree, 6, values[i])
	}
	b := e.Finish()
	if len(b) > 5000*6/8/2 {
		t.Errorf("seed %d: %d bytes: it does not adapt", seed, len(b))
	}
	var d Decoder
	d.Reset(b)
	tree = Tree{}
	for i, v := range values {
		if got := d.Tree(&tree, 6); got != v {
			t.Fatalf("seed %d: value %d is %d, want %d", seed, i, got, v)
		}
	}
	if d.Err() != nil {
		t.Fatal(d.Err())
	}
}
