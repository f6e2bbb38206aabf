package rpl

// How many packets may be under way to a peer. What a packet carried is remembered until it
// is acked, but of so many packets only; what is forgotten before that would be told again.

// underWay is how many packets have left since the newest one that is known to have arrived.
// It counts those of them that were judged lost, too: they may only be late.
func (l *peerLink) underWay() int { return int(l.next-l.base) - 1 }

// flightRoom is how many packets may leave now.
func (p *peer) flightRoom() int { return maxFlight - p.link.underWay() }
