package rpl

// How many packets may be under way to a peer. What a packet carried is remembered until it
// is acked, but of so many packets only; what is forgotten before that would be told again.
// And a line that is sent more than it carries keeps the rest waiting, up to minutes of it,
// so that all comes late. What may be under way on such a line is what it was seen to carry
// in a short time: then as much is sent as arrives.

import "time"

// underWay is how many packets have left since the newest one that is known to have arrived.
// It counts those of them that were judged lost, too: they may only be late.
func (l *peerLink) underWay() int { return int(l.next-l.base) - 1 }

// flightRoom is how many packets may leave now.
func (p *peer) flightRoom(now time.Duration) int {
	if n := p.link.underWay(); n <= leastFlight && p.purse.most == 0 { // nearly always
		return maxFlight - n
	}
	return p.boundedRoom(now)
}

// boundedRoom is flightRoom on a line on which much is under way, or was.
func (p *peer) boundedRoom(now time.Duration) int {
	u := &p.purse
	if now-u.measured >= flightPeriod {
		p.measureLine(now)
	}
	most := maxFlight
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
	case took > 2*flightPeriod || now-l.heard > silence:
	case now-l.ackedAt > flightTime:
		carries := time.Duration(u.arrived-u.counted) * flightTime / took
		u.most = uint16(min(max(carries, leastFlight), maxFlight))
	default:
		if u.most += u.most / 4; u.most >= maxFlight {
			u.most = 0
		}
	}
	u.counted, u.measured = u.arrived, now
}
