package schema

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

type health struct {
	HP  int16 `rpl:"min=0,max=100"`
	Max int16 `rpl:"min=0,max=100"`
}

// declarations is what a schema declares. Tests alter one declaration at a time.
type declarations struct {
	hz    int
	items map[string]reflect.Type
	rpcs  map[string]ids.Target
	group string

	anyone bool         // may call the RPCs
	ball   reflect.Type // the prefab's argument
}

func usual() declarations {
	return declarations{
		hz:    60,
		items: map[string]reflect.Type{"health": reflect.TypeFor[health](), "arena": reflect.TypeFor[arena]()},
		rpcs:  map[string]ids.Target{"fire": ids.ToServer},
		group: "red",
		ball:  reflect.TypeFor[uint8](),
	}
}

// schema makes the schema, with its names declared in order or in reverse.
func (d declarations) schema(t testing.TB, reverse bool) *Schema {
	t.Helper()
	s := NewSchema("test")
	if !reverse {
		s.Group("blue")
		s.Group(d.group)
	}
	var names []string
	for n := range d.items {
		names = append(names, n)
	}
	slices.Sort(names)
	if reverse {
		slices.Reverse(names)
	}
	for _, n := range names {
		s.Item(n, d.items[n], nil)
	}
	for n, to := range d.rpcs {
		s.RPC(n, reflect.TypeFor[string](), to, ids.Reliable).FromAnyone = d.anyone
	}
	s.Prefab("ball", d.ball)
	if reverse {
		s.Group(d.group)
		s.Group("blue")
	}
	if err := s.Freeze(d.hz); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestHashIgnoresOrder(t *testing.T) {
	a, b := usual().schema(t, false), usual().schema(t, true)
	if a.Hash() != b.Hash() || !bytes.Equal(a.Digest(), b.Digest()) {
		t.Error("the order of declarations counts")
	}
	for i := range a.Items() {
		if a.Items()[i].Index != i || a.Items()[i].Name != b.Items()[i].Name {
			t.Errorf("item %d is %s and %s", i, a.Items()[i].Name, b.Items()[i].Name)
		}
	}
	for _, name := range a.Groups() {
		if x, y := a.GroupIndex(ids.FirstGroup+ids.Audience(slices.Index(a.Groups(), name))), b.GroupIndex(ids.FirstGroup+ids.Audience(slices.Index(b.Groups(), name))); x != y || x < 0 {
			t.Errorf("group %s goes as %d and %d", name, x, y)
		}
	}
	if a.GroupIndex(ids.Everyone) != -1 || a.GroupIndex(200) != -1 {
		t.Error("what is no group has an index")
	}
	if s := a.Explain(b.Digest()); s != "" {
		t.Errorf("equal schemas differ: %s", s)
	}
}

func TestExplain(t *testing.T) {
	tests := []struct {
		name        string
		edit        func(d *declarations)
		here, there string // what the usual schema explains of the edited one's digest, and the reverse
	}{
		{"rate", func(d *declarations) { d.hz = 30 }, "the tick rate is 60 per second here, 30 there", "the tick rate is 30 per second here, 60 there"},
		{"a component less", func(d *declarations) { delete(d.items, "health") }, "component health is unknown there", `component "health" is unknown here`},
		{"a field less", func(d *declarations) {
			d.items["health"] = reflect.TypeFor[struct {
				HP int16 `rpl:"min=0,max=100"`
			}]()
		}, "component health, field Max is unknown there", `component health, field "Max" is unknown here`},
		{"other bounds", func(d *declarations) {
			d.items["health"] = reflect.TypeFor[struct {
				HP  int16 `rpl:"min=0,max=100"`
				Max int16 `rpl:"min=0,max=50"`
			}]()
		}, "component health, field Max is another there; here it is int min=0,max=100, 0…100", "component health, field Max is another there; here it is int min=0,max=50, 0…50"},
		{"other type", func(d *declarations) {
			d.items["health"] = reflect.TypeFor[struct {
				HP  int16 `rpl:"min=0,max=100"`
				Max int16 `rpl:""`
			}]()
		}, "component health, field Max is another there; here it is int min=0,max=100, 0…100", "component health, field Max is another there; here it is int, -32768…32767"},
		{"other order", func(d *declarations) {
			d.items["health"] = reflect.TypeFor[struct {
				Max int16 `rpl:"min=0,max=100"`
				HP  int16 `rpl:"min=0,max=100"`
			}]()
		}, "component health has another order of fields there, or is explicit or moved by Reckon on one side alone", "component health has another order of fields there, or is explicit or moved by Reckon on one side alone"},
		{"other target", func(d *declarations) { d.rpcs["fire"] = ids.Broadcast }, "rpc fire has another target, lane or order of fields there, or is FromAnyone on one side alone", "rpc fire has another target, lane or order of fields there, or is FromAnyone on one side alone"},
		{"anyone may call", func(d *declarations) { d.anyone = true }, "rpc fire is FromAnyone there alone", "rpc fire is FromAnyone here alone"},
		{"anyone may call, and another target", func(d *declarations) { d.anyone, d.rpcs["fire"] = true, ids.Broadcast }, "rpc fire has another target, lane or order of fields there, or is FromAnyone on one side alone", "rpc fire has another target, lane or order of fields there, or is FromAnyone on one side alone"},
		{"a prefab without its argument", func(d *declarations) { d.ball = reflect.TypeFor[struct{}]() }, "prefab ball, field (the argument) is unknown there", "prefab ball, field (the argument) is unknown here"},
		{"an rpc more", func(d *declarations) { d.rpcs["jump"] = ids.ToServer }, `rpc "jump" is unknown here`, "rpc jump is unknown there"},
		{"other group", func(d *declarations) { d.group = "green" }, "group red is unknown there", "group green is unknown there"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := usual()
			tt.edit(&d)
			a, b := usual().schema(t, false), d.schema(t, false)
			if a.Hash() == b.Hash() {
				t.Error("the hashes are equal")
			}
			if got := a.Explain(b.Digest()); got != tt.here {
				t.Errorf("here: %q, want %q", got, tt.here)
			}
			if got := b.Explain(a.Digest()); got != tt.there {
				t.Errorf("there: %q, want %q", got, tt.there)
			}
		})
	}
}

