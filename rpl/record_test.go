package rpl

import (
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// The codes that a learner caches equal the model's, also after the learner has been
// switched to another model.
func TestPatternsAreKeptAsTheyAre(t *testing.T) {
	rb := newRecordBench(t)
	bits := func(m *model, k int, l *learner) string {
		var e prefix.Encoder
		e.Reset(nil)
		e.Put(m.appendUpdate(nil, rb.t, rb.base[k], rb.now[k], 7, l)...)
		e.Put(m.appendKey(nil, rb.t, rb.now[k], l)...)
		return string(e.Finish())
	}
	types := []*rowType{rb.t}
	never := newLearner(types, 60)
	for _, m := range []*model{rb.m, defaultModel(types), rb.m} {
		rb.l.serve(m)
		for k := range 2 * benchRecords { // in the second half all codes come from the cache
			if k %= benchRecords; bits(m, k, rb.l) != bits(m, k, never) {
				t.Fatalf("record %d is not what it is where nothing is kept", k)
			}
		}
	}
}

// appendUpdate appends the symbols of an update from base to now to out.
func (m *model) appendUpdate(out []prefix.Sym, t *rowType, base, now []int32, n uint32, l *learner) []prefix.Sym {
	out, last := m.codeUpdate(out, t, t.at(base), t.at(now), n, l)
	return append(out, last)
}
