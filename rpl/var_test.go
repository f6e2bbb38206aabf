package rpl

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl/bits"
)

// bag is a component with one list, whose elements have a local field.
type bag struct {
	Slots []slot `rpl:"max=64"`
}

func slots(items ...int) []slot {
	var s []slot
	for _, i := range items {
		s = append(s, slot{Item: uint16(i), Count: 1, icon: fmt.Sprint("icon ", i)})
	}
	return s
}

// TestListScripts: each edit of a list travels in few bytes, and what is local
// in kept elements goes along on the other side.
func TestListScripts(t *testing.T) {
	base := slots(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
	with := func(s []slot, i, count int) []slot {
		s = slices.Clone(s)
		s[i].Count = uint8(count)
		return s
	}
	tests := []struct {
		name string
		to   []slot
		most int // bytes
	}{
		{"nothing", base, 3},
		{"change one", with(base, 5, 9), 6},
		{"change two", with(with(base, 5, 9), 6, 9), 8},
		{"append", append(slices.Clone(base), slots(99)...), 6},
		{"insert first", slices.Insert(slices.Clone(base), 0, slots(99)...), 6},
		{"insert", slices.Insert(slices.Clone(base), 7, slots(99)...), 7},
		{"remove first", base[1:], 4},
		{"remove last", base[:15], 3},
		{"remove", slices.Delete(slices.Clone(base), 7, 8), 5},
		{"swap", slots(0, 1, 2, 9, 4, 5, 6, 7, 8, 3, 10, 11, 12, 13, 14, 15), 10},
		{"move to the front", slots(15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14), 5},
		{"move and change", with(slots(15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14), 0, 9), 7},
		{"clear", nil, 1},
	}
	it := freezeItem(t, bag{}, nil)
	vt := it.Vars[0].Type
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			from := bag{slices.Clone(base)}
			_, was := extract(it, &from, nil)
			_, now := extract(it, &bag{tt.to}, nil)
			delta := vt.AppendDelta(nil, was[0], now[0])
			if len(delta) > tt.most {
				t.Errorf("%d bytes, at most %d", len(delta), tt.most)
			}
			got, err := vt.ParseDelta(delta, was[0])
			if err != nil {
				t.Fatal(err)
			}
			vt.Inject(unsafe.Pointer(&from.Slots), got, nil)
			for i := range tt.to {
				want := tt.to[i]
				if want.Item == 99 {
					want.icon = ""
				}
				if from.Slots[i] != want {
					t.Errorf("element %d is %+v, want %+v", i, from.Slots[i], want)
				}
			}
			if len(from.Slots) != len(tt.to) {
				t.Errorf("%d elements, want %d", len(from.Slots), len(tt.to))
			}
		})
	}
}

// TestListEdits: random inserts, removals, moves and changes, one after the
// other, each against a random older state.
func TestListEdits(t *testing.T) {
	it := freezeItem(t, bag{}, nil)
	vt := it.Vars[0].Type
	rapid.Check(t, func(t *rapid.T) {
		b := bag{slots(1, 2, 3, 4, 5)}
		proxy := bag{}
		_, first := extract(it, &b, nil)
		states := []any{first[0]}
		next := 100
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			n := len(b.Slots)
			at := rapid.IntRange(0, max(n-1, 0)).Draw(t, "at")
			switch op := rapid.IntRange(0, 4).Draw(t, "op"); {
			case op == 0:
				b.Slots = slices.Insert(b.Slots, at, slots(next)...)
				next++
			case n == 0:
			case op == 1:
				b.Slots = slices.Delete(b.Slots, at, at+1)
			case op == 2:
				e := b.Slots[at]
				b.Slots = slices.Delete(b.Slots, at, at+1)
				b.Slots = slices.Insert(b.Slots, rapid.IntRange(0, n-1).Draw(t, "to"), e)
			case op == 3:
				b.Slots[at].Count++
			case op == 4:
				b.Slots = append(b.Slots, b.Slots[at])
			}
			_, now := extract(it, &b, nil)
			base := rapid.SampledFrom(states).Draw(t, "base")
			got, err := vt.ParseDelta(vt.AppendDelta(nil, base, now[0]), base)
			if err != nil || !vt.Equal(got, now[0]) {
				t.Fatalf("delta gave %v, error %v", got, err)
			}
			states = append(states, got)
			vt.Inject(unsafe.Pointer(&proxy.Slots), got, nil)
			if !slices.EqualFunc(proxy.Slots, b.Slots[:min(len(b.Slots), 64)], func(a, b slot) bool { return a.Item == b.Item && a.Count == b.Count }) {
				t.Fatalf("the proxy has %+v, want %+v", proxy.Slots, b.Slots)
			}
		}
	})
}

