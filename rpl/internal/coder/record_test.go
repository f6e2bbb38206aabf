package coder

import (
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// The codes that a learner caches equal the model's, also after the learner has been
// switched to another model.
func TestPatternsAreKeptAsTheyAre(t *testing.T) {
	rb := newRecordBench(t)
	bits := func(m *Model, k int, l *Learner) string {
		var e prefix.Encoder
		e.Reset(nil)
		e.Put(m.appendUpdate(nil, rb.t, rb.base[k], rb.now[k], 7, l)...)
		e.Put(m.AppendKey(nil, rb.t, rb.now[k], l)...)
		return string(e.Finish())
	}
	types := []*rowtype.Type{rb.t}
	never := NewLearner(types, 60)
	for _, m := range []*Model{rb.m, defaultModel(types), rb.m} {
		rb.l.Serve(m)
		for k := range 2 * benchRecords { // in the second half all codes come from the cache
			if k %= benchRecords; bits(m, k, rb.l) != bits(m, k, never) {
				t.Fatalf("record %d is not what it is where nothing is kept", k)
			}
		}
	}
}

var noSecond rowtype.Second // never written

// appendUpdate appends the symbols of an update from base to now to out.
func (m *Model) appendUpdate(out []prefix.Sym, t *rowtype.Type, base, now []int32, n uint32, l *Learner) []prefix.Sym {
	out, last := m.CodeUpdate(out, t, t.At(base), t.At(now), &noSecond, nil, n, l)
	return append(out, last)
}
