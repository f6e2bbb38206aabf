package interest

// touchPositions touches where nodes are.
func (m *Manager) touchPositions(slots []uint32) {
	sum := int32(0)
	for _, slot := range slots {
		sum += m.space.Positions[slot].Cell
	}
	m.touched += uint32(sum)
}

// touchLists touches the nodes at the boundary of some peers' sight, and those that the
// grid has reported to them.
func (m *Manager) touchLists(viewers []*Viewer) {
	sum := uint32(0)
	for _, v := range viewers {
		sum += v.touchList()
	}
	for _, v := range viewers {
		for k := range v.present() {
			w := v.listAt(k)
			for i := 0; i < len(w.boundary); i += 5 { // entries that share a cache line
				sum += w.boundary[i].who
			}
			for _, slot := range m.space.Index.NewsOf(w.id) {
				sum += uint32(m.space.Positions[slot].Cell) + uint32(flag(v.Wanted.Has(slot)))
			}
		}
	}
	m.touched += sum
}

// touchList touches what a list reads of its viewer.
func (v *Viewer) touchList() uint32 {
	return uint32(len(v.Points)) + uint32(len(v.list.boundary))
}

// touchReach touches the cells that a list scans.
func (v *scanPass) touchReach() {
	sum := uint32(0)
	g, at := v.m.space.Index, &v.w.cells
	for y := at.from[1]; y <= at.to[1]; y++ {
		for x := at.from[0]; x <= at.to[0]; x++ {
			if nodes := g.Buckets[g.BucketAt(x, y)]; len(nodes) > 0 {
				sum += nodes[0].Slot + nodes[len(nodes)-1].Slot
			}
		}
	}
	v.m.touched += sum
}

// touchAsked touches where some nodes of a boundary are, by their indices.
func (v *scanPass) touchAsked(boundary []boundaryNode, asked []uint8) {
	sum := int32(0)
	for _, k := range asked {
		sum += v.m.space.Positions[boundary[k].slot()].Cell
	}
	v.m.touched += uint32(sum)
}

// touchWanted touches whether the peer shall have some nodes.
func (v *scanPass) touchWanted(slots []uint32) {
	sum := 0
	for _, slot := range slots {
		sum += flag(v.p.Wanted.Has(slot))
	}
	v.m.touched += uint32(sum)
}

// touchShown touches what the Policy is shown of some nodes.
func (m *Manager) touchShown(slots []uint32) {
	sum := int32(0)
	for _, slot := range slots {
		sum += m.space.Positions[slot].Cell + int32(m.store.Nodes[slot].ID)
	}
	m.touched += uint32(sum)
}

// touchCells touches the cells of some nodes, their places in them, and their subscribers.
func (m *Manager) touchCells(slots []uint32) {
	g, sum := m.space.Index, uint32(0)
	if g == nil {
		return
	}
	for _, slot := range slots {
		if i := m.space.Positions[slot].Cell; i >= 0 {
			sum += uint32(len(g.Buckets[i]))
			if g.Subscribers.Words > 0 {
				sum += uint32(g.Subscribers.Bits[int(i)*g.Subscribers.Words])
			}
		}
	}
	for _, slot := range slots {
		if s := &m.space.Positions[slot]; s.Cell >= 0 {
			sum += g.Buckets[s.Cell][s.CellAt].Slot
		}
	}
	m.touched += sum
}
