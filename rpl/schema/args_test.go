package schema

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"pgregory.net/rapid"
)

type paint struct {
	Sphere entity   `rpl:"has=thing"`
	Colour uint8    `rpl:"max=3"`
	At     vec      `rpl:"step=1/32,min=-100,max=100"`
	Spin   float64  `rpl:"angle"`
	Words  []string `rpl:"max=3,each=4"`
	Power  float32  `rpl:""`
	note   string   `rpl:"-"`
}

func paintRPC(t testing.TB) *RPCType {
	t.Helper()
	s := NewSchema("test")
	s.SetRef(reflect.TypeFor[entity]())
	s.Item("thing", reflect.TypeFor[arena](), nil)
	r := s.RPC("paint", reflect.TypeFor[paint](), ids.ToServer, ids.Reliable)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	return r
}

// References in an Opt are among a call's references, and are absent where an Opt
// around them is absent.
func TestOptionalReferences(t *testing.T) {
	type inner struct {
		To   Opt[entity] `rpl:"has=thing"`
		Some uint8       `rpl:""`
	}
	type args struct {
		One  entity      `rpl:"has=thing"`
		Opt  Opt[entity] `rpl:"has=thing"`
		Deep Opt[inner]  `rpl:""`
	}
	s := NewSchema("test")
	s.SetRef(reflect.TypeFor[entity]())
	s.Item("thing", reflect.TypeFor[arena](), nil)
	r := s.RPC("look", reflect.TypeFor[args](), ids.ToServer, ids.Reliable)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args
		absent []bool
	}{
		{args{}, []bool{false, true, true}},
		{args{Opt: Some(entity(3))}, []bool{false, false, true}},
		{args{Deep: Some(inner{})}, []bool{false, true, true}},
		{args{Deep: Some(inner{To: Some(entity(3))})}, []bool{false, true, false}},
	} {
		for i, ref := range r.Args.Refs() {
			if got := ref.Absent(unsafe.Pointer(&tt.args)); got != tt.absent[i] {
				t.Errorf("%+v: %s is absent: %v", tt.args, ref.Field, got)
			}
		}
	}
}

func TestArgs(t *testing.T) {
	r := paintRPC(t)
	in := paint{Sphere: 9, Colour: 2, At: vec{1.5, -100}, Spin: math.Pi, Words: []string{"a", "bcde"}, Power: 0.3}
	b, err := r.Args.Append([]byte("head"), unsafe.Pointer(&in), world{})
	if err != nil || string(b[:4]) != "head" {
		t.Fatalf("%q, %v", b, err)
	}
	b = b[4:]
	var out paint
	if err := r.Args.Parse(b, unsafe.Pointer(&out), world{}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(in, out) {
		t.Errorf("%+v became %+v", in, out)
	}
	if want := []ArgRef{{Field: "Sphere", Has: "thing", Offset: unsafe.Offsetof(paint{}.Sphere)}}; !reflect.DeepEqual(r.Args.Refs(), want) {
		t.Errorf("references %+v, want %+v", r.Args.Refs(), want)
	}
	for n := range b {
		if err := r.Args.Parse(b[:n], unsafe.Pointer(new(paint)), world{}); err == nil {
			t.Errorf("cut to %d of %d bytes it is accepted", n, len(b))
		}
	}
	if err := r.Args.Parse(append(b, 0), unsafe.Pointer(new(paint)), world{}); err == nil {
		t.Error("a byte more is accepted")
	}
}

func TestArgsRefused(t *testing.T) {
	tests := []struct {
		name string
		edit func(p *paint)
		want string
	}{
		{"int", func(p *paint) { p.Colour = 4 }, "rpc paint, field Colour: 4 is not in 0 … 3"},
		{"float", func(p *paint) { p.At.Y = 100.5 }, "rpc paint, field At: 100.5 is beyond its limit 100"},
		{"negative", func(p *paint) { p.At.X = -1e9 }, "rpc paint, field At: -1e+09 is beyond its limit -100"},
		{"not a number", func(p *paint) { p.At.X = math.NaN() }, "rpc paint, field At: NaN is no finite number"},
		{"infinite angle", func(p *paint) { p.Spin = math.Inf(1) }, "rpc paint, field Spin: +Inf is no finite number"},
		{"raw infinite", func(p *paint) { p.Power = float32(math.Inf(-1)) }, "rpc paint, field Power: -Inf is no finite number"},
		{"list", func(p *paint) { p.Words = make([]string, 4) }, "rpc paint, field Words: it has 4 elements, at most 3"},
		{"element", func(p *paint) { p.Words = []string{"", "12345"} }, "rpc paint, field Words: element 1: it has 5 bytes, at most 4"},
	}
	r := paintRPC(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p paint
			tt.edit(&p)
			b, err := r.Args.Append(nil, unsafe.Pointer(&p), nil)
			if err == nil || err.Error() != tt.want || len(b) > 0 {
				t.Errorf("%q (%d bytes), want %q", err, len(b), tt.want)
			}
		})
	}
}

