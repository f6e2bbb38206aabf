package rpl

import (
	"cmp"
	"slices"
	"time"
)

// What the packets to one peer carried, remembered until they are acked or would be
// refused: an ack that is late counts as well.

// record is what one packet carried, until it is acked or would be refused.
type record struct {
	seq     uint64
	at      time.Duration
	entries []recEntry // in few, or a list
	tick    Tick
	state   uint8
	few     [6]recEntry
	_       [8]byte // to two whole lines of a cache
}

const (
	recFree = iota
	recFlight
	recAcked
	recLost
)

// listLen is the things that a list of what does not fit a record has place for.
const listLen = 32

// recEntry is one thing that a packet carried.
type recEntry struct {
	handle uint32
	ver    uint32
	kind   uint8
	gen    uint8
	row    uint8
}

const (
	recRow     = iota // a row's version
	recArrival        // a node; its rows follow as recRow
	recRemoval
	recMeta   // owner and parent
	recForget // a row is taken away
	recLayout // a layout's definition; handle is its number, ver its edition
	recGuess  // a row's version based on an arrival that is not acked
	recCheck  // a checksum that was asked for
)

// record is where a packet's record is or was.
func (l *peerLink) record(seq uint64) *record { return &l.records[seq&uint64(len(l.records)-1)] }

// place is where the record of a new packet goes. There are as few as are in flight,
// so that they stay in the caches.
func (l *peerLink) place(seq uint64) *record {
	for {
		r := l.record(seq)
		if r.state != recFlight || len(l.records) >= recordLen {
			return r
		}
		old := l.records
		l.records = make([]record, 2*len(old))
		for i := range old {
			if old[i].state != recFree {
				l.record(old[i].seq).move(&old[i])
			}
		}
	}
}

// lateRecord is the record of a packet whose place another has; nil if there is none.
func (l *peerLink) lateRecord(seq uint64) *record {
	if i, ok := l.findLate(seq); ok {
		return l.late[i]
	}
	return nil
}

func (l *peerLink) findLate(seq uint64) (int, bool) {
	return slices.BinarySearchFunc(l.late, seq, func(r *record, seq uint64) int { return cmp.Compare(r.seq, seq) })
}

// keepLate keeps what a lost packet carried whose place is needed: it may come yet, and
// the peer may apply it, until it has one that is maxLate newer.
func (l *peerLink) keepLate(r *record) {
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
	kept := &record{}
	if n := len(l.idle); n > 0 {
		kept = l.idle[n-1]
		l.idle = l.idle[:n-1]
	}
	kept.move(r)
	r.entries = r.few[:0]
	i, _ := l.findLate(kept.seq)
	l.late = slices.Insert(l.late, i, kept)
}

// refused is whether a packet is so old that the peer will not apply it, or has said
// nothing for so long that it does not matter.
func (l *peerLink) refused(seq uint64) bool {
	return seq+maxLate <= l.base || seq+recordLen < l.next
}

// prepare takes the memory for packets in flight, and for some acks at once.
func (l *peerLink) prepare(some int) {
	l.records = make([]record, fewRecords)
	l.acks, l.many = l.few[:0], make([]ack, 0, some)
	lists := make([]recEntry, 8*listLen) // side by side: few pages
	for ; len(lists) > 0; lists = lists[listLen:] {
		l.spare = append(l.spare, lists[:0:listLen])
	}
}

// move makes the record what another is.
func (r *record) move(from *record) {
	if *r = *from; cap(r.entries) == len(r.few) {
		r.entries = r.few[:len(r.entries)]
	}
}

// begin takes the record of a new packet.
func (l *peerLink) begin(a *Authority, p *peer, seq uint64, tick Tick, now time.Duration) *record {
	r := l.place(seq)
	if r.state == recFlight {
		a.lost(p, r) // its place is needed
	}
	if r.state == recLost {
		l.keepLate(r)
	} else {
		l.recycle(r)
	}
	r.seq, r.tick, r.at, r.state = seq, tick, now, recFlight
	if l.oldest == 0 || l.oldest > seq {
		l.oldest = seq
	}
	l.open = l.open<<(seq+1-l.next) | 1
	l.next = seq + 1
	l.lastSent = now
	return r
}

// carries notes what a packet carries. Where no list begins or ends no pointer is
// written, which takes long while the collector marks.
func (l *peerLink) carries(r *record, more []recEntry) {
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

// recycle forgets what a packet carried, and keeps its list, if it had one, for
// another: there are as many as packets in flight, not as records.
func (l *peerLink) recycle(r *record) {
	if cap(r.entries) == len(r.few) {
		r.entries = r.entries[:0]
		return
	}
	if r.entries != nil {
		l.spare = append(l.spare, r.entries[:0])
	}
	r.entries = r.few[:0]
}
