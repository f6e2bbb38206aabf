package interest

import (
	"math"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
)

// updateCell moves a node to its place in the grid, unless the grid has it there within the
// slack.
func (m *Manager) updateCell(slot uint32) {
	g, s := m.space.Index, &m.space.Positions[slot]
	if s.Cell >= 0 {
		if s.Within(g.Slack) {
			g.Stamp(s.Cell, m.space.Moves)
			return
		}
	} else if n := &m.store.Nodes[slot]; g == nil || n.Parent != 0 || n.Spawn.Relevance != ids.Near || m.extentOf(slot) > 0 {
		return
	}
	m.enterCell(slot)
}

// enterCell puts a node into the grid, or updates its place there.
func (m *Manager) enterCell(slot uint32) {
	g, s := m.space.Index, &m.space.Positions[slot]
	from, nowhere := spatial.Placed{X: s.GridX, Y: s.GridY}, s.Cell < 0
	m.locate(slot)
	i := g.BucketAt(g.CellOf(s.X), g.CellOf(s.Y))
	e := spatial.Placed{X: s.GridX, Y: s.GridY, Slot: slot}
	if i == s.Cell {
		g.Buckets[i][s.CellAt] = e
	} else {
		for _, h := range m.store.Nodes[slot].Holders {
			if nowhere {
				m.Viewers[h.Peer()].InGrid.Add(slot)
			}
			m.reportToHolder(m.Viewers[h.Peer()], slot, i, nowhere, from, e)
		}
		if !nowhere {
			m.leaveCell(slot)
		}
		g.Crossed = append(g.Crossed, slot)
		s.Cell, s.CellAt = i, int32(len(g.Buckets[i]))
		g.Buckets[i] = append(spatial.Roomy(g.Buckets[i]), e)
		m.space.Came(slot)
	}
	g.Stamp(i, m.space.Moves)
	m.outside.Clear(slot)
	if nowhere {
		m.reportToSubscribers(i, slot)
	} else {
		for word, some := range g.Subscribers.Of(i) {
			if some != 0 {
				g.ReportMove(word, some, from, e)
			}
		}
	}
}

// reportToHolder reports to the lists of a peer that has a node, and does not cover the bucket that
// the node has come to, if the move is news to them.
func (m *Manager) reportToHolder(v *Viewer, slot uint32, bucket int32, nowhere bool, from, to spatial.Placed) {
	g := m.space.Index
	if !g.Plain {
		return
	}
	for k := range v.present() {
		w := v.listAt(k)
		if id := w.id; w.on && !g.Subscribers.Of(bucket).Has(id) && (nowhere || g.SightOf(id).Sees(from, to) != 0) {
			m.reportToList(id, slot)
		}
	}
}

// locate sets the place that the grid has of a node: NaN if float32s are too coarse.
// Such a node is displaced by every move, so its cell stays right.
func (m *Manager) locate(slot uint32) {
	g, s := m.space.Index, &m.space.Positions[slot]
	was := s.Cell >= 0 && s.IsRough()
	s.GridX, s.GridY = float32(s.X), float32(s.Y)
	is := g.Coarse(s.X, s.Y)
	if is {
		s.GridX, s.GridY = float32(math.NaN()), float32(math.NaN())
	}
	if is && !was {
		m.noteFarOut(slot)
	}
	g.Rough += flag(is) - flag(was)
}

// noteFarOut counts a node whose place is too far out for float32s. The first one is
// logged: games seldom mean it.
func (m *Manager) noteFarOut(slot uint32) {
	if m.FarOut++; m.FarOut > 1 {
		return
	}
	s := &m.space.Positions[slot]
	m.store.Log.Warn("a node is where float32s are too coarse to find it by: as long as one is, every peer looks at all of its sight in every send",
		"node", m.store.Nodes[slot].ID, "x", s.X, "y", s.Y,
		"remedy", "keep infinities out of positions, and the world nearer to its origin")
}

// LeaveGrid takes a node that lives on out of the grid: peers no longer hold it for its
// distance.
func (m *Manager) LeaveGrid(slot uint32) {
	if m.space.Positions[slot].Cell < 0 {
		return
	}
	for _, h := range m.store.Nodes[slot].Holders {
		m.Viewers[h.Peer()].InGrid.Cut(slot)
	}
	m.ungrid(slot)
}

// ungrid takes a node out of the grid, if it is in it.
func (m *Manager) ungrid(slot uint32) {
	if s := &m.space.Positions[slot]; s.Cell >= 0 {
		m.space.Index.Rough -= flag(s.IsRough())
		m.leaveCell(slot)
	}
}

// leaveCell takes a node out of its cell.
func (m *Manager) leaveCell(slot uint32) {
	g, s := m.space.Index, &m.space.Positions[slot]
	nodes := g.Buckets[s.Cell]
	last := len(nodes) - 1
	nodes[s.CellAt] = nodes[last]
	m.space.Positions[nodes[last].Slot].CellAt = s.CellAt
	g.Buckets[s.Cell] = nodes[:last]
	g.Stamp(s.Cell, m.space.Moves)
	s.Cell = -1
	m.space.Wake(slot)
	m.outside.Set(slot)
}

// flag is 1 if b is true, else 0. It compiles to no branch.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
