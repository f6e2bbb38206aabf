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
func (a *Manager) Rejudge(slot uint32) {
	r := a.store.Root(slot)
	a.outside.Set(r) // also if it is to be judged already: it may have hung elsewhere meanwhile, when a viewer came
	if n := &a.store.Nodes[r]; !n.Judge {
		n.Judge = true
		a.Judged = append(a.Judged, r)
	}
}

// Stream decides which nodes each peer should hold.
func (a *Manager) Stream(now time.Duration) {
	for _, v := range a.preloaded {
		v.observe()
	}
	clear(a.preloaded)
	a.preloaded, a.streaming = a.preloaded[:0], true
	if a.preloading > 0 {
		a.endPreloads(now)
	}
	for i := 0; i < len(a.Judged); i++ {
		slot := a.Judged[i]
		n := &a.store.Nodes[slot]
		if !n.Judge {
			continue
		}
		n.Judge = false
		if !n.Used {
			continue
		}
		a.regrid(slot)
		if n.Parent != 0 { // its new tree is judged once, however many nodes have come under it
			a.Rejudge(slot)
			continue
		}
		a.rejudgeNow(slot)
	}
	a.Judged = a.Judged[:0]
	a.admitMore()
	a.space.NeedsStamps = false
	if a.space.Index != nil {
		a.streamAll(now)
		a.streamLarge(now)
	}
	if g := a.space.Index; g != nil {
		g.Crossed = g.Crossed[:0]
	}
	a.space.Moves++
	a.streaming = false
}

// streamAll decides by distance, for some peers at a time (ahead.go).
func (a *Manager) streamAll(now time.Duration) {
	a.space.Index.SortNews()
	var buf [store.AheadPeers]*Viewer
	group := buf[:0]
	for i, v := range a.Viewers {
		if v != nil {
			group = append(group, v)
		}
		if len(group) == cap(group) || i == len(a.Viewers)-1 {
			a.touchLists(group)
			for _, v := range group {
				a.streamTo(v, now)
			}
			group = group[:0]
		}
	}
	a.space.Index.News = a.space.Index.News[:0] // including the news of these decisions
}

// streamTo decides by distance for one peer.
func (a *Manager) streamTo(v *Viewer, now time.Duration) {
	switch {
	case v.Silent: // it scans everything when it is back
		v.rescan, v.sawLarge = true, false
	case a.usesLists(v):
		a.scanLists(v, now)
	default:
		a.fullScan(v, now)
	}
}

// UpdateGrid updates the grid for the nodes that were found elsewhere than it has them.
func (a *Manager) UpdateGrid() {
	for displaced := a.store.Displaced; len(displaced) > 0; displaced = displaced[min(store.Ahead, len(displaced)):] {
		some := displaced[:min(store.Ahead, len(displaced))]
		if len(some) > 1 { // reading ahead of one saves nothing
			a.touchCells(some)
		}
		for _, slot := range some {
			a.updateCell(slot)
		}
	}
	a.store.Displaced = a.store.Displaced[:0]
}

// regrid puts a node into the grid or takes it out, by its relevance.
func (a *Manager) regrid(slot uint32) {
	n := &a.store.Nodes[slot]
	if a.space.Index == nil {
		return
	}
	if a.extentOf(slot) > 0 {
		a.larges.stale = true
		a.LeaveGrid(slot)
		return
	}
	if n.Parent == 0 && n.Spawn.Relevance == ids.Near && n.PosItem >= 0 {
		if a.space.Positions[slot].Cell < 0 {
			a.enterCell(slot)
		}
	} else {
		a.LeaveGrid(slot)
	}
}

// Replaced has a node judged anew whose place another item says from now on, or none.
func (a *Manager) Replaced(slot uint32) {
	if a.regrid(slot); a.store.Nodes[slot].PosItem < 0 { // any next place differs from this one
		s := &a.space.Positions[slot]
		s.GridX, s.GridY = float32(math.NaN()), float32(math.NaN())
	}
	a.Rejudge(slot)
}

// Forget takes a node that is about to be removed away from all viewers, and out of the grid.
func (a *Manager) Forget(slot uint32) {
	for _, h := range a.store.Nodes[slot].Holders {
		a.drop(a.Viewers[h.Peer()], slot)
	}
	a.forgetShowings(slot)
	a.forgetExtent(slot)
	a.ungrid(slot)
}

// Judge judges a node's tree now if Stream would have to, for an RPC: it must reach a
// peer that has just been let in or comes, and not one that has just been put out. A tree made
// since the last Stream is not judged, because its place is not known yet.
func (a *Manager) Judge(slot uint32) {
	root := a.store.Root(slot)
	n := &a.store.Nodes[root]
	if n.Born == a.store.Send {
		return
	}
	if n.Judge {
		n.Judge = false
		a.regrid(root)
		a.rejudgeNow(root)
	}
	for _, v := range a.coming {
		if root >= v.next && a.outside.Has(root) && a.space.Positions[root].Cell < 0 {
			a.decide(v, root, a.judgeTree(v, root))
		}
	}
}

