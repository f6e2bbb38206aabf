package rpl

import (
	"math/rand/v2"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// In a long session in which no new tables pay, the learner's counts stay below
// maxCounted. A counter that overflowed to 0 would give a frequent symbol a long code.
func TestCountsOfLongSessionsFade(t *testing.T) {
	seed := rand.Uint64()
	h := newHerd(t, rand.New(rand.NewPCG(seed, 1)))
	a, err := NewAuthority(AuthorityConfig{Schema: h.schema, Hz: 60})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.sender.Connect(2); err != nil {
		t.Fatal(err)
	}
	l := a.sender.Tables.Learner
	fits := func(n int) {
		for range n {
			for next := l.Next; l.Next == next || a.sender.Tables.Fitting != nil; {
				a.store.Tick++
				a.sender.Tables.Learn()
			}
			a.sender.All[0].Model = a.sender.Tables.Model
		}
	}
	for range 3 {
		h.code(a.sender.Tables.Model, l)
		fits(1)
	}
	shipped := a.sender.Accounts.Counters.Tables
	if shipped == 0 {
		t.Fatalf("seed %d: nothing was learned", seed)
	}
	times := uint32(3 << 30 / l.Most()) // as if the same symbols had been counted that many times more
	for k := range l.Rows[0].Updates {
		for c := range l.Rows[0].Updates[k] {
			for j := range l.Rows[0].Updates[k][c].Chunks {
				for i := range l.Rows[0].Updates[k][c].Chunks[j].Slots {
					l.Rows[0].Updates[k][c].Chunks[j].Slots[i].N *= times
				}
			}
		}
	}
	if n := l.Most(); n < 2<<30 {
		t.Fatalf("seed %d: %d are counted", seed, n)
	}
	fits(3)
	if n := l.Most(); n > wire.MaxCounted || n < wire.MaxCounted/4 {
		t.Errorf("seed %d: %d are counted, at most %d, where %d tables were shipped", seed, n, wire.MaxCounted, a.sender.Accounts.Counters.Tables-shipped)
	}
}

// A herd is updates of animals whose words change differently for each species. Their
// mood changes at random.
type herd struct {
	schema    *schema.Schema
	types     []*rowtype.Type
	base, now [][]int32
}

func newHerd(t *testing.T, r *rand.Rand) *herd {
	s := NewSchema("herd")
	s.Build("animal").Int("species", 1, 4).Int("mood", 0, 7).Int("x", -1<<13, 1<<13).Int("age", 0, 1<<14).Done()
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	h := &herd{schema: s}
	h.types, _ = rowtype.TypesOf(s)
	for range 20_000 {
		base := []int32{1 + r.Int32N(4), r.Int32N(8), r.Int32N(1000), r.Int32N(1000)}
		now := append([]int32(nil), base...)
		now[1] = r.Int32N(8)
		switch base[0] {
		case 1, 2:
			now[2] += 40 + r.Int32N(4)
		case 3:
			now[2]--
		case 4:
			now[3] += 9 + r.Int32N(3)
		}
		h.base, h.now = append(h.base, base), append(h.now, now)
	}
	return h
}

// code encodes all updates, and l counts their symbols.
func (h *herd) code(m *coder.Model, l *coder.Learner) (msg []byte) {
	var e prefix.Encoder
	e.Reset(nil)
	var out []prefix.Sym
	for i := range h.base {
		t := h.types[0]
		syms, last := m.CodeUpdate(out[:0], t, t.At(h.base[i]), t.At(h.now[i]), &rowtype.Second{}, nil, 3, l)
		out = append(syms, last)
		e.Put(out...)
	}
	return e.Finish()
}
