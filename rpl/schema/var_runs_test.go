package schema

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	rbits "github.com/tendonengine/tendon/rpl/bits"
)

// strip has the kinds of list that a row of tiles can be, each with room for limit tiles.
type strip struct {
	Bytes  []byte   `rpl:"max=1024"`
	Text   string   `rpl:"max=1024"`
	Words  []uint16 `rpl:"max=1024"`
	Four   []four   `rpl:"max=1024"`
	Nodes  []node3  `rpl:"max=1024"`
	Counts []int    `rpl:"max=1024"`
	Names  []string `rpl:"max=1024,each=8"`
}

type four struct {
	K uint8 `rpl:"max=15"`
}

type node3 struct {
	Kind, N uint8 `rpl:""`
	On      bool  `rpl:""`
}

// stripOf has the same tiles in each of its lists.
func stripOf(tiles []byte) strip {
	s := strip{Bytes: tiles, Text: string(tiles)}
	for _, b := range tiles {
		s.Words = append(s.Words, uint16(b))
		s.Four = append(s.Four, four{b & 15})
		s.Nodes = append(s.Nodes, node3{b >> 2, b, b&1 != 0})
		s.Counts = append(s.Counts, int(b))
		s.Names = append(s.Names, fmt.Sprint(b))
	}
	return s
}

// tiles are n of few kinds, so that most of them have equals elsewhere.
func tiles(r *rand.Rand, n, kinds int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(kinds)) + 1
	}
	return b
}

func put(b []byte, at ...int) []byte {
	b = slices.Clone(b)
	for _, i := range at {
		b[i] = b[i]%5 + 1
	}
	return b
}

