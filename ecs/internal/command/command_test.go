package command

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// message is what a client writes: two streams over three ticks.
func message() []byte {
	w := NewWriter(128)
	w.Drew(98, Drawn{93, 4, 95})
	w.Drew(99, Drawn{95, 2, 93.5})
	w.Drew(100, Drawn{95, 2, 94})
	w.Begin(100, 3)
	w.Others([]rpl.Node{7, 1 << 40}, 100, 90)
	w.Stream(300, 1)
	w.Value([]byte{7, 8}, true, false)
	w.Value(nil, true, true)
	w.Value([]byte{9}, true, false)
	w.Stream(5, 0)
	w.Value([]byte{1}, true, false)
	w.Value(nil, false, false)
	w.Value([]byte{2}, true, false)
	return w.B
}

func TestMessage(t *testing.T) {
	var m Message
	var got []string
	if err := m.Parse(message(), func(node rpl.Node, number int, tick uint32, at int, v []byte) {
		got = append(got, fmt.Sprint(uint64(node), number, tick, at, v))
	}); err != nil {
		t.Fatal(err)
	}
	want := "300 1 100 0 [7 8],300 1 99 1 [7 8],300 1 98 2 [9],5 0 100 0 [1],5 0 98 2 [2]"
	if s := strings.Join(got, ","); s != want {
		t.Errorf("read %s, want %s", s, want)
	}
	if len(m.Drawn) != 3 || m.Drawn[0] != (Drawn{95, 2, 94}) || m.Drawn[2] != (Drawn{93, 4, 95}) {
		t.Errorf("drawn from %v", m.Drawn)
	}
	if !slices.Equal(m.Others, []rpl.Node{7, 1 << 40}) {
		t.Errorf("others: %v", m.Others)
	}
}

// A message cut short at any byte, or longer than it says, is an error, and no panic.
func TestMessageCutShort(t *testing.T) {
	all := message()
	for n := range all {
		var m Message
		if err := m.Parse(all[:n], func(rpl.Node, int, uint32, int, []byte) {}); !errors.Is(err, ErrMessage) {
			t.Errorf("%d of %d bytes: %v", n, len(all), err)
		}
	}
	var m Message
	if err := m.Parse(append(all, 0), func(rpl.Node, int, uint32, int, []byte) {}); !errors.Is(err, ErrMessage) {
		t.Errorf("a byte too many: %v", err)
	}
}

func FuzzMessage(f *testing.F) {
	f.Add(message())
	f.Fuzz(func(_ *testing.T, b []byte) {
		var m Message
		_ = m.Parse(b, func(rpl.Node, int, uint32, int, []byte) {})
	})
}

// Each command runs once, at its tick; what comes late, early or twice is told apart; a
// silent player's last command holds for a while, then the zero value.
func TestQueue(t *testing.T) {
	const ahead = 64
	q := NewQueue[int](2 * ahead)
	for i, c := range []struct {
		now, tick uint32
		want      Verdict
	}{{10, 10, Taken}, {10, 10, Doubled}, {10, 12, Taken}, {11, 12, Doubled}, {11, 9, Late}, {11, 9, Doubled}, {11, 11 + ahead, Taken}, {11, 12 + ahead, Early}, {200, 11, Doubled}} {
		if got := q.Put(c.now, Entry[int]{Tick: c.tick, Value: int(c.tick)}); got != c.want {
			t.Errorf("%d: tick %d at %d is %d, not %d", i, c.tick, c.now, got, c.want)
		}
	}
	for _, c := range []struct {
		tick    uint32
		want    int
		missing bool
	}{{10, 10, false}, {10, 10, true}, {11, 10, true}, {12, 12, false}, {13, 12, true}, {15, 12, true}, {16, 0, true}} {
		e, missing := q.Take(c.tick, 3)
		if e.Value != c.want || missing != c.missing || e.Tick != c.tick {
			t.Errorf("tick %d runs %+v (missing %v), want %d (%v)", c.tick, e, missing, c.want, c.missing)
		}
	}
}

// A press for which there is no room is not lost without a word.
func TestPressWithoutRoom(t *testing.T) {
	type keys struct{ Jump bool }
	var s Stream[keys]
	edges := Edges{0}
	for i := range MaxPresses {
		if !s.Press(edges, Entry[keys]{Value: keys{true}}) {
			t.Fatalf("press %d of %d found no room", i+1, MaxPresses)
		}
	}
	if s.Press(edges, Entry[keys]{Value: keys{true}}) {
		t.Error("one more did")
	}
	if !s.Press(edges, Entry[keys]{}) {
		t.Error("a command without a press was taken for one")
	}
	var e Entry[keys]
	if s.AddPressed(edges, &e); !e.Value.Jump || !s.Press(edges, Entry[keys]{Value: keys{true}}) {
		t.Error("no room was free again")
	}
}

