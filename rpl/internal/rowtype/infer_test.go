package rowtype

import (
	"reflect"
	"testing"

	"github.com/tendonengine/tendon/rpl/schema"
)

// Which words have an inferred velocity: places, what is interpolated, and what may count.
func TestWordsWithInferredVelocities(t *testing.T) {
	type item struct {
		Place  struct{ X, Y float32 } `rpl:"pos,step=1/8"`
		Drawn  float32                `rpl:"interp,step=1/8,min=-10,max=10"`
		Clock  uint32                 `rpl:""`
		Long   int64                  `rpl:""`
		Timer  float32                `rpl:"step=1/100,min=0,max=1000"`
		Way    float32                `rpl:"step=1/8,predict=Speed"`
		Speed  float32                `rpl:"step=1/100"`
		HP     int16                  `rpl:""`
		Ammo   uint16                 `rpl:""`
		Few    int32                  `rpl:"min=0,max=1000"`
		Bits   float64                `rpl:""`
		Turned float32                `rpl:"angle,bits=16"`
		Seed   uint32                 `rpl:"once"`
	}
	s := schema.NewSchema("counts")
	s.Item("item", reflect.TypeFor[item](), nil)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	types, _ := TypesOf(s)
	typ := types[0]
	counts := map[string]int{}
	for _, i := range typ.Inferred {
		name := typ.Item.Props[typ.Words[i].Prop].Name
		if counts[name]++; typ.Moves(i) != (name == "Place" || name == "Drawn") {
			t.Errorf("%s: moves %v", name, typ.Moves(i))
		}
	}
	want := map[string]int{"Place": 2, "Drawn": 1, "Clock": 1, "Long": 1, "Timer": 1}
	if !reflect.DeepEqual(counts, want) {
		t.Errorf("velocities are inferred for %v, not for %v", counts, want)
	}
}

// An inferred velocity of whole steps leaves no fraction, a declared one does.
func TestWholeStepsHaveNoFraction(t *testing.T) {
	for _, x := range []struct {
		fraction uint8
		v        int32
		none     bool
	}{{0, 0, true}, {0, 64, false}, {32 - InferBits, 0, true}, {32 - InferBits, 64, true}, {32 - InferBits, -128, true}, {32 - InferBits, 65, false}} {
		if c := (Motion{FractionShift: x.fraction}); c.IsWhole(x.v) != x.none {
			t.Errorf("fraction %d, velocity %d: %v", x.fraction, x.v, !x.none)
		}
	}
}
