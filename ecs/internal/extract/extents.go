package extract

// extents: how far nodes reach, by which the core decides who sees them.

import (
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
	reach, err := d.Reach(), d.Check()
	switch {
	case err == nil && float32(reach) == n.Extent, err != nil && n.Extent < 0:
		return
	case err != nil:
		n.Extent, reach = -1, 0 // so that it is refused once
		ex.refuse("Extent refused", n, err)
	default:
		n.Extent = float32(reach)
	}
	ex.refuse("Extent refused", n, ex.Auth.SetExtent(n.ID, reach))
}
