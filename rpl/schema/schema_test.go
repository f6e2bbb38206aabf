package schema

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// vec is a vector of another package, as far as the schema can tell.
type vec struct{ X, Y float64 }

type kind uint8

// entity stands for donburi.Entity.
type entity uint64

// freezeItem compiles one type as the component "thing".
func freezeItem(t testing.TB, v any, tags Tags) *ItemType {
	t.Helper()
	s := NewSchema("test")
	s.SetRef(reflect.TypeFor[entity]())
	it := s.Item("thing", reflect.TypeOf(v), tags)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	return it
}

// extract returns the words and variable-length values of a component.
func extract[T any](it *ItemType, v *T, refs Refs) ([]int32, []any) {
	words, vars := make([]int32, len(it.Words)), make([]any, len(it.Vars))
	it.Extract(unsafe.Pointer(v), words, vars, refs)
	return words, vars
}

type arena struct {
	Kind   kind    `rpl:"max=3"`
	Pos    vec     `rpl:"step=1/32,interp,pos,predict=Vel"`
	Angle  float64 `rpl:"angle,bits=12,interp"`
	target *arena
	Vel    vec   `rpl:"step=1/32"`
	HP     int16 `rpl:"min=0,max=100,notify"`
	Anim   uint8 `rpl:""`
	Team   uint8 `rpl:"bits=2"`
}

func TestArena(t *testing.T) {
	it := freezeItem(t, arena{}, nil)
	v := arena{Kind: 2, Pos: vec{1.5, -2}, Angle: math.Pi, Vel: vec{32, -0.25}, HP: 300, Anim: 200, Team: 3}
	words, vars := extract(it, &v, nil)
	want := []int32{2, 48, -64, 2048, 1024, -8, 100, 200, 3}
	if !reflect.DeepEqual(words, want) || len(vars) != 0 {
		t.Fatalf("extracted %v, want %v", words, want)
	}
	if it.Pos != [2]int{1, 2} || it.PosStep != 1.0/32 {
		t.Errorf("pos is %v, step %v", it.Pos, it.PosStep)
	}
	rate := int64(math.Round(float64(1<<32) / 60))
	for i, w := range it.Words {
		want := -1
		if i == 1 || i == 2 {
			want = i + 3
			if w.Rate != rate {
				t.Errorf("word %d: rate %d, want %d", i, w.Rate, rate)
			}
		}
		if w.Velocity != want {
			t.Errorf("word %d: velocity %d, want %d", i, w.Velocity, want)
		}
	}
	back := arena{target: &v}
	it.Inject(unsafe.Pointer(&back), words, vars, nil)
	if back.target != &v {
		t.Error("the local field is gone")
	}
	v.HP, v.target = 100, &v
	if back != v {
		t.Errorf("injected %+v, want %+v", back, v)
	}
}

func TestSame(t *testing.T) {
	it := freezeItem(t, arena{}, nil)
	v := arena{HP: 5}
	shadow := make([]byte, it.ShadowSize)
	if it.Unchanged(unsafe.Pointer(&v), shadow) {
		t.Error("a shadow of zeros is the same as HP 5")
	}
	if !it.Unchanged(unsafe.Pointer(&v), shadow) {
		t.Error("not the same as its own shadow")
	}
	v.target = &v
	if !it.Unchanged(unsafe.Pointer(&v), shadow) {
		t.Error("a local field counts")
	}
	v.Team++
	if it.Unchanged(unsafe.Pointer(&v), shadow) {
		t.Error("a change is not seen")
	}
	if size := it.ShadowSize; size != int(unsafe.Offsetof(v.Pos))+8*5+4 {
		t.Errorf("shadow of %d bytes for a struct of %d", size, it.Size)
	}
}

