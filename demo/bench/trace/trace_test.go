package trace

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// small is a trace of three slots and four ticks; slot 1 dies and lives again.
func small(t testing.TB) *Trace {
	t.Helper()
	r := NewRecorder("small", 25, 3, []Field{
		{Name: "alive", Role: Alive},
		{Name: "px", Role: PosX},
		{Name: "py", Role: PosY},
		{Name: "dir", Role: Angle, Min: -180, Max: 179},
		{Name: "mood"},
	})
	for tick := range int32(4) {
		for slot := range int32(3) {
			if slot == 1 && tick == 1 {
				r.Add(nil)
				continue
			}
			r.Add([]int32{1, 100 * slot, -tick, 10*tick - 180, slot - 1})
		}
	}
	tr, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func encode(t testing.TB, tr *Trace) []byte {
	t.Helper()
	var b bytes.Buffer
	if n, err := tr.WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Fatalf("wrote %d of %d bytes: %v", n, b.Len(), err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	tr := small(t)
	path := filepath.Join(t.TempDir(), "small.rplt")
	if err := os.WriteFile(path, encode(t, tr), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "small" || got.Hz != 25 || got.Slots != 3 || got.Ticks != 4 || !got.SameFields(tr) {
		t.Fatalf("read back %+v", got)
	}
	for i := range tr.rows {
		if got.rows[i] != tr.rows[i] {
			t.Fatalf("value %d is %d, wrote %d", i, got.rows[i], tr.rows[i])
		}
	}
	if f := got.Fields[1]; f.Min != 0 || f.Max != 200 {
		t.Errorf("px has bounds %d to %d, want 0 to 200", f.Min, f.Max)
	}
	if f := got.Fields[3]; f.Min != -180 || f.Max != 179 {
		t.Errorf("dir has bounds %d to %d: an angle keeps its own", f.Min, f.Max)
	}
}

func TestLives(t *testing.T) {
	l := NewLives(small(t))
	want := []Life{{0, 0, 4}, {1, 0, 1}, {1, 2, 4}, {2, 0, 4}}
	if len(l.All) != len(want) {
		t.Fatalf("found %v, want %v", l.All, want)
	}
	for i := range want {
		if l.All[i] != want[i] {
			t.Errorf("life %d is %v, want %v", i, l.All[i], want[i])
		}
	}
	for slot, lives := range [][]int{{0, 0, 0, 0}, {1, -1, 2, 2}, {3, 3, 3, 3}} {
		for tick, want := range lives {
			if got := l.At(slot, tick); got != want {
				t.Errorf("slot %d at tick %d is life %d, want %d", slot, tick, got, want)
			}
		}
	}
}

func TestTruncatedAtEveryByte(t *testing.T) {
	b := encode(t, small(t))
	for n := range len(b) {
		if _, err := Read(bytes.NewReader(b[:n]), int64(n)); err == nil {
			t.Fatalf("a trace cut at byte %d of %d was read", n, len(b))
		}
		// A file that shrinks while it is read is an error too.
		if _, err := Read(bytes.NewReader(b[:n]), int64(len(b))); err == nil {
			t.Fatalf("a trace that ended at byte %d of %d was read", n, len(b))
		}
	}
}

func TestRefusals(t *testing.T) {
	good := encode(t, small(t))
	h := int(binary.LittleEndian.Uint32(good[20:]))
	put := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[at:], v); return b }
	}
	js := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte {
			head := string(b[preamble : preamble+h])
			if !strings.Contains(head, old) {
				t.Fatalf("the header %s has no %s", head, old)
			}
			head = strings.Replace(head, old, new, 1)
			out := append([]byte(nil), b[:preamble]...)
			binary.LittleEndian.PutUint32(out[20:], uint32(len(head)))
			return append(append(out, head...), b[preamble+h:]...)
		}
	}
	row := func(tick, slot, field int, v int32) func([]byte) []byte {
		return put(preamble+h+((tick*3+slot)*5+field)*4, uint32(v))
	}
	for _, c := range []struct {
		name string
		edit func([]byte) []byte
		want string
	}{
		{"magic", func(b []byte) []byte { b[0] = 'X'; return b }, "no trace"},
		{"version", put(4, 3), "version 3"},
		{"no slots", put(8, 0), "0 entity slots"},
		{"many slots", put(8, 1<<31), "entity slots"},
		{"no ticks", put(12, 0), "no ticks"},
		{"no fields", put(16, 0), "0 fields"},
		{"many fields", put(16, 5000), "5000 fields"},
		{"long header", put(20, 1<<30), "JSON header has"},
		{"absurd ticks", put(12, 1<<31), "truncated"},
		{"slots and fields swapped", func(b []byte) []byte { return put(8, 5)(put(16, 3)(b)) }, "names 5 fields and the rows have 3"},
		{"longer than promised", func(b []byte) []byte { return append(b, 0) }, "one of them is wrong"},
		{"broken json", js(`{"hz"`, `["hz"`), "JSON header"},
		{"two values", js(`}]}`, `}]}1`), "followed by something"},
		{"no hz", js(`"hz":25`, `"hz":0`), "hz is 0"},
		{"hz a fraction", js(`"hz":25`, `"hz":25.5`), "JSON header"},
		{"hz too high", js(`"hz":25`, `"hz":1001`), "hz is 1001"},
		{"a field less", js(`,{"name":"mood","min":-1,"max":1}`, ``), "names 4 fields and the rows have 5"},
		{"no name", js(`"name":"mood"`, `"name":""`), "has no name"},
		{"two of a name", js(`"name":"mood"`, `"name":"px"`), `two fields are named "px"`},
		{"no min", js(`"min":-1,`, ``), "no min"},
		{"min above max", js(`"min":-1,"max":1`, `"min":2,"max":1`), "min 2 above max 1"},
		{"bound above 32 bits", js(`"max":200`, `"max":9999999999`), "JSON header"},
		{"alive elsewhere", js(`"name":"mood"`, `"name":"mood","role":"alive"`), "field 0 alone"},
		{"field 0 not alive", js(`"role":"alive"`, `"role":"angle"`), "field 0 alone"},
		{"alive up to 2", js(`"min":0,"max":1`, `"min":0,"max":2`), "must be 0 or 1"},
		{"unknown role", js(`"pos.x"`, `"pos.z"`), `unknown role "pos.z"`},
		{"role twice", js(`"pos.y"`, `"pos.x"`), "both have the role pos.x"},
		{"half a position", js(`"pos.y"`, `""`), "needs both roles"},
		{"alive is 7", row(2, 2, 0, 7), "must be 0 or 1"},
		{"dead with values", row(1, 1, 3, 5), `dead at tick 1, but its field "dir" is 5`},
		{"above its bound", row(3, 2, 1, 201), `201 in field "px" at tick 3`},
		{"below its bound", row(0, 0, 4, -2), `-2 in field "mood"`},
		{"angle outside", row(0, 0, 3, 180), `180 in field "dir"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := c.edit(append([]byte(nil), good...))
			_, err := Read(bytes.NewReader(b), int64(len(b)))
			if err == nil {
				t.Fatal("it was read")
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q, want one line with %q", err, c.want)
			}
		})
	}
}

func TestOpenNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gone.rplt")
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("the error is %v, want one with the path", err)
	}
}

func FuzzRead(f *testing.F) {
	b := encode(f, small(f))
	f.Add(b)
	f.Add(b[:preamble])
	f.Add([]byte("RPLT"))
	f.Fuzz(func(t *testing.T, b []byte) {
		tr, err := Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		// A trace that Read accepts can be written and read again.
		again := encode(t, tr)
		back, err := Read(bytes.NewReader(again), int64(len(again)))
		if err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
		if !back.SameFields(tr) || len(back.rows) != len(tr.rows) {
			t.Fatal("what was written differs from what was read")
		}
		NewLives(tr)
	})
}
