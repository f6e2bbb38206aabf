package command

// What a message says in few bytes is read as it was.

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/tendonengine/tendon/rpl"
)

// Whatever a message tells of is read as it was written: repeated values and gaps, what was drawn, and
// nodes of any slots and tenants.
func TestMessagesAreReadAsWritten(t *testing.T) {
	seed := uint64(os.Getpid())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	node := func() rpl.Node {
		return rpl.Node(rnd.Uint64N(1<<rnd.IntN(32)))<<32 | rpl.Node(rnd.Uint64N(1<<rnd.IntN(33)))
	}
	for round := range 3000 {
		w := NewWriter(512)
		w.Plain = round%2 == 0
		newest, ticks := uint32(128+rnd.IntN(100_000)), rnd.IntN(MaxTicks+1)
		var want []string
		drawn := make([]Drawn, ticks)
		d := Drawn{To: newest - uint32(rnd.IntN(20)), Span: 1 + uint32(rnd.IntN(8))}
		for i := range drawn {
			if rnd.IntN(4) == 0 {
				d.To -= min(uint32(rnd.IntN(4)), d.To)
			}
			d.To = min(d.To, newest-uint32(i))
			if rnd.IntN(16) == 0 {
				d.Span = uint32(rnd.IntN(12))
			}
			d.Span = min(d.Span, d.To)
			d.At = float64(d.To) + (rnd.Float64()*float64(d.Span+2) - float64(d.Span))
			d.At = float64(int64(d.At*DrawnUnit)) / DrawnUnit
			d.At = max(d.At, float64(d.To-d.Span))
			w.Drew(newest-uint32(i), d)
			if drawn[i] = d; w.Plain {
				drawn[i] = Drawn{To: newest - uint32(i), At: float64(newest - uint32(i))}
			}
		}
		var others []rpl.Node
		for range rnd.IntN(MaxOthers + 1) {
			others = append(others, node())
		}
		w.Begin(newest, ticks)
		w.Others(others, newest, newest-1)
		for range rnd.IntN(min(MaxStreams, MaxValues/max(ticks, 1)) + 1) {
			n, number := node(), rnd.IntN(300)
			if len(w.B) > 700 || !w.Stream(n, number) { // one tick has a message's bytes at most
				break
			}
			var v []byte
			here := false
			for at := range ticks {
				same := here && rnd.IntN(8) > 0
				if !same {
					if here = rnd.IntN(3) > 0; here {
						v = make([]byte, rnd.IntN(4)*rnd.IntN(MaxValue/3))
						for i := range v {
							v[i] = byte(rnd.IntN(256))
						}
					}
				}
				if w.Value(v, here, same); here {
					want = append(want, fmt.Sprint(uint64(n), number, newest-uint32(at), at, v))
				}
			}
		}
		var m Message
		var got []string
		err := m.Parse(w.B, func(node rpl.Node, number int, tick uint32, at int, v []byte) {
			got = append(got, fmt.Sprint(uint64(node), number, tick, at, v))
		})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("round %d: of %d values %d are read, or others: %v", round, len(want), len(got), err)
		}
		if m.Newest != newest || !slices.Equal(m.Drawn, drawn) {
			t.Fatalf("round %d: at %d drawn %v, not at %d %v", round, m.Newest, m.Drawn, newest, drawn)
		}
		if m.Named != (len(others) > 0) || !slices.Equal(m.Others, others) {
			t.Fatalf("round %d: others %v (%v), not %v", round, m.Others, m.Named, others)
		}
	}
}

// What goes on takes a byte for all ticks of it, and what was drawn one for each.
func TestWhatGoesOnTakesFewBytes(t *testing.T) {
	size := func(ticks int, plain bool) int {
		w := NewWriter(128)
		w.Plain = plain
		for tick := range uint32(200) {
			w.Drew(tick, Drawn{To: (tick - min(tick, 6)) / 3 * 3, Span: 3, At: float64(tick) - 8.25})
		}
		w.Begin(199, ticks)
		w.Stream(1<<32|5, 0)
		for i := range ticks {
			w.Value([]byte{7}, true, i > 0)
		}
		return len(w.B)
	}
	if short, long := size(2, true), size(30, true); long != short {
		t.Errorf("2 ticks take %d bytes, 30 of the same %d", short, long)
	}
	if short, long := size(2, false), size(30, false); long-short != 28 {
		t.Errorf("what was drawn in 28 more ticks takes %d bytes", long-short)
	}
}

