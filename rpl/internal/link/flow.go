package link

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// flow is how much may be under way to a peer.
type flow struct {
	most     uint16        // packets, if fewer than MaxFlight; else 0
	arrived  uint16        // packets acked, modulo 2¹⁶
	counted  uint16        // arrived when the line was measured last
	measured time.Duration // when that was
}

// underWay is how many packets have left since the newest one that is known to have arrived.
// It counts those of them that were judged lost, too: they may only be late.
func (l *Link) underWay() int { return int(l.Next-l.Base) - 1 }

// FlightRoom is how many packets may leave now.
func (l *Link) FlightRoom(now time.Duration) int {
	if n := l.underWay(); n <= wire.LeastFlight && l.Flow.most == 0 { // nearly always
		return wire.MaxFlight - n
	}
	return l.boundedRoom(now)
}

// boundedRoom is FlightRoom on a line on which much is under way, or was.
func (l *Link) boundedRoom(now time.Duration) int {
	if now-l.Flow.measured >= wire.FlightPeriod {
		l.measureLine(now)
	}
	most := wire.MaxFlight
	if l.Flow.most > 0 {
		most = int(l.Flow.most)
	}
	return most - l.underWay()
}

// measureLine sets what may be under way by what has arrived since the last time. While the
// peer is silent that says nothing of the line.
func (l *Link) measureLine(now time.Duration) {
	u := &l.Flow
	switch took := now - u.measured; {
	case took > 2*wire.FlightPeriod || now-l.LastReceived > wire.Silence:
	case now-l.ackedAt > wire.FlightTime:
		carries := time.Duration(u.arrived-u.counted) * wire.FlightTime / took
		u.most = uint16(min(max(carries, wire.LeastFlight), wire.MaxFlight))
	default:
		if u.most += u.most / 4; u.most >= wire.MaxFlight {
			u.most = 0
		}
	}
	u.counted, u.measured = u.arrived, now
}

// totalAfter is the line's total after a packet left, as far as records tell.
func (l *Link) totalAfter(seq uint64) uint32 {
	for seq++; seq < l.Next; seq++ {
		if r := l.Record(seq); r.Seq == seq {
			return r.total
		}
	}
	return l.Line.Total()
}

// together is how many bytes left in one send up to the end of a packet, as far as records tell.
func (l *Link) together(r *Record) uint32 {
	from := r.total
	for seq := r.Seq - 1; seq < r.Seq; seq-- {
		before := l.Record(seq)
		if before.Seq != seq || before.at != r.at {
			break
		}
		from = before.total
	}
	return l.totalAfter(r.Seq) - from
}
