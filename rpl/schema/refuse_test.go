package schema

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// Declarations that the schema refuses. Each error names the mistake and its remedy.

type tree struct {
	Kids []tree `rpl:"max=3"`
}

type nested struct {
	Inner struct{ A, B int } `rpl:""`
}

type shelf struct {
	In map[string]slot
	A  bool `rpl:""`
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name string
		typ  any
		tags Tags
		want string // the whole message after "component thing"
	}{
		{"pointer", struct {
			P *int `rpl:""`
		}{}, nil, ", field P: a pointer (*int) cannot be replicated; hold the value itself, an rpl.Opt, or an entity, remove the tag to keep it local, or register a codec or a stand-in"},
		{"interface", struct {
			R io.Reader `rpl:""`
		}{}, nil, ", field R: an interface (io.Reader) cannot be replicated; hold the value itself, an rpl.Opt, or an entity, remove the tag to keep it local, or register a codec or a stand-in"},
		{"channel", struct {
			C chan int `rpl:""`
		}{}, nil, ", field C: a channel (chan int) cannot be replicated; remove the tag: it stays local"},
		{"function", struct {
			F func() `rpl:""`
		}{}, nil, ", field F: a function (func()) cannot be replicated; remove the tag: it stays local"},
		{"complex", struct {
			C complex128 `rpl:""`
		}{}, nil, ", field C: a complex128 cannot be replicated; hold its parts in fields of their own, or register a codec"},
		{"no struct", 5, nil, ": an int is not a struct; put it in a field of one"},
		{"no tag at all", struct{ A int }{}, nil, `: no field of struct { A int } has a tag; write rpl:"" on those that are to travel, or give Tags`},
		{"nested without tags", nested{}, nil, `, field Inner: no field of struct { A int; B int } has a tag; tag those that are to travel, or give Tags with "Inner.A", or a codec for the type`},
		{"contains itself", tree{}, nil, ", field Kids[]: type schema.tree contains itself, so its size has no bound; keep the children in nodes or lists of their own"},
		{"unbounded string", struct {
			S string `rpl:""`
		}{}, nil, ", field S: a string needs a bound; write max=N"},
		{"unbounded list", struct {
			L []int `rpl:""`
		}{}, nil, ", field L: a list needs a bound; write max=N"},
		{"unbounded map", struct {
			M map[string]int `rpl:""`
		}{}, nil, ", field M: a map needs a bound; write max=N"},
		{"map of floats", struct {
			M map[float64]int `rpl:"max=3"`
		}{}, nil, ", field M: a map with keys of type float64 cannot be replicated; use string or integer keys"},
		{"map by reference", struct {
			M map[entity]int `rpl:"max=3"`
		}{}, nil, ", field M: a reference as a key has another value on every machine; use a list of structs"},
		{"max out of bounds", struct {
			L []int `rpl:"max=0"`
		}{}, nil, ", field L: max=0 of a list is not a whole number from 1 to 4096"},
		{"value too large", struct {
			L []string `rpl:"max=1000,each=1000"`
		}{}, nil, ", field L: its largest value takes 1001251 bytes; at most 65536: lower max= or each="},
		{"list of structs with a step", struct {
			L []slot `rpl:"max=2,step=1"`
		}{}, nil, ", field L: its elements are structs: put step=1 on their fields"},
		{"each of a list of numbers", struct {
			L []int `rpl:"max=2,each=4"`
		}{}, nil, ", field L: each is for strings in a list and for keys that are strings; remove it"},
		{"each of a map of numbers", struct {
			M map[int]int `rpl:"max=2,each=4"`
		}{}, nil, ", field M: each is for strings in a map and for keys that are strings; remove it"},
		{"no comma", struct {
			A float64 `rpl:"step=1/32 notify"`
		}{}, nil, ", field A: step=1/32 notify is no number; separate the words of a tag by commas"},
		{"audience in an element", struct {
			L []struct {
				A int `rpl:"to=owner"`
			} `rpl:"max=2"`
		}{}, nil, ", field L[].A: to is not for what is in a list or a map; put it on the field of the component, for all that is in it"},
		{"unknown word", struct {
			A int `rpl:"interpolate"`
		}{}, nil, `, field A: unknown word "interpolate"; known are -, step, min, max, bits, each, angle, interp, predict, tol, pos, to, if, has, once, notify, explicit, edge`},
		{"empty word", struct {
			A int `rpl:"notify,"`
		}{}, nil, ", field A: a comma has nothing beside it; remove it"},
		{"word twice", struct {
			A int `rpl:"notify,notify"`
		}{}, nil, ", field A: notify stands twice; remove one"},
		{"value missing", struct {
			A int `rpl:"bits"`
		}{}, nil, ", field A: bits needs a value: write bits=…"},
		{"value unwanted", struct {
			A int `rpl:"notify=3"`
		}{}, nil, ", field A: notify takes no value: write notify alone"},
		{"local and more", struct {
			A int `rpl:"-,notify"`
		}{}, nil, `, field A: "-" means local and goes with nothing else; remove it or the rest`},
		{"no number", struct {
			A float64 `rpl:"step=fast"`
		}{}, nil, ", field A: step=fast is no number; write a decimal or a fraction as 1/32"},
		{"huge exponent", struct {
			A float64 `rpl:"step=1e999999999"`
		}{}, nil, ", field A: step=1e999999999 is no number that fits; write a decimal or a fraction as 1/32"},
		{"step of zero", struct {
			A float64 `rpl:"step=0"`
		}{}, nil, ", field A: step=0 is not above zero"},
		{"step of an int", struct {
			A int32 `rpl:"step=2"`
		}{}, nil, ", field A: step is not for an integer; remove it"},
		{"bits of a float alone", struct {
			A float64 `rpl:"bits=8"`
		}{}, nil, ", field A: bits= of a float needs min= and max=, or step="},
		{"range of a float alone", struct {
			A float64 `rpl:"min=0,max=8"`
		}{}, nil, ", field A: min= and max= of a float need step= or bits="},
		{"range upside down", struct {
			A float64 `rpl:"min=8,max=0,bits=3"`
		}{}, nil, ", field A: min=8 is not below max=0; swap them"},
		{"too many steps", struct {
			A float64 `rpl:"min=0,max=1e9,step=0.01"`
		}{}, nil, ", field A: its range has more than 2³² steps; use a larger step or a narrower range"},
		{"int without an upper bound", struct {
			A uint32 `rpl:"min=1"`
		}{}, nil, ", field A: min= alone would clamp what uint32 has above 2147483647; write max= too, or remove min= to send all bits"},
		{"int without a lower bound", struct {
			A int64 `rpl:"max=9"`
		}{}, nil, ", field A: max= alone would clamp what int64 has below -2147483648; write min= too, or remove max= to send all bits"},
		{"int bound beyond 32 bits", struct {
			A uint32 `rpl:"max=4294967295"`
		}{}, nil, ", field A: max=4294967295 is not in -2147483648 … 2147483647, in which an integer with bounds travels; write one that is, or neither min= nor max= to send all bits"},
		{"int bound between two", struct {
			A int32 `rpl:"min=1/2"`
		}{}, nil, ", field A: min=1/2 of an integer is not a whole number; write one"},
		{"string of no bound that fits", struct {
			A string `rpl:"max=65535"`
		}{}, nil, ", field A: max=65535 of a string is not a whole number from 1 to 65534"},
		{"int range upside down", struct {
			A int `rpl:"min=8,max=0"`
		}{}, nil, ", field A: min=8 is above max=0; swap them"},
		{"int range beyond the type", struct {
			A uint8 `rpl:"max=300"`
		}{}, nil, ", field A: 0 … 300 does not fit in uint8; narrow min= and max=, or widen the field"},
		{"angle with bounds", struct {
			A float64 `rpl:"angle,max=3"`
		}{}, nil, ", field A: an angle wraps and has no min= and max=; remove them"},
		{"angle in odd steps", struct {
			A float64 `rpl:"angle=360,step=7"`
		}{}, nil, ", field A: a turn of 360 is no whole number of steps of 7 below 2³¹; choose another step or write bits="},
		{"interp of raw bits", struct {
			A float64 `rpl:"interp"`
		}{}, nil, ", field A: interp, predict=, tol= and pos need a quantised float; give it step=, as step=1/32"},
		{"interp of a bool", struct {
			A bool `rpl:"interp"`
		}{}, nil, ", field A: interp is not for a bool, which has nothing in between; remove it, or, for a flag that is to change when the picture does, make the field a uint8 tagged `max=1,interp` and ask View for it"},
		{"unknown group", struct {
			A bool `rpl:"to=red"`
		}{}, nil, ", field A: to=red is no group of the schema; declare it, or write to=owner or to=others"},
		{"unknown condition", struct {
			A bool `rpl:"if=B"`
			B bool
		}{}, nil, ", field A: if=B is no replicated field of the component; tag that field or correct the name"},
		{"condition of a number", struct {
			A bool `rpl:"if=B"`
			B int8 `rpl:""`
		}{}, nil, ", field A: if=B is an int; name a bool"},
		{"unknown velocity", struct {
			A float64 `rpl:"step=1,predict=other.V"`
		}{}, nil, ", field A: predict=other.V is no replicated field; tag that field or correct the name (item.Field for another component's)"},
		{"velocity of another shape", struct {
			A vec     `rpl:"step=1,predict=V"`
			V float64 `rpl:"step=1"`
		}{}, nil, ", field A: predict=V has another shape (float for a float vector); name a field like this one"},
		{"velocity of raw bits", struct {
			A float64 `rpl:"step=1,predict=V"`
			V float64 `rpl:""`
		}{}, nil, ", field A: predict=V is not quantised; give it step=, as step=1/32"},
		{"velocity of another audience", struct {
			A float64 `rpl:"step=1,predict=V"`
			V float64 `rpl:"step=1,to=owner"`
		}{}, nil, ", field A: predict=V is not seen by the same peers; give both the same to="},
		{"velocity once", struct {
			A float64 `rpl:"step=1,predict=V"`
			V float64 `rpl:"step=1,once"`
		}{}, nil, ", field A: predict=V is not always sent; remove its once or if="},
		{"ring of velocities", struct {
			A float64 `rpl:"step=1,predict=B"`
			B float64 `rpl:"step=1,predict=A"`
		}{}, nil, ", field A: predict= goes in a ring back to the field; remove one of them"},
		{"velocity out of proportion", struct {
			A float64 `rpl:"step=1000000,predict=V"`
			V float64 `rpl:"step=1/1000000000"`
		}{}, nil, ", field A: a step of V (1e-09) is out of proportion to its own (1e+06); bring them closer"},
		{"tolerance below a step", struct {
			A float64 `rpl:"step=1,tol=1/2"`
		}{}, nil, ", field A: tol=1/2 is less than a step (1); make it larger, or remove it"},
		{"tolerance of what is told once", struct {
			A float64 `rpl:"step=1,tol=2,once"`
		}{}, nil, ", field A: a value that is told once has no tol=; remove one of them"},
		{"one number of a place", struct {
			A float64 `rpl:"step=1,pos"`
		}{}, nil, ": pos stands on 1 numbers; put it on one vector, or on x and y"},
		{"three numbers of a place", struct {
			X, Y, Z float64 `rpl:"step=1,pos"`
		}{}, nil, ": pos stands on 3 numbers; put it on one vector, or on x and y"},
		{"y of a place before x", struct {
			Y, X float64 `rpl:"step=1,pos"`
		}{}, nil, ", field Y: pos stands on y before x, and the first counts as x; put x first in the struct"},
		{"place of the owner", struct {
			A vec `rpl:"step=1,pos,to=owner"`
		}{}, nil, ", field A: pos is for everyone; remove its to="},
		{"has in a component", struct {
			A entity `rpl:"has=thing"`
		}{}, nil, ", field A: has= is for references in arguments; remove it"},
		{"has in a list", struct {
			A []entity `rpl:"max=3,has=thing"`
		}{}, nil, ", field A: has= is for references in arguments; remove it"},
		{"nothing in it", struct {
			A struct{} `rpl:""`
		}{}, nil, ", field A: a struct of no fields holds nothing; remove the tag, or make it a bool"},
		{"a set", struct {
			A map[string]struct{} `rpl:"max=3"`
		}{}, nil, ", field A: its elements are structs of no fields, which hold nothing; make them bools"},
		{"embedded without a tag", struct {
			arena
			A bool `rpl:""`
		}{}, nil, `, field arena: it has no tag, so it is local, and fields of schema.arena have some: write rpl:"" on it to send those, or rpl:"-" to keep all of it here`},
		{"nested without a tag", struct {
			In struct {
				A bool `rpl:""`
			}
			A bool `rpl:""`
		}{}, nil, `, field In: it has no tag, so it is local, and fields of struct { A bool "rpl:\"\"" } have some: write rpl:"" on it to send those, or rpl:"-" to keep all of it here`},
		{"named without a tag", struct {
			In, Two arena
			A       bool `rpl:""`
		}{}, nil, `, field Two: it has no tag, so it is local, and fields of schema.arena have some: write rpl:"" on it to send those, or rpl:"-" to keep all of it here`},
		{"list without a tag", struct {
			A []shelf `rpl:"max=2"`
		}{}, nil, `, field A[].In: it has no tag, so it is local, and fields of schema.slot have some: write rpl:"max=N" on it to send those, or rpl:"-" to keep all of it here`},
		{"tags inside a field without one", struct {
			In struct{ A, B bool }
			A  bool `rpl:""`
		}{}, Tags{"In.A": "", "In.B": "notify"}, `, field In: Tags name what is inside it and not the field itself, so it is local; give Tags with "In" too`},
		{"tags of no field", struct {
			A bool `rpl:""`
		}{}, Tags{"B": "notify"}, ", which struct { A bool \"rpl:\\\"\\\"\" } does not have; correct the name"},
		{"blank field with more", struct {
			_ struct{} `rpl:"notify"`
			A bool     `rpl:""`
		}{}, nil, ", field _: a blank field carries explicit alone; move notify to a named field"},
		{"too many fields", struct {
			A [43]struct {
				X, Y, Z bool `rpl:""`
			} `rpl:""`
		}{}, nil, ": it has more than 128 replicated fields: make two components of it"},
		{"too many words", struct {
			A [1025]bool `rpl:""`
		}{}, nil, ": it has 1025 words; at most 1024: make two components of it, or use a list"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSchema("test")
			s.SetRef(reflect.TypeFor[entity]())
			s.Item("thing", reflect.TypeOf(tt.typ), tt.tags)
			err := s.Freeze(60)
			if err == nil {
				t.Fatal("it is accepted")
			}
			if got, ok := strings.CutPrefix(err.Error(), "component thing"); !ok || !strings.HasSuffix(got, tt.want) || tt.tags != nil && strings.Contains(got, "\n") {
				t.Errorf("error\n%q, want\n%q", got, tt.want)
			}
		})
	}
}