// Each press runs with what was chosen beside it. On the owner presses keep their order; on the server
// one that came late lets those that came in time run in theirs.
func TestPressesKeepWhatIsBesideThem(t *testing.T) {
	type keys struct {
		Jump, Fire bool
		Weapon     int
	}
	edges := Edges{0, 1}
	jump, fire, none := keys{Jump: true, Weapon: 1}, keys{Fire: true, Weapon: 2}, keys{Weapon: 3}
	var owner, server Stream[keys]
	owner.Press(edges, Entry[keys]{Value: jump})
	server.Press(edges, Entry[keys]{Tick: 7, Value: jump})
	for i, is := range []keys{fire, none, none} {
		e := Entry[keys]{Tick: 10 + uint32(i), Value: is}
		if !owner.Enqueue(edges, &e) || e.Value != []keys{jump, fire, none}[i] {
			t.Errorf("tick %d on the owner: %+v", i, e.Value)
		}
		e = Entry[keys]{Tick: 10 + uint32(i), Value: is}
		if server.AddPressed(edges, &e); e.Value != []keys{fire, jump, none}[i] || e.Pressed != []uint32{0, 7, 0}[i] {
			t.Errorf("tick %d on the server: %+v", i, e)
		}
	}
	for range MaxPresses {
		owner.Press(edges, Entry[keys]{Value: jump})
	}
	if e := (Entry[keys]{Value: fire}); !owner.Enqueue(edges, &e) || e.Value != jump {
		t.Errorf("there is room as one is made, and the press is lost; the tick has %+v", e.Value)
	}
	for _, tick := range []uint32{9, 8} { // as a message tells of them
		server.Press(edges, Entry[keys]{Tick: tick, Value: keys{Fire: true, Weapon: int(tick)}})
	}
	for _, tick := range []uint32{8, 9} {
		var e Entry[keys]
		if server.AddPressed(edges, &e); e.Pressed != tick {
			t.Errorf("the press of tick %d runs before that of %d", e.Pressed, tick)
		}
	}
}

// Presses are found wherever in a command they stand.
func TestEdgesInStructsAndArrays(t *testing.T) {
	type keys struct {
		Held   bool
		Jump   bool    `rpl:"edge"`
		Skills [3]bool `rpl:"edge"`
		Hands  [2]struct {
			Aim  uint8
			Fire bool `rpl:"edge"`
		}
		Local struct {
			Fire bool `rpl:"edge"`
		} `rpl:"-"`
	}
	k := keys{Held: true, Jump: true, Skills: [3]bool{true, true, true}}
	k.Hands[0].Fire, k.Hands[1].Fire, k.Local.Fire = true, true, true
	edges := EdgesOf(reflect.TypeFor[keys]())
	if edges.Clear(unsafe.Pointer(&k)); len(edges) != 6 || !k.Held || k.Jump || k.Skills != [3]bool{} || k.Hands[0].Fire || k.Hands[1].Fire || !k.Local.Fire {
		t.Errorf("%d edges, cleared: %+v", len(edges), k)
	}
}

// A message tells of what the server does not have. Of too much, every other one tells of what comes
// first of what the server has not come to, so far back as its owner keeps it.
func TestSpan(t *testing.T) {
	w := NewWriter(128)
	for _, c := range []struct {
		newest, got, at, to uint32
		ticks               int
	}{
		{100, 100, 90, 100, 0},
		{100, 101, 90, 100, 0},
		{100, 99, 90, 100, 1},
		{100, 68, 50, 100, 32},
		{100, 67, 50, 99, 32},
		{100, 67, 50, 100, 32},
		{100, 67, 50, 99, 32}, // by turns
		{100, 90, 50, 100, 10},
		{100, 10, 68, 100, 32},
		{100, 10, 68, 100, 32}, // a long line
		{100, 10, 60, 92, 32},
		{100, 10, 60, 100, 32},
		{556, 421, 421, 421 + 32, 32}, // the server has just made up for a second
		{556, 421, 421, 556, 32},
		{500, 10, 20, 500 - 256 + 32, 32},
		{500, 10, 20, 500, 32},
		{40, 0, 0, 32, 32},
	} {
		if to, ticks := w.Span(c.newest, c.got, c.at); to != c.to || ticks != c.ticks {
			t.Errorf("newest %d, got %d, at %d: %d ticks to %d, want %d to %d", c.newest, c.got, c.at, ticks, to, c.ticks, c.to)
		}
	}
}

// Where ticks are too long for a message it tells of fewer, of the oldest if it was about those, and so
// do those that follow.
func TestSpanOfLongTicks(t *testing.T) {
	w := NewWriter(128)
	to, ticks := w.Span(100, 60, 50)
	if to, ticks = w.Shorten(to, ticks); to != 60+24 || ticks != 24 {
		t.Errorf("of the oldest: %d ticks to %d", ticks, to)
	}
	if to, ticks = w.Span(100, 60, 50); to != 100 || ticks != 25 {
		t.Errorf("then %d ticks to %d", ticks, to)
	}
	if to, ticks = w.Shorten(to, ticks); to != 100 || ticks != 18 {
		t.Errorf("of the newest: %d ticks to %d", ticks, to)
	}
	if to, ticks = w.Span(100, 60, 50); to != 60+19 || ticks != 19 {
		t.Errorf("then %d ticks to %d", ticks, to)
	}
	for range 32 {
		to, ticks = w.Span(100, 40, 90)
	}
	if to != 100 || ticks != 32 {
		t.Errorf("in the end %d ticks to %d", ticks, to)
	}
}

// A message is left something out of only where it would be too long.
func TestMessageUpToItsLimit(t *testing.T) {
	w := NewWriter(128)
	for _, c := range []struct{ streams, each, in int }{{4, 230, 4}, {30, 28, 30}, {100, 5, 100}, {5, 230, 4}} {
		w.Begin(100, 1)
		w.Others(nil, 100, 99)
		for i := range c.streams {
			if w.Stream(rpl.Node(i+1), 0) {
				w.Value(make([]byte, c.each), true, false)
			}
		}
		w.Arguments()
		if got := int(w.B[w.streams]); got != c.in || (w.Left() != nil) != (c.in < c.streams) || len(w.B) > MaxBytes {
			t.Errorf("%d of %d bytes: %d are in, in %d bytes, %v", c.streams, c.each, got, len(w.B), w.Left())
		}
	}
}
