package outbox

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Whatever waits and however little the lane takes at once, all arrives whole and once, in the order of its
// numbers; calls in theirs, and what is about one node in its own.
func TestOutbox(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var o Outbox
		var lane [][]byte
		type sent struct {
			b      []byte
			number uint64
			node   int
			call   bool
		}
		var all []*sent // as they were added
		last := map[int]*sent{}
		for range 120 {
			switch node := rng.IntN(6); rng.IntN(4) {
			case 0:
				m := &sent{b: make([]byte, 1+rng.IntN(3*wire.MaxPart)), node: node}
				for i := range m.b {
					m.b[i] = byte(rng.Uint32())
				}
				m.b[0] = wire.MsgBlock
				m.number = o.Add(m.b)
				all, last[node] = append(all, m), m
			case 1, 2:
				m := &sent{b: append([]byte{wire.MsgCall}, make([]byte, rng.IntN(4000))...), node: node, call: true}
				behind := uint64(0)
				if before := last[node]; before != nil {
					behind = before.number
				}
				m.number = o.AddCall(m.b, behind)
				for _, other := range all {
					if other.number >= m.number {
						other.number++
					}
				}
				all, last[node] = append(all, m), m
			default:
				room := rng.IntN(4)
				o.Give(func(part []byte) bool {
					if room--; room < 0 {
						return false
					}
					lane = append(lane, bytes.Clone(part))
					return true
				})
			}
			left := 0
			o.Sizes(func(n int, _ bool) bool { left += n; return true })
			if int(o.Bytes) != left {
				t.Fatalf("seed %d: %d bytes wait, in %d of parts", seed, o.Bytes, left)
			}
		}
		o.Give(func(part []byte) bool { lane = append(lane, bytes.Clone(part)); return true })
		if o.Len() != 0 || o.Bytes != 0 || o.Given() != uint64(len(all)) {
			t.Fatalf("seed %d: %d wait, %d bytes, %d of %d are given", seed, o.Len(), o.Bytes, o.Given(), len(all))
		}
		for calls, i := 0, 0; i < len(all); i++ {
			if all[i].call {
				for _, before := range all[:i] {
					if (before.call || before.node == all[i].node) && before.number > all[i].number {
						t.Fatalf("seed %d: call %d comes before what was before it", seed, calls)
					}
				}
				calls++
			}
		}
		slices.SortFunc(all, func(a, b *sent) int { return int(a.number) - int(b.number) })
		var parts []byte
		n := 0
		for _, b := range lane {
			if b[0] == wire.MsgPart {
				parts = append(parts, b[1:]...)
				continue
			}
			whole := b
			if b[0] != wire.MsgCall && len(parts) > 0 {
				whole, parts = append(append([]byte{b[0]}, parts...), b[1:]...), nil
			}
			if n >= len(all) || !bytes.Equal(whole, all[n].b) || all[n].number != uint64(n+1) {
				t.Fatalf("seed %d: message %d, of %d bytes, is not the one of that number", seed, n+1, len(whole))
			}
			n++
		}
		if n != len(all) {
			t.Fatalf("seed %d: %d of %d messages", seed, n, len(all))
		}
	}
}

// A flood of calls does not hold up a long message for ever.
func TestFloodOfCalls(t *testing.T) {
	var o Outbox
	o.Add(append([]byte{wire.MsgBlock}, make([]byte, 100)...))
	call := append([]byte{wire.MsgCall}, make([]byte, 999)...)
	for range 100 {
		o.AddCall(call, 0)
	}
	before := 0
	o.Give(func(part []byte) bool {
		before += len(part)
		return part[0] == wire.MsgCall
	})
	if before > maxPassing+1000 {
		t.Errorf("%d bytes of calls pass", before)
	}
}
