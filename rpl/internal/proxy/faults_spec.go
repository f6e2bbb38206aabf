package proxy

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// SpecRow returns the words of a node's first row as they were received, followed by
// its phases.
func (c *Proxy) SpecRow(n ids.Node) []int32 { return c.rows.received(c.byNode[n].rows.first) }
