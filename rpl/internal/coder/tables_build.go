package coder

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Building a model from a set of tables, on both ends. It uses only integers, so that
// both make the same. Where a set has no table, the more general one is used: a context
// has the table of its class, a class that of any update, and that is the default one.

// learned makes a table of code lengths whose escape leads to base. Without lengths it
// is now.
func learned(lens []uint8, base, now Table) Table {
	if lens == nil {
		return now
	}
	t, err := prefix.New(lens, base.T)
	if err != nil {
		panic(err) // sound where it was fitted, and checked where it was read
	}
	return newTable(t)
}

// plainTable makes a table of code lengths without an escape to another table.
func plainTable(lens []uint8) Table {
	t, err := prefix.New(lens, nil)
	if err != nil {
		panic(err) // as in learned
	}
	return newTable(t)
}

// Build makes the model of a set; d is the default model.
func (s *TableSet) Build(types []*rowtype.Type, d *Model) *Model {
	m := s.head(d)
	for i, t := range types {
		m.Rows = append(m.Rows, s.Rows[i].build(t, &d.Rows[i]))
	}
	return m
}

// head makes the model without its row types.
func (s *TableSet) head(d *Model) *Model {
	m := &Model{Number: s.Number, Entry: d.Entry, Set: s}
	m.Entry.nameBy(learned(s.gap, d.Entry.Gap, d.Entry.Gap))
	for i, lens := range s.present {
		m.Entry.Present[i] = learned(lens, d.Entry.Present[i], d.Entry.Present[i])
	}
	for i := range s.Rows {
		m.lined = m.lined || s.Rows[i].Lines != nil
	}
	return m
}

// build makes the tables of a row type; d are its default ones.
func (s *rowSet) build(t *rowtype.Type, d *rowModel) rowModel {
	r := rowModel{heading: s.Heading, angle: -1, lines: s.Lines, sources: s.sources, chunks: d.chunks, keyBase: append([]int32(nil), d.keyBase...)}
	if s.Lines != nil {
		r.chunks, r.still = chunksOf(t, s.Lines), stillOf(t, s.Lines)
	}
	if s.Heading.On {
		r.angle, r.aim, r.chunks = t.Heading, s.Heading.Aim(t), slices.Clone(r.chunks)
		c := &r.chunks[t.Heading/chunkLen]
		c.motions[t.Heading%chunkLen].Way = rowtype.ByHeading
		c.moving |= bitOf(t.Heading)
	}
	for w, has := range s.hasBase {
		if has {
			r.keyBase[w] = s.keyBase[w]
		}
	}
	var joint [shapes][]Table
	for k := range r.Shapes {
		r.Shapes[k], joint[k] = s.shapes[k].build(&d.Shapes[k], d.joint(k))
	}
	def := &d.Updates[0][0]
	any := s.any.build(def, &recordModel{Joint: joint[ShapeUpdate], Large: def.Large, Fractions: def.Fractions, fractionCodes: def.fractionCodes})
	r.ClassWord = s.classWord
	if s.classWord >= 0 {
		r.Updates = append(r.Updates, sameInAll(any))
	}
	for k := range s.updates {
		r.Updates = append(r.Updates, s.updates[k].build(def, &any))
	}
	r.Keys = s.keys.build(&d.Keys, &recordModel{Joint: joint[ShapeKey], Large: d.Keys.Large})
	return r
}

// sameInAll is an update model with the same tables in all contexts.
func sameInAll(u recordModel) (m updateModel) {
	for c := range m {
		m[c] = u
	}
	return m
}

// build makes the tables of the contexts of one class, or of any; now is used where the
// set has none.
func (s *updateSet) build(def, now *recordModel) (m updateModel) {
	all := s.all.build(def, now)
	for c := range m {
		m[c] = s.contexts[c].build(def, &all)
	}
	return m
}

// joint returns the joint tables of a shape.
func (m *rowModel) joint(shape int) []Table {
	if shape == ShapeKey {
		return m.Keys.Joint
	}
	return m.Updates[0][0].Joint
}

// build makes the shape of a set, and the joint tables of its chunks.
func (s *shapeSet) build(d *shapeModel, now []Table) (m shapeModel, joint []Table) {
	if s.made != nil {
		return *s.made, s.joint
	}
	m = shapeModel{Chunks: append([]*chunkModel(nil), d.Chunks...), Quads: append([][2]Table(nil), d.Quads...)}
	joint = append([]Table(nil), now...)
	for c := range s.chunks {
		set := &s.chunks[c]
		if set.patterns == nil {
			continue
		}
		m.Chunks[c], joint[c] = newChunk(set.patterns), plainTable(set.joint)
		for q := range set.quads {
			for prev, lens := range set.quads[q] {
				def := d.Quads[c*chunkQuads+q][prev]
				m.Quads[c*chunkQuads+q][prev] = learned(lens, def, def)
			}
		}
	}
	s.made, s.joint = &m, joint
	return m, joint
}

// build makes the tables of a context. def is where escapes lead; now is used where the
// set has none.
func (s *recordSet) build(def, now *recordModel) recordModel {
	if s.large == nil {
		return *now
	}
	if s.made != nil {
		return *s.made
	}
	u := recordModel{
		Joint: append([]Table(nil), now.Joint...), Large: append([]Table(nil), now.Large...),
		Fractions: append([][stateValues]Table(nil), now.Fractions...),
	}
	for c, lens := range s.joint {
		if lens != nil {
			u.Joint[c] = plainTable(lens)
		}
	}
	for w, lens := range s.large {
		u.Large[w] = learned(lens, def.Large[w], u.Large[w])
	}
	for w := range s.fractions {
		for k, lens := range s.fractions[w] {
			u.Fractions[w][k] = learned(lens, def.Fractions[w][k], u.Fractions[w][k])
		}
	}
	u.coded()
	s.made = &u
	return u
}
