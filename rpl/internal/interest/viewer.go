package interest

import (
	"math/bits"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A Viewer is what deciding what a peer should hold needs to know of the peer.
type Viewer struct {
	ID         ids.Peer
	index      int32
	Silent     bool   // nothing has come from the peer for long: nothing comes into its sight by distance
	away       bool   // it was silent in the last Stream
	rescan     bool   // everything in reach must be scanned
	scanned    bool   // it was scanned since an observer last moved
	sawLarge   bool   // the large nodes were scanned since an observer last moved
	keepsLarge bool   // it has a large node that is out of sight until its MinStay is over
	sweeps     bool   // it has nodes out of sight of all observers until their MinStay is over
	coming     bool   // not all nodes are decided on for it yet (Admit)
	next       uint32 // while it is coming, the slot from which on those outside of the grid are not
	Points     []spatial.Observer
	point      [1]spatial.Observer // memory of points if there is only one
	list       neighbourList       // of the first observer …
	more       []*neighbourList    // … and of further ones; may be more than there are now
	Wanted     wire.Bitset         // slots of the nodes that the peer should hold
	lists      int                 // how many of them are on
	first      [maxLists]int8      // by observer: the first of those whose list serves it

	given     []spatial.Observer // without those that are seen from for a time only
	preloads  []preload
	Groups    uint64
	InGrid    SlotList // wanted slots that stand in the grid
	lingering []uint32 // slots that are out of sight but stay until their MinStay is over
	lingered  []uint32
	lead      lead
	asked     uint32 // in the Stream of these Space.Moves nothing stays for that: what may be had was asked anew
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

// Admit makes the viewer of a peer, and decides on all nodes for it: on the peer's own now, on
// those that are near by its first scan, and on the others in slices, here and in each Stream,
// of MaxWanted for all who come. What is judged meanwhile, as it is new or has changed, and what is
// called (Judge), is decided on for them all.
func (m *Manager) Admit(id ids.Peer, index int32) *Viewer {
	v := &Viewer{ID: id, index: index, rescan: true, coming: true}
	v.prepare(m.space.Index != nil)
	v.InGrid.marks = &m.marks
	for int(index) >= len(m.Viewers) {
		m.Viewers = append(m.Viewers, nil)
	}
	m.Viewers[index] = v
	m.viewOf.Add(id, v)
	if m.space.Index != nil {
		v.list.id = m.newList()
	}
	m.wanting -= m.admitSome(v, m.wanting/(len(m.coming)+1)) // those who came before have their parts in the next Stream
	if v.coming {
		m.coming = append(m.coming, v)
		if slot, ok := m.store.Slot(ids.SessionNode); ok {
			m.decide(v, slot, true)
		}
	}
	for _, slot := range m.store.Owned(id, nil) {
		m.decide(v, m.store.Root(slot), true)
	}
	m.showTo(id)
	return v
}

// admitMore decides on the next slice for those who come, in equal parts. Where it is too small for
// that, who came first has some.
func (m *Manager) admitMore() {
	for i, v := range m.coming {
		rest := len(m.coming) - i
		m.wanting -= m.admitSome(v, (max(m.wanting, 0)+rest-1)/rest)
	}
	m.coming = slices.DeleteFunc(m.coming, func(v *Viewer) bool { return !v.coming })
	m.wanting = m.MaxWanted
}

// admitSome decides on the next nodes outside of the grid for a viewer that comes, some more than
// most if they are of one tree, and returns how many it has judged.
func (m *Manager) admitSome(v *Viewer, most int) (judged int) {
	first := int(v.next >> 6)
	for k := first; k < len(m.outside.W); k++ {
		w := m.outside.W[k]
		if k == first {
			w &= ^uint64(0) << (v.next & 63)
		}
		for ; w != 0; w &= w - 1 {
			slot := uint32(k<<6 + bits.TrailingZeros64(w))
			if judged >= most {
				v.next = slot
				return judged
			}
			judged++
			if n := &m.store.Nodes[slot]; !n.Used || n.Parent != 0 || m.space.Positions[slot].Cell >= 0 {
				m.outside.Clear(slot)
			} else if m.judgeTree(v, slot) {
				before := len(m.Decisions)
				m.decide(v, slot, true)
				judged += max(0, len(m.Decisions)-before-1)
			}
		}
	}
	v.coming = false
	return judged
}

// Undecided is about how many nodes are yet to be decided on for a viewer that comes.
func (m *Manager) Undecided(v *Viewer) (n int) {
	if !v.coming {
		return 0
	}
	first := int(v.next >> 6)
	for k := first; k < len(m.outside.W); k++ {
		w := m.outside.W[k]
		if k == first {
			w &= ^uint64(0) << (v.next & 63)
		}
		if k < len(v.Wanted.W) {
			w &^= v.Wanted.W[k] // the session, its own, and what is called
		}
		n += bits.OnesCount64(w)
	}
	return n
}

// Leave forgets a viewer. The caller takes it off the holders of all nodes.
func (m *Manager) Leave(v *Viewer) {
	m.coming = slices.DeleteFunc(m.coming, func(w *Viewer) bool { return w == v })
	m.endLists(v, 0)
	m.preloading -= len(v.preloads)
	if m.space.Index != nil {
		m.freeLists = append(m.freeLists, v.list.id)
		for _, w := range v.more {
			m.freeLists = append(m.freeLists, w.id)
		}
	}
	m.Viewers[v.index] = nil
	m.viewOf.Remove(v.ID)
}
