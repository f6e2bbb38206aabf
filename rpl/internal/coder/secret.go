package coder

import (
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// AimsAs reports whether two models expect the same angle of a row.
func (m *Model) AimsAs(n *Model, t *rowtype.Type) bool {
	return m.Rows[t.Index].heading == n.Rows[t.Index].heading
}
