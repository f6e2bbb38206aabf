package schema

import (
	"reflect"
	"testing"
	"unsafe"
)

// TestOptAbsent checks that the content of an absent Opt is not sent, which props an
// Opt makes, and its methods.
func TestOptAbsent(t *testing.T) {
	type guard struct {
		Shield Opt[float64] `rpl:"step=1,interp,notify"`
		Gear   Opt[chest]   `rpl:""`
	}
	it := freezeItem(t, guard{}, nil)
	none, noneVars := extract(it, &guard{}, nil)
	full := guard{Shield: Some(5.0), Gear: Some(chest{Name: "box", Slots: slots(1)})}
	words, vars := extract(it, &full, nil)
	if reflect.DeepEqual(none, words) {
		t.Fatal("present is absent")
	}
	full.Shield.ok, full.Gear.ok = false, false
	it.Extract(unsafe.Pointer(&full), words, vars, nil)
	if !reflect.DeepEqual(none, words) || !it.Vars[0].Type.Equal(vars[0], noneVars[0]) || !it.Vars[1].Type.Equal(vars[1], noneVars[1]) {
		t.Errorf("absent is %v %v, want %v %v", words, vars, none, noneVars)
	}
	for i, want := range []Prop{
		{Name: "Shield", Kind: "optional", Notify: true, Present: -1},
		{Name: "Shield.value", Kind: "float", Notify: true, Interp: true, Present: 0},
		{Name: "Gear", Kind: "optional", Present: -1},
		{Name: "Gear.Name", Kind: "string", Present: 2},
	} {
		got := it.Props[i]
		if got.Name != want.Name || got.Kind != want.Kind || got.Notify != want.Notify || got.Interp != want.Interp || got.Present != want.Present {
			t.Errorf("prop %d is %+v, want %+v", i, got, want)
		}
	}
	var o Opt[int]
	if _, ok := o.Get(); ok || o.Has() {
		t.Error("the zero Opt has a value")
	}
	o.Set(3)
	if v, ok := o.Get(); v != 3 || !ok {
		t.Error("Set is not got")
	}
	o.Clear()
	if v, ok := o.Get(); v != 0 || ok {
		t.Error("Clear leaves a value")
	}
}
