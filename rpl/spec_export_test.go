package rpl

import (
	"strings"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Access for the tests of docs/spec-schema.md, for schemas with one row type.

// SpecModel has the default tables of a schema, or learned ones.
type SpecModel struct{ m *model }

// SpecDefaults returns the default tables.
func (s *Schema) SpecDefaults() SpecModel { return SpecModel{s.coding().defaults} }

// SpecLearned returns the tables that a reliable message ships.
func (s *Schema) SpecLearned(message []byte) (SpecModel, error) {
	c := s.coding()
	set, err := parseTables(message[1:], c.types, c.defaults)
	if err != nil {
		return SpecModel{}, err
	}
	return SpecModel{set.build(c.types, c.defaults)}, nil
}

// Table returns a table by the name and the number that the page gives it, or nil. Of
// updates it is that of any kind in context 0.
func (sm SpecModel) Table(name string, k int) *prefix.Table {
	e, r := &sm.m.entry, &sm.m.rows[0]
	u := &r.updates[0][0]
	if t := map[string]*table{
		"form": &e.form, "back": &e.back, "delta": &e.delta, "gap": &e.gap, "far": &e.far, "length": &e.length,
		"handle": &e.handle, "id": &e.id, "tenant": &e.tenant, "layout": &e.layout, "base age": &e.baseAge,
		"run": &e.run, "row": &e.row, "owner": &e.owner, "remove": &e.remove, "arrive": &e.arrive,
	}[name]; t != nil {
		return t.t
	}
	rec, shape := u, &r.shapes[shapeUpdate]
	if strings.HasSuffix(name, "keyframes") {
		rec, shape = &r.keys, &r.shapes[shapeKey]
	}
	switch name, _, _ = strings.Cut(name, " of"); name {
	case "told":
		return e.told[k-1].t
	case "joint":
		return rec.joint[k].t
	case "large":
		return rec.large[k].t
	case "state":
		return shape.states[k/2][k%2].t
	case "phase":
		return u.phases[0][k].t
	}
	return nil
}

// Pattern returns the pattern of a symbol of the first chunk.
func (sm SpecModel) Pattern(symbol int, key bool) uint32 {
	shape := shapeUpdate
	if key {
		shape = shapeKey
	}
	return sm.m.rows[0].shapes[shape].chunks[0].patterns[symbol-1]
}

// SpecRow returns the words of a node's first row as they were received, followed by
// its phases.
func (c *Proxy) SpecRow(n Node) []int32 { return c.rows.received(c.byNode[n].rows.first) }