// TestExplainPrefabs checks what is said of a prefab whose arguments differ, also where the
// digest has hashes of their names.
func TestExplainPrefabs(t *testing.T) {
	type ab struct {
		A uint8 `rpl:""`
		B uint8 `rpl:""`
	}
	type ba struct {
		B uint8 `rpl:""`
		A uint8 `rpl:""`
	}
	build := func(form digestForm, args reflect.Type) *Schema {
		s := NewSchema("prefabs")
		var fs []reflect.StructField
		for k := range 50 * int(form) {
			fs = append(fs, reflect.StructField{Name: fmt.Sprintf("AFieldWithALongName%d", k), Type: reflect.TypeFor[uint8](), Tag: `rpl:""`})
		}
		s.Item("long", reflect.StructOf(fs), nil)
		s.Prefab("crate", args)
		if err := s.Freeze(60); err != nil {
			t.Fatal(err)
		}
		if got := digestForm(s.Digest()[1]); got != form {
			t.Fatalf("a digest of form %d, want %d", got, form)
		}
		return s
	}
	none, number := reflect.TypeFor[struct{}](), reflect.TypeFor[uint8]()
	for form := formNames; form <= formFields; form++ {
		for _, tt := range []struct {
			here, there reflect.Type
			want        string
		}{
			{none, number, "prefab crate, field (the argument) is unknown here"},
			{number, none, "prefab crate, field (the argument) is unknown there"},
			{reflect.TypeFor[ab](), reflect.TypeFor[ba](), "prefab crate has another order of fields there"},
		} {
			if got := build(form, tt.here).Explain(build(form, tt.there).Digest()); got != tt.want {
				t.Errorf("form %d: %q, want %q", form, got, tt.want)
			}
		}
	}
}

// TestLargeDigests checks that the digest of a large schema is within the limit and
// still names the difference as exactly as it can.
func TestLargeDigests(t *testing.T) {
	build := func(items, fields int, change bool) *Schema {
		s := NewSchema("large")
		for i := range items {
			var fs []reflect.StructField
			for k := range fields {
				tag := `rpl:""`
				if change && i == items/2 && k == fields/2 {
					tag = `rpl:"max=3"`
				}
				fs = append(fs, reflect.StructField{Name: fmt.Sprintf("Field%d", k), Type: reflect.TypeFor[uint8](), Tag: reflect.StructTag(tag)})
			}
			s.Item(fmt.Sprintf("component%d", i), reflect.StructOf(fs), nil)
		}
		if err := s.Freeze(60); err != nil {
			t.Fatal(err)
		}
		return s
	}
	tests := []struct {
		items, fields int
		form          digestForm
		want          string
	}{
		{4, 10, formNames, "component component2, field Field5 is another there; here it is int, 0…255"},
		{12, 14, formFields, "component component4, field Field7 is another there; here it is int, 0…255"},
		{15, 14, formHashes, "component component6, field Field7 is another there; here it is int, 0…255"},
		{100, 20, formWhole, "component component54 differs"},
		{400, 2, formRate, ""},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.items), func(t *testing.T) {
			a, b := build(tt.items, tt.fields, false), build(tt.items, tt.fields, true)
			if n := len(b.Digest()); n > maxDigest || digestForm(b.Digest()[1]) != tt.form {
				t.Errorf("%d bytes of form %d, want form %d", n, b.Digest()[1], tt.form)
			}
			got := a.Explain(b.Digest())
			if name, want, _ := strings.Cut(tt.want, ","); !strings.HasPrefix(got, "component") && tt.want != "" || !strings.HasSuffix(got, want) || (tt.want == "") != (got == "") {
				t.Errorf("%q, want %q (%s)", got, tt.want, name)
			}
			if a.Hash() == b.Hash() {
				t.Error("the hashes are equal")
			}
		})
	}
}

// TestGoldenDigest pins the hash and the digest of a schema, which must be the same on
// every machine and in every version.
func TestGoldenDigest(t *testing.T) {
	s := usual().schema(t, false)
	const wantHash, wantDigest = uint64(0x4701918db5e22e34),
		"01003c0000056172656e61cfa207044b696e64419103506f7397fe05416e676c6594620356656c33ec02485032bc04416e696dd351045465616de96800066865616c74689bc5020248505622034d61785622010462616c6ce3b00100d351020466697265d00a010098bc0304626c7565e3b0000303726564e3b000"
	if s.Hash() != wantHash {
		t.Errorf("hash %#x, want %#x", s.Hash(), wantHash)
	}
	if got := hex.EncodeToString(s.Digest()); got != wantDigest {
		t.Errorf("digest\n%s, want\n%s", got, wantDigest)
	}
}

func FuzzExplain(f *testing.F) {
	s := usual().schema(f, false)
	f.Add(s.Digest())
	d := usual()
	d.rpcs["jump"] = ids.ToOwner
	f.Add(d.schema(f, false).Digest())
	f.Fuzz(func(t *testing.T, b []byte) {
		if text := s.Explain(b); len(text) > 600 {
			t.Errorf("a text of %d bytes", len(text))
		}
	})
}
