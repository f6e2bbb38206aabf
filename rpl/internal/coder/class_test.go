package coder

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// A herd is updates of animals whose words change differently for each species. Their
// mood changes at random.
type herd struct {
	schema    *schema.Schema
	types     []*rowtype.Type
	base, now [][]int32
}

const (
	herdSpecies = iota
	herdMood
	herdX
	herdAge
)

func newHerd(t *testing.T, r *rand.Rand) *herd {
	s := schema.NewSchema("herd")
	s.Build("animal").Int("species", 1, 4).Int("mood", 0, 7).Int("x", -1<<13, 1<<13).Int("age", 0, 1<<14).Done()
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	h := &herd{schema: s}
	h.types, _ = rowtype.TypesOf(s)
	for range 20_000 {
		base := []int32{1 + r.Int32N(4), r.Int32N(8), r.Int32N(1000), r.Int32N(1000)}
		now := append([]int32(nil), base...)
		now[herdMood] = r.Int32N(8)
		switch base[herdSpecies] {
		case 1, 2:
			now[herdX] += 40 + r.Int32N(4)
		case 3:
			now[herdX]--
		case 4:
			now[herdAge] += 9 + r.Int32N(3)
		}
		h.base, h.now = append(h.base, base), append(h.now, now)
	}
	return h
}

// code encodes all updates, and l counts their symbols.
func (h *herd) code(m *Model, l *Learner) (msg []byte) {
	var e prefix.Encoder
	e.Reset(nil)
	var out []prefix.Sym
	for i := range h.base {
		out = m.appendUpdate(out[:0], h.types[0], h.base[i], h.now[i], 3, l)
		e.Put(out...)
	}
	return e.Finish()
}

// The learner finds the word that tells classes apart. The tables by class survive
// encoding, save bits, and decode every update unchanged.
func TestTablesByContextClass(t *testing.T) {
	seed := rand.Uint64()
	h := newHerd(t, rand.New(rand.NewPCG(seed, 1)))
	typ := h.types[0]
	d, l := defaultModel(h.types), NewLearner(h.types, 60)
	h.code(d, l)
	plain := fitted(l, h.types, d)
	word := l.Rows[0].Hints.Best(typ, 1)
	if word != herdSpecies || plain.Rows[0].classWord >= 0 {
		t.Fatalf("seed %d: kinds are told by word %d, by %d before they are counted", seed, word, plain.Rows[0].classWord)
	}
	l.Rows[0].Regroup(typ, word)
	h.code(d, l)
	set, err := ParseTables(fitted(l, h.types, d).Append(nil, h.types, d, nil), h.types, d, nil)
	if err != nil || set.Rows[0].classWord != herdSpecies {
		t.Fatalf("seed %d: %v, kinds by word %d", seed, err, set.Rows[0].classWord)
	}
	m := set.Build(h.types, d)
	msg := h.code(m, l)
	if was := len(h.code(plain.Build(h.types, d), l)); len(msg)*10 > was*9 {
		t.Errorf("seed %d: %d bytes by kinds, %d without", seed, len(msg), was)
	}
	var dec prefix.Decoder
	dec.Reset(msg)
	got := make([]int32, typ.Width)
	for i := range h.base {
		if !m.ReadUpdate(&dec, typ, h.base[i], got, &rowtype.Second{}, nil, 3) || !rowtype.EqualWords(got, h.now[i]) {
			t.Fatalf("seed %d: update %d is %v, want %v", seed, i, got, h.now[i])
		}
	}
}

// If updates of all classes are alike, the learner finds no word for classes.
func TestNoClassesWhereNoneSaveBits(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	h := newHerd(t, r)
	for i := range h.base {
		copy(h.now[i], h.base[i])
		h.now[i][herdX] += r.Int32N(3)
	}
	l := NewLearner(h.types, 60)
	h.code(defaultModel(h.types), l)
	if w := l.Rows[0].Hints.Best(h.types[0], 1); w >= 0 {
		t.Errorf("seed %d: kinds are told by word %d", seed, w)
	}
}

// Elements of an array do not give the class, unless they are few; and of a large row, only as many
// words are counted by their values as there is room for.
func TestClassesOfLargeRows(t *testing.T) {
	type gun struct {
		Kind uint8 `rpl:"max=15"`
	}
	s := schema.NewSchema("large")
	want := map[string]int{"tiles": 1, "slots": 0, "guns": 4, "names": maxHints / (2 * 128)}
	s.Item("tiles", reflect.TypeFor[struct {
		Kind uint8        `rpl:"max=3"`
		T    [512]uint8   `rpl:"max=15"`
		Bits [2][100]bool `rpl:""`
	}](), nil)
	s.Item("slots", reflect.TypeFor[struct {
		S [40]gun `rpl:""`
	}](), nil)
	s.Item("guns", reflect.TypeFor[struct {
		G [4]gun `rpl:""`
	}](), nil)
	names := s.Build("names")
	for i := range 128 {
		names.Int(fmt.Sprintf("n%d", i), 0, 1)
	}
	names.Done()
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	types, _ := rowtype.TypesOf(s)
	for _, of := range types {
		var h classHints
		h.begin(of)
		if n := want[of.Item.Name]; len(h.words) != n || len(h.counts) != n {
			t.Errorf("%s: %d of its words may give the class, %d expected", of.Item.Name, len(h.words), n)
		}
	}
}

// A learner that has counted nothing takes no more for a word than its vote.
func TestLearnersTakeRoomAsTheyCount(t *testing.T) {
	seed := rand.Uint64()
	h := newHerd(t, rand.New(rand.NewPCG(seed, 1)))
	l := NewLearner(h.types, 60)
	r := &l.Rows[0]
	if r.Hints.counts != nil || r.Lines.hold != nil || r.sources.to != nil || r.keys.Chunks != nil || r.Updates[0][0].Chunks != nil {
		t.Errorf("seed %d: a learner that has counted nothing has room for counts", seed)
	}
	h.code(defaultModel(h.types), l)
	if r.Hints.counts == nil || r.Lines.hold == nil || r.sources.to == nil {
		t.Errorf("seed %d: a learner that has counted has no room for counts", seed)
	}
}

// parseTables refuses tables whose classes are given by a word that cannot tell classes.
func TestOddClassesAreRefused(t *testing.T) {
	h := newHerd(t, rand.New(rand.NewPCG(1, 1)))
	d, l := defaultModel(h.types), NewLearner(h.types, 60)
	l.Rows[0].Regroup(h.types[0], herdSpecies)
	h.code(d, l)
	set := fitted(l, h.types, d)
	set.Rows[0].classWord = herdX
	if _, err := ParseTables(set.Append(nil, h.types, d, nil), h.types, d, nil); err == nil {
		t.Error("kinds told by a position were taken")
	}
}