func seeded(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestRunsAreShort checks that changes far from each other take about the bytes of each one,
// whatever the list is of.
func TestRunsAreShort(t *testing.T) {
	r := seeded(t)
	full := tiles(r, 1024, 5)
	part := full[:600]
	many := make([]int, 40)
	for i := range many {
		many[i] = 25*i + r.IntN(20)
	}
	tests := []struct {
		name       string
		from, to   []byte
		text, list int // most bytes
	}{
		{"one first", full, put(full, 0), 4, 6},
		{"one", full, put(full, 517), 4, 8},
		{"one last", full, put(full, 1023), 4, 6},
		{"one of 600", part, put(part, 300), 5, 8},
		{"two near", full, put(full, 400, 403), 8, 15},
		{"two far", full, put(full, 3, 1020), 10, 14},
		{"three far", full, put(full, 3, 500, 1020), 13, 19},
		{"forty", full, put(full, many...), 120, 200},
		{"insert", part, slices.Insert(slices.Clone(part), 300, 9), 5, 7},
		{"insert first", part, slices.Insert(slices.Clone(part), 0, 9), 5, 6},
		{"remove", part, slices.Delete(slices.Clone(part), 300, 301), 5, 7},
		{"remove first", part, part[1:], 4, 6},
		{"insert, and one far", part, slices.Insert(put(part, 10), 300, 9), 12, 16},
		{"remove, and one far", part, slices.Delete(put(part, 10), 300, 301), 12, 16},
		{"clear", part, nil, 2, 2},
	}
	it := freezeItem(t, strip{}, nil)
	for _, tt := range tests {
		a, b := stripOf(tt.from), stripOf(tt.to)
		_, was := extract(it, &a, nil)
		_, now := extract(it, &b, nil)
		for k, v := range it.Vars {
			most, name := tt.list, it.Props[v.Prop].Name
			if k < 2 {
				most = tt.text
			}
			if n := len(v.Type.AppendDelta(nil, was[k], now[k])); n > most {
				t.Errorf("%s, %s: %d bytes, at most %d", tt.name, name, n, most)
			}
		}
	}
}

// edited makes some random changes to tiles: elements changed in place, put in, taken out and
// moved.
func edited(r *rand.Rand, b []byte, limit, kinds int) []byte {
	b = slices.Clone(b)
	for range r.IntN(8) {
		n := len(b)
		at := r.IntN(n + 1)
		switch op := r.IntN(6); {
		case op == 0:
			b = slices.Insert(b, at, tiles(r, 1+r.IntN(4), kinds)...)
		case n == 0:
		case op == 1:
			b = slices.Delete(b, at, min(n, at+1+r.IntN(4)))
		case op == 2:
			i := r.IntN(n)
			x := b[i]
			b = slices.Insert(slices.Delete(b, i, i+1), r.IntN(n), x)
		default:
			b[r.IntN(n)] = byte(r.IntN(kinds)) + 1
		}
	}
	return b[:min(len(b), limit)]
}

// oneRun is how many bits the delta of a text takes that names the ends it shares with its
// base, each in the bits of the base's length, and what is between them, or is the whole text.
func oneRun(from, to string, limit int) int {
	whole := 1 + int(width(limit)) + 8*len(to)
	head, tail := 0, 0
	for head < min(len(from), len(to)) && from[head] == to[head] {
		head++
	}
	for tail < min(len(from), len(to))-head && from[len(from)-1-tail] == to[len(to)-1-tail] {
		tail++
	}
	return min(whole, whole+2*int(width(len(from)))-8*(head+tail))
}

// TestRunsTravel checks random changes of lists: the delta makes the new list of the old one,
// a text's is never longer than one run, and no bytes make of a delta a value that is
// outside its bounds.
func TestRunsTravel(t *testing.T) {
	r := seeded(t)
	it := freezeItem(t, strip{}, nil)
	for range 1500 {
		n := r.IntN(60)
		if r.IntN(20) == 0 {
			n = r.IntN(1025)
		}
		kinds := 1 + r.IntN(1+r.IntN(30))
		from := tiles(r, n, kinds)
		to := edited(r, from, 1024, kinds)
		if r.IntN(10) == 0 {
			to = tiles(r, n, kinds)
		}
		a, b := stripOf(from), stripOf(to)
		_, was := extract(it, &a, nil)
		_, now := extract(it, &b, nil)
		for k, v := range it.Vars {
			name := it.Props[v.Prop].Name
			delta := v.Type.AppendDelta(nil, was[k], now[k])
			if got, err := v.Type.ParseDelta(delta, was[k]); err != nil || !v.Type.Equal(got, now[k]) {
				t.Fatalf("%s: from %v to %v: the delta %x gives %v, %v", name, from, to, delta, got, err)
			}
			if most := (oneRun(string(from), string(to), 1024) + 7) / 8; k < 2 && len(delta) > most {
				t.Fatalf("%s: from %v to %v: %d bytes, at most %d", name, from, to, len(delta), most)
			}
			if len(delta) == 0 {
				continue
			}
			delta[r.IntN(len(delta))] ^= 1 << r.IntN(8)
			if got, err := v.Type.ParseDelta(delta, was[k]); err == nil {
				var s strip
				p := unsafe.Add(unsafe.Pointer(&s), v.Offset)
				v.Type.Inject(p, got, nil)
				if err := v.Codec().check(p); err != nil {
					t.Fatalf("%s: a damaged delta gave %v: %v", name, got, err)
				}
			}
		}
	}
}

// TestTilesKeepTheirLocals checks that elements that stay in their places keep their local
// fields where others change, however many of them are equal.
func TestTilesKeepTheirLocals(t *testing.T) {
	r := seeded(t)
	it := freezeItem(t, bag{}, nil)
	vt := it.Vars[0].Type
	made := func(tiles []byte) (b bag) {
		for i, k := range tiles {
			b.Slots = append(b.Slots, slot{Item: uint16(k), icon: fmt.Sprint("icon ", i)})
		}
		return b
	}
	old := tiles(r, 60, 3)
	for _, tt := range []struct {
		name  string
		now   []byte
		moved func(i int) int // where an element was
	}{
		{"two changes", put(old, 3, 57), func(i int) int { return i }},
		{"a change, and one put in", slices.Insert(put(old, 3), 40, 9), func(i int) int {
			if i > 40 {
				return i - 1
			}
			return i
		}},
	} {
		from, to := made(old), made(tt.now)
		_, now := extract(it, &to, nil)
		vt.Inject(unsafe.Pointer(&from.Slots), now[0], nil)
		for i, e := range from.Slots {
			if tt.now[i] == 9 || i == 3 || i == 57 {
				continue
			}
			if want := fmt.Sprint("icon ", tt.moved(i)); e.icon != want {
				t.Errorf("%s: element %d has %q, not %q", tt.name, i, e.icon, want)
			}
		}
	}
}

// TestRunsRefused checks what no writer of text runs can mean.
func TestRunsRefused(t *testing.T) {
	typ := &varType{textVar{limit: 8}}
	const base = "abcdef" // 3 bits a length
	runs := func(head, tail int, rest func(w *rbits.Writer)) []byte {
		w := rbits.NewWriter(nil)
		w.Bool(true)
		w.Write(uint64(7-head), 3)
		w.Write(uint64(7-tail), 3)
		rest(&w)
		return w.Bytes()
	}
	run := func(w *rbits.Writer, gone int, fresh string, stay int) {
		textRun{gone, fresh, stay}.write(w)
	}
	for _, tt := range []struct {
		name, want string
		b          []byte
	}{
		{"two runs", "aXcdYf", runs(1, 1, func(w *rbits.Writer) { run(w, 1, "X", 2); run(w, 1, "Y", 0) })},
		{"one of another length", "aXf", runs(1, 1, func(w *rbits.Writer) { run(w, 4, "X", 0) })},
		{"one put in behind all that stays", "bcdefXY", runs(0, 0, func(w *rbits.Writer) { run(w, 1, "", 5); run(w, 0, "XY", 0) })},
		{"ends longer than the base", "", runs(5, 2, func(w *rbits.Writer) { run(w, 1, "X", 0) })},
		{"ends that are all of the base", "", runs(3, 3, func(w *rbits.Writer) { run(w, 0, "X", 0) })},
		{"more gone than there is", "", runs(1, 1, func(w *rbits.Writer) { run(w, 5, "XYZUV", 0) })},
		{"more stays than there is", "", runs(1, 1, func(w *rbits.Writer) { run(w, 1, "X", 4); run(w, 1, "Y", 0) })},
		{"longer than it may be", "", runs(1, 1, func(w *rbits.Writer) { run(w, 0, "XYZ", 3); run(w, 1, "Y", 0) })},
		{"a run of nothing", "", runs(0, 1, func(w *rbits.Writer) { w.Bool(false); writeGamma(w, 1); writeGamma(w, 1) })},
		{"cut off", "", runs(1, 1, func(w *rbits.Writer) { w.Bool(true); writeGamma(w, 4) })},
		{"a number beyond any length", "", runs(1, 1, func(w *rbits.Writer) { w.Bool(true); w.Write(0, 60); w.Write(1, 1) })},
	} {
		got, err := typ.ParseDelta(tt.b, base)
		if tt.want == "" && err == nil || tt.want != "" && (err != nil || got != tt.want) {
			t.Errorf("%s: read as %q, %v, not %q", tt.name, got, err, tt.want)
		}
	}
}

// TestRunsDoNotAllocate checks that a text's delta is written into the caller's buffer alone.
func TestRunsDoNotAllocate(t *testing.T) {
	full := tiles(seeded(t), 1024, 5)
	c := textVar{limit: 1024}
	var was, now any = string(full), string(slices.Delete(put(full, 3, 1020), 500, 501))
	w := rbits.NewWriter(make([]byte, 0, 2048))
	if n := testing.AllocsPerRun(100, func() { w.Truncate(0); c.writeDelta(&w, was, now) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
