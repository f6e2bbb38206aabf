package rpl

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
	seq     uint64
	at      time.Duration // when the ack came
	hold    int16         // milliseconds for which the peer had held it, negative if that is not known
	first   bool          // hardly any datagram was lost that told it before
	skipped bool          // the peer left out its guesses
}

// noteAcks notes the acks that are news: most are repeated many times.
func (a *Authority) noteAcks(p *peer, u *up, at time.Duration) {
	l := &p.link
	if len(l.acks) >= wire.MaxAcks {
		a.takeAcks(p)
	}
	open := l.openFrom(u.newest)
	if open&1 != 0 {
		l.noteAck(u, ack{seq: u.newest, at: at, hold: u.hold})
	}
	for k := range (u.n + 63) / 64 {
		news := u.acks[k]
		if k == 0 {
			news &= open>>1 | 1<<63
		}
		for ; news != 0; news &= news - 1 {
			if i := uint64(k)*64 + uint64(bits.TrailingZeros64(news)); u.newest > i {
				l.noteAck(u, ack{seq: u.newest - 1 - i, at: at, hold: -1})
			}
		}
	}
}

// noteAck notes one ack of a peer's datagram.
func (l *peerLink) noteAck(u *up, k ack) {
	k.first = u.next
	if age := u.newest - k.seq; u.some { // acks are within the window
		k.skipped = u.skipped[age/64]>>(age%64)&1 != 0
	}
	if cap(l.acks) == len(l.few) && len(l.acks) == len(l.few) {
		l.acks = append(l.many, l.acks...)
	}
	l.acks = append(l.acks, k)
	l.open &^= 1 << (l.next - 1 - k.seq)
}

// openFrom is a set of the packets, from seq down, whose acks would be news: bit i
// stands for seq-i. The bits of packets too old to know are set.
func (l *peerLink) openFrom(seq uint64) uint64 {
	later := l.next - 1 - seq
	return l.open>>later | ^(^uint64(0) >> later)
}

// ackedMuch is whether a noted ack is of a packet with many entries.
func (l *peerLink) ackedMuch() bool {
	for i := range l.acks {
		if len(l.record(l.acks[i].seq).entries) > 8*ahead {
			return true
		}
	}
	return false
}

// takeAcks processes the noted acks.
func (a *Authority) takeAcks(p *peer) {
	l := &p.link
	for i := range l.acks {
		k := &l.acks[i]
		r := l.record(k.seq)
		if r.seq != k.seq {
			r = l.lateRecord(k.seq)
		}
		if r == nil || r.state != recFlight && r.state != recLost {
			continue
		}
		if k.first {
			l.answer.Sample(k.at - r.at)
		}
		if k.hold >= 0 && r.state == recFlight {
			came := k.at - time.Duration(k.hold)*time.Millisecond
			l.trip.Sample(came - r.at)
			if k.hold < wire.LongestHold {
				l.line.Arrived(r.total, r.at, came)
			}
		}
		a.acked(p, r, k.skipped)
	}
	if l.acks = l.acks[:0]; cap(l.acks) > len(l.few) {
		l.acks, l.many = l.few[:0], l.acks
	}
}