// TestTags checks what each kind of field compiles to with each tag.
func TestTags(t *testing.T) {
	const lo, hi = math.MinInt32, math.MaxInt32
	type words = []Word
	free := func(n int) words {
		w := make(words, n)
		for i := range w {
			w[i] = Word{Min: lo, Max: hi, Velocity: -1}
		}
		return w
	}
	span := func(min, max int32) words { return words{{Min: min, Max: max, Velocity: -1}} }
	tests := []struct {
		name  string
		field any
		tag   string
		kind  string
		canon string
		want  words
	}{
		{"bool", false, "", "bool", "", span(0, 1)},
		{"uint8", uint8(0), "", "int", "", span(0, 255)},
		{"int16", int16(0), "", "int", "", span(-32768, 32767)},
		{"uint32", uint32(0), "", "int", "", free(1)},
		{"int64", int64(0), "", "int", "", free(2)},
		{"int with bounds", int(0), "min=-5,max=1000", "int", "min=-5,max=1000", span(-5, 1000)},
		{"bits, signed", int(0), "bits=4", "int", "bits=4", span(-8, 7)},
		{"bits, unsigned", uint(0), "bits=4", "int", "bits=4", span(0, 15)},
		{"bits from min", int(0), "bits=4,min=-1", "int", "min=-1,bits=4", span(-1, 14)},
		{"bits to max", int(0), "bits=4,max=5", "int", "max=5,bits=4", span(-10, 5)},
		{"half open", int32(0), "min=0", "int", "min=0", span(0, hi)},
		{"half open, unsigned", uint64(0), "max=9", "int", "max=9", span(0, 9)},
		{"enum", kind(0), "bits=3", "int", "bits=3", span(0, 7)},
		{"float64", 0.0, "", "float", "", free(2)},
		{"float32", float32(0), "", "float", "", free(1)},
		{"fraction", 0.0, "step=1/32", "float", "step=1/32", free(1)},
		{"decimal", 0.0, "step = 0.1", "float", "step=1/10", free(1)},
		{"bounds in steps", 0.0, "step=0.1,min=-1,max=2", "float", "step=1/10,min=-1,max=2", span(-10, 20)},
		{"step and bits", 0.0, "step=1/4,bits=8", "float", "step=1/4,bits=8", span(-128, 127)},
		{"range", 0.0, "min=-1,max=1,bits=10", "float", "min=-1,max=1,bits=10", span(0, 1023)},
		{"angle", 0.0, "angle", "angle", "angle", words{{Max: 4095, Wrap: true, Velocity: -1}}},
		{"degrees", float32(0), "angle=360,bits=9", "angle", "bits=9,angle=360", words{{Max: 511, Wrap: true, Velocity: -1}}},
		{"angle in steps", 0.0, "angle=360,step=0.5", "angle", "step=1/2,angle=360", words{{Max: 719, Wrap: true, Velocity: -1}}},
		{"vector", vec{}, "step=1/8", "float vector", "step=1/8", free(2)},
		{"raw vector", struct{ X, Y float32 }{}, "", "float vector", "", free(2)},
		{"array", [3]uint8{}, "max=9", "int [3]", "max=9", words{{Max: 9, Velocity: -1}, {Max: 9, Velocity: -1}, {Max: 9, Velocity: -1}}},
		{"array of vectors", [2]vec{}, "step=1", "float vector [2]", "step=1", free(4)},
		{"reference", entity(0), "", "reference", "", free(2)},
		{"explicit is no part of the wire", uint8(0), "explicit,notify", "int", "notify", span(0, 255)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			typ := reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeOf(tt.field), Tag: reflect.StructTag(`rpl:"` + tt.tag + `"`)}})
			it := freezeItem(t, reflect.Zero(typ).Interface(), nil)
			p := it.Props[0]
			if p.Name != "F" || p.Kind != tt.kind || p.Tag != tt.canon || p.If != -1 {
				t.Errorf("prop %+v, want a %s tagged %q", p, tt.kind, tt.canon)
			}
			for i := range it.Words {
				w := &it.Words[i]
				w.Raw, w.Wide, w.Unsigned, w.Default = false, false, false, 0
			}
			if !reflect.DeepEqual(it.Words, tt.want) {
				t.Errorf("words %+v, want %+v", it.Words, tt.want)
			}
			if it.Explicit != strings.Contains(tt.tag, "explicit") {
				t.Errorf("explicit is %v", it.Explicit)
			}
		})
	}
}

// TestEachAudienceHasAPart checks that each audience has a part, with everyone's first, and that each
// prop is in one part.
func TestEachAudienceHasAPart(t *testing.T) {
	type player struct {
		Ammo  int    `rpl:"bits=8,to=owner"`
		Plan  string `rpl:"max=8,to=red"`
		HP    int    `rpl:"bits=8"`
		Alarm bool   `rpl:""`
		Inner struct {
			A bool   `rpl:""`
			B bool   `rpl:"to=others"`
			C []bool `rpl:"max=3"`
		} `rpl:"to=blue,once,notify,if=Alarm"`
	}
	s := NewSchema("test")
	red, blue := s.Group("red"), s.Group("blue")
	if s.Group("red") != red {
		t.Error("a group declared twice is another")
	}
	it := s.Item("player", reflect.TypeFor[player](), nil)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	want := []Part{
		{ids.Everyone, []int{1, 2}, nil},
		{ids.OwnerSees, []int{0}, nil},
		{ids.OthersSee, []int{4}, nil},
		{blue, []int{3}, []int{1}},
		{red, nil, []int{0}},
	}
	if !reflect.DeepEqual(it.Parts, want) {
		t.Errorf("parts %+v, want %+v", it.Parts, want)
	}
	for _, p := range it.Props[4:] {
		if !p.Once || !p.Notify || p.If != 2 {
			t.Errorf("%s does not inherit: %+v", p.Name, p)
		}
	}
}

