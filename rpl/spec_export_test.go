package rpl

import (
	"strings"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// What the test of docs/spec-schema.md looks at, for a schema of one row type.

// SpecTable is a default table by the name that the page gives it, and the number
// behind that.
func (s *Schema) SpecTable(name string, k int) *prefix.Table {
	m := s.coding().defaults
	e, r := &m.entry, &m.rows[0]
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

// SpecPattern is the pattern of a symbol of the first chunk.
func (s *Schema) SpecPattern(symbol int, key bool) uint32 {
	shape := shapeUpdate
	if key {
		shape = shapeKey
	}
	return s.coding().defaults.rows[0].shapes[shape].chunks[0].patterns[symbol-1]
}

// SpecRow is the words of a node's one row as they were received, its phases behind
// them.
func (c *Proxy) SpecRow(n Node) []int32 { return c.rows.received(c.byNode[n].rows.first) }
