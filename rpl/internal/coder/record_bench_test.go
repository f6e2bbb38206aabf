package coder

import (
	"math/rand/v2"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Benchmarks of coding one record, without the store around it: the nine fields of the
// bench, of which position and velocity change, with learned tables.

type recordBench struct {
	t         *rowtype.Type
	m         *Model
	l         *Learner
	base, now [][]int32
}

const benchRecords = 512

func newRecordBench(b testing.TB) *recordBench {
	s := schema.NewSchema("record")
	s.Build("body").Int("kind", 0, 3).Int("x", -1<<20, 1<<20).Int("y", -1<<20, 1<<20).Angle("dir", 0, 4095).
		Int("vx", -1<<15, 1<<15).Int("vy", -1<<15, 1<<15).Int("hp", 0, 100).Int("anim", 0, 255).Int("team", 0, 3).
		Pos("x", "y").Predict("x", "vx", true).Predict("y", "vy", true).Done()
	if err := s.Freeze(60); err != nil {
		b.Fatal(err)
	}
	types, _ := rowtype.TypesOf(s)
	d := defaultModel(types)
	rb := &recordBench{t: types[0], l: NewLearner(types, 60)}
	r := rand.New(rand.NewPCG(1, 1))
	for range benchRecords {
		base, now := make([]int32, rb.t.Width), make([]int32, rb.t.Width)
		for i := range rb.t.Words {
			base[i] = int32(r.IntN(int(min(rb.t.Words[i].Max, 1000))))
		}
		for _, i := range rb.t.Fractional {
			base[rb.t.Fraction[i]] = int32(r.IntN(2*rowtype.HalfStep) - rowtype.HalfStep)
		}
		copy(now, base)
		for _, i := range rb.t.Velocities {
			now[i] += int32(r.NormFloat64() * 20)
		}
		for i := range rb.t.Words {
			if rb.t.Fraction[i] >= 0 {
				now[i], now[rb.t.Fraction[i]] = rb.t.Motions[i].Reach(rb.t.At(base), rb.t.At(now), i, 7)
				now[i] += int32(r.NormFloat64())
				now[rb.t.Fraction[i]] = int32(r.IntN(5)+int(now[rb.t.Fraction[i]])+6)&(2*rowtype.HalfStep-1) - rowtype.HalfStep
			}
		}
		rb.base, rb.now = append(rb.base, base), append(rb.now, now)
	}
	for k := range rb.base {
		d.appendUpdate(nil, rb.t, rb.base[k], rb.now[k], 7, rb.l)
	}
	rb.m = learnedModel(rb.l, types, d)
	rb.l.Serve(rb.m)
	return rb
}

func learnedModel(l *Learner, types []*rowtype.Type, d *Model) *Model {
	return fitted(l, types, d).Build(types, d)
}

func perRecord(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRecords, "ns/record")
}

// BenchmarkRecordPlan measures what the first peer at a baseline costs: residuals,
// symbols and counts.
func BenchmarkRecordPlan(b *testing.B) {
	rb := newRecordBench(b)
	var out []prefix.Sym
	for b.Loop() {
		for k := range rb.base {
			out = rb.m.appendUpdate(out[:0], rb.t, rb.base[k], rb.now[k], 7, rb.l)
		}
	}
	perRecord(b)
}

// BenchmarkRecordPut measures what every peer costs: putting the symbols' bits into its
// packet.
func BenchmarkRecordPut(b *testing.B) {
	rb := newRecordBench(b)
	var out []prefix.Sym
	var ends []int
	for k := range rb.base {
		out = rb.m.appendUpdate(out, rb.t, rb.base[k], rb.now[k], 7, rb.l)
		ends = append(ends, len(out))
	}
	var e prefix.Encoder
	buf := make([]byte, 0, 1<<16)
	bytes := 0
	for b.Loop() {
		e.Reset(buf)
		from := 0
		for _, to := range ends {
			e.Put(out[from:to]...)
			from = to
		}
		bytes = len(e.Finish())
	}
	perRecord(b)
	b.ReportMetric(float64(8*bytes)/benchRecords, "bits/record")
}

// BenchmarkRecordRead measures how a proxy decodes the words of a record.
func BenchmarkRecordRead(b *testing.B) {
	rb := newRecordBench(b)
	var out []prefix.Sym
	for k := range rb.base {
		out = rb.m.appendUpdate(out, rb.t, rb.base[k], rb.now[k], 7, rb.l)
	}
	var e prefix.Encoder
	e.Reset(nil)
	e.Put(out...)
	msg := e.Finish()
	now := make([]int32, rb.t.Width)
	var d prefix.Decoder
	var none rowtype.Second
	for b.Loop() {
		d.Reset(msg)
		for k := range rb.base {
			if !rb.m.ReadUpdate(&d, rb.t, rb.base[k], now, &none, nil, 7) || now[0] != rb.now[k][0] {
				b.Fatal("a record was read wrong")
			}
		}
	}
	perRecord(b)
}
