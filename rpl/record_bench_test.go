package rpl

import (
	"math/rand/v2"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Benchmarks of coding one record, without the store around it: the nine fields of the
// bench, of which position and velocity change, with learned tables.

type recordBench struct {
	t         *rowType
	m         *model
	l         *learner
	base, now [][]int32
}

const benchRecords = 512

func newRecordBench(b testing.TB) *recordBench {
	s := NewSchema("record")
	s.Build("body").Int("kind", 0, 3).Int("x", -1<<20, 1<<20).Int("y", -1<<20, 1<<20).Angle("dir", 0, 4095).
		Int("vx", -1<<15, 1<<15).Int("vy", -1<<15, 1<<15).Int("hp", 0, 100).Int("anim", 0, 255).Int("team", 0, 3).
		Pos("x", "y").Predict("x", "vx", true).Predict("y", "vy", true).Done()
	if err := s.Freeze(60); err != nil {
		b.Fatal(err)
	}
	types, _ := rowTypesOf(s)
	d := defaultModel(types)
	rb := &recordBench{t: types[0], l: newLearner(types, 60)}
	r := rand.New(rand.NewPCG(1, 1))
	for range benchRecords {
		base, now := make([]int32, rb.t.width), make([]int32, rb.t.width)
		for i := range rb.t.words {
			base[i] = int32(r.IntN(int(min(rb.t.words[i].Max, 1000))))
		}
		for _, i := range rb.t.phased {
			base[rb.t.phase[i]] = int32(r.IntN(2*phaseHalf) - phaseHalf)
		}
		copy(now, base)
		for _, i := range rb.t.velocities {
			now[i] += int32(r.NormFloat64() * 20)
		}
		for i := range rb.t.words {
			if rb.t.phase[i] >= 0 {
				now[i], now[rb.t.phase[i]] = rb.t.courses[i].reach(rb.t.at(base), rb.t.at(now), i, 7)
				now[i] += int32(r.NormFloat64())
				now[rb.t.phase[i]] = int32(r.IntN(5)+int(now[rb.t.phase[i]])+6)&(2*phaseHalf-1) - phaseHalf
			}
		}
		rb.base, rb.now = append(rb.base, base), append(rb.now, now)
	}
	for k := range rb.base {
		d.appendUpdate(nil, rb.t, rb.base[k], rb.now[k], 7, rb.l)
	}
	rb.m = learnedModel(rb.l, types, d)
	rb.l.serve(rb.m)
	return rb
}

func learnedModel(l *learner, types []*rowType, d *model) *model {
	return fitted(l, types, d).build(types, d)
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
	now := make([]int32, rb.t.width)
	var d prefix.Decoder
	for b.Loop() {
		d.Reset(msg)
		for k := range rb.base {
			if !rb.m.readUpdate(&d, rb.t, rb.base[k], now, 7) || now[0] != rb.now[k][0] {
				b.Fatal("a record was read wrong")
			}
		}
	}
	perRecord(b)
}
