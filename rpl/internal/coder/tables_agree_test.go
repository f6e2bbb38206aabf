package coder

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// What an authority codes with the tables that it has fitted, peers read with those that they make of the message, whole or
// by its differences from the set before. The rows have several chunks, which change in their own ways: of one the patterns
// are so many that none gets a symbol, of another all are.
func TestPeersMakeTheSameTables(t *testing.T) {
	seed := rand.Uint64()
	for k := range uint64(12) {
		agree(t, seed+k)
	}
	agree(t, 16141990170990328707) // a table was fitted that is not sent
}

func agree(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	s := schema.NewSchema("rows")
	b, words := s.Build("row"), 1+r.IntN(50)
	for i := range words {
		b.Int(fmt.Sprint("w", i), 0, 1<<(6+r.Int32N(8))-1)
	}
	b.Done()
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	types, _ := rowtype.TypesOf(s)
	typ := types[0]
	d, l := defaultModel(types), NewLearner(types, 60)
	model, whole, differs := d, d, d
	for round := range 3 {
		var change [4]float64 // of each chunk: how likely its words change; above 1: one of them does
		var far [4]int32      // … and by how much at most
		for c := range change {
			change[c], far[c] = []float64{0, .05, .5, 2}[r.IntN(4)], 1+r.Int32N(2)
		}
		var base, now [][]int32
		n := 1 + r.Uint32N(30)
		for range 50 + r.IntN(4000) {
			was, is := make([]int32, typ.Width), make([]int32, typ.Width)
			for i := range words {
				was[i] = 10 + r.Int32N(20)
			}
			copy(is, was)
			for i := range words {
				c := i / chunkLen
				if change[c] < 1 && r.Float64() < change[c] || change[c] > 1 && i%chunkLen == 0 {
					at := i
					if change[c] > 1 {
						at = min(i+r.IntN(chunkLen), words-1)
					}
					is[at] += r.Int32N(2*far[c]+1) - far[c]
				}
			}
			model.appendUpdate(nil, typ, was, is, n, l)
			base, now = append(base, was), append(now, is)
		}
		g := Fitter{Worth: 1 / float64([]int{1, 10, 40, 60}[r.IntN(4)])}.Begin(l, types, d, model, uint8(round%3+1))
		for !g.On() {
		}
		read := func(how string, was *TableSet, before *Model) *Model {
			set, err := ParseTables(g.Set.Append(nil, types, d, was), types, d, before)
			if err != nil {
				t.Fatalf("seed %d, round %d, %s: %v", seed, round, how, err)
			}
			return set.Build(types, d)
		}
		if model != d {
			differs = read("differences", model.Set, differs)
		} else {
			differs = read("whole", nil, nil)
		}
		whole = read("whole", nil, nil)
		l.Rebase(types, model, g.Next)
		model = g.Next
		l.Serve(model)
		for i := range min(100, len(base)) {
			var e prefix.Encoder
			e.Reset(nil)
			e.Put(model.appendUpdate(nil, typ, base[i], now[i], n, NewLearner(types, 60))...)
			msg := e.Finish()
			for how, m := range map[string]*Model{"whole": whole, "differences": differs} {
				var dec prefix.Decoder
				dec.Reset(msg)
				got := make([]int32, typ.Width)
				if !m.ReadUpdate(&dec, typ, base[i], got, &rowtype.Second{}, nil, n) || !rowtype.EqualWords(got, now[i]) || dec.End() != nil {
					t.Fatalf("seed %d, round %d, %s: update %d is %v, want %v", seed, round, how, i, got, now[i])
				}
			}
		}
	}
}
