package rpl

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Building a model from a set of tables, on both ends. It uses only integers, so that
// both make the same. Where a set has no table, the more general one is used: a context
// has the table of its kind, a kind that of any update, and that is the default one.

// learned makes a table of code lengths whose escape leads to base. Without lengths it
// is now.
func learned(lens []uint8, base, now table) table {
	if lens == nil {
		return now
	}
	t, err := prefix.New(lens, base.t)
	if err != nil {
		panic(err) // sound where it was fitted, and checked where it was read
	}
	return newTable(t)
}

// plainTable makes a table of code lengths without an escape to another table.
func plainTable(lens []uint8) table {
	t, err := prefix.New(lens, nil)
	if err != nil {
		panic(err) // as in learned
	}
	return newTable(t)
}

// build makes the model of a set; d is the default model.
func (s *tableSet) build(types []*rowType, d *model) *model {
	m := s.head(d)
	for i, t := range types {
		m.rows = append(m.rows, s.rows[i].build(t, &d.rows[i]))
	}
	return m
}

// head makes the model without its row types.
func (s *tableSet) head(d *model) *model {
	m := &model{number: s.number, entry: d.entry}
	m.entry.nameBy(learned(s.gap, d.entry.gap, d.entry.gap))
	return m
}

// build makes the tables of a row type; d are its default ones.
func (s *rowSet) build(t *rowType, d *rowModel) rowModel {
	r := rowModel{heading: s.heading, angle: -1, chunks: t.chunks, keyBase: append([]int32(nil), d.keyBase...)}
	if s.heading.on {
		r.angle, r.aim, r.chunks = t.heading, s.heading.aim(t), slices.Clone(t.chunks)
		c := &r.chunks[t.heading/chunkLen]
		c.courses[t.heading%chunkLen].way = byHeading
		c.moving |= bitOf(t.heading)
	}
	for w, has := range s.hasBase {
		if has {
			r.keyBase[w] = s.keyBase[w]
		}
	}
	var joint [shapes][]table
	for k := range r.shapes {
		r.shapes[k], joint[k] = s.shapes[k].build(&d.shapes[k], d.joint(k))
	}
	def := &d.updates[0][0]
	any := s.any.build(def, &recordModel{joint: joint[shapeUpdate], large: def.large, phases: def.phases, phaseCodes: def.phaseCodes})
	r.kind = s.kind
	if s.kind >= 0 {
		r.updates = append(r.updates, sameInAll(any))
	}
	for k := range s.updates {
		r.updates = append(r.updates, s.updates[k].build(def, &any))
	}
	r.keys = s.keys.build(&d.keys, &recordModel{joint: joint[shapeKey], large: d.keys.large})
	return r
}

// sameInAll is an update model with the same tables in all contexts.
func sameInAll(u recordModel) (m updateModel) {
	for c := range m {
		m[c] = u
	}
	return m
}

// build makes the tables of the contexts of one kind, or of any; now is used where the
// set has none.
func (s *updateSet) build(def, now *recordModel) (m updateModel) {
	all := s.all.build(def, now)
	for c := range m {
		m[c] = s.contexts[c].build(def, &all)
	}
	return m
}

// joint returns the joint tables of a shape.
func (m *rowModel) joint(shape int) []table {
	if shape == shapeKey {
		return m.keys.joint
	}
	return m.updates[0][0].joint
}

// build makes the shape of a set, and the joint tables of its chunks.
func (s *shapeSet) build(d *shapeModel, now []table) (m shapeModel, joint []table) {
	m = shapeModel{chunks: append([]*chunkModel(nil), d.chunks...), states: append([][2]table(nil), d.states...)}
	joint = append([]table(nil), now...)
	for c := range s.chunks {
		set := &s.chunks[c]
		if set.patterns == nil {
			continue
		}
		m.chunks[c], joint[c] = newChunk(set.patterns), plainTable(set.joint)
		for w := range set.states {
			for prev := range 2 {
				m.states[c*chunkLen+w][prev] = plainTable(set.states[w][prev][:])
			}
		}
	}
	m.looked()
	return m, joint
}

// build makes the tables of a context. def is where escapes lead; now is used where the
// set has none.
func (s *recordSet) build(def, now *recordModel) recordModel {
	if s.large == nil {
		return *now
	}
	u := recordModel{
		joint: append([]table(nil), now.joint...), large: append([]table(nil), now.large...),
		phases: append([][stateKinds]table(nil), now.phases...),
	}
	for c, lens := range s.joint {
		if lens != nil {
			u.joint[c] = plainTable(lens)
		}
	}
	for w, lens := range s.large {
		u.large[w] = learned(lens, def.large[w], u.large[w])
	}
	for w := range s.phases {
		for k, lens := range s.phases[w] {
			u.phases[w][k] = learned(lens, def.phases[w][k], u.phases[w][k])
		}
	}
	u.coded()
	return u
}
