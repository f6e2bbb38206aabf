package replay

import (
	"math/rand/v2"
	"testing"
)

// span and skip are what an endpoint looks at.
const span, skip = 256, 8

func accept(w *Window, seq uint64) bool {
	if !w.New(seq) {
		return false
	}
	w.Mark(seq)
	return true
}

func TestReplayWindow(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var w Window
		seen := map[uint64]bool{}
		highest := uint64(0)
		for i := range 20_000 {
			seq := uint64(1)
			switch rng.IntN(20) {
			case 0:
				seq = highest + uint64(rng.IntN(3000))
			case 1, 2, 3:
				seq = uint64(max(1, int64(highest)-int64(rng.IntN(2000))))
			default:
				seq = uint64(max(1, int64(highest)+int64(rng.IntN(40))-20))
			}
			want := seq > highest || highest-seq < Size && !seen[seq]
			if got := accept(&w, seq); got != want {
				t.Fatalf("seed %d, step %d: %d with highest %d: %v, want %v", seed, i, seq, highest, got, want)
			}
			seen[seq] = true
			highest = max(highest, seq)
		}
	}
}

// loss equals the share of missing numbers that a plain count finds.
func TestLossOfTheWindow(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 6))
		var w Window
		seen := map[uint64]bool{}
		for seq := uint64(1); seq < 3000; seq++ {
			if rng.IntN(5) > 0 {
				accept(&w, seq)
				seen[seq] = true
			}
			if newest := w.highest; newest > skip {
				newest -= skip
				n, missing := min(newest, span), 0
				for s := newest; s > newest-n; s-- {
					if !seen[s] {
						missing++
					}
				}
				if got, want := w.Loss(span, skip), float64(missing)/float64(n); got != want {
					t.Fatalf("seed %d, after %d: %v, want %v", seed, seq, got, want)
				}
			} else if w.Loss(span, skip) != 0 {
				t.Fatalf("seed %d, after %d: %v of nothing", seed, seq, w.Loss(span, skip))
			}
		}
	}
}

// A peer chooses its sequence numbers: loss also ends and is right at the highest ones.
func TestLossAtTheLastNumbers(t *testing.T) {
	for back := range uint64(2 * span) {
		var w Window
		accept(&w, 1<<64-1-back)
		if got, want := w.Loss(span, skip), 1.0; got != want {
			t.Fatalf("%v of all but %d", got, back)
		}
		accept(&w, 1<<64-1-back-skip)
		if got, want := w.Loss(span, skip), 1-1.0/span; got != want {
			t.Fatalf("%v of all but %d and one that counts, want %v", got, back, want)
		}
	}
}

// What a window says of numbers in turn. Each row is a packet; the window is the same for
// all rows of a table.
func TestTable(t *testing.T) {
	const limit = Size - 1
	var w Window
	for i, row := range []struct {
		seq uint64
		new bool
	}{
		0: {0, false}, 1: {1, true}, 2: {1, false}, 3: {9, true}, 4: {8, true}, 5: {7, true}, 6: {7, false},
		7: {limit, true}, 8: {limit - 1, true}, 9: {limit - 1, false}, 10: {2, true}, 11: {limit + 1, true},
		12: {2, false}, 13: {limit + 1, false}, 14: {3, true}, 15: {limit + 16, true}, 16: {3, false},
		17: {limit + 17, true}, 18: {limit * 4, true}, 19: {limit*4 - (limit - 1), true}, 20: {limit + 10, false},
		21: {limit*4 - limit - 1, false}, 22: {limit*4 - (limit - 2), true}, 23: {limit*4 + 1 - limit, false}, 24: {0, false},
		25: {1 << 62, true}, 26: {1<<62 + 1, true}, 27: {1<<62 + 1, false}, 28: {1 << 62, false}, 29: {1<<62 - 1, true},
		30: {1<<62 - 1, false}, 31: {1<<62 - limit + 1, true}, 32: {1<<62 - Size, false}, 33: {^uint64(0), true}, 34: {^uint64(0), false},
		35: {^uint64(0) - limit, true}, 36: {^uint64(0) - Size, false}, 37: {1, false},
	} {
		if got := accept(&w, row.seq); got != row.new {
			t.Errorf("row %d: %d is new: %v, want %v", i, row.seq, got, row.new)
		}
	}
}

// The whole number is found from its low 16 bits for every step that is shorter than half
// of what they count.
func TestWhole(t *testing.T) {
	for i, row := range []struct{ highest, seq uint64 }{
		{0, 1},
		{0, 1<<15 - 1},
		{1, 1 << 15},
		{0xffff, 0x10000},
		{0x10000, 0xffff},
		{0x10000, 0xff00},
		{0xfffe, 0x10000 + 100},
		{0xa82f30ea, 0xa82f9b32},
		{1 << 40, 1<<40 + 1<<15},
		{1 << 40, 1<<40 - 1<<15 + 2},
		{^uint64(0) - 1, ^uint64(0)},
		{^uint64(0), ^uint64(0) - 1000},
	} {
		w := Window{highest: row.highest}
		if got := w.Whole(uint16(row.seq)); got != row.seq {
			t.Errorf("row %d: after %#x comes %#x, not %#x", i, row.highest, got, row.seq)
		}
	}
	rng := rand.New(rand.NewPCG(1, 7))
	for range 100_000 {
		highest := rng.Uint64() >> rng.IntN(64)
		step := uint64(rng.IntN(1 << 15))
		w := Window{highest: highest}
		if want := highest + 1 + step; want > highest && w.Whole(uint16(want)) != want {
			t.Fatalf("after %#x comes %#x, not %#x", highest, w.Whole(uint16(want)), want)
		}
		if want := highest + 1 - step; step <= highest && w.Whole(uint16(want)) != want {
			t.Fatalf("after %#x comes %#x, not %#x", highest, w.Whole(uint16(want)), want)
		}
	}
}

// Missing equals what a plain count finds, in any range.
func TestMissingOfTheWindow(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		var w Window
		seen := map[uint64]bool{}
		for seq := uint64(1); seq < 3000; seq++ {
			if rng.IntN(5) > 0 {
				accept(&w, seq)
				seen[seq] = true
			}
			from := uint64(rng.IntN(int(seq) + 3))
			to, missing := from+uint64(rng.IntN(80)), 0
			for s := from + 1; s <= to; s++ {
				if !seen[s] && (s > w.highest || s > w.highest-min(w.highest, Size)) {
					missing++
				}
			}
			if got := w.Missing(from, to); got != missing {
				t.Fatalf("seed %d: %d of (%d, %d] with highest %d, not %d", seed, got, from, to, w.highest, missing)
			}
		}
	}
}
