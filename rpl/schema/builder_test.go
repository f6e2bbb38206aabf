package schema

import (
	"math"
	"reflect"
	"testing"
)

// TestBuilderIsTags checks that the builder and tags make the same tables.
func TestBuilderIsTags(t *testing.T) {
	type tagged struct {
		Alive bool    `rpl:""`
		Kind  uint8   `rpl:"max=3"`
		X     int32   `rpl:"pos,interp,predict=VX"`
		Y     int32   `rpl:"pos,interp,predict=VY"`
		Angle float64 `rpl:"angle=4096,step=1"`
		VX    int32   `rpl:""`
		VY    int32   `rpl:""`
		HP    int16   `rpl:"min=-5,max=100,to=owner,notify"`
	}
	s := NewSchema("test")
	built := s.Build("built").Bool("Alive").Int("Kind", 0, 3).Word("X").Word("Y").Angle("Angle", 0, 4095).
		Word("VX").Word("VY").Int("HP", -5, 100).Tag("HP", "to=owner,notify").Tag("X", "interp").Tag("Y", "interp").
		Pos("X", "Y").Predict("X", "VX", true).Predict("Y", "VY", true).Done()
	it := s.Item("tagged", reflect.TypeFor[tagged](), nil)
	if err := s.Freeze(60); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(built.Words, it.Words) {
		t.Errorf("words\n%+v, want\n%+v", built.Words, it.Words)
	}
	if !reflect.DeepEqual(built.Parts, it.Parts) {
		t.Errorf("parts %+v, want %+v", built.Parts, it.Parts)
	}
	if built.Pos != it.Pos || built.PosStep != it.PosStep {
		t.Errorf("pos %v %v, want %v %v", built.Pos, built.PosStep, it.Pos, it.PosStep)
	}
	for i := range built.Props {
		b, w := built.Props[i], it.Props[i]
		if b.Name != w.Name || b.Kind != w.Kind || b.Audience != w.Audience || b.Notify != w.Notify || b.Words != w.Words || b.Step != w.Step || b.Interp != w.Interp {
			if b.Name != "Angle" {
				t.Errorf("prop %+v, want %+v", b, w)
			}
		}
	}
	if built.Size != 0 || built.ShadowSize != 0 {
		t.Error("a built item has a struct")
	}
}

func TestBuilderMistakes(t *testing.T) {
	tests := []struct {
		name  string
		build func(b *ItemBuilder)
		want  string
	}{
		{"empty", func(b *ItemBuilder) {}, "component thing: it has no fields; add one"},
		{"upside down", func(b *ItemBuilder) { b.Int("a", 3, 2) }, "component thing, field a: min 3 is above max 2; swap them"},
		{"twice", func(b *ItemBuilder) { b.Word("a").Bool("a") }, "component thing, field a: the name is added twice; rename one"},
		{"too early", func(b *ItemBuilder) { b.Word("a").Predict("b", "a", true) }, "component thing: field b is not added yet; add it before saying more of it"},
		{"no velocity", func(b *ItemBuilder) { b.Word("a").Predict("a", "v", true) }, "component thing, field a: predict=v is no replicated field; tag that field or correct the name (item.Field for another component's)"},
		{"no position", func(b *ItemBuilder) { b.Word("a").Pos("a", "b") }, "component thing: Pos names b, which is no field; correct the name"},
		{"bounds in a tag", func(b *ItemBuilder) { b.Word("a").Tag("a", "max=3") }, "component thing, field a: max is not for a built field's tag; the builder's calls say it"},
		{"step", func(b *ItemBuilder) { b.Word("a").Step("a", math.NaN()) }, "component thing, field a: a step of NaN is not above zero"},
		{"wide angle", func(b *ItemBuilder) { b.Angle("a", math.MinInt32, math.MaxInt32) }, "component thing, field a: an angle has at most 2³¹ values; narrow it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSchema("test")
			tt.build(s.Build("thing"))
			if err := s.Freeze(60); err == nil || err.Error() != tt.want {
				t.Errorf("%q, want %q", err, tt.want)
			}
		})
	}
}

// What the tables depend on is in the hash: two ends that differ in it must not meet.
func TestBuilderHash(t *testing.T) {
	hash := func(more func(b *ItemBuilder)) uint64 {
		s := NewSchema("test")
		b := s.Build("thing").Int("x", -9, 9).Int("y", -9, 9).Int("v", -9, 9).Angle("dir", 0, 9).Predict("x", "v", true)
		more(b)
		if err := s.Freeze(60); err != nil {
			t.Fatal(err)
		}
		return s.Hash()
	}
	seen := map[uint64]string{}
	for _, tt := range []struct {
		name string
		more func(b *ItemBuilder)
	}{
		{"nothing more", func(*ItemBuilder) {}},
		{"Pos", func(b *ItemBuilder) { b.Pos("x", "y") }},
		{"Pos of others", func(b *ItemBuilder) { b.Pos("y", "v") }},
		{"Step", func(b *ItemBuilder) { b.Step("v", 0.1) }},
		{"another Step", func(b *ItemBuilder) { b.Step("v", 0.25) }},
		{"Step of another", func(b *ItemBuilder) { b.Step("x", 0.25) }},
		{"per tick", func(b *ItemBuilder) { b.Predict("x", "v", false) }},
	} {
		h := hash(tt.more)
		if was := seen[h]; was != "" {
			t.Errorf("with %s and with %s the hash is the same", was, tt.name)
		}
		seen[h] = tt.name
	}
}
