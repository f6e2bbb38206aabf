package rpl

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A peer's byte budget: a token bucket, and what a send leaves out when the
// bucket does not pay for all (protocol rules 26 to 29).

// afford takes what a piece costs from the peer's room. Where nothing is
// planned yet the room may be overdrawn once, so that what is larger than a
// send's share is not put off for ever (protocol rule 26).
func (a *Authority) afford(pl *plan, bits int) bool {
	if a.cfg.Budget == 0 {
		return true
	}
	cost := pieceBits(bits)
	if pl.left < cost && !(pl.room > 0 && pl.empty()) {
		a.counters.Starved++
		return false
	}
	pl.left -= cost
	return true
}

// fitUpdates leaves out the least urgent updates that the room does not pay.
func (a *Authority) fitUpdates(p *peer) {
	if a.cfg.Budget == 0 {
		return
	}
	pl := &p.plan
	total := 0
	for i := range pl.updates {
		total += int(pl.updates[i].bits)
	}
	if cost := piecesBits(total, len(pl.updates)); cost <= pl.left {
		pl.left -= cost
		return
	}
	pl.order = pl.order[:0]
	for i := range pl.updates {
		u := &pl.updates[i]
		pl.order = append(pl.order, int32(i))
		n := &a.nodes[p.entries[u.handle].node.Slot()]
		if u.moved { // all or none (protocol rule 20)
			u.urgency = math.MaxFloat32
			continue
		}
		u.urgency *= n.spawn.Weight * a.closeness(p, n)
	}
	slices.SortFunc(pl.order, func(i, j int32) int {
		return cmp.Compare(pl.updates[j].urgency, pl.updates[i].urgency)
	})
	first := pl.room > 0 && len(pl.removals)+len(pl.arrivals) == 0
	for _, i := range pl.order {
		u := &pl.updates[i]
		if b := pieceBits(int(u.bits)); pl.left >= b || first {
			pl.left -= b
		} else {
			u.skip = true
			a.counters.Starved++
		}
		first = false
	}
}

// fitGuesses leaves out the guesses for which there is no spare room.
func (a *Authority) fitGuesses(p *peer) {
	if a.cfg.Budget == 0 {
		return
	}
	for i := range p.plan.guesses {
		g := &p.plan.guesses[i]
		if b := pieceBits(int(g.bits)); p.plan.left >= b {
			p.plan.left -= b
		} else {
			g.skip = true
		}
	}
}

// headerBits is what a packet costs beside its pieces, at most: the seal, the
// header, the sections' ends, the coder's last bytes.
const headerBits = (PacketOverhead + 24) * 8

// piecesBits is what n pieces cost, their names and their share of the packets'
// headers included.
func piecesBits(bits, n int) float64 {
	return float64(bits+n*nameBits) * (1 + headerBits/float64(8*PacketRoom-headerBits))
}

func pieceBits(bits int) float64 { return piecesBits(bits, 1) }

// nameBits is what a handle's gap costs, at most.
const nameBits = 30

func (a *Authority) refill(p *peer, now time.Duration) {
	l := &p.link
	if l.tokensAt == 0 {
		l.tokens = a.bucket()
	} else {
		l.tokens = min(a.bucket(), l.tokens+float64(a.cfg.Budget)*(now-l.tokensAt).Seconds())
	}
	l.tokensAt = max(now, 1)
	pl := &p.plan
	pl.lane, pl.left = a.laneShare(p), 0
	pl.room = l.tokens - pl.lane
}

// laneShare is what the messages that wait for the reliable lane take of the
// bucket, before anything else: those that it pays for wholly, or the first
// where it is full.
func (a *Authority) laneShare(p *peer) float64 {
	share := 0.0
	if a.cfg.Budget == 0 {
		return 0
	}
	for _, m := range p.rpc.ready {
		cost := laneCost(m)
		if p.link.tokens-share < min(cost, a.bucket()) {
			break
		}
		share += cost
	}
	return share
}

// laneCost is what a reliable message takes of the budget.
func laneCost(m []byte) float64 {
	return float64(len(m) + (len(m)/laneChunk+1)*laneOverhead)
}

// What the reliable lane adds to a message, roughly: a segment's header per
// chunk, its ack's and a share of the packet's.
const (
	laneChunk    = 1100
	laneOverhead = 24 + PacketOverhead
)

// bucket is the budget that a peer may save up.
func (a *Authority) bucket() float64 {
	return max(float64(a.cfg.Budget)*bucketTime.Seconds(), PacketRoom+PacketOverhead)
}