// TestVelocityOfAnotherItem checks `predict=item.Field` and `predict=item.Field/tick`.
func TestVelocityOfAnotherItem(t *testing.T) {
	type place struct {
		At  vec     `rpl:"step=1/32,predict=motion.Vel/tick,tol=1/4"`
		Rot float32 `rpl:"angle=360,step=0.5,predict=motion.Spin"`
	}
	type motion struct {
		Vel  vec     `rpl:"step=1/64"`
		Spin float32 `rpl:"step=1"`
	}
	s := NewSchema("test")
	p := s.Item("place", reflect.TypeFor[place](), nil)
	s.Item("motion", reflect.TypeFor[motion](), nil)
	if err := s.Freeze(50); err != nil {
		t.Fatal(err)
	}
	for i, want := range []Word{
		{VelocityWord: 0, Rate: 1 << 31, Tol: 8},
		{VelocityWord: 1, Rate: 1 << 31, Tol: 8},
		{VelocityWord: 2, Rate: 171798692},
	} {
		w := p.Words[i]
		if w.Velocity != -1 || w.VelocityItem != "motion" || w.VelocityWord != want.VelocityWord || w.Rate != want.Rate || w.Tol != want.Tol {
			t.Errorf("word %d is %+v, want %+v", i, w, want)
		}
	}
}

// TestTagsInCode checks that Tags override the type's own tags, reach nested types, and
// can make a component explicit.
func TestTagsInCode(t *testing.T) {
	type inner struct{ Speed, Mass float64 }
	type foreign struct {
		Pos   vec
		Inner inner
		List  []inner
		Own   int `rpl:"bits=3"`
	}
	it := freezeItem(t, foreign{}, Tags{
		"Pos": "step=1/8,interp", "Inner": "", "Inner.Speed": "step=1/32", "List": "max=3", "List.Mass": "step=1", "Own": "-", "_": "explicit",
	})
	var got []string
	for _, p := range it.Props {
		got = append(got, p.Name+" "+p.Kind+" "+p.Tag)
	}
	want := []string{"Pos float vector step=1/8,interp", "Inner.Speed float step=1/32", "List list of Mass float step=1, 1 word max=3"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("props %q, want %q", got, want)
	}
	if !it.Explicit {
		t.Error("not explicit")
	}
	blank := freezeItem(t, struct {
		_ struct{} `rpl:"explicit"`
		A bool     `rpl:""`
	}{}, nil)
	if !blank.Explicit || len(blank.Props) != 1 {
		t.Errorf("explicit %v, props %+v", blank.Explicit, blank.Props)
	}
}

// TestComponentWithoutFields checks that a component without fields can be replicated; only its presence
// is.
func TestComponentWithoutFields(t *testing.T) {
	it := freezeItem(t, struct{}{}, nil)
	if len(it.Props) != 0 || len(it.Parts) != 1 || it.Parts[0].Audience != ids.Everyone || it.ShadowSize != 0 {
		t.Errorf("an empty component is %+v", it)
	}
	v := struct{}{}
	if !it.Unchanged(unsafe.Pointer(&v), nil) {
		t.Error("nothing differs from nothing")
	}
	it.Extract(unsafe.Pointer(&v), nil, nil, nil)
	it.Inject(unsafe.Pointer(&v), nil, nil, nil)
}

// The longest string that is documented is accepted, and so are unexported fields with
// tags of their own or in Tags.
func TestFieldsAtTheEdge(t *testing.T) {
	freezeItem(t, struct {
		A string `rpl:"max=65534"`
	}{}, nil)
	type own struct {
		a uint8 `rpl:"max=9"`
		b int32
	}
	v := own{a: 1, b: 2}
	it := freezeItem(t, v, Tags{"b": "min=0"})
	if len(it.Props) != 2 || it.Words[1].Max != math.MaxInt32 || v.a+uint8(v.b) != 3 {
		t.Errorf("fields that are not exported: %+v", it.Props)
	}
}

// Words of several items that predict each other in a ring are refused.
func TestRingThroughItems(t *testing.T) {
	type one struct {
		A float64 `rpl:"step=1,predict=two.B"`
	}
	type two struct {
		B float64 `rpl:"step=1,predict=three.C"`
	}
	type three struct {
		C float64 `rpl:"step=1,predict=one.A"`
	}
	s := NewSchema("test")
	s.Item("one", reflect.TypeFor[one](), nil)
	s.Item("two", reflect.TypeFor[two](), nil)
	s.Item("three", reflect.TypeFor[three](), nil)
	if err := s.Freeze(60); err == nil || !strings.Contains(err.Error(), "component one, field A: predict= goes in a ring back to the field") {
		t.Errorf("a ring through three items: %v", err)
	}
}
