package coder

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// ExpectsAs reports whether two models expect the same of a row.
func (m *Model) ExpectsAs(n *Model, t *rowtype.Type) bool {
	a, b := &m.Rows[t.Index], &n.Rows[t.Index]
	return a.heading == b.heading && slices.Equal(a.lines, b.lines) && slices.Equal(a.sources, b.sources)
}