func TestMapInPlace(t *testing.T) {
	type stock struct {
		Goods map[string]slot `rpl:"max=8"`
	}
	it := freezeItem(t, stock{}, nil)
	vt := it.Vars[0].Type
	proxy := stock{map[string]slot{"axe": {Item: 1, icon: "axe.png"}, "rope": {Item: 2, icon: "rope.png"}, "egg": {Item: 3}}}
	_, base := extract(it, &proxy, nil)
	_, next := extract(it, &stock{map[string]slot{"axe": {Item: 9}, "rope": {Item: 2}, "map": {Item: 4}}}, nil)
	delta := vt.AppendDelta(nil, base[0], next[0])
	if len(delta) > 14 {
		t.Errorf("a delta of %d bytes", len(delta))
	}
	got, err := vt.ParseDelta(delta, base[0])
	if err != nil {
		t.Fatal(err)
	}
	goods := proxy.Goods
	vt.Inject(unsafe.Pointer(&proxy.Goods), got, nil)
	want := map[string]slot{"axe": {Item: 9, icon: "axe.png"}, "rope": {Item: 2, icon: "rope.png"}, "map": {Item: 4}}
	if !reflect.DeepEqual(goods, want) {
		t.Errorf("the same map has %+v, want %+v", goods, want)
	}
}

func TestTextDelta(t *testing.T) {
	type named struct {
		Name string `rpl:"max=200"`
	}
	it := freezeItem(t, named{}, nil)
	vt := it.Vars[0].Type
	long := strings.Repeat("abc ", 40)
	delta := vt.AppendDelta(nil, long, long[:80]+"X"+long[80:])
	if len(delta) > 5 {
		t.Errorf("one letter more takes %d bytes", len(delta))
	}
	v := named{strings.Repeat("é", 101)}
	_, vars := extract(it, &v, nil)
	if s := vars[0].(string); len(s) != 200 || s != strings.Repeat("é", 100) {
		t.Errorf("cut to %d bytes", len(s))
	}
	v.Name = "x" + v.Name
	_, vars = extract(it, &v, nil)
	if s := vars[0].(string); s != "x"+strings.Repeat("é", 99) {
		t.Errorf("cut inside a rune: %q", s[len(s)-3:])
	}
}

// complexType is the Enfusion manual's example of a codec, with deltas.
type complexType struct {
	alive   bool
	count   int
	name    string
	speed   float64
	since   time.Time
	pos     vec
	private *int
}

type complexSnapshot struct {
	Alive bool    `rpl:""`
	Count int     `rpl:"bits=12"`
	Name  string  `rpl:"max=24"`
	Speed float64 `rpl:"step=1/16"`
	Since int64   `rpl:""`
	Pos   vec     `rpl:"step=1/32"`
}

var complexByFields = Codec[complexType, complexSnapshot]{
	Name: "complex",
	Extract: func(v *complexType) complexSnapshot {
		return complexSnapshot{v.alive, v.count, v.name, v.speed, v.since.UnixMilli(), v.pos}
	},
	Inject: func(v *complexType, s complexSnapshot) {
		v.alive, v.count, v.name, v.speed, v.since, v.pos = s.Alive, s.Count, s.Name, s.Speed, time.UnixMilli(s.Since), s.Pos
	},
}

