package rpl

import (
	"testing"

	"pgregory.net/rapid"
)

// What a proxy knows of packets is what a set of all that it applied says, of the
// newest recordLen; runs are those of it.
func TestHeardIsASetOfTheNewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h heard
		applied, newest := map[uint64]Tick{}, uint64(0)
		step := rapid.OneOf(rapid.Uint64Range(1, 3), rapid.Uint64Range(1, 3*recordLen))
		for range rapid.IntRange(1, 200).Draw(t, "packets") {
			seq := newest + step.Draw(t, "step")
			if back := rapid.Uint64Range(0, 2*recordLen).Draw(t, "back"); rapid.Bool().Draw(t, "late") && back < newest {
				seq = newest - back
			}
			_, had := applied[seq]
			if stale := had || seq+recordLen <= newest; h.stale(seq) != stale {
				t.Fatalf("packet %d after %d is stale: %v", seq, newest, !stale)
			} else if stale {
				continue
			}
			tick := Tick(rapid.Uint32().Draw(t, "tick"))
			h.note(seq, tick, 0)
			applied[seq], newest = tick, max(newest, seq)
		}
		if !h.any || h.newest != newest {
			t.Fatalf("the newest is %d, not %d", h.newest, newest)
		}
		known := min(newest, recordLen-1)
		for seq := newest - known; seq <= newest+2; seq++ {
			tick, ok := applied[seq]
			if h.has(seq) != ok || ok && h.tick(seq) != tick {
				t.Fatalf("packet %d of %d: applied %v, %v", seq, newest, h.has(seq), ok)
			}
		}
		for range 20 {
			from := newest - rapid.Uint64Range(0, known).Draw(t, "from")
			most := uint32(rapid.Uint64Range(0, from-(newest-known)).Draw(t, "most"))
			for _, came := range []bool{true, false} {
				want := uint32(0)
				for want < most {
					if _, ok := applied[from-uint64(want)]; ok != came {
						break
					}
					want++
				}
				if got := h.run(from, most, came); got != want {
					t.Fatalf("run of %v from %d, at most %d: %d, want %d", came, from, most, got, want)
				}
			}
		}
	})
}