// TestAllMistakes checks that Freeze reports every mistake of every declaration once.
func TestAllMistakes(t *testing.T) {
	s := NewSchema("")
	s.Item("a", reflect.TypeFor[struct {
		P *int   `rpl:""`
		S string `rpl:""`
	}](), nil)
	s.Item("a", reflect.TypeFor[arena](), nil)
	s.Item("a", reflect.TypeFor[arena](), nil)
	s.Item(strings.Repeat("x", 65), reflect.TypeFor[arena](), nil)
	s.Group("owner")
	s.SetRef(reflect.TypeFor[int]())
	s.RPC("fire", reflect.TypeFor[struct{ A int }](), ids.ToServer, ids.Reliable)
	s.Prefab("ball", reflect.TypeFor[struct {
		E uint64 `rpl:"has=nothing"`
	}]())
	err := s.Freeze(0)
	if err == nil {
		t.Fatal("it is accepted")
	}
	want := []string{
		"schema: its name is empty; give it one",
		"component xxxxxxxxxxxxxxxxxxxx…: its name has 65 bytes; use at most 64",
		"group owner: to=owner has a meaning already; choose another name",
		"reference type int: its kind is int; references are 64-bit unsigned",
		"schema : 0 ticks per second; use 1 to 1000",
		"component a: the name is declared twice; rename one",
		"component a, field P: a pointer (*int) cannot be replicated",
		"component a, field S: a string needs a bound; write max=N",
		`rpc fire, field A: arguments are sent whole, so every field needs a tag: write rpl:"" to send it or rpl:"-" to keep it here`,
		"prefab ball, field E: has is not for an integer; remove it",
	}
	for _, w := range want {
		if n := strings.Count(err.Error(), w); n != 1 {
			t.Errorf("%q stands %d times", w, n)
		}
	}
	if n := strings.Count(err.Error(), "\n") + 1; n != len(want) {
		t.Errorf("%d mistakes, want %d:\n%v", n, len(want), err)
	}
	if again := s.Freeze(30); again == nil || again.Error() != err.Error() {
		t.Errorf("the second Freeze says %v", again)
	}
}