// What no client writes is refused: what a server does for a message is bounded by its bytes, more or
// less.
func TestMessagesThatNoClientWrites(t *testing.T) {
	head := func(ticks, has byte) []byte { return []byte{0, 0, 1, 0, ticks, has} }
	streams := func(n, ticks int) []byte {
		b := append(head(byte(ticks), 0), byte(n))
		for range n {
			b = append(b, 0, 1, 0, 2, byte(2*ticks-3))
		}
		return b
	}
	for _, c := range []struct {
		name string
		b    []byte
		want bool
	}{
		{"nothing", append(head(0, 0), 0), true},
		{"something that no client has", append(head(0, 4), 0), false},
		{"more ticks than are kept", append(head(129, 0), 0), false},
		{"a value as of no tick", append(head(1, 0), 1, 0, 1, 0, 1), false},
		{"a value of more ticks than there are", append(head(2, 0), 1, 0, 1, 0, 2, 3), false},
		{"a value of the ticks that there are", append(head(3, 0), 1, 0, 1, 0, 2, 3), true},
		{"a longer value than there is", append(head(1, 0), 1, 0, 1, 0, 6, 1), false},
		{"a slot below the first", append(head(1, 0), 1, 1, 1, 0, 2), false},
		{"a tenant beyond the last", append(head(1, 0), 1, 0, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 2), false},
		{"as many values as it may have", streams(16, 64), true},
		{"more values", streams(17, 64), false},
		{"more nodes of others", append(head(0, 2), append(append([]byte{MaxOthers + 1}, make([]byte, 2*MaxOthers+2)...), 0)...), false},
		{"as many as it may name", append(head(0, 2), append(append([]byte{MaxOthers}, make([]byte, 2*MaxOthers)...), 0)...), true},
		{"drawn by packets of no way", append(head(1, 1), 7, 0, 1, 0, 0, 0), false},
		{"drawn far beyond", append(head(1, 1), 0xf8, 0xff, 0xff, 0x7f, 0), false},
		{"drawn", append(head(1, 1), 3, 9, 1, 0, 0, 0), true},
	} {
		var m Message
		values := 0
		err := m.Parse(c.b, func(rpl.Node, int, uint32, int, []byte) { values++ })
		if (err == nil) != c.want || err != nil && !errors.Is(err, ErrMessage) {
			t.Errorf("%s: %v", c.name, err)
		}
		if values > MaxValues {
			t.Errorf("%s: %d values", c.name, values)
		}
	}
}

// Nothing is drawn before the packet that it is drawn from, whatever a message claims: that would be
// where nothing ever was.
func TestDrawnIsNotBeforeItsPackets(t *testing.T) {
	var m Message
	if err := m.Parse([]byte{0, 0, 1, 0, 1, 1, 3, 2, 1, 0x7f, 0xff, 0}, func(rpl.Node, int, uint32, int, []byte) {}); err != nil {
		t.Fatal(err)
	}
	if d := m.Drawn[0]; d != (Drawn{To: 254, Span: 1, At: 253}) {
		t.Errorf("drawn %+v", d)
	}
}

// Nodes of others are named until the server has a command that was made after they changed, and again
// once a second; and where a message is written anew because it is too long.
func TestOthersAreNamedUntilTheyAreHeard(t *testing.T) {
	w := NewWriter(128)
	for i, c := range []struct {
		nodes     []rpl.Node
		tick, got uint32
		want      bool
	}{
		{nil, 10, 9, false},
		{[]rpl.Node{1, 2}, 11, 10, true},
		{[]rpl.Node{1, 2}, 12, 11, true}, // the command of 11 may have come without them
		{[]rpl.Node{1, 2}, 13, 12, false},
		{[]rpl.Node{1, 2}, 14, 12, false},
		{[]rpl.Node{1}, 15, 14, true},
		{[]rpl.Node{1}, 16, 15, true},
		{[]rpl.Node{1}, 17, 16, false},
		{[]rpl.Node{1}, 16 + 64, 79, true},
		{[]rpl.Node{1}, 16 + 64, 79, true},
		{[]rpl.Node{1}, 16 + 65, 79, false},
		{nil, 90, 89, true},
		{nil, 91, 90, true},
		{nil, 92, 91, false},
		{nil, 300, 299, false},
	} {
		w.Begin(c.tick, 1)
		if w.Others(c.nodes, c.tick, c.got); w.Named != c.want {
			t.Errorf("%d: tick %d, got %d: named %v", i, c.tick, c.got, w.Named)
		}
	}
}
