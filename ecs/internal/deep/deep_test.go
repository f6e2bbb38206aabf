package deep

import (
	"reflect"
	"testing"
	"unsafe"
)

type inner struct {
	Names []string
	n     int
}

type thing struct {
	X      float64
	list   []int
	Table  map[string][]int
	Inners []inner
	Pair   [2]inner
	at     *int
}

func made() thing {
	n := 7
	return thing{1, []int{1, 2}, map[string][]int{"a": {3}}, []inner{{[]string{"b"}, 4}}, [2]inner{{[]string{"c"}, 5}, {}}, &n}
}

// What was kept stays as it was, whatever becomes of the original, and comes back whole.
func TestKeep(t *testing.T) {
	p := Of(reflect.TypeFor[thing]())
	live, want := made(), made()
	var kept thing
	p.Keep(unsafe.Pointer(&kept), unsafe.Pointer(&live))
	want.at = live.at
	if !reflect.DeepEqual(kept, want) {
		t.Fatalf("kept %+v, not %+v", kept, want)
	}
	shared := live.list // somebody else looks at it
	live.X, live.list[0], live.Table["a"][0], live.Inners[0].Names[0], live.Pair[0].Names[0] = 9, 9, 9, "9", "9"
	live.Table["z"] = nil
	if !reflect.DeepEqual(kept, want) {
		t.Errorf("with its original it has become %+v", kept)
	}
	p.PutBack(unsafe.Pointer(&live), unsafe.Pointer(&kept))
	if !reflect.DeepEqual(live, want) {
		t.Errorf("put back it is %+v", live)
	}
	if shared[0] != 9 {
		t.Error("a list that others look at has changed")
	}
	live.list[1]++
	if kept.list[1] != 2 {
		t.Error("what is put back shares a list with what was kept")
	}
}

// Nothing is allocated for a list that stays as long as it is, and a type without lists has no
// plan.
func TestKeepAllocatesNothing(t *testing.T) {
	type path struct {
		X    float64
		Path []int32
	}
	p := Of(reflect.TypeFor[path]())
	live, kept := path{1, make([]int32, 20)}, path{}
	p.Keep(unsafe.Pointer(&kept), unsafe.Pointer(&live))
	if n := testing.AllocsPerRun(100, func() {
		p.Keep(unsafe.Pointer(&kept), unsafe.Pointer(&live))
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if Of(reflect.TypeFor[struct {
		X [4]float64
		S string
	}]()) != nil {
		t.Error("a type without lists has a plan")
	}
}
