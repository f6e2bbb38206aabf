package schema

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/bits"
	"github.com/tendonengine/tendon/rpl/internal/ids"
)

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

// complexByHand is a codec with all eight functions, which count their calls.
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

// TestCodecArgsRefused checks that a field of a codec's snapshot that is out of bounds is
// named when it is an argument: by itself, in a struct, and in a list.
func TestCodecArgsRefused(t *testing.T) {
	type dress struct {
		Look complexType `rpl:""`
	}
	type dressAll struct {
		Looks []complexType `rpl:"max=4"`
	}
	tests := []struct {
		args any
		want string
	}{
		{&complexType{count: 5000}, "rpc dress: codec complex, field Count: 5000 is not in -2048 … 2047"},
		{&dress{complexType{count: 5000}}, "rpc dress, field Look: codec complex, field Look.Count: 5000 is not in -2048 … 2047"},
		{&dressAll{[]complexType{{}, {count: 5000}}}, "rpc dress, field Looks: element 1: codec complex, field Count: 5000 is not in -2048 … 2047"},
	}
	for _, tt := range tests {
		s := NewSchema("refused")
		Register(s, complexByFields)
		r := s.RPC("dress", reflect.TypeOf(tt.args).Elem(), ids.ToServer, ids.Reliable)
		if err := s.Freeze(60); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Args.Append(nil, reflect.ValueOf(tt.args).UnsafePointer(), nil); err == nil || err.Error() != tt.want {
			t.Errorf("%q, want %q", err, tt.want)
		}
	}
}
