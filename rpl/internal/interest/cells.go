package interest

import (
	"math"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
)

// updateCell moves a node to its place in the grid, unless the grid has it there within the
// slack.
func (a *Manager) updateCell(slot uint32) {
	g, s := a.space.Index, &a.space.Positions[slot]
	if s.Cell >= 0 {
		if s.Within(g.Slack) {
			g.Stamp(s.Cell, a.space.Moves)
			return
		}
	} else if n := &a.store.Nodes[slot]; g == nil || n.Parent != 0 || n.Spawn.Relevance != ids.Near || a.extentOf(slot) > 0 {
		return
	}
	a.enterCell(slot)
}

// enterCell puts a node into the grid, or updates its place there.
func (a *Manager) enterCell(slot uint32) {
	g, s := a.space.Index, &a.space.Positions[slot]
	from, nowhere := spatial.Placed{X: s.GridX, Y: s.GridY}, s.Cell < 0
	a.locate(slot)
	i := g.BucketAt(g.CellOf(s.X), g.CellOf(s.Y))
	e := spatial.Placed{X: s.GridX, Y: s.GridY, Slot: slot}
	if i == s.Cell {
		g.Buckets[i][s.CellAt] = e
	} else {
		for _, h := range a.store.Nodes[slot].Holders {
			if nowhere {
				a.Viewers[h.Peer()].InGrid.Add(slot)
			}
			a.reportToHolder(a.Viewers[h.Peer()], slot, i, nowhere, from, e)
		}
		if !nowhere {
			a.leaveCell(slot)
		}
		g.Crossed = append(g.Crossed, slot)
		s.Cell, s.CellAt = i, int32(len(g.Buckets[i]))
		g.Buckets[i] = append(spatial.Roomy(g.Buckets[i]), e)
		a.space.Came(slot)
	}
	g.Stamp(i, a.space.Moves)
	a.outside.Clear(slot)
	if nowhere {
		a.reportToSubscribers(i, slot)
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
func (a *Manager) reportToHolder(v *Viewer, slot uint32, bucket int32, nowhere bool, from, to spatial.Placed) {
	g := a.space.Index
	if !g.Plain {
		return
	}
	for k := range v.present() {
		w := v.listAt(k)
		if id := w.id; w.on && !g.Subscribers.Of(bucket).Has(id) && (nowhere || g.SightOf(id).Sees(from, to) != 0) {
			a.reportToList(id, slot)
		}
	}
}

// locate sets the place that the grid has of a node: NaN if float32s are too coarse.
// Such a node is displaced by every move, so its cell stays right.
func (a *Manager) locate(slot uint32) {
	g, s := a.space.Index, &a.space.Positions[slot]
	was := s.Cell >= 0 && s.IsRough()
	s.GridX, s.GridY = float32(s.X), float32(s.Y)
	is := g.Coarse(s.X, s.Y)
	if is {
		s.GridX, s.GridY = float32(math.NaN()), float32(math.NaN())
	}
	if is && !was {
		a.noteFarOut(slot)
	}
	g.Rough += flag(is) - flag(was)
}

// noteFarOut counts a node whose place is too far out for float32s. The first one is
// logged: games seldom mean it.
func (a *Manager) noteFarOut(slot uint32) {
	if a.FarOut++; a.FarOut > 1 {
		return
	}
	s := &a.space.Positions[slot]
	a.store.Log.Warn("a node is where float32s are too coarse to find it by: as long as one is, every peer looks at all of its sight in every send",
		"node", a.store.Nodes[slot].ID, "x", s.X, "y", s.Y,
		"remedy", "keep infinities out of positions, and the world nearer to its origin")
}

// LeaveGrid takes a node that lives on out of the grid: peers no longer hold it for its
// distance.
func (a *Manager) LeaveGrid(slot uint32) {
	if a.space.Positions[slot].Cell < 0 {
		return
	}
	for _, h := range a.store.Nodes[slot].Holders {
		a.Viewers[h.Peer()].InGrid.Cut(slot)
	}
	a.ungrid(slot)
}

// ungrid takes a node out of the grid, if it is in it.
func (a *Manager) ungrid(slot uint32) {
	if s := &a.space.Positions[slot]; s.Cell >= 0 {
		a.space.Index.Rough -= flag(s.IsRough())
		a.leaveCell(slot)
	}
}

// leaveCell takes a node out of its cell.
func (a *Manager) leaveCell(slot uint32) {
	g, s := a.space.Index, &a.space.Positions[slot]
	nodes := g.Buckets[s.Cell]
	last := len(nodes) - 1
	nodes[s.CellAt] = nodes[last]
	a.space.Positions[nodes[last].Slot].CellAt = s.CellAt
	g.Buckets[s.Cell] = nodes[:last]
	g.Stamp(s.Cell, a.space.Moves)
	s.Cell = -1
	a.space.Wake(slot)
	a.outside.Set(slot)
}

// flag is 1 if b is true, else 0. It compiles to no branch.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
