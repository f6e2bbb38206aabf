package rpl

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// underWay is how many packets have left since the newest one that is known to have arrived.
// It counts those of them that were judged lost, too: they may only be late.
func (l *peerLink) underWay() int { return int(l.next-l.base) - 1 }

// flightRoom is how many packets may leave now.
func (p *peer) flightRoom(now time.Duration) int {
	if n := p.link.underWay(); n <= wire.LeastFlight && p.purse.most == 0 { // nearly always
		return wire.MaxFlight - n
	}
	return p.boundedRoom(now)
}

// boundedRoom is flightRoom on a line on which much is under way, or was.
func (p *peer) boundedRoom(now time.Duration) int {
	u := &p.purse
	if now-u.measured >= wire.FlightPeriod {
		p.measureLine(now)
	}
	most := wire.MaxFlight
	if u.most > 0 {
		most = int(u.most)
	}
	return most - p.link.underWay()
}

// measureLine sets what may be under way by what has arrived since the last time. While the
// peer is silent that says nothing of the line.
func (p *peer) measureLine(now time.Duration) {
	l, u := &p.link, &p.purse
	switch took := now - u.measured; {
	case took > 2*wire.FlightPeriod || now-l.heard > wire.Silence:
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
