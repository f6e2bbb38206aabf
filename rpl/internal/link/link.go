package link

import (
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/rate"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// What the authority knows of the packets to a peer: what each carried, which have
// arrived, and which are judged lost (protocol rules 11 to 16).

// Link is the state of the datagrams to and from one peer: first what every send
// reads, then what acks and packets need, then what is rarely used.
type Link struct {
	Next         uint64        // one past the newest sequence number sent
	LastReceived time.Duration // when the peer last said anything
	LastSent     time.Duration
	Flow         flow
	Oldest       uint64        // no packet below it is in flight; 0: none is
	Base         uint64        // the newest packet known to have arrived; at first the one before the first
	Quiet        time.Duration // until then no packet in flight times out; 0: check them
	Loss         float64       // share of packets lost, smoothed over some 200
	Acks         []ack         // those that came since the last Schedule, in few or in many

	Records  []Record // of the newest packets; a record's place is its number modulo their count
	open     uint64   // bit i: packet next-1-i was sent and not acked
	InNewest uint64   // the newest packet from the peer
	InAt     time.Duration
	Echoed   time.Duration

	ackedAt  time.Duration // when base was sent
	BaseTick ids.Tick      // tick of base; 0: none yet
	LastTick ids.Tick      // tick of the last packet
	Arrived  uint64        // reliable messages that the peer has applied
	InSeen   bool
	judged   uint8         // packets counted in loss, at most LossWindow
	fewSpare int32         // how many of spare were unused since the last trim, at least
	few      [1]ack        // mostly enough for acks
	Trip     wire.Estimate // of the round trip
	answer   wire.Estimate // of the time from a packet to its ack, which a peer that acts rarely holds for long

	many   []ack
	spare  [][]Entry // lists of finished records, for reuse
	Late   []*Record // of lost packets whose places newer ones have taken, by ascending number
	idle   []*Record // unused records for late
	Blocks []Block

	Line  rate.Line // what it carries
	Sends Sends

	begun   time.Duration // when the first packet was sent of those that wait for an ack
	news    time.Duration // when an ack last came of a packet of which none had come
	applied uint64        // Arrived, as Waits saw it last …
	moved   time.Duration // … and since when it has been that
}

// starved is for how long no reliable message gets through before the line is taken for full.
const starved = 3 * time.Second

// Waits returns how long packets have waited for an ack of any of them, and how long
// reliable messages (given so many) for the next of them to be applied; 0: nothing waits. It
// must be called often. Where messages wait for long although packets arrive, the line hears that it is full.
func (l *Link) Waits(now time.Duration, given uint64) (acks, messages time.Duration) {
	if l.Next > 0 && l.Next-1 > l.Base {
		acks = max(now-max(l.news, l.begun), 0)
	}
	if l.Arrived != l.applied || l.Arrived >= given {
		l.applied, l.moved = l.Arrived, now
	}
	if messages = now - l.moved; messages > starved && acks < starved {
		l.Line.Starved()
	}
	return acks, messages
}

// Unheard is whether the peer has acked no packet yet, so that none is judged lost by its time.
func (l *Link) Unheard() bool { return l.news == 0 }

// Block is what a reliable message carried in place of a packet.
type Block struct {
	Number  uint64
	Tick    ids.Tick
	Void    bool // the block was replaced by an empty one
	Entries []Entry
}

// InBlock reports whether a block of a tick that the peer is not known to have carries an entry of a kind for a row:
// it comes for certain, and nothing need repeat it.
func (l *Link) InBlock(t ids.Tick, kind uint8, handle uint32, row int) bool {
	for i := range l.Blocks {
		if l.Blocks[i].Tick == t && slices.ContainsFunc(l.Blocks[i].Entries, func(e Entry) bool {
			return e.Kind == kind && e.Handle == handle && int(e.Row) == row
		}) {
			return true
		}
	}
	return false
}

// Frozen is whether the peer has been silent for so long that it is sent nothing but
// probes.
func (l *Link) Frozen(now time.Duration) bool {
	return l.Next > 0 && now-l.LastReceived > wire.Silence
}

// acked notes the ack of a packet, of which the peer may have skipped speculative updates, and reports whether the packet was judged lost before.
func (l *Link) acked(r *Record, skipped bool) (late bool) {
	if r.state == recLost {
		l.unlose()
		l.Line.Count(0, -1)
	}
	late = r.state != recFlight
	l.Line.Count(1, 0)
	r.state = recAcked
	l.Flow.arrived++
	l.Quiet = 0
	l.observe(0)
	if r.Seq > l.Base || l.BaseTick == 0 {
		l.Base, l.BaseTick, l.ackedAt = r.Seq, r.Tick, r.at
		l.Line.Reached(l.totalAfter(r.Seq))
	}
	l.Sends.ack(r, l.Base, skipped)
	return late
}

// lost notes that a packet is judged lost.
func (l *Link) lost(r *Record) {
	r.state = recLost
	l.observe(1)
	l.Line.Count(0, 1)
}

// Judge appends to dst the packets in flight that are lost: those that were sent
// ReorderTime or more before an acked one, and those that have timed out. On a line with a
// deep queue, round trips may take many seconds. If what waits there counted as lost, it
// would be sent again, and keep the queue full for ever. every is the time from one send to
// the next.
func (l *Link) Judge(dst []*Record, now, every time.Duration) []*Record {
	if l.Oldest == 0 || now <= l.Quiet {
		return dst
	}
	l.Quiet = 0
	timeout := wire.Silence
	if l.Trip.Mean != 0 && l.news != 0 { // else the peer may be about to begin, whatever is known of the path
		timeout = max(l.Trip.Time()*3/2, l.answer.Most()) + every + wire.ReorderTime
	}
	for seq := l.Oldest; seq < l.Next; seq++ {
		r := l.Record(seq)
		if r.Seq != seq || r.state != recFlight {
			if seq == l.Oldest {
				l.Oldest++
			}
			continue
		}
		if (l.BaseTick != 0 && r.Seq < l.Base && r.at+wire.ReorderTime <= l.ackedAt) || now-r.at > timeout {
			l.lost(r)
			dst = append(dst, r)
			if seq == l.Oldest {
				l.Oldest++
			}
			continue
		}
		if l.Quiet == 0 {
			l.Quiet = r.at + timeout
		}
		if r.Seq >= l.Base {
			break // later packets have not timed out either
		}
	}
	if l.Oldest == l.Next {
		l.Oldest = 0
	}
	return dst
}

// Thaw ends a peer's silence: whatever was in flight counts as lost, and is appended to dst. If it is not taken
// for lost, but only to be sent again in any case, the measured loss stays what it is.
func (l *Link) Thaw(dst []*Record, lost bool) []*Record {
	for i := range l.Records {
		r := &l.Records[i]
		if r.state != recFlight {
			continue
		}
		if r.state = recAnew; lost {
			l.lost(r)
		}
		dst = append(dst, r)
	}
	return dst
}

// observe adds one packet's fate to the loss: the mean of the first packets, smoothed
// after that.
func (l *Link) observe(lost float64) {
	l.judged = min(l.judged+1, wire.LossWindow)
	l.Loss += (lost - l.Loss) / float64(max(l.judged, wire.LossFirst))
}

// unlose takes a packet that was not lost after all out of the loss.
func (l *Link) unlose() { l.Loss = max(0, l.Loss-1/float64(max(l.judged, wire.LossFirst))) }

// Lossy is whether so much is lost that what is sent once is sent again unasked.
func (l *Link) Lossy() bool { return l.CopiesFor() > 1 }

// MayLose is whether the link is lossy, or that is not known yet.
func (l *Link) MayLose() bool { return l.Lossy() || l.judged < wire.LossFirst }

// CopiesFor is how many copies of an arrival or a removal to send at the measured loss
// (protocol §5).
func (l *Link) CopiesFor() uint8 {
	switch {
	case l.Loss < 0.005:
		return 1
	case l.Loss < 0.03:
		return 2
	case l.Loss < 0.1:
		return 4
	}
	return 5
}

// CopyDue is how long after the first copy the n-th one (counted from 0) may leave: at
// 60 Hz 0, 1, 3, 7 sends later; under heavy loss 0, 1, 2, 3, 7.
func CopyDue(n, copies uint8) time.Duration {
	if copies > 4 {
		return wire.CopyUnit * [...]time.Duration{0, 1, 2, 3, 7}[n]
	}
	return wire.CopyUnit * (1<<n - 1)
}

// Forget forgets what packets carried: their acks are not believed, and the next
// packets do not build on them.
func (l *Link) Forget() {
	for i := range l.Records {
		l.Recycle(&l.Records[i])
		l.Records[i].state = recFree
	}
	for _, r := range l.Late {
		l.Recycle(r)
	}
	l.idle, l.Late = append(l.idle, l.Late...), l.Late[:0]
	l.Base, l.BaseTick = l.Next-1, 0
	l.Line.Reached(l.Line.Total())
	l.Sends.forget()
}