// complexByHand has all eight functions.
func complexByHand(calls map[string]int) Codec[complexType, complexSnapshot] {
	c := complexByFields
	c.Name = "complex/2"
	c.Encode = func(w *bits.Writer, s complexSnapshot) {
		calls["Encode"]++
		w.Bool(s.Alive)
		w.Varint(int64(s.Count))
		w.String(s.Name)
		w.Float64(s.Speed)
		w.Varint(s.Since)
		w.Float64(s.Pos.X)
		w.Float64(s.Pos.Y)
	}
	c.Decode = func(r *bits.Reader) (complexSnapshot, error) {
		calls["Decode"]++
		s := complexSnapshot{Alive: r.Bool(), Count: int(r.Varint()), Name: r.String(24), Speed: r.Float64(), Since: r.Varint(), Pos: vec{r.Float64(), r.Float64()}}
		if s.Speed < 0 {
			return s, ErrRefused
		}
		return s, nil
	}
	c.Equal = func(a, b complexSnapshot) bool { calls["Equal"]++; return a == b }
	c.Same = func(v *complexType, s complexSnapshot) bool { calls["Same"]++; return c.Extract(v) == s }
	c.EncodeDelta = func(w *bits.Writer, base, s complexSnapshot) {
		calls["EncodeDelta"]++
		w.Varint(int64(s.Count - base.Count))
		base.Count = s.Count
		w.Bool(base != s)
		if base != s {
			c.Encode(w, s)
		}
	}
	c.DecodeDelta = func(r *bits.Reader, base complexSnapshot) (complexSnapshot, error) {
		calls["DecodeDelta"]++
		base.Count += int(r.Varint())
		if r.Bool() {
			return c.Decode(r)
		}
		return base, nil
	}
	return c
}

type complexItem struct {
	C complexType `rpl:"notify"`
}

func codecItem(t *testing.T, c Codec[complexType, complexSnapshot]) (*ItemType, VarType) {
	t.Helper()
	s := NewSchema("test")
	Register(s, c)
	it := s.Item("thing", reflect.TypeFor[complexItem](), nil)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	return it, it.Vars[0].Type
}

func TestCodec(t *testing.T) {
	calls := map[string]int{}
	for name, c := range map[string]Codec[complexType, complexSnapshot]{"defaults": complexByFields, "by hand": complexByHand(calls)} {
		t.Run(name, func(t *testing.T) {
			it, vt := codecItem(t, c)
			keep := 5
			v := complexItem{complexType{true, 7, "name", 2.5, time.UnixMilli(1e12), vec{1, -2}, &keep}}
			_, vars := extract(it, &v, nil)
			got, err := vt.Parse(vt.Append(nil, vars[0]))
			if err != nil || !vt.Equal(got, vars[0]) {
				t.Fatalf("%+v became %+v, error %v", vars[0], got, err)
			}
			v.C.count++
			base := vars[0]
			it.Extract(unsafe.Pointer(&v), nil, vars, nil)
			if vt.Equal(base, vars[0]) {
				t.Fatal("the change is not seen")
			}
			delta := vt.AppendDelta(nil, base, vars[0])
			if len(delta) > 3 {
				t.Errorf("a count one higher takes %d bytes", len(delta))
			}
			got, err = vt.ParseDelta(delta, base)
			if err != nil || !vt.Equal(got, vars[0]) {
				t.Fatalf("%+v became %+v, error %v", vars[0], got, err)
			}
			proxy := complexItem{complexType{private: &keep}}
			vt.Inject(unsafe.Pointer(&proxy.C), got, nil)
			if !reflect.DeepEqual(proxy, v) {
				t.Errorf("injected %+v, want %+v", proxy, v)
			}
			old := vars[0]
			it.Extract(unsafe.Pointer(&v), nil, vars, nil)
			if vars[0] != old {
				t.Error("an unchanged value is extracted anew")
			}
		})
	}
	for _, fn := range []string{"Encode", "Decode", "Equal", "Same", "EncodeDelta", "DecodeDelta"} {
		if calls[fn] == 0 {
			t.Errorf("%s is never called", fn)
		}
	}
	_, vt := codecItem(t, complexByHand(calls))
	bad := vt.Append(nil, complexSnapshot{Speed: -1})
	if _, err := vt.Parse(bad); !errors.Is(err, ErrRefused) {
		t.Errorf("Decode's refusal gave %v", err)
	}
}

