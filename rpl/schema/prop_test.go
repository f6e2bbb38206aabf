package schema

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"pgregory.net/rapid"
)

// zoo has a field of every kind.
type zoo struct {
	local0 int
	Bool   bool        `rpl:"notify"`
	Small  int8        `rpl:""`
	Enum   kind        `rpl:"max=5"`
	Short  uint16      `rpl:"bits=10"`
	Word   uint32      `rpl:""`
	Uint   uint32      `rpl:"min=3,max=70000"`
	Int    int         `rpl:"min=-20,max=1000"`
	Long   int64       `rpl:""`
	Raw    float64     `rpl:""`
	Raw32  float32     `rpl:""`
	Step   float64     `rpl:"step=0.1,min=-100,max=100"`
	Step32 float32     `rpl:"step=1/32"`
	Range  float64     `rpl:"min=1,max=3,bits=9"`
	Angle  float64     `rpl:"angle,bits=12"`
	Turn   float32     `rpl:"angle=360,step=0.5"`
	Pos    vec         `rpl:"step=1/32,predict=Vel,pos,tol=1/4"`
	Vel    vec         `rpl:"step=1/8"`
	Array  [3]vec      `rpl:"step=1/2"`
	Bits   [2][2]uint8 `rpl:"bits=3"`
	local1 string
	Inner  struct {
		A     int16 `rpl:""`
		local *zoo
		B     Opt[float64] `rpl:"step=1/4"`
	} `rpl:"to=owner"`
	Opt  Opt[slot]           `rpl:""`
	Text string              `rpl:"max=20"`
	Blob []byte              `rpl:"max=20,once"`
	List []slot              `rpl:"max=12,if=Bool"`
	Nums []float64           `rpl:"max=6,step=1/4"`
	Deep []chest             `rpl:"max=4"`
	Map  map[string]slot     `rpl:"max=6"`
	Ints map[int8]vec        `rpl:"max=6,step=1/8"`
	Uns  map[uint16][]string `rpl:"max=3,each=5"`
	Ref  entity              `rpl:""`
	Refs []entity            `rpl:"max=4"`
	Odd  odd                 `rpl:""`
	Odds map[string]odd      `rpl:"max=4"`
	none map[chan int]func()
}

type chest struct {
	Name  string `rpl:"max=8"`
	Slots []slot `rpl:"max=4"`
	open  bool
}

// odd is a type of another package: its codec is registered with the schema.
type odd struct{ secret int }

func zooSchema(t testing.TB) (*Schema, *ItemType) {
	t.Helper()
	s := NewSchema("zoo")
	s.SetRef(reflect.TypeFor[entity]())
	Register(s, Codec[odd, int]{
		Name:    "odd",
		Extract: func(v *odd) int { return v.secret },
		Inject:  func(v *odd, s int) { v.secret = s },
	})
	it := s.Item("zoo", reflect.TypeFor[zoo](), nil)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	return s, it
}

// world translates entity e to node 1.e and back.
type world struct{}

func (world) NodeOf(e uint64) ids.Node { return ids.MakeNode(uint32(e), uint32(e>>32)+1) }

func (world) EntityOf(n ids.Node) uint64 { return uint64(n.Slot()) | uint64(n.Tenant()-1)<<32 }