// Local fields may hold structs with rpl tags, if the struct is declared elsewhere or
// the field is marked as local.
func TestTagsInsideLocalFields(t *testing.T) {
	type keys struct {
		Left, Right bool `rpl:""`
	}
	type kept struct {
		Keys []keys
		Last arena
		arena
		In struct {
			A bool `rpl:""`
		} `rpl:"-"`
		Deep struct{ Keys keys }
		By   map[string]Opt[keys]
		Far  *slot
	}
	s := NewSchema("test")
	s.Item("a", reflect.TypeFor[struct {
		A    bool `rpl:""`
		kept `rpl:"-"`
	}](), nil)
	s.Item("b", reflect.TypeFor[struct {
		A    bool `rpl:""`
		Keys []keys
		Last arena
		By   map[string]Opt[keys]
		Deep struct{ Keys keys }
		Far  *slot
	}](), nil)
	s.Item("arena", reflect.TypeFor[arena](), nil)
	s.RPC("press", reflect.TypeFor[keys](), ids.ToServer, ids.Unreliable)
	if err := s.Freeze(60); err != nil {
		t.Error(err)
	}
}

// Freeze reports at most maxFaults mistakes, and how many more there are. Too many
// groups are one mistake.
func TestManyMistakes(t *testing.T) {
	s := NewSchema("test")
	for i := range 300 {
		s.Group(fmt.Sprint("group ", i))
	}
	for range 20 {
		s.Item("", reflect.TypeFor[arena](), nil)
	}
	lines := strings.Split(s.Freeze(60).Error(), "\n")
	if len(lines) != maxFaults+1 {
		t.Fatalf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	if n := strings.Count(strings.Join(lines, "\n"), "at most 64 groups"); n != 1 {
		t.Errorf("groups stand %d times", n)
	}
	if last := lines[maxFaults]; last != "and 12 more mistakes; mend these first" {
		t.Errorf("it ends with %q", last)
	}
	args := NewSchema("test")
	args.SetRef(reflect.TypeFor[entity]())
	args.RPC("a", reflect.TypeFor[struct {
		All []entity `rpl:"max=3,has=thing"`
		In  []struct {
			One entity `rpl:"has=thing"`
		} `rpl:"max=3"`
	}](), ids.ToServer, ids.Reliable)
	const want = ": has= is not for what is in a list or a map; remove it, and look in the handler at what each of them refers to"
	if err := args.Freeze(60); err == nil || err.Error() != "rpc a, field All"+want+"\nrpc a, field In[].One"+want {
		t.Errorf("has= in lists: %v", err)
	}
}

func TestFreezeOnce(t *testing.T) {
	s := NewSchema("test")
	s.Item("a", reflect.TypeFor[arena](), nil)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	if err := s.Freeze(60); err != nil {
		t.Error(err)
	}
	if err := s.Freeze(30); err == nil || err.Error() != "schema test is frozen at 60 ticks per second, not 30; use one rate for all sessions of it" {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a declaration after Freeze does not panic")
		}
	}()
	s.Group("late")
}
