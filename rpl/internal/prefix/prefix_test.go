package prefix

import (
	"math"
	"math/rand/v2"
	"testing"
)

type step struct {
	t *Table
	s int
	n int // raw bits when t is nil
}

// skewed are weights that fall by a factor, some of them nothing.
func skewed(r *rand.Rand, n int, fall float64, holes bool) []uint64 {
	w := make([]uint64, n)
	p := float64(1 << 40)
	for i := range w {
		if !holes || r.IntN(3) > 0 || i < 2 {
			w[i] = 1 + uint64(p)
		}
		p *= fall
	}
	r.Shuffle(n, func(i, j int) { w[i], w[j] = w[j], w[i] })
	return w
}

// tables are of many shapes; the last ones escape to the one before.
func tables(r *rand.Rand) []*Table {
	all := []*Table{Fit([]uint64{1}), Fit([]uint64{1e6, 1}), Fit([]uint64{1, 2, 3, 4, 5})}
	for _, fall := range []float64{1, 0.9, 0.6} {
		def := Fit(skewed(r, MaxSymbols-1, fall, false))
		w := append(skewed(r, MaxSymbols-1, 0.8, true), 1+r.Uint64N(1<<40))
		t, err := New(Lengths(w), def)
		if err != nil {
			panic(err)
		}
		all = append(all, def, t)
	}
	return all
}

func random(r *rand.Rand, tables []*Table) ([]step, []byte) {
	var e Encoder
	e.Reset(nil)
	steps := make([]step, r.IntN(400))
	for i := range steps {
		if r.IntN(4) == 0 {
			n := r.IntN(33)
			v := uint32(r.Uint64() & (1<<n - 1))
			steps[i] = step{nil, int(v), n}
			e.PutBits(v, n)
			continue
		}
		t := tables[r.IntN(len(tables))]
		s := r.IntN(t.Len())
		if r.IntN(3) == 0 {
			s = 0
		}
		steps[i] = step{t, s, 0}
		e.Put(t.Sym(s))
	}
	return steps, e.Finish()
}

func TestRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	all := tables(r)
	for range 3000 {
		steps, b := random(r, all)
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

// Runs that are joined are the same bits.
func TestJoinedRunsAreTheSameBits(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	var one, many Encoder
	one.Reset(nil)
	many.Reset(nil)
	run := Run{}
	for range 5000 {
		n := r.IntN(33)
		s := Raw(r.Uint32(), n)
		one.Put(s)
		if !run.Fits(s.Run()) {
			many.Put(run.Sym())
			run = Run{}
		}
		if run = run.With(s.Run()); run.Sym().Bits() > MaxRun {
			t.Fatalf("seed %d: a run of %d bits", seed, run.Sym().Bits())
		}
	}
	many.Put(run.Sym())
	if a, b := one.Finish(), many.Finish(); string(a) != string(b) {
		t.Fatalf("seed %d: %d and %d bytes that differ", seed, len(a), len(b))
	}
}

func TestZerosAtTheEndAreFree(t *testing.T) {
	tab := Fit([]uint64{1, 5, 70})
	var e Encoder
	e.Reset([]byte{7})
	for range 20 {
		e.Put(tab.Sym(0), Raw(0, 1))
	}
	if b := e.Finish(); len(b) != 1 || b[0] != 7 {
		t.Fatalf("%v", b)
	}
}

// No code of at most MaxLen bits is shorter than the best, and the best is near
// the entropy where no limit is felt.
func TestLengthsAreOptimal(t *testing.T) {
	for _, c := range []struct {
		w    []uint64
		want []uint8
	}{
		{[]uint64{0, 9, 0}, []uint8{0, 0, 0}},
		{[]uint64{1, 1}, []uint8{1, 1}},
		{[]uint64{1, 1, 2, 4}, []uint8{3, 3, 2, 1}},
		{[]uint64{5, 5, 5, 5}, []uint8{2, 2, 2, 2}},
		{[]uint64{8, 0, 1, 3}, []uint8{1, 0, 2, 2}},
	} {
		if got := Lengths(c.w); string(got) != string(c.want) {
			t.Errorf("%v: %v, want %v", c.w, got, c.want)
		}
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		w := make([]uint64, 50+r.IntN(200))
		sum, bits := 0.0, 0.0
		for i := range w {
			w[i] = 1 + r.Uint64N(1000)
			sum += float64(w[i])
		}
		entropy, space := 0.0, 0
		for i, n := range Lengths(w) {
			p := float64(w[i]) / sum
			entropy -= p * math.Log2(p)
			bits += p * float64(n)
			space += 1 << (MaxLen - n)
		}
		if space != 1<<MaxLen || bits > entropy+0.1 || bits < entropy-1e-9 {
			t.Fatalf("seed %d: %d symbols take %.3f bits of %.3f, and %d of %d codes", seed, len(w), bits, entropy, space, 1<<MaxLen)
		}
	}
}

func TestTablesThatCannotBe(t *testing.T) {
	def := Fit([]uint64{1, 1})
	for _, c := range []struct {
		lens   []uint8
		escape *Table
	}{
		{nil, nil},
		{[]uint8{1}, nil},
		{[]uint8{1, 1, 1}, nil},
		{[]uint8{13, 1}, nil},
		{make([]uint8, 257), nil},
		{[]uint8{1, 1}, def},
		{[]uint8{1, 1, 0}, def},
		{[]uint8{0, 1, 2, 2}, def},
	} {
		if _, err := New(c.lens, c.escape); err == nil {
			t.Errorf("%v was accepted", c.lens)
		}
	}
}

// A decoder reads the end of a message several bytes at once: as it would one bit
// after the other, and never what lies behind it in memory.
func TestEndsAreReadAsTheyAre(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for range 2000 {
		room := make([]byte, 40)
		for i := range room {
			room[i] = byte(r.Uint32())
		}
		b := room[8 : 8+r.IntN(20)]
		var d Decoder
		d.Reset(b)
		for at := 0; at < 8*(len(b)+maxDropped+2); {
			n, want := r.IntN(33), uint32(0)
			for i := range n {
				if k := at + i; k>>3 < len(b) {
					want |= uint32(b[k>>3]>>(k&7)&1) << i
				}
			}
			if got := d.Bits(n); got != want {
				t.Fatalf("seed %d: %d bits at %d of %d bytes are %x, not %x", seed, n, at, len(b), got, want)
			}
			if at += n; (d.Err() != nil) != (at > 8*(len(b)+maxDropped)) {
				t.Fatalf("seed %d: after %d bits of %d bytes: %v", seed, at, len(b), d.Err())
			}
		}
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{255, 255, 255, 255, 255})
	all := tables(rand.New(rand.NewPCG(1, 1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		var d Decoder
		d.Reset(b)
		for i := 0; d.Err() == nil; i++ {
			if i > 64*(len(b)+16) {
				t.Fatal("there is no end") // each round reads a bit at least
			}
			tab := all[1+i%(len(all)-1)]
			if s := d.Symbol(tab); s < 0 || s >= tab.Len() {
				t.Fatalf("symbol %d of %d", s, tab.Len())
			}
			d.Bits(i % 33)
		}
	})
}

// FuzzLengths makes tables of whatever came.
func FuzzLengths(f *testing.F) {
	f.Add([]byte{1, 2, 2})
	f.Add([]byte{12, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	f.Fuzz(func(t *testing.T, lens []byte) {
		tab, err := New(lens, nil)
		if err != nil {
			return
		}
		for i, n := range lens {
			if s := tab.Sym(i); n > 0 && tab.Find(uint64(s&runBits)) != Found(i)<<lenBits|Found(n) {
				t.Fatalf("symbol %d of %v does not come back", i, lens)
			}
		}
	})
}

var benchTable = Fit([]uint64{50, 20, 10, 5, 3, 1, 1, 1})

func benchSyms() []Sym {
	r := rand.New(rand.NewPCG(1, 1))
	syms := make([]Sym, 1000)
	for i := range syms {
		syms[i] = benchTable.Sym(min(r.IntN(8), r.IntN(8)))
	}
	return syms
}

func BenchmarkEncode(b *testing.B) {
	syms := benchSyms()
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
	var e Encoder
	e.Reset(nil)
	e.Put(benchSyms()...)
	msg := e.Finish()
	var d Decoder
	for b.Loop() {
		d.Reset(msg)
		for range 1000 {
			d.Symbol(benchTable)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/symbol")
}
