package schema

import (
	"math"
	"math/big"
	"slices"
)

// An ItemBuilder declares an item of words alone, without a Go type: for
// traces and tools, which feed words directly. Each call adds a prop or says
// more about one. Beside tags, it is the other front end of the same tables.
type ItemBuilder struct {
	s    *Schema
	item *ItemType
	defs []wordDef
	pos  [2]string
}

// A wordDef is one prop of a built item.
type wordDef struct {
	name     string
	kind     string
	min, max int32
	wrap     bool
	step     float64
	tag      string
	velocity string
	perTick  bool
}

// Build starts an item of words alone.
func (s *Schema) Build(name string) *ItemBuilder {
	s.declare("component", name)
	b := &ItemBuilder{s: s, item: &ItemType{Name: name}}
	s.items = append(s.items, b.item)
	s.sources[b.item] = source{builder: b}
	return b
}

// Int adds an integer that is always in min … max.
func (b *ItemBuilder) Int(name string, min, max int32) *ItemBuilder {
	b.defs = append(b.defs, wordDef{name: name, kind: "int", min: min, max: max, step: 1})
	return b
}

// Word adds a number of 32 bits without bounds.
func (b *ItemBuilder) Word(name string) *ItemBuilder {
	return b.Int(name, math.MinInt32, math.MaxInt32)
}

// Bool adds 0 or 1.
func (b *ItemBuilder) Bool(name string) *ItemBuilder {
	b.defs = append(b.defs, wordDef{name: name, kind: "bool", max: 1, step: 1})
	return b
}

// Angle adds a number that wraps: max+1 means min.
func (b *ItemBuilder) Angle(name string, min, max int32) *ItemBuilder {
	b.defs = append(b.defs, wordDef{name: name, kind: "angle", min: min, max: max, wrap: true, step: 1})
	return b
}

// Step gives a prop a unit: its value is word × step. The default is 1.
func (b *ItemBuilder) Step(name string, step float64) *ItemBuilder {
	if d := b.def(name); d != nil {
		if !(step > 0) || math.IsInf(step, 0) {
			b.s.faults.add("component %s, field %s: a step of %g is not above zero", b.item.Name, name, step)
			return b
		}
		d.step = step
	}
	return b
}

// Tag adds to a prop what a tag may say: to=, if=, once, notify, explicit, interp, tol=.
func (b *ItemBuilder) Tag(name, tag string) *ItemBuilder {
	if d := b.def(name); d != nil {
		d.tag = tag
	}
	return b
}

// Pos makes two props the node's position; x must be added before y.
func (b *ItemBuilder) Pos(x, y string) *ItemBuilder {
	b.pos = [2]string{x, y}
	return b
}

// Predict makes another prop the velocity of this one: how much it grows per second or,
// if perSecond is false, per tick.
func (b *ItemBuilder) Predict(name, velocity string, perSecond bool) *ItemBuilder {
	if d := b.def(name); d != nil {
		d.velocity, d.perTick = velocity, !perSecond
	}
	return b
}

// Reckoned says that a Reckoner moves the item.
func (b *ItemBuilder) Reckoned() *ItemBuilder {
	b.item.Reckoned = true
	return b
}

// Done returns the item; its tables are there after Freeze.
func (b *ItemBuilder) Done() *ItemType { return b.item }

// def finds a prop that has been added; nil, and a fault, if there is none.
func (b *ItemBuilder) def(name string) *wordDef {
	for i := range b.defs {
		if b.defs[i].name == name {
			return &b.defs[i]
		}
	}
	b.s.faults.add("component %s: field %s is not added yet; add it before saying more of it", b.item.Name, name)
	return nil
}

// compile makes the item's tables; it is called by Freeze.
func (b *ItemBuilder) compile(s *Schema, it *ItemType) {
	owner := "component " + it.Name
	w := &walker{s: s, owner: owner, faults: &s.faults}
	for i := range b.defs {
		b.defs[i].compile(w)
	}
	b.placePos(w)
	if len(b.defs) == 0 {
		s.faults.add("%s: it has no fields; add one", owner)
	}
	it.Explicit = w.explicit
	it.take(w.lay)
	s.checkSize(owner, &it.Layout)
}

// placePos marks the props that Pos names.
func (b *ItemBuilder) placePos(w *walker) {
	if b.pos == [2]string{} {
		return
	}
	var at [2]int
	for i, name := range b.pos {
		at[i] = slices.IndexFunc(w.lay.props, func(p Prop) bool { return p.Name == name })
		if at[i] < 0 {
			w.faults.add("%s: Pos names %s, which is no field; correct the name", w.owner, name)
			return
		}
	}
	if at[0] >= at[1] {
		w.faults.add("%s: Pos names %s before %s, which is not their order; add x first", w.owner, b.pos[0], b.pos[1])
		return
	}
	for _, i := range at {
		tg := &w.lay.drafts[i].tag
		tg.has |= tagPos
		w.lay.props[i].Tag = tg.String() // which the hash covers
	}
}

// compile adds the prop to the tables, or faults it.
func (d *wordDef) compile(w *walker) {
	tg, err := parseTag(d.tag)
	const allowed = tagsAny | tagInterp | tagInPlace | tagTol
	switch {
	case err != nil:
		w.fault(d.name, "%v", err)
		return
	case d.name == "":
		w.fault("", "a field has no name; give it one")
		return
	case d.min > d.max:
		w.fault(d.name, "min %d is above max %d; swap them", d.min, d.max)
		return
	case d.wrap && int64(d.max)-int64(d.min) > math.MaxInt32:
		w.fault(d.name, "an angle has at most 2³¹ values; narrow it")
		return
	}
	for i := range w.lay.props {
		if w.lay.props[i].Name == d.name {
			w.fault(d.name, "the name is added twice; rename one")
			return
		}
	}
	if !w.allow(d.name, tg, allowed, "a built field's tag; the builder's calls say it") {
		return
	}
	w.explicit = w.explicit || tg.has&tagExplicit != 0
	tg.predict, tg.perTick = d.velocity, d.perTick
	if d.velocity != "" {
		tg.has |= tagPredict
	}
	if d.step != 1 { // rates depend on it, so the hash must, too
		tg.has |= tagStep
		tg.step = new(big.Rat).SetFloat64(d.step)
	}
	word := Word{Min: d.min, Max: d.max, Wrap: d.wrap, Velocity: -1, Default: min(max(0, d.min), d.max)}
	p := Prop{Name: d.name, Kind: d.kind, If: -1, Step: d.step}
	w.words(new(op), p, tg, []Word{word}, propDraft{steps: []float64{d.step}, angle: d.wrap}) // no op: there is no struct
}