// TestArgTypes checks that every type that may be an argument arrives unchanged.
func TestArgTypes(t *testing.T) {
	type mouse struct{ X, Y float32 }
	tests := []struct {
		name  string
		v     any
		bytes int
	}{
		{"none", struct{}{}, 0},
		{"bool", true, 1},
		{"int", -5, strconv.IntSize / 32},
		{"uint8", uint8(7), 1},
		{"enum", kind(3), 1},
		{"float64", math.Pi, 8},
		{"string", "hello", 6},
		{"bytes", []byte{1, 2}, 3},
		{"vector", mouse{1, 2}, 8},
		{"reference", entity(5), 2},
		{"array", [2]uint16{3, 4}, 4},
		{"opt", Some(uint8(3)), 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSchema("test")
			s.SetRef(reflect.TypeFor[entity]())
			p := s.Prefab("ball", reflect.TypeOf(tt.v))
			if err := s.Freeze(60); err != nil {
				t.Fatal(err)
			}
			in, out := reflect.New(reflect.TypeOf(tt.v)), reflect.New(reflect.TypeOf(tt.v))
			in.Elem().Set(reflect.ValueOf(tt.v))
			b, err := p.Args.Append(nil, in.UnsafePointer(), world{})
			if err != nil || len(b) != tt.bytes {
				t.Errorf("%d bytes, want %d, error %v", len(b), tt.bytes, err)
			}
			if err := p.Args.Parse(b, out.UnsafePointer(), world{}); err != nil || !reflect.DeepEqual(in.Interface(), out.Interface()) {
				t.Errorf("%v became %v, error %v", in.Elem(), out.Elem(), err)
			}
			if p.Args.None() != (tt.bytes == 0) {
				t.Errorf("None is %v", p.Args.None())
			}
		})
	}
	s := NewSchema("test")
	p := s.Prefab("nil", nil)
	if err := s.Freeze(60); err != nil || !p.Args.None() {
		t.Errorf("nil arguments: %v", err)
	}
	if err := p.Args.Parse([]byte{0}, nil, nil); err == nil {
		t.Error("a byte for no arguments is accepted")
	}
}

func TestArgMistakes(t *testing.T) {
	tests := []struct {
		name string
		typ  reflect.Type
		want string
	}{
		{"no tag", reflect.TypeFor[struct{ A int }](), `rpc r, field A: arguments are sent whole, so every field needs a tag: write rpl:"" to send it or rpl:"-" to keep it here`},
		{"list", reflect.TypeFor[[]int](), "rpc r: a list needs a bound; put it in a struct, and write max=N in the field's tag"},
		{"pointer", reflect.TypeFor[*int](), "rpc r: a pointer (*int) cannot be replicated; hold the value itself, an rpl.Opt, or an entity, remove the tag to keep it local, or register a codec or a stand-in"},
		{"audience", reflect.TypeFor[struct {
			A int `rpl:"to=owner"`
		}](), "rpc r, field A: to is for fields of components, not of arguments and of elements; remove it"},
		{"has of nothing", reflect.TypeFor[struct {
			A entity `rpl:"has=ghost"`
		}](), "rpc r, field A: has=ghost is no component of the schema; correct the name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSchema("test")
			s.SetRef(reflect.TypeFor[entity]())
			s.RPC("r", tt.typ, ids.ToServer, ids.Reliable)
			if err := s.Freeze(60); err == nil || err.Error() != tt.want {
				t.Errorf("%q, want %q", err, tt.want)
			}
		})
	}
}

// TestArgsTravel checks that Parse reads what Append has accepted, to within the step.
func TestArgsTravel(t *testing.T) {
	r := paintRPC(t)
	rapid.Check(t, func(t *rapid.T) {
		in := paint{
			Sphere: entity(rapid.Uint32().Draw(t, "sphere")), Colour: rapid.Uint8().Draw(t, "colour"),
			At:    vec{rapid.Float64Range(-120, 120).Draw(t, "x"), rapid.Float64Range(-100, 100).Draw(t, "y")},
			Spin:  rapid.Float64().Draw(t, "spin"),
			Words: rapid.SliceOfN(rapid.StringN(0, 4, 5), 0, 4).Draw(t, "words"),
		}
		b, err := r.Args.Append(nil, unsafe.Pointer(&in), world{})
		if ok := in.Colour <= 3 && math.Abs(in.At.X) <= 100.01 && len(in.Words) <= 3; err != nil {
			if ok && !strings.Contains(err.Error(), "at most 4") {
				t.Fatalf("%+v is refused: %v", in, err)
			}
			return
		}
		var out, again paint
		if err := r.Args.Parse(b, unsafe.Pointer(&out), world{}); err != nil {
			t.Fatalf("%+v: %v", in, err)
		}
		if math.Abs(in.At.X-out.At.X) > 1.0/64 || math.Abs(in.At.Y-out.At.Y) > 1.0/64 || in.Colour != out.Colour || in.Sphere != out.Sphere {
			t.Fatalf("%+v became %+v", in, out)
		}
		b2, err := r.Args.Append(nil, unsafe.Pointer(&out), world{})
		if err != nil || string(b) != string(b2) {
			t.Fatalf("what arrived is written otherwise: %x, %x, error %v", b, b2, err)
		}
		if err := r.Args.Parse(b2, unsafe.Pointer(&again), world{}); err != nil || !reflect.DeepEqual(out, again) {
			t.Fatalf("%+v became %+v, error %v", out, again, err)
		}
	})
}

func FuzzArgsParse(f *testing.F) {
	r := paintRPC(f)
	in := paint{Sphere: 9, Colour: 2, At: vec{1, 2}, Words: []string{"a", "b"}}
	b, err := r.Args.Append(nil, unsafe.Pointer(&in), world{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var p paint
		if err := r.Args.Parse(b, unsafe.Pointer(&p), world{}); err != nil {
			return
		}
		if _, err := r.Args.Append(nil, unsafe.Pointer(&p), world{}); err != nil {
			t.Fatalf("accepted %+v, which Append refuses: %v", p, err)
		}
	})
}
