package extract

// extents: how far nodes reach, by which the core decides who sees them.

import (
	"math"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
)

// extentEvery is the sends from one look at the extents of an archetype to the next: they
// seldom change. Those of new nodes are read at once.
const extentEvery = 8

// noticeExtents looks for changed extents in every row of an archetype that has some.
func (ex *Reader) noticeExtents(p *plan, archetype int) {
	for row, at := range donburix.Column(ex.World, components.Extent, archetype, len(p.entities)) {
		if n := p.rows[row]; n != nil && n.Entity == p.entities[row] {
			ex.noticeExtent(n, (*components.ExtentData)(at))
		}
	}
}

// noticeExtentOf is the same for one node.
func (ex *Reader) noticeExtentOf(n *nodes.Node, e *donburi.Entry) {
	if e.HasComponent(components.Extent) {
		ex.noticeExtent(n, components.Extent.Get(e))
	} else {
		ex.noticeExtent(n, &components.ExtentData{})
	}
}

func (ex *Reader) noticeExtent(n *nodes.Node, d *components.ExtentData) {
	reach := d.Radius
	if d.Half.X != 0 || d.Half.Y != 0 {
		reach = math.Hypot(d.Half.X, d.Half.Y)
	}
	if float32(reach) == n.Extent || reach != reach && n.Extent < 0 {
		return
	}
	if n.Extent = float32(reach); reach != reach {
		n.Extent = -1 // so that it is refused once
	}
	ex.refuse("Extent refused", n, ex.Auth.SetExtent(n.ID, reach))
}
