package schema

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
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

// TestListScripts checks that each edit of a list takes few bytes, and that kept
// elements keep their local fields at the other end.
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

// TestListLocalsByFields checks that a changed element gets the local fields of the old one
// with which it shares half of its fields, however many words these take: the upper halves of
// small 64-bit numbers are all equal.
func TestListLocalsByFields(t *testing.T) {
	type thing struct {
		Kind, N int `rpl:""`
		icon    string
	}
	type things struct {
		All []thing `rpl:"max=9"`
	}
	it := freezeItem(t, things{}, nil)
	vt := it.Vars[0].Type
	for _, tt := range []struct{ name, from, to, icons string }{
		{"one before, one changed", "1 1, 2 1", "9 9, 1 1, 2 77", " - a b"},
		{"one gone, one changed", "1 1, 2 1, 3 1", "1 1, 3 7", " a c"},
		{"swapped, one changed", "1 1, 2 1", "2 9, 1 1", " b a"},
		{"another at its place", "1 1, 2 1", "1 1, 8 8", " a b"},
		{"another, and more", "1 1, 2 1", "1 1, 8 8, 9 9", " a - -"},
	} {
		var from, to things
		for k, of := range map[*things]string{&from: tt.from, &to: tt.to} {
			for i, e := range strings.Split(of, ", ") {
				th := thing{icon: string(rune('a' + i))}
				fmt.Sscan(e, &th.Kind, &th.N)
				k.All = append(k.All, th)
			}
		}
		_, now := extract(it, &to, nil)
		vt.Inject(unsafe.Pointer(&from.All), now[0], nil)
		icons := ""
		for _, e := range from.All {
			icons += " " + cmp.Or(e.icon, "-")
		}
		if icons != tt.icons {
			t.Errorf("%s: the local fields are%s, not%s", tt.name, icons, tt.icons)
		}
	}
}

// TestListEdits checks random inserts, removals, moves and changes, each sent against a
// random older state.
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

func FuzzVarParse(f *testing.F) {
	_, it := zooSchema(f)
	seed := zoo{Text: "text", List: slots(1, 2, 3), Map: map[string]slot{"a": {Item: 1}}, Deep: []chest{{Name: "b", Slots: slots(1)}}}
	_, vars := extract(it, &seed, world{})
	for i := range it.Vars {
		f.Add(byte(i), it.Vars[i].Type.Append(nil, vars[i]))
		f.Add(byte(i), it.Vars[i].Type.AppendDelta(nil, it.Vars[i].Type.Default(), vars[i]))
		f.Add(byte(i), it.Vars[i].Type.AppendDelta(nil, vars[i], it.Vars[i].Type.Default()))
	}
	apart := zoo{Text: "a long text, apart", List: slots(9, 2, 3, 4, 5, 8), Deep: []chest{{Name: "c", Slots: slots(1, 7)}}}
	seed.Text, seed.List, seed.Blob = "A long text, aparT", slots(1, 2, 3, 4, 5, 6), []byte("0123456789abcdefghij")
	apart.Blob = []byte("x123456789abcdefghiy")
	_, vars = extract(it, &seed, world{})
	_, other := extract(it, &apart, world{})
	for i := range it.Vars { // changes apart from each other
		f.Add(byte(i), it.Vars[i].Type.AppendDelta(nil, vars[i], other[i]))
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

// checkValue checks that a value that was accepted encodes and decodes unchanged, and
// that it can be injected and is then within its bounds, except for floats that are not
// finite.
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
	if err := it.Vars[i].Codec().check(p); err != nil && !strings.Contains(err.Error(), "finite") {
		t.Fatalf("%s: accepted %v: %v", it.Props[it.Vars[i].Prop].Name, v, err)
	}
}

func TestHashOfRows(t *testing.T) {
	_, it := zooSchema(t)
	_, a := extract(it, &zoo{Text: "a", List: slots(1, 2)}, world{})
	_, b := extract(it, &zoo{Text: "a", List: slots(1, 2)}, world{})
	for i := range it.Vars {
		if c := it.Vars[i].Codec(); c.hash(a[i]) != c.hash(b[i]) {
			t.Errorf("%s: equal values hash apart", it.Props[it.Vars[i].Prop].Name)
		}
	}
}
