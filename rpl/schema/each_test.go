package schema

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// TestEach checks what each= bounds: strings and lists that are in a list or a map, and string
// keys together with the values beside them; what it is without each=; and the largest field.
func TestEach(t *testing.T) {
	type shelves struct {
		Map   map[string]string `rpl:"max=3,each=5"`
		Texts map[int]string    `rpl:"max=3,each=5"`
		Lists [][]int8          `rpl:"max=3,each=2"`
		Bytes [][]byte          `rpl:"max=3,each=2"`
		Long  map[string]string `rpl:"max=3"`
		Many  [][]int8          `rpl:"max=3"`
	}
	it := freezeItem(t, shelves{}, nil)
	long, many := strings.Repeat("x", 100), make([]int8, 100)
	words, vars := extract(it, &shelves{
		Map: map[string]string{"longer": "gone", "fit": "is cut"}, Texts: map[int]string{1: "is cut"},
		Lists: [][]int8{{1, 2, 3}}, Bytes: [][]byte{{1, 2, 3}},
		Long: map[string]string{long: "gone", "fit": long}, Many: [][]int8{many},
	}, nil)
	var got shelves
	it.Inject(unsafe.Pointer(&got), words, vars, nil)
	want := shelves{
		Map: map[string]string{"fit": "is cu"}, Texts: map[int]string{1: "is cu"},
		Lists: [][]int8{{1, 2}}, Bytes: [][]byte{{1, 2}},
		Long: map[string]string{"fit": long[:64]}, Many: [][]int8{many[:64]},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	type row struct{ A, B int }
	for most, want := range map[string]string{
		"3276": "",
		"3277": "component thing, field L: its largest value takes 65541 bytes; at most 65536: lower max= or each=",
	} {
		checkRefused(t, reflect.TypeFor[struct{ L []row }](), Tags{"L": "max=" + most, "L.A": "", "L.B": ""}, want)
	}
}
