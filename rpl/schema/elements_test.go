package schema

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// What elements of lists and maps cannot have is refused in the same words wherever it stands,
// and what the error says to do instead is accepted: a remedy that is refused in its turn sends
// a reader in a circle.
func TestWordsOfElements(t *testing.T) {
	const (
		array = "hold as many as there are at most in an array, or each in a node of its own"
		whole = "put it on the field of the component, for all that is in it"
		place = "remove it: a node has one place, which is a field of a component"
		press = "make the bool a field of the command itself"
	)
	type row[T any] struct{ V T }
	type list[T any] struct{ L []T }
	type maps[T any] struct{ L map[int]T }
	for _, tt := range []struct {
		word   string
		in     any
		remedy string
	}{
		{"interp", list[vec]{}, array},
		{"interp", maps[float64]{}, array},
		{"interp=step", list[float64]{}, array},
		{"tol=2", list[vec]{}, array},
		{"predict=V", list[vec]{}, array},
		{"pos", list[vec]{}, place},
		{"edge", list[bool]{}, press},
		{"interp", list[row[vec]]{}, array},
		{"pos", list[row[vec]]{}, place},
		{"to=owner", list[row[vec]]{}, whole},
		{"if=B", maps[row[vec]]{}, whole},
		{"once", maps[row[vec]]{}, whole},
		{"notify", list[row[vec]]{}, whole},
	} {
		typ := reflect.TypeOf(tt.in)
		inside := typ.Field(0).Type.Elem()
		tags, path := Tags{"L": "max=3,step=1," + tt.word}, "L"
		if tt.word == "edge" {
			tags["L"] = "max=3,edge"
		}
		if inside.Kind() == reflect.Struct && inside != reflect.TypeFor[vec]() {
			tags, path = Tags{"L": "max=3", "L.V": "step=1," + tt.word}, "L[].V"
		}
		word, _, _ := strings.Cut(tt.word, "=")
		checkRefused(t, typ, tags, fmt.Sprintf("component thing, field %s: %s is not for what is in a list or a map; %s", path, word, tt.remedy))
	}
	for _, good := range []struct {
		typ  any
		tags Tags
	}{
		{struct{ A, V [3]vec }{}, Tags{"A": "step=1,interp,tol=2,predict=V", "V": "step=1"}},
		{struct{ A [3]row[vec] }{}, Tags{"A": "", "A.V": "step=1,interp=step"}},
		{list[row[vec]]{}, Tags{"L": "max=3,to=owner,once,notify", "L.V": "step=1"}},
		{list[row[float64]]{}, Tags{"L": "max=3", "L.V": "min=0,max=3,step=1"}},
	} {
		checkRefused(t, reflect.TypeOf(good.typ), good.tags, "")
	}
	checkRefused(t, reflect.TypeFor[list[float64]](), Tags{"L": "max=3,min=0,step=1"}, "component thing, field L: min is not for a list; make its elements structs, and put it on their fields")
	checkRefused(t, reflect.TypeFor[list[string]](), Tags{"L": "max=3,min=0"}, "component thing, field L: min is not for a list; remove it")

	s := NewSchema("test")
	s.RPC("a", reflect.TypeFor[struct {
		L []vec `rpl:"max=3,step=1,interp"`
		M []struct {
			B bool `rpl:"edge"`
		} `rpl:"max=3"`
		O Opt[bool] `rpl:"edge"`
	}](), ids.ToServer, ids.Reliable)
	want := "rpc a, field L: interp is for fields of components, not of arguments and of elements; remove it\n" +
		"rpc a, field M[].B: edge is not for what is in a list or a map; " + press + "\n" +
		"rpc a, field O: edge is not for what may be absent; make it a bool, which is false without a press"
	if err := s.Freeze(60); err == nil || err.Error() != want {
		t.Errorf("of a call: %q, want %q", err, want)
	}
}

// checkRefused checks the error of a component's type with tags, "" for none.
func checkRefused(t *testing.T, typ reflect.Type, tags Tags, want string) {
	t.Helper()
	s := NewSchema("test")
	s.Item("thing", typ, tags)
	got := ""
	if err := s.Freeze(60); err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("%v with %v: %q, want %q", typ, tags, got, want)
	}
}
