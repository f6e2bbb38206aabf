package rpl

import (
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Reading ahead. Between two sends the game evicts the core's memory from the caches.
// Each row sent to a peer then costs half a dozen cache misses, each waiting for the
// one before: most of the time of a send. But a processor can have ten or more misses
// under way at once. So the touch functions read what a loop is about to need, for as
// many rounds as the first-level cache holds: first everything that is found directly,
// then what that points to, and so on.

// ahead is how many rows are touched at once: at half a KiB each they take a third of a
// first-level cache.
const ahead = 16

// aheadPeers is how many peers are touched together before they are planned: their rows
// take some 40 KiB, most of a first-level cache.
const aheadPeers = 8

// touchAcks touches what the waiting acks of some peers concern. Most peers have one.
func (a *Authority) touchAcks(peers []*peer) {
	var some [2 * aheadPeers]struct {
		p *peer
		r *packetRecord
	}
	n, sum := 0, uint32(0)
	for _, p := range peers {
		l := &p.link
		for i := range l.acks {
			if n < len(some) {
				r := l.record(l.acks[i].seq)
				sum += uint32(r.seq)
				some[n].p, some[n].r = p, r
				n++
			}
		}
	}
	about := some[:n]
	for i := range about {
		if carried := about[i].r.entries; len(carried) > 0 {
			sum += carried[0].handle
		}
	}
	for i := range about {
		sum += about[i].p.touchRecord(about[i].r.entries)
	}
	a.sum += sum
}

// touchRecord touches the peer's entries that a packet's record is about.
func (p *peer) touchRecord(carried []recEntry) (sum uint32) {
	entries := p.entries
	carried = carried[:min(len(carried), ahead)]
	for i := range carried {
		if h := carried[i].handle; h < uint32(len(entries)) { // for a layout the handle is its number
			sum += uint32(entries[h].gen)
		}
	}
	return sum
}

// A telling is a row that may be sent to a peer, and what the peer has of it.
type telling struct {
	r  *row
	pr *peerRow
}

// touchPeers takes the first batch of marked handles of each peer and touches what
// planning them needs.
func (a *Authority) touchPeers(peers []*peer) {
	var some [aheadPeers * ahead]telling
	found, sum := 0, uint32(0)
	for i, p := range peers {
		b := &a.batches[i]
		b.take(&p.marks, 0)
		p.plan.stale = false
		if l := &p.link; b.n > 0 {
			sum += uint32(l.record(l.next).seq)
			found += a.touchEntries(p.entries, b, some[found:])
		}
	}
	a.touchRows(some[:found])
	a.sum += sum
}

// touchNext touches what planning the next batch of one peer needs.
func (a *Authority) touchNext(p *peer, b *batch) {
	var some [ahead]telling
	a.touchRows(some[:a.touchEntries(p.entries, b, some[:])])
}

// touchEntries touches a batch's entries and collects the rows of the plain ones.
func (a *Authority) touchEntries(entries []entry, b *batch, found []telling) (n int) {
	rows := a.rows
	for _, h := range b.all() {
		if e := &entries[h]; e.plain {
			found[n] = telling{&rows[e.row], &e.one}
			n++
		}
	}
	return n
}

// touchRows touches rows, and then, unless an update is coded already by any tables,
// what an update would be coded from.
func (a *Authority) touchRows(some []telling) {
	sum, send := uint32(0), a.send<<2
	for i := range some {
		sum += some[i].r.head
	}
	for i := range some {
		r, pr := some[i].r, some[i].pr
		if !r.isCoded(r.share.key&3|send, pr) {
			sum += a.touchVersions(r, pr)
		}
	}
	a.sum += sum // so that the compiler keeps the reads
}

// touchVersions touches a row's current words, its newest version, and the version that
// a peer has.
func (a *Authority) touchVersions(r *row, pr *peerRow) uint32 {
	s := &a.slabs[r.t.Index]
	block := s.blocks[int(r.block)*s.block:]
	sum := uint32(block[0] + block[s.head+s.width])
	if pr.acked != r.head {
		_, tick := s.version(r, pr.acked)
		sum += tick
	}
	return sum
}

// touchSpots touches where nodes are.
func (a *Authority) touchSpots(slots []uint32) {
	sum := int32(0)
	for _, slot := range slots {
		sum += a.spots[slot].cell
	}
	a.sum += uint32(sum)
}

// touchWatches touches the nodes at the edge of some peers' sight, and those that the
// grid has told them of.
func (a *Authority) touchWatches(peers []*peer) {
	sum := uint32(0)
	for _, p := range peers {
		sum += p.touchWatch()
	}
	for _, p := range peers {
		edge := p.watch.edge
		for i := 0; i < len(edge); i += 5 { // entries that share a cache line
			sum += edge[i].who
		}
		for _, slot := range a.grid.toldOf(p.index) {
			sum += uint32(a.spots[slot].cell) + uint32(flag(p.wanted.Has(slot)))
		}
	}
	a.sum += sum
}

// touchWatch touches what a watch reads of its peer.
func (p *peer) touchWatch() uint32 {
	return uint32(len(p.points)) + uint32(len(p.watch.edge)) + uint32(p.link.heard)
}

// touchReach touches the cells that a watch looks into.
func (v *vigil) touchReach() {
	sum := uint32(0)
	g, at := v.a.grid, &v.p.watched
	for y := at.from[1]; y <= at.to[1]; y++ {
		for x := at.from[0]; x <= at.to[0]; x++ {
			if nodes := g.buckets[g.bucketAt(x, y)]; len(nodes) > 0 {
				sum += nodes[0].slot + nodes[len(nodes)-1].slot
			}
		}
	}
	v.a.sum += sum
}

// touchCells touches the cells of some nodes, their places in them, and their watchers.
func (a *Authority) touchCells(slots []uint32) {
	g, sum := a.grid, uint32(0)
	if g == nil {
		return
	}
	for _, slot := range slots {
		if i := a.spots[slot].cell; i >= 0 {
			sum += uint32(len(g.buckets[i]))
			if g.watchers.words > 0 {
				sum += uint32(g.watchers.bits[int(i)*g.watchers.words])
			}
		}
	}
	for _, slot := range slots {
		if s := &a.spots[slot]; s.cell >= 0 {
			sum += g.buckets[s.cell][s.cellAt].slot
		}
	}
	a.sum += sum
}

// touchOff touches what is needed to make new versions of rows that have left their
// course, and to mark them for their holders.
func (a *Authority) touchOff(t *rowtype.Type, off []offRow) {
	sum := uint32(0)
	for _, e := range off {
		sum += a.rows[e.row].head + uint32(len(a.nodes[e.slot].holders))
	}
	s := &a.slabs[t.Index]
	for _, e := range off {
		r := &a.rows[e.row]
		_, tick := s.version(r, r.head)
		sum += tick
		if n := &a.nodes[e.slot]; n.shared {
			sum += n.common
		} else if len(n.holders) > 0 {
			sum += n.holders[0].handle
		}
	}
	a.sum += sum
}
