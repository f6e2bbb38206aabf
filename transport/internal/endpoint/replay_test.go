package endpoint

import (
	"math/rand/v2"
	"testing"

	"github.com/tendonengine/tendon/transport"
)

func TestReplayWindow(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var w replayWindow
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
			want := seq > highest || highest-seq < transport.ReplayWindow && !seen[seq]
			if got := w.accept(seq); got != want {
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
		var w replayWindow
		seen := map[uint64]bool{}
		for seq := uint64(1); seq < 3000; seq++ {
			if rng.IntN(5) > 0 {
				w.accept(seq)
				seen[seq] = true
			}
			if newest := w.highest; newest > transport.LossSkip {
				newest -= transport.LossSkip
				n, missing := min(newest, transport.LossWindow), 0
				for s := newest; s > newest-n; s-- {
					if !seen[s] {
						missing++
					}
				}
				if got, want := w.loss(), float64(missing)/float64(n); got != want {
					t.Fatalf("seed %d, after %d: %v, want %v", seed, seq, got, want)
				}
			} else if w.loss() != 0 {
				t.Fatalf("seed %d, after %d: %v of nothing", seed, seq, w.loss())
			}
		}
	}
}

// A peer chooses its sequence numbers: loss also ends and is right at the highest ones.
func TestLossAtTheLastNumbers(t *testing.T) {
	for back := range uint64(2 * transport.LossWindow) {
		var w replayWindow
		w.accept(1<<64 - 1 - back)
		if got, want := w.loss(), 1.0; got != want {
			t.Fatalf("%v of all but %d", got, back)
		}
		w.accept(1<<64 - 1 - back - transport.LossSkip)
		if got, want := w.loss(), 1-1.0/transport.LossWindow; got != want {
			t.Fatalf("%v of all but %d and one that counts, want %v", got, back, want)
		}
	}
}