func TestCodecMistakes(t *testing.T) {
	type holder struct {
		S []int `rpl:""`
	}
	freeze := func(register func(s *Schema)) string {
		s := NewSchema("test")
		register(s)
		s.Item("thing", reflect.TypeFor[holder](), nil)
		return fmt.Sprint(s.Freeze(60))
	}
	tests := []struct {
		name     string
		register func(s *Schema)
		want     string
	}{
		{"no extract", func(s *Schema) { Register(s, Codec[[]int, int]{Name: "c"}) }, "component thing, field S: codec c: its snapshot is another type, so it needs Extract and Inject"},
		{"pointers", func(s *Schema) { Register(s, Codec[[]int, []int]{Name: "c"}) }, "component thing, field S: codec c: []int holds pointers, so a copy of it is no snapshot; give Extract and Inject"},
		{"half a pair", func(s *Schema) {
			Register(s, Codec[[]int, int]{Name: "c", Extract: func(*[]int) int { return 0 }, Inject: func(*[]int, int) {}, Encode: func(*bits.Writer, int) {}})
		}, "component thing, field S: codec c: Encode and Decode go together; give both or neither"},
		{"twice", func(s *Schema) {
			c := Codec[[]int, int]{Name: "c", Extract: func(*[]int) int { return 0 }, Inject: func(*[]int, int) {}}
			Register(s, c)
			Register(s, c)
		}, "codec c: []int has a codec already; register one"},
		{"no name", func(s *Schema) {
			Register(s, Codec[[]int, int]{Extract: func(*[]int) int { return 0 }, Inject: func(*[]int, int) {}})
		}, "codec: its name is empty; give it one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := freeze(tt.register); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestOptAbsent: what an absent value holds inside is not sent.
func TestOptAbsent(t *testing.T) {
	type guard struct {
		Shield Opt[float64] `rpl:"step=1,interp,notify"`
		Gear   Opt[chest]   `rpl:""`
	}
	it := freezeItem(t, guard{}, nil)
	none, noneVars := extract(it, &guard{}, nil)
	full := guard{Shield: Some(5.0), Gear: Some(chest{Name: "box", Slots: slots(1)})}
	words, vars := extract(it, &full, nil)
	if reflect.DeepEqual(none, words) {
		t.Fatal("present is absent")
	}
	full.Shield.ok, full.Gear.ok = false, false
	it.Extract(unsafe.Pointer(&full), words, vars, nil)
	if !reflect.DeepEqual(none, words) || !it.Vars[0].Type.Equal(vars[0], noneVars[0]) || !it.Vars[1].Type.Equal(vars[1], noneVars[1]) {
		t.Errorf("absent is %v %v, want %v %v", words, vars, none, noneVars)
	}
	for i, want := range []Prop{
		{Name: "Shield", Kind: "optional", Notify: true, Present: -1},
		{Name: "Shield.value", Kind: "float", Notify: true, Interp: true, Present: 0},
		{Name: "Gear", Kind: "optional", Present: -1},
		{Name: "Gear.Name", Kind: "string", Present: 2},
	} {
		got := it.Props[i]
		if got.Name != want.Name || got.Kind != want.Kind || got.Notify != want.Notify || got.Interp != want.Interp || got.Present != want.Present {
			t.Errorf("prop %d is %+v, want %+v", i, got, want)
		}
	}
	var o Opt[int]
	if _, ok := o.Get(); ok || o.Has() {
		t.Error("the zero Opt has a value")
	}
	o.Set(3)
	if v, ok := o.Get(); v != 3 || !ok {
		t.Error("Set is not got")
	}
	o.Clear()
	if v, ok := o.Get(); v != 0 || ok {
		t.Error("Clear leaves a value")
	}
}

// TestRefs: references are words of a node, null without one.
func TestRefs(t *testing.T) {
	type pointing struct {
		A    entity    `rpl:""`
		Pair [2]entity `rpl:""`
		Many []entity  `rpl:"max=3"`
	}
	s := NewSchema("test")
	s.SetRef(reflect.TypeFor[entity]())
	it := s.Item("thing", reflect.TypeFor[pointing](), nil)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	if !it.HasRefs {
		t.Error("HasRefs is false")
	}
	v := pointing{5, [2]entity{0, 1 << 33}, []entity{7, 0}}
	words, vars := extract(it, &v, world{})
	if want := []int32{5, 1, 0, 1, 0, 3}; !reflect.DeepEqual(words, want) && words[2] != 0 {
		t.Errorf("words %v, want %v", words, want)
	}
	if words[2] != 0 || words[3] != 0 {
		t.Errorf("a null reference is %v", words[2:4])
	}
	var got pointing
	it.Inject(unsafe.Pointer(&got), words, vars, world{})
	if !reflect.DeepEqual(got, v) {
		t.Errorf("injected %+v, want %+v", got, v)
	}
	it.Inject(unsafe.Pointer(&got), words, vars, nil)
	if got.A != 0 || got.Many[0] != 0 {
		t.Errorf("without Refs %+v is not null", got)
	}
	shadow := make([]byte, it.ShadowSize())
	one := freezeItem(t, struct {
		A entity `rpl:""`
	}{}, nil)
	ref := struct{ A entity }{}
	if !one.Same(unsafe.Pointer(&ref), shadow) {
		t.Error("a null reference is never the same")
	}
	ref.A = 3
	one.Same(unsafe.Pointer(&ref), shadow)
	if one.Same(unsafe.Pointer(&ref), shadow) {
		t.Error("an entity may have become a node since: it is not the same by bytes")
	}
}

func FuzzVarParse(f *testing.F) {
	_, it := zooSchema(f)
	seed := zoo{Text: "text", List: slots(1, 2, 3), Map: map[string]slot{"a": {Item: 1}}, Deep: []chest{{Name: "b", Slots: slots(1)}}}
	_, vars := extract(it, &seed, world{})
	for i := range it.Vars {
		f.Add(byte(i), it.Vars[i].Type.Append(nil, vars[i]))
		f.Add(byte(i), it.Vars[i].Type.AppendDelta(nil, it.Vars[i].Type.Default(), vars[i]))
		f.Add(byte(i), it.Vars[i].Type.AppendDelta(nil, vars[i], it.Vars[i].Type.Default()))
	}
	f.Fuzz(func(t *testing.T, which byte, b []byte) {
		i := int(which) % len(it.Vars)
		vt := it.Vars[i].Type
		for _, base := range []any{vars[i], vt.Default(), nil} {
			if v, err := vt.ParseDelta(b, base); err == nil {
				checkValue(t, it, i, v)
			}
		}
		if v, err := vt.Parse(b); err == nil {
			checkValue(t, it, i, v)
		}
	})
}

// checkValue: what was accepted can be injected, extracts to itself but for
// what the authority would not have made, and travels on.
func checkValue(t *testing.T, it *ItemType, i int, v any) {
	t.Helper()
	vt := it.Vars[i].Type
	again, err := vt.Parse(vt.Append(nil, v))
	if err != nil || !vt.Equal(again, v) {
		t.Fatalf("%s: accepted %v, which does not travel: %v", it.Props[it.Vars[i].Prop].Name, v, err)
	}
	var z zoo
	p := unsafe.Add(unsafe.Pointer(&z), it.Vars[i].Offset)
	vt.Inject(p, v, world{})
	if err := it.Vars[i].codec().check(p); err != nil && !strings.Contains(err.Error(), "finite") {
		t.Fatalf("%s: accepted %v: %v", it.Props[it.Vars[i].Prop].Name, v, err)
	}
}

func TestHashOfRows(t *testing.T) {
	_, it := zooSchema(t)
	_, a := extract(it, &zoo{Text: "a", List: slots(1, 2)}, world{})
	_, b := extract(it, &zoo{Text: "a", List: slots(1, 2)}, world{})
	for i := range it.Vars {
		if c := it.Vars[i].codec(); c.hash(a[i]) != c.hash(b[i]) {
			t.Errorf("%s: equal values hash apart", it.Props[it.Vars[i].Prop].Name)
		}
	}
}
