package rpl

import (
	"cmp"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Records of what the packets to one peer carried, kept until the packet is acked or is
// so old that the peer would refuse it. An ack that comes late still counts.

// A packetRecord is what one packet carried.
type packetRecord struct {
	seq     uint64
	at      time.Duration
	entries []recEntry // in few, or in a list of listLen
	tick    Tick
	state   uint8
	few     [6]recEntry
	total   uint32  // rate.Line.Total before it left
	_       [4]byte // fills two whole cache lines
}

const (
	recFree = iota
	recFlight
	recAcked
	recLost
)

// listLen is the capacity of the list that a record gets when few is too small.
const listLen = 32

// A recEntry is one thing that a packet, a block or a piece of either carries: what its ack
// or its loss is about.
type recEntry struct {
	handle uint32
	ver    uint32
	kind   uint8
	gen    uint8
	row    uint8
}

const (
	recRow     = iota // a version of a row
	recArrival        // a node; the versions of its rows come before it as recRow
	recRemoval
	recMeta   // owner and parent
	recForget // a row is taken away from the peer
	recLayout // the definition of a layout: handle is its number, ver its edition
	recGuess  // a version of a row that builds on an arrival that is not acked
	recCheck  // a checksum that the peer asked for
)

// record returns the place of a packet's record; a newer packet may have it by now.
func (l *peerLink) record(seq uint64) *packetRecord { return &l.records[seq&uint64(len(l.records)-1)] }

// place returns the place for the record of a new packet. The table grows only when
// that place is still in flight, so that it stays small enough for the caches.
func (l *peerLink) place(seq uint64) *packetRecord {
	for {
		r := l.record(seq)
		if r.state != recFlight || len(l.records) >= wire.RecordLen {
			return r
		}
		old := l.records
		l.records = make([]packetRecord, 2*len(old))
		for i := range old {
			if old[i].state != recFree {
				l.record(old[i].seq).move(&old[i])
			}
		}
	}
}

// lateRecord returns the record of a lost packet whose place a newer packet has taken,
// or nil.
func (l *peerLink) lateRecord(seq uint64) *packetRecord {
	if i, ok := l.findLate(seq); ok {
		return l.late[i]
	}
	return nil
}

func (l *peerLink) findLate(seq uint64) (int, bool) {
	return slices.BinarySearchFunc(l.late, seq, func(r *packetRecord, seq uint64) int { return cmp.Compare(r.seq, seq) })
}

// keepLate keeps the record of a lost packet whose place is needed: the packet may
// still come, and the peer may apply it until it has one that is maxLate newer.
func (l *peerLink) keepLate(r *packetRecord) {
	some := 0
	for some < len(l.late) && l.refused(l.late[some].seq) {
		l.recycle(l.late[some])
		some++
	}
	l.idle = append(l.idle, l.late[:some]...)
	l.late = slices.Delete(l.late, 0, some)
	if l.refused(r.seq) {
		l.recycle(r)
		return
	}
	kept := &packetRecord{}
	if n := len(l.idle); n > 0 {
		kept = l.idle[n-1]
		l.idle = l.idle[:n-1]
	}
	kept.move(r)
	r.entries = r.few[:0]
	i, _ := l.findLate(kept.seq)
	l.late = slices.Insert(l.late, i, kept)
}

// refused reports whether the peer will not apply a packet because it is too old, or
// has been silent for so long that it does not matter.
func (l *peerLink) refused(seq uint64) bool {
	return seq+wire.MaxLate <= l.base || seq+wire.RecordLen < l.next
}

// prepare allocates the records of packets in flight, their lists, and room for some
// acks.
func (l *peerLink) prepare(some int) {
	l.records = make([]packetRecord, wire.FewRecords)
	l.acks, l.many = l.few[:0], make([]ack, 0, some)
	lists := make([]recEntry, 8*listLen) // side by side: few pages
	for ; len(lists) > 0; lists = lists[listLen:] {
		l.spare = append(l.spare, lists[:0:listLen])
	}
}

// move makes r a copy of another record.
func (r *packetRecord) move(from *packetRecord) {
	if *r = *from; cap(r.entries) == len(r.few) {
		r.entries = r.few[:len(r.entries)]
	}
}

// begin takes the record of a new packet.
func (l *peerLink) begin(a *Authority, p *peer, seq uint64, tick Tick, now time.Duration) *packetRecord {
	r := l.place(seq)
	if r.state == recFlight {
		a.lost(p, r) // its place is needed
	}
	if r.state == recLost {
		l.keepLate(r)
	} else {
		l.recycle(r)
	}
	r.seq, r.tick, r.at, r.state, r.total = seq, tick, now, recFlight, l.line.Total()
	if l.oldest == 0 || l.oldest > seq {
		l.oldest = seq
	}
	if l.next == 0 {
		l.base = seq - 1
	}
	l.open = l.open<<(seq+1-l.next) | 1
	l.next = seq + 1
	l.lastSent = now
	return r
}

// carries notes that a packet carries more. It writes no pointer unless a list begins
// or grows, because that is slow while the collector marks.
func (l *peerLink) carries(r *packetRecord, more []recEntry) {
	n := len(r.entries)
	if n+len(more) <= cap(r.entries) { // mostly
		r.entries = r.entries[:n+len(more)]
		copy(r.entries[n:], more)
		return
	}
	if k := len(l.spare); cap(r.entries) == len(r.few) && k > 0 {
		list := l.spare[k-1]
		l.spare = l.spare[:k-1]
		r.entries = append(list, r.entries...)
	}
	r.entries = append(r.entries, more...)
}

// recycle forgets what a packet carried. A list goes back to spare: there are as many
// lists as packets in flight, not as records.
func (l *peerLink) recycle(r *packetRecord) {
	if cap(r.entries) == len(r.few) {
		r.entries = r.entries[:0]
		return
	}
	if r.entries != nil {
		l.spare = append(l.spare, r.entries[:0])
	}
	r.entries = r.few[:0]
}
