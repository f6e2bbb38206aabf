package play

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A state is exact within the bounds of a generated trace: it equals its own
// row's words and none that differ in any bit.
func TestStatesAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	bounds := [][2]int64{
		{1, 1},
		{0, 3},
		{math.MinInt32, math.MaxInt32},
		{math.MinInt32, math.MaxInt32},
		{0, turn - 1},
		{math.MinInt32, math.MaxInt32},
		{math.MinInt32, math.MaxInt32},
		{math.MinInt16, math.MaxInt16},
		{0, math.MaxUint8},
		{0, math.MaxUint8},
	}
	for range 1000 {
		row := make([]int32, len(generated))
		for i, b := range bounds {
			row[i] = int32([]int64{b[0], b[1], b[0] + rng.Int64N(b[1]-b[0]+1)}[rng.IntN(3)])
		}
		s := newState(row)
		if !s.alive || !s.equals(row[1:]) {
			t.Fatalf("%v becomes %+v", row, s)
		}
		for i := 1; i < len(row); i++ {
			for bit := range 32 {
				row[i] ^= 1 << bit
				if s.equals(row[1:]) {
					t.Fatalf("%+v equals %v", s, row)
				}
				row[i] ^= 1 << bit
			}
		}
		if s.equals(row[1:9]) || s.equals(row) || s.equals(nil) {
			t.Fatal("it equals rows of other lengths")
		}
	}
}