// drawZoo makes a component with random replicated fields, some of them out of bounds.
func drawZoo(t *rapid.T, label string) *zoo {
	float := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-200, 200), rapid.SampledFrom([]float64{
		0, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, math.Pi, 0.05, -0.05, math.Copysign(0, -1),
	}))
	drawSlot := rapid.Custom(func(t *rapid.T) slot {
		return slot{Item: uint16(rapid.IntRange(0, 3).Draw(t, "item")), Count: uint8(rapid.IntRange(0, 2).Draw(t, "count"))}
	})
	v := vec{}
	f := func(name string) float64 { return float.Draw(t, label+name) }
	z := &zoo{
		Bool: rapid.Bool().Draw(t, "bool"), Small: rapid.Int8().Draw(t, "small"), Enum: kind(rapid.Uint8().Draw(t, "enum")),
		Short: rapid.Uint16().Draw(t, "short"), Word: rapid.Uint32().Draw(t, "word"), Uint: rapid.Uint32().Draw(t, "uint"),
		Int: rapid.Int().Draw(t, "int"), Long: rapid.Int64().Draw(t, "long"), Raw: f("raw"), Raw32: float32(f("raw32")),
		Step: f("step"), Step32: float32(f("step32")), Range: f("range"), Angle: f("angle"), Turn: float32(f("turn")),
		Pos: vec{f("x"), f("y")}, Vel: vec{f("vx"), f("vy")}, Array: [3]vec{{f("a"), f("b")}, v, {f("c"), 1}},
		Text: rapid.StringN(0, 24, 30).Draw(t, "text"), Blob: rapid.SliceOfN(rapid.Byte(), 0, 24).Draw(t, "blob"),
		List: rapid.SliceOfN(drawSlot, 0, 14).Draw(t, "list"),
		Nums: rapid.SliceOfN(float, 0, 7).Draw(t, "nums"),
		Map:  rapid.MapOfN(rapid.StringN(0, 2, 4), drawSlot, 0, 8).Draw(t, "map"),
		Deep: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) chest {
			return chest{Name: rapid.StringN(0, 8, 10).Draw(t, "name"), Slots: rapid.SliceOfN(drawSlot, 0, 5).Draw(t, "slots")}
		}), 0, 5).Draw(t, "deep"),
		Ints: rapid.MapOfN(rapid.Int8Range(-4, 4), rapid.Just(vec{f("mx"), 2}), 0, 8).Draw(t, "ints"),
		Uns:  rapid.MapOfN(rapid.Uint16(), rapid.SliceOfN(rapid.StringN(0, 3, 5), 0, 6), 0, 4).Draw(t, "uns"),
		Ref:  entity(rapid.Uint64Range(0, 1<<40).Draw(t, "ref")),
		Refs: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) entity { return entity(rapid.IntRange(0, 3).Draw(t, "e")) }), 0, 5).Draw(t, "refs"),
		Odd:  odd{rapid.Int().Draw(t, "odd")},
		Odds: rapid.MapOfN(rapid.StringN(0, 2, 4), rapid.Just(odd{3}), 0, 5).Draw(t, "odds"),
	}
	z.Bits[1][0] = rapid.Uint8().Draw(t, "bits")
	z.Inner.A = rapid.Int16().Draw(t, "inner")
	if rapid.Bool().Draw(t, "has") {
		z.Inner.B.Set(f("opt"))
		z.Opt.Set(drawSlot.Draw(t, "slot"))
	}
	return z
}

// TestInjectIsIdempotent checks that extracting an injected component gives the
// injected values, and that Inject does not touch local fields.
func TestInjectIsIdempotent(t *testing.T) {
	_, it := zooSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		from, to := drawZoo(t, "from"), drawZoo(t, "to")
		words, vars := extract(it, from, world{})
		for i, w := range words {
			if w < it.Words[i].Min || w > it.Words[i].Max {
				t.Fatalf("%s: word %d is %d, outside %d … %d", it.Props[it.Words[i].Prop].Name, i, w, it.Words[i].Min, it.Words[i].Max)
			}
		}
		to.local0, to.local1, to.Inner.local, to.none = 7, "local", to, map[chan int]func(){nil: nil}
		it.Inject(unsafe.Pointer(to), words, vars, world{})
		again, againVars := extract(it, to, world{})
		for i := range words {
			if words[i] != again[i] {
				t.Fatalf("%s: word %d was %d and is %d", it.Props[it.Words[i].Prop].Name, i, words[i], again[i])
			}
		}
		for i := range vars {
			if !it.Vars[i].Type.Equal(vars[i], againVars[i]) {
				t.Fatalf("%s: was %v and is %v", it.Props[it.Vars[i].Prop].Name, vars[i], againVars[i])
			}
		}
		if to.local0 != 7 || to.local1 != "local" || to.Inner.local != to || len(to.none) != 1 {
			t.Fatal("a local field has changed")
		}
		// A second extraction of unchanged content gives equal values.
		it.Extract(unsafe.Pointer(to), again, againVars, world{})
		for i := range vars {
			if v := againVars[i]; !it.Vars[i].Type.Equal(v, vars[i]) {
				t.Fatalf("%s: extracted twice it is %v", it.Props[it.Vars[i].Prop].Name, v)
			}
		}
	})
}

// TestVarsTravel checks that values, and deltas from any other value, are decoded
// unchanged, and that values cut short are not taken for whole ones.
func TestVarsTravel(t *testing.T) {
	_, it := zooSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		_, base := extract(it, drawZoo(t, "base"), world{})
		_, next := extract(it, drawZoo(t, "next"), world{})
		for i := range it.Vars {
			vt, name := it.Vars[i].Type, it.Props[it.Vars[i].Prop].Name
			whole := vt.Append([]byte("x"), next[i])
			if whole[0] != 'x' {
				t.Fatalf("%s: Append wrote over what was there", name)
			}
			got, err := vt.Parse(whole[1:])
			if err != nil || !vt.Equal(got, next[i]) {
				t.Fatalf("%s: %v became %v, error %v", name, next[i], got, err)
			}
			if max := (it.Vars[i].Codec().maxBits() + 7) / 8; len(whole)-1 > max {
				t.Fatalf("%s: %d bytes, at most %d", name, len(whole)-1, max)
			}
			delta := vt.AppendDelta(nil, base[i], next[i])
			got, err = vt.ParseDelta(delta, base[i])
			if err != nil || !vt.Equal(got, next[i]) {
				t.Fatalf("%s: from %v, %v became %v, error %v", name, base[i], next[i], got, err)
			}
			for _, b := range [][]byte{whole[1:], delta} {
				if len(b) > 0 {
					cut := b[:rapid.IntRange(0, len(b)-1).Draw(t, "cut")]
					if v, err := vt.Parse(cut); err == nil && bytes.Equal(b, whole[1:]) && vt.Equal(v, next[i]) {
						t.Fatalf("%s: cut to %d of %d bytes it is still %v", name, len(cut), len(b), v)
					}
					_, _ = vt.ParseDelta(cut, base[i])
				}
			}
		}
	})
}

