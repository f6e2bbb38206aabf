package rpl_test

import (
	"encoding/hex"
	"os"
	"reflect"
	"regexp"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// specValues has a field for each kind of value in the table of docs/spec-schema.md.
type specValues struct {
	Text string          `rpl:"max=12"`
	List []uint16        `rpl:"max=5"`
	Map  map[int32]uint8 `rpl:"max=3"`
}

// The page's examples of variable-length values have the bytes that the code writes,
// whole and as deltas, and the deltas are decoded unchanged.
func TestSpecValues(t *testing.T) {
	page, err := os.ReadFile("../docs/spec-schema.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| (.*): .* \\| `([0-9a-f?]+)` \\| .* \\| `([0-9a-f?]+)` \\|$").FindAllStringSubmatch(string(page), -1)
	s := rpl.NewSchema("values")
	it := s.Item("values", reflect.TypeFor[specValues](), nil)
	if err := s.Freeze(20); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		field    int
		now, was specValues
	}{
		{0, specValues{Text: "coals"}, specValues{Text: "coal"}},
		{0, specValues{Text: "Hello World!"}, specValues{Text: "hello world!"}},
		{1, specValues{List: []uint16{7, 300}}, specValues{List: []uint16{7}}},
		{1, specValues{List: []uint16{8, 300, 7}}, specValues{List: []uint16{7, 300}}},
		{2, specValues{Map: map[int32]uint8{-1: 9, 4: 2}}, specValues{Map: map[int32]uint8{4: 1}}},
	}
	if len(rows) != len(tests) {
		t.Fatalf("%d values on the page, not %d", len(rows), len(tests))
	}
	of := func(v *specValues) []any {
		vars := make([]any, len(it.Vars))
		it.Extract(unsafe.Pointer(v), make([]int32, len(it.Words)), vars, nil)
		return vars
	}
	for i := range tests {
		x := &tests[i]
		typ, now, was := it.Vars[x.field].Type, of(&x.now)[x.field], of(&x.was)[x.field]
		whole, delta := typ.Append(nil, now), typ.AppendDelta(nil, was, now)
		if got := hex.EncodeToString(whole); got != rows[i][2] {
			t.Errorf("%s is %s, the page says %s", rows[i][1], got, rows[i][2])
		}
		if got := hex.EncodeToString(delta); got != rows[i][3] {
			t.Errorf("%s differs by %s, the page says %s", rows[i][1], got, rows[i][3])
		}
		if v, err := typ.ParseDelta(delta, was); err != nil || !typ.Equal(v, now) {
			t.Errorf("%s: the difference is read as %v, %v", rows[i][1], v, err)
		}
	}
}
