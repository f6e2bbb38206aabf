package store

import "github.com/tendonengine/tendon/rpl/internal/rowtype"

// Reading ahead. Between two sends the game evicts the core's memory from the caches.
// Each row sent to a peer then costs half a dozen cache misses, each waiting for the
// one before: most of the time of a send. But a processor can have ten or more misses
// under way at once. So the touch functions read what a loop is about to need, for as
// many rounds as the first-level cache holds: first everything that is found directly,
// then what that points to, and so on.
//
// demo/bench shows it, since its clients run between two sends: without what package send
// touches, a send to 64 clients takes 1.08 times as long in arena, and 1.04 times in crowd.

// Ahead is how many rows are touched at once: at half a KiB each they take a third of a
// first-level cache.
const Ahead = 16

// AheadPeers is how many peers are touched together before they are planned: their rows
// take some 40 KiB, most of a first-level cache.
const AheadPeers = 8

// touchDeparted touches what is needed to make new versions of rows that have departed from
// their predictions.
func (st *Store) touchDeparted(t *rowtype.Type, departed []departedRow) {
	sum := uint32(0)
	for _, e := range departed {
		sum += st.Rows[e.row].Head
	}
	s := &st.Slabs[t.Index]
	for _, e := range departed {
		r := &st.Rows[e.row]
		_, tick := s.Version(r, r.Head)
		sum += tick
	}
	st.sum += sum
}

// TouchNodes touches what Hold and Unhold need of nodes.
func (st *Store) TouchNodes(slots []uint32) {
	sum := uint32(0)
	for _, slot := range slots {
		n := &st.Nodes[slot]
		sum += uint32(len(n.Holders)) + uint32(len(n.Items()))
	}
	for _, slot := range slots {
		n := &st.Nodes[slot]
		if len(n.Holders) > 0 {
			sum += uint32(n.Holders[0].Peer())
		}
		for _, it := range n.Items() {
			if it != NoSlot {
				sum += st.Hots[it].row
			}
		}
	}
	for _, slot := range slots {
		n := &st.Nodes[slot]
		for _, i := range n.Rows() {
			sum += st.Rows[i].Head
		}
		for _, it := range n.Items() {
			if it == NoSlot {
				continue
			}
			if h := &st.Hots[it]; h.column != noColumn {
				sum += st.Columns[h.column].rows[h.at]
			}
		}
	}
	st.sum += sum
}

// TouchArrivals touches what is read of nodes that come to a peer.
func (st *Store) TouchArrivals(slots []uint32) (sum uint32) {
	for _, slot := range slots {
		n := &st.Nodes[slot]
		sum += uint32(len(n.Holders)) + uint32(n.PosItem) + uint32(st.Space.Positions[slot].Cell)
	}
	for _, slot := range slots {
		n := &st.Nodes[slot]
		if len(n.Holders) > 0 {
			sum += uint32(n.Holders[0].Peer())
		}
		for _, i := range n.Rows() {
			sum += st.Rows[i].Head + uint32(st.Rows[i].versions)
		}
	}
	for _, slot := range slots {
		for _, i := range st.Nodes[slot].Rows() {
			r := &st.Rows[i]
			s := &st.Slabs[r.Type.Index]
			block := s.Blocks[int(r.Block)*s.Block:]
			sum += uint32(block[0] + block[s.Head+s.Width])
		}
	}
	return sum
}