// TestMultiplesAreExact checks that a multiple of the step is restored to the same
// float.
func TestMultiplesAreExact(t *testing.T) {
	type stepped struct {
		A float64 `rpl:"step=1/32"`
		B float64 `rpl:"step=0.1"`
		C float64 `rpl:"step=0.001"`
		D float32 `rpl:"step=1/32"`
		E float64 `rpl:"step=5"`
	}
	it := freezeItem(t, stepped{}, nil)
	rapid.Check(t, func(t *rapid.T) {
		q := float64(rapid.Int32().Draw(t, "q"))
		in := stepped{q / 32, q / 10, q / 1000, float32(math.Mod(q, 1<<23) / 32), math.Mod(q, 1e6) * 5}
		words, _ := extract(it, &in, nil)
		var out stepped
		it.Inject(unsafe.Pointer(&out), words, nil, nil)
		if in != out {
			t.Fatalf("%+v became %+v by %v", in, out, words)
		}
	})
}

func TestRounding(t *testing.T) {
	type rounded struct {
		S float64 `rpl:"step=1"`
		B float64 `rpl:"step=1,min=2,max=9"`
		R float64 `rpl:"min=-1,max=1,bits=2"`
		A float64 `rpl:"angle=360,step=90"`
	}
	it := freezeItem(t, rounded{}, nil)
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		in   float64
		want []int32
	}{
		{0, []int32{0, 2, 2, 0}},
		{0.5, []int32{1, 2, 2, 0}},
		{-0.5, []int32{-1, 2, 1, 0}},
		{2.5, []int32{3, 3, 3, 0}},
		{-44, []int32{-44, 2, 0, 0}},
		{-46, []int32{-46, 2, 0, 3}},
		{9.7, []int32{10, 9, 3, 0}},
		{1.6, []int32{2, 2, 3, 0}},
		{316, []int32{316, 9, 3, 0}},
		{1e10, []int32{math.MaxInt32, 9, 3, int32(math.Mod(math.Round(1e10/90), 4))}},
		{1e300, []int32{math.MaxInt32, 9, 3, int32(math.Mod(1e300, 360) / 90)}},
		{inf, []int32{math.MaxInt32, 9, 3, 0}},
		{-inf, []int32{math.MinInt32, 2, 0, 0}},
		{nan, []int32{0, 2, 2, 0}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.in), func(t *testing.T) {
			words, _ := extract(it, &rounded{tt.in, tt.in, tt.in, tt.in}, nil)
			if !reflect.DeepEqual(words, tt.want) {
				t.Errorf("extracted %v, want %v", words, tt.want)
			}
		})
	}
	if d := it.Words[2].Default; d != 2 {
		t.Errorf("the default of a range is %d, want what 0 extracts to", d)
	}
}

// TestSameSeesAllTagged checks that Same sees the change of any byte that changes what
// is extracted, and that it updates the shadow.
func TestSameSeesAllTagged(t *testing.T) {
	it := freezeItem(t, nine{}, nil)
	local := unsafe.Offsetof(nine{}.target)
	for i := range int(it.Size) {
		v := someNine()
		shadow := make([]byte, it.ShadowSize)
		it.copyShadow(unsafe.Pointer(&v), shadow)
		before, _ := extract(it, &v, nil)
		b := unsafe.Slice((*byte)(unsafe.Pointer(&v)), it.Size)
		if uintptr(i) >= local {
			continue // the last field is a pointer, which must not be overwritten
		}
		b[i] ^= 0xff
		after, _ := extract(it, &v, nil)
		if same := it.Unchanged(unsafe.Pointer(&v), shadow); same && !reflect.DeepEqual(before, after) {
			t.Errorf("byte %d: a change of %v to %v is not seen", i, before, after)
		}
		if !it.Unchanged(unsafe.Pointer(&v), shadow) {
			t.Errorf("byte %d: the shadow was not brought up to date", i)
		}
	}
}