// rejudgeNow decides about a tree for every peer that its new place or rules may concern.
func (a *Manager) rejudgeNow(root uint32) {
	cell := a.space.Positions[root].Cell
	for _, v := range a.Viewers {
		if v == nil || cell >= 0 && v.list.on {
			continue
		}
		a.decide(v, root, a.judgeTree(v, root))
	}
	if cell < 0 {
		return
	}
	// Of the peers with neighbour lists, only those that see its cell, or hold or own a node
	// of the tree, can want it.
	a.reportToSubscribers(cell, root)
	a.noteConcerned(root)
	for id := range a.showings.trees[root] {
		if v := a.viewOf.Find(id); v != nil {
			a.concerned.Set(uint32(v.index))
		}
	}
	for k, w := range a.concerned.W {
		for a.concerned.W[k] = 0; w != 0; w &= w - 1 {
			if v := a.Viewers[k<<6+bits.TrailingZeros64(w)]; v.list.on {
				a.decide(v, root, a.judgeTree(v, root))
			}
		}
	}
}

// noteConcerned notes the peers that hold or own a node of a tree.
func (a *Manager) noteConcerned(slot uint32) {
	n := &a.store.Nodes[slot]
	for _, h := range n.Holders {
		a.concerned.Set(uint32(h.Peer()))
	}
	if n.Owner != 0 {
		if v := a.viewOf.Find(n.Owner); v != nil {
			a.concerned.Set(uint32(v.index))
		}
	}
	for _, c := range n.Children() {
		a.noteConcerned(c)
	}
}

// judgeTree reports whether a peer should have a tree: by its root's rule, or because
// it owns a node of it.
func (a *Manager) judgeTree(v *Viewer, root uint32) bool {
	n := &a.store.Nodes[root]
	if a.ownsAny(v, root) {
		return true
	}
	if a.showings.any() {
		if shown, said := a.showings.of(root, v.ID); said {
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
	if a.space.Index == nil || n.PosItem < 0 {
		return true // no Interest is set, or the node has no position: everyone
	}
	return a.wants(v, root, v.Wanted.Has(root))
}

// ownsAny reports whether a peer owns a node or any node below it.
func (a *Manager) ownsAny(v *Viewer, slot uint32) bool {
	n := &a.store.Nodes[slot]
	if n.Owner == v.ID {
		return true
	}
	for _, c := range n.Children() {
		if a.ownsAny(v, c) {
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
func (a *Manager) distance(v *Viewer, slot uint32, s *spatial.Position) float64 {
	extent := a.extentOf(slot)
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
func (a *Manager) wants(v *Viewer, slot uint32, had bool) bool {
	a.DistanceChecks++
	n, s := &a.store.Nodes[slot], &a.space.Positions[slot]
	if a.space.Index.Policy != nil {
		return a.policyWants(v, slot, had)
	}
	d := a.distance(v, slot, s)
	if !(d <= a.Rule.Reach(v.ID)) {
		return false
	}
	return a.Rule.Wants(v.ID, n.ID, d, had)
}

// A decision says that a peer shall have a node from now on, or shall have it no longer.
type decision struct {
	Peer   int32 // its index
	Slot   uint32
	Handle uint32 // by which the peer had the node, if it had it by any and shall have it no longer
	In     bool
}

// decide makes a tree wanted or not wanted by a peer.
func (a *Manager) decide(v *Viewer, slot uint32, want bool) {
	n := &a.store.Nodes[slot]
	if has := v.Wanted.Has(slot); want && !has {
		a.want(v, slot)
	} else if !want && has {
		a.unwant(v, slot)
	}
	for _, c := range n.Children() {
		a.decide(v, c, want)
	}
}

// want makes a node wanted by a peer.
func (a *Manager) want(v *Viewer, slot uint32) {
	v.Wanted.Set(slot)
	a.store.Hold(slot, v.index)
	if a.space.Positions[slot].Cell >= 0 {
		v.InGrid.Add(slot)
		a.report(v, slot)
	}
	a.Decisions = append(a.Decisions, decision{v.index, slot, wire.NoHandle, true})
}

// unwant is the reverse: it takes the node away from the peer.
func (a *Manager) unwant(v *Viewer, slot uint32) {
	a.drop(v, slot)
	a.report(v, slot)
	a.Decisions = append(a.Decisions, decision{v.index, slot, a.store.Unhold(slot, v.index), false})
}

// drop forgets that a slot is wanted.
func (a *Manager) drop(v *Viewer, slot uint32) {
	v.Wanted.Clear(slot)
	if a.space.Positions[slot].Cell >= 0 {
		v.InGrid.Cut(slot)
	}
}
