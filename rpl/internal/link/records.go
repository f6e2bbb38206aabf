package link

import (
	"cmp"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/pages"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Records of what the packets to one peer carried, kept until the packet is acked or is
// so old that the peer would refuse it. An ack that comes late still counts.

// A Record is what one packet carried.
type Record struct {
	Seq     uint64
	at      time.Duration
	Entries []Entry // in few, or in a list of listLen
	Tick    ids.Tick
	state   uint8
	total   uint32   // rate.Line.Total before it left
	tally   uint32   // by which its ack is counted (sends.go)
	few     [6]Entry // this fills two whole cache lines: an ack of a packet with one entry needs the first alone
}

const (
	recFree = iota
	recFlight
	recAcked
	recLost
	recAnew // sent again in any case: nothing tells that it is lost
)

// listLen is the capacity of the list that a record gets when few is too small.
const listLen = 32

// An Entry is one thing that a packet or a block carries: what its ack or its loss is about.
// The link keeps entries and hands them back; what they mean is not its business.
type Entry struct {
	Handle uint32
	Ver    uint32
	Kind   uint8
	Gen    uint8
	Row    uint8
	Key    bool // what it is about goes as a keyframe
}

// Record returns the place of a packet's record; a newer packet may have it by now.
func (l *Link) Record(seq uint64) *Record { return &l.Records[seq&uint64(len(l.Records)-1)] }

// TouchNext reads what the next packet and its record need. The result is of no use.
func (l *Link) TouchNext() uint32 {
	r := l.Record(l.Next)
	return uint32(l.BaseTick) + l.Line.Total() + uint32(r.Seq) + r.few[len(r.few)-1].Handle
}

// place returns the place for the record of a new packet. The table grows only when
// that place is still in flight, so that it stays small enough for the caches.
func (l *Link) place(seq uint64) *Record {
	for {
		r := l.Record(seq)
		if r.state != recFlight || len(l.Records) >= wire.RecordLen {
			return r
		}
		old := l.Records
		l.Records = make([]Record, 2*len(old))
		for i := range old {
			if old[i].state != recFree {
				l.Record(old[i].Seq).move(&old[i])
			}
		}
	}
}

// lateRecord returns the record of a lost packet whose place a newer packet has taken,
// or nil.
func (l *Link) lateRecord(seq uint64) *Record {
	if i, ok := l.findLate(seq); ok {
		return l.Late[i]
	}
	return nil
}

func (l *Link) findLate(seq uint64) (int, bool) {
	return slices.BinarySearchFunc(l.Late, seq, func(r *Record, seq uint64) int { return cmp.Compare(r.Seq, seq) })
}

// keepLate keeps the record of a lost packet whose place is needed: the packet may
// still come, and the peer may apply it until it has one that is MaxLate newer.
func (l *Link) keepLate(r *Record) {
	some := 0
	for some < len(l.Late) && l.refused(l.Late[some].Seq) {
		l.Recycle(l.Late[some])
		some++
	}
	l.idle = append(l.idle, l.Late[:some]...)
	l.Late = slices.Delete(l.Late, 0, some)
	if l.refused(r.Seq) {
		l.Recycle(r)
		return
	}
	n := len(l.idle)
	if n == 0 {
		l.idle, n = append(l.idle, &Record{}), 1
	}
	kept := l.idle[n-1]
	l.idle = l.idle[:n-1]
	kept.move(r)
	r.Entries = r.few[:0]
	i, _ := l.findLate(kept.Seq)
	l.Late = slices.Insert(l.Late, i, kept)
}

// refused reports whether the peer will not apply a packet because it is too old, or
// has been silent for so long that it does not matter.
func (l *Link) refused(seq uint64) bool {
	return seq+wire.MaxLate <= l.Base || seq+wire.RecordLen < l.Next
}

// Prepare allocates the records of packets in flight, a list for one of them, and room for
// some acks.
func (l *Link) Prepare(some int) {
	l.Records = make([]Record, wire.FewRecords)
	l.Acks, l.many = l.few[:0], make([]ack, 0, some)
	l.spare = append(l.spare, make([]Entry, 0, listLen))
}

// move makes r a copy of another record.
func (r *Record) move(from *Record) {
	if *r = *from; cap(r.Entries) == len(r.few) {
		r.Entries = r.few[:len(r.Entries)]
	}
}

// Displaced returns the record of the packet in flight whose place a new packet needs, nil
// for none: it is judged lost.
func (l *Link) Displaced(seq uint64) *Record {
	r := l.place(seq)
	if r.state != recFlight {
		return nil
	}
	l.lost(r)
	return r
}

// Begin takes the record of a new packet. displaced comes before.
func (l *Link) Begin(seq uint64, tick ids.Tick, now time.Duration) *Record {
	r := l.Record(seq)
	if r.state == recLost {
		l.keepLate(r)
	} else {
		l.Recycle(r)
	}
	r.Seq, r.Tick, r.at, r.state, r.total, r.tally = seq, tick, now, recFlight, l.Line.Total(), l.Sends.count(tick)
	if l.Oldest == 0 || l.Oldest > seq {
		l.Oldest = seq
	}
	if l.Next == 0 {
		l.Base = seq - 1
	}
	if l.Base+1 >= l.Next { // nothing waits for an ack
		l.begun = now
	}
	l.open = l.open<<(seq+1-l.Next) | 1
	l.Next = seq + 1
	l.LastSent = now
	l.LastTick = tick
	return r
}

// Carries notes that a packet carries more. It writes no pointer unless a list begins
// or grows, because that is slow while the collector marks.
func (l *Link) Carries(r *Record, more []Entry) {
	n := len(r.Entries)
	if n+len(more) <= cap(r.Entries) { // mostly
		r.Entries = r.Entries[:n+len(more)]
		copy(r.Entries[n:], more)
		return
	}
	if k := len(l.spare); cap(r.Entries) == len(r.few) && k > 0 {
		list := l.spare[k-1]
		l.spare, l.fewSpare = l.spare[:k-1], min(l.fewSpare, int32(k-1))
		r.Entries = append(list, r.Entries...)
	}
	r.Entries = append(r.Entries, more...)
}

// Trim gives back what a burst has left: records of places beyond what is in flight, and
// their lists. It is called once a second or so.
func (l *Link) Trim() {
	const some = 4
	flight := 0
	for i := range l.Records {
		if l.Records[i].state == recFlight {
			flight++
		}
	}
	if n := len(l.Records) / 2; n >= wire.FewRecords && flight*4 <= n && (l.Oldest == 0 || l.Next-l.Oldest <= uint64(n)) {
		old := l.Records
		l.Records = make([]Record, n)
		for i := range old {
			r := &old[i]
			switch {
			case r.state == recFree:
			case r.Seq+uint64(n) >= l.Next:
				l.Record(r.Seq).move(r)
			case r.state == recLost:
				l.keepLate(r)
			default:
				l.Recycle(r)
			}
		}
	}
	kept := l.spare[:0]
	for i, list := range l.spare { // the first were not used since the last trim
		if i >= int(l.fewSpare) || cap(list) <= listLen && len(kept) < some {
			kept = append(kept, list)
		}
	}
	clear(l.spare[len(kept):])
	l.spare = pages.Trim(kept, 0, some)
	l.fewSpare = int32(len(l.spare))
	if len(l.idle) > some {
		clear(l.idle[some:])
		l.idle = pages.Trim(l.idle[:some], 0, some)
	}
	l.Late, l.Blocks = pages.Trim(l.Late, 0, some), pages.Trim(l.Blocks, 0, some)
	l.many = pages.Trim(l.many, 0, 16)
}

// Recycle forgets what a packet carried. A list goes back to spare: there are as many
// lists as packets in flight, not as records.
func (l *Link) Recycle(r *Record) {
	if cap(r.Entries) == len(r.few) {
		r.Entries = r.Entries[:0]
		return
	}
	if r.Entries != nil {
		l.spare = append(l.spare, r.Entries[:0])
	}
	r.Entries = r.few[:0]
}
