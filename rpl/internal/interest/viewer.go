package interest

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A Viewer is what deciding what a peer should hold needs to know of the peer.
type Viewer struct {
	ID         ids.Peer
	index      int32
	Silent     bool // nothing has come from the peer for long: nothing is decided by distance
	rescan     bool // everything in reach must be scanned
	scanned    bool // it was scanned since an observer last moved
	sawLarge   bool // the large nodes were scanned since an observer last moved
	keepsLarge bool // it has a large node that is out of sight until its minStay is over
	sweeps     bool // it has nodes out of sight of all observers until their minStay is over
	Points     []spatial.Observer
	point      [1]spatial.Observer // memory of points if there is only one
	list       neighbourList       // of the first observer …
	more       []*neighbourList    // … and of further ones; may be more than there are now
	Wanted     wire.Bitset         // slots of the nodes that the peer should hold

	given     []spatial.Observer // without those that are seen from for a time only
	preloads  []preload
	Groups    uint64
	InGrid    SlotList // wanted slots that stand in the grid
	lingering []uint32 // slots that are out of sight but stay until their minStay is over
	lingered  []uint32
}

// prepare allocates what a viewer's steady stream needs, if it has nodes for their distance.
func (v *Viewer) prepare(near bool) {
	v.Points = v.point[:0]
	v.list.id = -1
	if !near {
		return
	}
	const some, many = 64, 256
	v.lingering, v.lingered = make([]uint32, 0, some), make([]uint32, 0, some)
	v.InGrid.Slots = make([]uint32, 0, many)
	v.list.boundary = make([]boundaryNode, 0, some)
}

// Admit makes the viewer of a peer, and decides on all nodes for it.
func (a *Manager) Admit(id ids.Peer, index int32) *Viewer {
	v := &Viewer{ID: id, index: index, rescan: true}
	v.prepare(a.space.Index != nil)
	for int(index) >= len(a.Viewers) {
		a.Viewers = append(a.Viewers, nil)
	}
	a.Viewers[index] = v
	a.viewOf.Add(id, v)
	if a.space.Index != nil {
		v.list.id = a.newList()
	}
	// A peer that is near a node in the grid will find it by its first scan.
	for slot := range a.outside.All {
		if n := &a.store.Nodes[slot]; !n.Used || n.Parent != 0 || a.space.Positions[slot].Cell >= 0 {
			a.outside.Clear(slot)
		} else if a.judgeTree(v, slot) {
			a.decide(v, slot, true)
		}
	}
	for _, slot := range a.store.Owned(id, nil) {
		a.decide(v, a.store.Root(slot), true)
	}
	return v
}

// Leave forgets a viewer. The caller takes it off the holders of all nodes.
func (a *Manager) Leave(v *Viewer) {
	a.endLists(v, 0)
	a.preloading -= len(v.preloads)
	if a.space.Index != nil {
		a.freeLists = append(a.freeLists, v.list.id)
		for _, w := range v.more {
			a.freeLists = append(a.freeLists, w.id)
		}
	}
	for slot, of := range a.overrides {
		if delete(of, v.ID); len(of) == 0 {
			delete(a.overrides, slot)
		}
	}
	a.Viewers[v.index] = nil
	a.viewOf.Remove(v.ID)
}
