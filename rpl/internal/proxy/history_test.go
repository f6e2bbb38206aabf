package proxy

import (
	"slices"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"pgregory.net/rapid"
)

// receivedHistory agrees with a set of all applied packets about the newest recordLen packets and
// their runs. Packets that are maxLate or more older than the newest are stale.
func TestHistoryIsASetOfTheNewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h receivedHistory
		applied, newest := map[uint64]ids.Tick{}, uint64(0)
		step := rapid.OneOf(rapid.Uint64Range(1, 3), rapid.Uint64Range(1, 3*wire.RecordLen))
		for range rapid.IntRange(1, 200).Draw(t, "packets") {
			seq := newest + step.Draw(t, "step")
			if back := rapid.Uint64Range(0, 2*wire.RecordLen).Draw(t, "back"); rapid.Bool().Draw(t, "late") && back < newest {
				seq = newest - back
			}
			_, had := applied[seq]
			if stale := had || newest >= wire.MaxLate+seq; h.stale(seq) != stale {
				t.Fatalf("packet %d after %d is stale: %v", seq, newest, !stale)
			} else if stale {
				continue
			}
			tick := ids.Tick(rapid.Uint32().Draw(t, "tick"))
			h.note(seq, tick, 0)
			applied[seq], newest = tick, max(newest, seq)
		}
		if !h.any || h.newest != newest {
			t.Fatalf("the newest is %d, not %d", h.newest, newest)
		}
		known := min(newest, wire.RecordLen-1)
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

// Whichever packets and acks are lost or late, once acks arrive again the authority has
// an ack of every packet that the proxy has applied.
func TestAllThatIsAppliedIsAcked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type packet struct{ seq, base uint64 }
		var h receivedHistory
		var down []packet
		var up [][]uint64 // acks on their way: the packets that each says were applied
		var sent, base uint64
		applied, known := map[uint64]bool{}, map[uint64]bool{}
		arrive := func(p packet) {
			if !h.stale(p.seq) {
				h.base = max(h.base, p.base)
				h.note(p.seq, 0, 0)
				applied[p.seq] = true
			}
		}
		ack := func() (all []uint64) {
			for seq := h.floor(); seq <= h.newest; seq++ {
				if h.has(seq) {
					all = append(all, seq)
				}
			}
			return all
		}
		hear := func(all []uint64) {
			for _, seq := range all {
				known[seq] = true
				base = max(base, seq)
			}
		}
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"send", "send", "arrive", "arrive", "ack", "hear", "lose"}).Draw(t, "step") {
			case "send":
				sent++
				down = append(down, packet{sent, base})
			case "arrive":
				oneOf(t, &down, arrive)
			case "ack":
				up = append(up, ack())
			case "hear":
				oneOf(t, &up, hear)
			case "lose":
				down, up = down[:len(down)/2], up[:len(up)/2]
			}
		}
		hear(ack())
		for seq := range applied {
			if !known[seq] {
				t.Fatalf("packet %d was applied, and is not acked: %d is the newest, %d the base, acks go back to %d", seq, h.newest, h.base, h.floor())
			}
		}
	})
}

// oneOf calls do with a random element of a list and removes the element.
func oneOf[T any](t *rapid.T, list *[]T, do func(T)) {
	if n := len(*list); n > 0 {
		i := rapid.IntRange(0, n-1).Draw(t, "which")
		do((*list)[i])
		*list = slices.Delete(*list, i, i+1)
	}
}
