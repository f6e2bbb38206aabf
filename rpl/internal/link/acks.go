package link

import (
	"math/bits"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Acks are noted when they come and processed in Schedule, after what they concern was
// read ahead for several peers at once (ahead.go). That is nearly always the entries
// that Schedule plans next.

// ack is one packet that the peer has applied.
type ack struct {
	Seq     uint64
	at      time.Duration // when the ack came
	hold    int16         // milliseconds for which the peer had held it, negative if that is not known
	first   bool          // hardly any datagram was lost that carried it before
	Skipped bool          // the peer left out its speculative updates
}

// A Report is what a peer's datagram says of the packets that it has applied.
type Report struct {
	Newest  uint64
	Hold    int16                         // milliseconds since the newest packet came
	acks    [wire.AckWindow / 64]uint64   // bit i: newest-1-i was applied
	N       uint                          // bits of acks
	skipped [wire.AckWindow/64 + 1]uint64 // bit i: newest-i was applied, except for its speculative updates
	some    bool                          // skipped has any
	Next    bool                          // hardly any datagram was lost right before it
}

// Begin empties a report.
func (u *Report) Begin() {
	for i := range min((u.N+63)/64, uint(len(u.acks))) { // the others are empty
		u.acks[i] = 0
	}
	u.Newest, u.Hold, u.N = 0, 0, 0
	if u.some {
		u.some = false
		clear(u.skipped[:])
	}
}

// Came notes that n packets were applied, down from newest-1-i.
func (u *Report) Came(i, n uint) {
	for n > 0 {
		some := min(n, 64-i%64)
		u.acks[i/64] |= ^uint64(0) >> ((64 - some) & 63) << (i % 64)
		i, n = i+some, n-some
	}
}

// Skips notes that the speculative updates of the packet of an age were left out.
func (u *Report) Skips(age uint32) {
	u.some = true
	u.skipped[age/64] |= 1 << (age % 64)
}

// Full is whether as many acks are noted as may be: they must be taken first.
func (l *Link) Full() bool { return len(l.Acks) >= wire.MaxAcks }

// NoteAcks notes the acks that are news: most are repeated many times.
func (l *Link) NoteAcks(u *Report, at time.Duration) {
	open := l.openFrom(u.Newest)
	if open&1 != 0 {
		l.noteAck(u, ack{Seq: u.Newest, at: at, hold: u.Hold})
	}
	for k := range (u.N + 63) / 64 {
		news := u.acks[k]
		if k == 0 {
			news &= open>>1 | 1<<63
		}
		for ; news != 0; news &= news - 1 {
			if i := uint64(k)*64 + uint64(bits.TrailingZeros64(news)); u.Newest > i {
				l.noteAck(u, ack{Seq: u.Newest - 1 - i, at: at, hold: -1})
			}
		}
	}
}

// noteAck notes one ack of a peer's datagram.
func (l *Link) noteAck(u *Report, k ack) {
	k.first = u.Next
	if age := u.Newest - k.Seq; u.some { // acks are within the window
		k.Skipped = u.skipped[age/64]>>(age%64)&1 != 0
	}
	if cap(l.Acks) == len(l.few) && len(l.Acks) == len(l.few) {
		l.Acks = append(l.many, l.Acks...)
	}
	l.Acks = append(l.Acks, k)
	l.open &^= 1 << (l.Next - 1 - k.Seq)
}

// openFrom is a set of the packets, from seq down, whose acks would be news: bit i
// stands for seq-i. The bits of packets too old to know are set.
func (l *Link) openFrom(seq uint64) uint64 {
	later := l.Next - 1 - seq
	return l.open>>later | ^(^uint64(0) >> later)
}

// AckedMuch is whether a noted ack is of a packet with more than so many entries.
func (l *Link) AckedMuch(many int) bool {
	for i := range l.Acks {
		if len(l.Record(l.Acks[i].Seq).Entries) > many {
			return true
		}
	}
	return false
}

// Take takes a noted ack: it returns the record of the packet that is acked by it, nil if
// that is known or forgotten, and whether the packet was judged lost before. When the entries
// of the record have been read it must be recycled.
func (l *Link) Take(k *ack) (r *Record, late bool) {
	r = l.Record(k.Seq)
	if r.Seq != k.Seq {
		r = l.lateRecord(k.Seq)
	}
	if r == nil || r.state == recFree || r.state == recAcked {
		return nil, false
	}
	if k.first {
		l.answer.Sample(k.at - r.at)
	}
	if k.hold >= 0 {
		came := k.at - time.Duration(k.hold)*time.Millisecond
		l.Trip.Sample(came - r.at)
		if k.hold < wire.LongestHold {
			l.Line.Arrived(r.total, l.together(r), r.at, came)
		}
	}
	l.news = max(l.news, k.at)
	return r, l.acked(r, k.Skipped)
}

// Taken forgets the noted acks.
func (l *Link) Taken() {
	if l.Acks = l.Acks[:0]; cap(l.Acks) > len(l.few) {
		l.Acks, l.many = l.few[:0], l.Acks
	}
}

// Whole is the highest number below limit with the given low 16 bits.
func Whole(limit uint64, low uint32) uint64 {
	n := limit&^0xffff | uint64(low&0xffff)
	if n >= limit && n >= 1<<16 {
		n -= 1 << 16
	}
	return n
}
