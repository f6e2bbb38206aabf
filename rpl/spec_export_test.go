package rpl

import (
	"strings"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Access for the tests of docs/spec-schema.md, for schemas with one row type.

// SpecModel has the default tables of a schema, or learned ones.
type SpecModel struct{ m *coder.Model }

// SpecDefaults returns the default tables.
func SpecDefaults(s *schema.Schema) SpecModel { return SpecModel{coder.CodingOf(s).Defaults} }

// SpecLearned returns the tables that a reliable message ships.
func SpecLearned(s *schema.Schema, message []byte) (SpecModel, error) {
	c := coder.CodingOf(s)
	set, err := coder.ParseTables(message[1:], c.Types, c.Defaults, nil)
	if err != nil {
		return SpecModel{}, err
	}
	return SpecModel{set.Build(c.Types, c.Defaults)}, nil
}

// Table returns a table by the name and the number that the page gives it, or nil. Of
// updates it is that of any kind in context 0.
func (sm SpecModel) Table(name string, k int) *prefix.Table {
	e, r := &sm.m.Entry, &sm.m.Rows[0]
	u := &r.Updates[0][0]
	if t := map[string]*coder.Table{
		"form": &e.Form, "again": &e.Again, "back": &e.Back, "delta": &e.Delta, "gap": &e.Gap, "far": &e.Far, "length": &e.Length,
		"handle": &e.Handle, "next handle": &e.NextHandle, "next slot": &e.NextSlot, "gen": &e.Gen, "speculative": &e.Speculative, "speculative row": &e.SpeculativeRow, "tenant": &e.Tenant, "layout": &e.Layout, "base age": &e.BaseAge,
		"run": &e.Run, "row": &e.Row, "owner": &e.Owner, "remove": &e.Remove, "arrive": &e.Arrive,
	}[name]; t != nil {
		return t.T
	}
	rec, shape := u, &r.Shapes[coder.ShapeUpdate]
	if strings.HasSuffix(name, "keyframes") {
		rec, shape = &r.Keys, &r.Shapes[coder.ShapeKey]
	}
	switch name, _, _ = strings.Cut(name, " of"); name {
	case "present":
		return e.Present[k-1].T
	case "joint":
		return rec.Joint[k].T
	case "large":
		return rec.Large[k].T
	case "quad":
		return shape.Quads[k/2][k%2].T
	case "fraction":
		return u.Fractions[0][k].T
	}
	return nil
}

// Pattern returns the pattern of a symbol of the first chunk.
func (sm SpecModel) Pattern(symbol int, key bool) uint32 {
	shape := coder.ShapeUpdate
	if key {
		shape = coder.ShapeKey
	}
	return sm.m.Rows[0].Shapes[shape].Chunks[0].Patterns[symbol-1]
}
