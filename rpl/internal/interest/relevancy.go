package interest

import (
	"math"
	"math/bits"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The Stream stage decides which nodes each peer should hold. It judges trees by their
// root. Its cost goes with the nodes that have moved, appeared or changed their rules,
// not with nodes × peers.

// Rejudge has the tree of a node judged anew for every peer at the next Stream.
func (m *Manager) Rejudge(slot uint32) {
	r := m.store.Root(slot)
	m.outside.Set(r) // also if it is to be judged already: it may have hung elsewhere meanwhile, when a viewer came
	if n := &m.store.Nodes[r]; !n.Judge {
		n.Judge = true
		m.Judged = append(m.Judged, r)
	}
}

// Stream decides which nodes each peer should hold.
func (m *Manager) Stream(now time.Duration) {
	for _, v := range m.preloaded {
		v.observe()
	}
	clear(m.preloaded)
	m.preloaded, m.streaming = m.preloaded[:0], true
	for _, slot := range m.called {
		m.Rejudge(slot)
	}
	m.called, m.sightless = m.called[:0], nil
	clear(m.askedAbout)
	if m.preloading > 0 {
		m.endPreloads(now)
	}
	for i := 0; i < len(m.Judged); i++ {
		slot := m.Judged[i]
		n := &m.store.Nodes[slot]
		if !n.Judge {
			continue
		}
		n.Judge = false
		if !n.Used {
			continue
		}
		m.regrid(slot)
		if n.Parent != 0 { // its new tree is judged once, however many nodes have come under it
			m.Rejudge(slot)
			continue
		}
		m.rejudgeNow(slot)
	}
	m.Judged = m.Judged[:0]
	m.admitMore()
	m.space.NeedsStamps = false
	if m.space.Index != nil {
		m.streamAll(now)
		m.streamLarge(now)
	}
	if g := m.space.Index; g != nil {
		g.Crossed = g.Crossed[:0]
	}
	m.space.Moves++
	m.streaming = false
}

// streamAll decides by distance, for some peers at a time (ahead.go).
func (m *Manager) streamAll(now time.Duration) {
	m.space.Index.SortNews()
	var buf [store.AheadPeers]*Viewer
	group := buf[:0]
	for i, v := range m.Viewers {
		if v != nil {
			group = append(group, v)
		}
		if len(group) == cap(group) || i == len(m.Viewers)-1 {
			m.touchLists(group)
			for _, v := range group {
				m.streamTo(v, now)
			}
			group = group[:0]
		}
	}
	m.space.Index.News = m.space.Index.News[:0] // including the news of these decisions
}

// streamTo decides by distance for one peer.
func (m *Manager) streamTo(v *Viewer, now time.Duration) {
	if v.Silent {
		m.endSight(v, now)
		return
	}
	v.hear()
	if m.usesLists(v) {
		m.scanLists(v, now)
	} else {
		m.fullScan(v, now)
	}
}

// UpdateGrid updates the grid for the nodes that were found elsewhere than it has them.
func (m *Manager) UpdateGrid() {
	for displaced := m.store.Displaced; len(displaced) > 0; displaced = displaced[min(store.Ahead, len(displaced)):] {
		some := displaced[:min(store.Ahead, len(displaced))]
		if len(some) > 1 { // reading ahead of one saves nothing
			m.touchCells(some)
		}
		for _, slot := range some {
			m.updateCell(slot)
		}
	}
	m.store.Displaced = m.store.Displaced[:0]
}

// regrid puts a node into the grid or takes it out, by its relevance.
func (m *Manager) regrid(slot uint32) {
	n := &m.store.Nodes[slot]
	if m.space.Index == nil {
		return
	}
	if m.extentOf(slot) > 0 {
		m.larges.stale = true
		m.LeaveGrid(slot)
		return
	}
	if n.Parent == 0 && n.Spawn.Relevance == ids.Near && n.PosItem >= 0 {
		if m.space.Positions[slot].Cell < 0 {
			m.enterCell(slot)
		}
	} else {
		m.LeaveGrid(slot)
	}
}

// Replaced has a node judged anew whose place another item says from now on, or none.
func (m *Manager) Replaced(slot uint32) {
	if m.regrid(slot); m.store.Nodes[slot].PosItem < 0 { // any next place differs from this one
		s := &m.space.Positions[slot]
		s.GridX, s.GridY = float32(math.NaN()), float32(math.NaN())
	}
	m.Rejudge(slot)
}

// Forget takes a node that is about to be removed away from all viewers, and out of the grid.
func (m *Manager) Forget(slot uint32) {
	for _, h := range m.store.Nodes[slot].Holders {
		m.drop(m.Viewers[h.Peer()], slot)
	}
	m.forgetShowings(slot)
	m.forgetExtent(slot)
	m.ungrid(slot)
}

// rejudgeNow decides about a tree for every peer that its new place or rules may concern.
func (m *Manager) rejudgeNow(root uint32) {
	cell := m.space.Positions[root].Cell
	for _, v := range m.Viewers {
		if v == nil || cell >= 0 && v.list.on {
			continue
		}
		m.judge(v, root)
	}
	if cell < 0 {
		return
	}
	// Of the peers with neighbour lists, only those that see its cell, or hold or own a node
	// of the tree, can want it.
	m.reportToSubscribers(cell, root)
	if m.calling { // who comes to see it is found by the lists, in Stream: too late for a call
		m.noteWatching(cell)
	}
	m.noteConcerned(root)
	if of := m.showings.trees[root]; of != nil {
		for id := range of.of {
			if v := m.viewOf.Find(id); v != nil {
				m.concerned.Set(uint32(v.index))
			}
		}
	}
	for k, w := range m.concerned.W {
		for m.concerned.W[k] = 0; w != 0; w &= w - 1 {
			if v := m.Viewers[k<<6+bits.TrailingZeros64(w)]; v.list.on {
				m.judge(v, root)
			}
		}
	}
}

// noteConcerned notes the peers that hold or own a node of a tree.
func (m *Manager) noteConcerned(slot uint32) {
	n := &m.store.Nodes[slot]
	for _, h := range n.Holders {
		m.concerned.Set(uint32(h.Peer()))
	}
	if n.Owner != 0 {
		if v := m.viewOf.Find(n.Owner); v != nil {
			m.concerned.Set(uint32(v.index))
		}
	}
	for _, c := range n.Children() {
		m.noteConcerned(c)
	}
}

// judgeTree reports whether a peer should have a tree: by its root's rule, or because
// it owns a node of it.
func (m *Manager) judgeTree(v *Viewer, root uint32) bool {
	n := &m.store.Nodes[root]
	if m.ownsAny(v, root) {
		return true
	}
	if m.showings.any() {
		if shown, said := m.showings.of(root, v.ID); said {
			return shown
		}
	}
	switch n.Spawn.Relevance {
	case ids.Always:
		return true
	case ids.OwnerOnly:
		return false
	case ids.Grouped:
		return n.RareView().Groups&v.Groups != 0
	}
	if m.space.Index == nil || n.PosItem < 0 {
		return true // no Interest is set, or the node has no position: everyone
	}
	return m.wants(v, root, v.Wanted.Has(root))
}

// ownsAny reports whether a peer owns a node or any node below it.
func (m *Manager) ownsAny(v *Viewer, slot uint32) bool {
	n := &m.store.Nodes[slot]
	if n.Owner == v.ID {
		return true
	}
	for _, c := range n.Children() {
		if m.ownsAny(v, c) {
			return true
		}
	}
	return false
}

// Distance is the distance from the nearest observer, +Inf without observers. That from an
// observer with a scale is divided by the scale.
func (v *Viewer) Distance(x, y float64) float64 {
	d, _ := v.nearest(x, y)
	return d
}

// distance is the distance of a node's edge from the nearest observer.
func (m *Manager) distance(v *Viewer, slot uint32, s *spatial.Position) float64 {
	extent := m.extentOf(slot)
	if extent == 0 {
		return v.Distance(s.X, s.Y)
	}
	best := math.Inf(1)
	for i := range v.Points {
		o := &v.Points[i]
		best = min(best, max(0, math.Hypot(s.X-o.X, s.Y-o.Y)-extent)/o.Scale)
	}
	return best
}

func (v *Viewer) nearest(x, y float64) (distance float64, from *spatial.Observer) {
	best := math.Inf(1)
	for i := range v.Points {
		o := &v.Points[i]
		dx, dy := x-o.X, y-o.Y
		if d := (dx*dx + dy*dy) / (o.Scale * o.Scale); d < best {
			best, from = d, o
		}
	}
	return math.Sqrt(best), from
}

// wants asks the Interest about a node; had says whether the peer has it now.
func (m *Manager) wants(v *Viewer, slot uint32, had bool) bool {
	m.DistanceChecks++
	n, s := &m.store.Nodes[slot], &m.space.Positions[slot]
	if m.space.Index.Policy != nil {
		want, _ := m.policyWants(v, slot, had)
		return want
	}
	d := m.distance(v, slot, s)
	if !(d <= m.Rule.Reach(v.ID)) {
		return false
	}
	return m.Rule.Wants(v.ID, n.ID, d, had)
}

// A decision says that a peer shall have a node from now on, or shall have it no longer.
type decision struct {
	Peer   int32 // its index
	Slot   uint32
	Handle uint32 // by which the peer had the node, if it had it by any and shall have it no longer
	In     bool
}

// decide makes a tree wanted or not wanted by a peer.
func (m *Manager) decide(v *Viewer, slot uint32, want bool) {
	n := &m.store.Nodes[slot]
	if has := v.Wanted.Has(slot); want && !has {
		m.want(v, slot)
	} else if !want && has {
		m.unwant(v, slot)
	}
	for _, c := range n.Children() {
		m.decide(v, c, want)
	}
}

// want makes a node wanted by a peer.
func (m *Manager) want(v *Viewer, slot uint32) {
	v.Wanted.Set(slot)
	m.store.Hold(slot, v.index)
	if m.space.Positions[slot].Cell >= 0 {
		v.InGrid.Add(slot)
		m.report(v, slot)
	}
	m.Decisions = append(m.Decisions, decision{v.index, slot, wire.NoHandle, true})
}

// unwant is the reverse: it takes the node away from the peer.
func (m *Manager) unwant(v *Viewer, slot uint32) {
	m.drop(v, slot)
	m.report(v, slot)
	m.Decisions = append(m.Decisions, decision{v.index, slot, m.store.Unhold(slot, v.index), false})
}

// drop forgets that a slot is wanted.
func (m *Manager) drop(v *Viewer, slot uint32) {
	v.Wanted.Clear(slot)
	if m.space.Positions[slot].Cell >= 0 {
		v.InGrid.Cut(slot)
	}
}
