package rpl

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A peer's byte budget: a token bucket, and what a send leaves out when the bucket does
// not pay for everything (protocol rules 26 to 29).

// afford charges a piece to the peer's room and reports whether the room pays for it.
// If nothing is planned yet the room may be overdrawn once, so that a piece larger than
// one send's share is not put off for ever (protocol rule 26).
func (a *Authority) afford(p *peer, bits int) bool {
	cost, u := pieceBits(bits), &p.purse
	if u.left < cost && !(u.room > 0 && p.plan.empty()) {
		a.counters.Starved++
		return false
	}
	u.left -= cost
	return true
}

// fitUpdates leaves out updates that the room does not pay for.
func (a *Authority) fitUpdates(p *peer) {
	if cost := piecesBits(int(p.plan.updateBits), p.plan.updates.len()+int(p.plan.folded)); cost <= p.purse.left {
		p.purse.left -= cost
		return
	}
	a.fitUrgent(p)
}

// ranked is a handle, or an index into a plan's updates, with its urgency.
type ranked struct {
	urgency float32
	i       int32
}

func mostUrgent(x, y ranked) int {
	return cmp.Or(cmp.Compare(y.urgency, x.urgency), cmp.Compare(x.i, y.i))
}

// foremost is the urgency of what goes before everything else.
const foremost = math.MaxFloat32

// fitUrgent leaves out the least urgent updates when there is no room for all. Those
// with a new parent or owner leave together or not at all, if one packet can hold them
// (protocol rule 20).
func (a *Authority) fitUrgent(p *peer) {
	a.unfold(p)
	purse := &p.purse
	updates := p.plan.updates.in(a.pieces.updates)
	a.order = a.order[:0]
	metas := 0.0 // bits of the updates with a new parent or owner
	for i := range updates {
		u := &updates[i]
		if u.skip {
			continue
		}
		urgency := float32(foremost)
		if u.meta {
			metas += pieceBits(int(u.bits))
		} else if u.urgency < foremost {
			urgency = u.urgency * a.worthOf(p, &a.nodes[p.entries[u.handle].node.Slot()])
		}
		a.order = append(a.order, ranked{urgency, int32(i)})
	}
	slices.SortFunc(a.order, mostUrgent)
	first := purse.room > 0 && p.plan.removals.empty() && p.plan.arrivals.empty()
	together := metas <= 8*PacketRoom && (first || purse.left > 0)
	for _, o := range a.order {
		u := &updates[o.i]
		if b := pieceBits(int(u.bits)); purse.left >= b || first || u.meta && together {
			purse.left -= b
		} else {
			u.skip = true
			a.counters.Starved++
			if len(p.turns) > 0 {
				p.turns[u.handle].since = a.sinceOf(u) // it goes on waiting
			}
		}
		first = false
	}
}

// sinceOf is the tick since which an update's content has waited.
func (a *Authority) sinceOf(u *piece) Tick {
	if u.urgency >= foremost {
		return a.tick
	}
	return a.tick + 1 - Tick(u.urgency)
}

// fitGuesses leaves out guesses for which there is no room to spare.
func (a *Authority) fitGuesses(p *peer) {
	guesses := p.plan.guesses.in(a.pieces.guesses)
	for i := range guesses {
		g := &guesses[i]
		if b := pieceBits(int(g.bits)); p.purse.left >= b {
			p.purse.left -= b
		} else {
			g.skip = true
		}
	}
}

// payCalls charges unreliable calls, in order, before arrivals and updates are planned.
// They have a share of their own, half of the budget, which they save up: so neither
// calls nor state wait for ever. The first may cost more than is left.
func (a *Authority) payCalls(p *peer) {
	u := &p.purse
	for u.calls > 0 && u.left > 0 && p.rpc.paid < len(p.rpc.unreliable) {
		cost := pieceBits(8 * len(p.rpc.unreliable[p.rpc.paid]))
		if u.left < cost {
			if p.rpc.paid > 0 || u.room <= 0 {
				break
			}
			u.room = 0 // the room is overdrawn
		}
		u.left -= cost
		u.calls -= cost / 8
		p.rpc.paid++
	}
}

// sparedCalls lets further calls go for what updates have left over, and drops the
// rest: what an unreliable call says is not worth waiting for.
func (a *Authority) sparedCalls(p *peer) {
	u, calls := &p.purse, p.rpc.unreliable
	for p.rpc.paid < len(calls) {
		cost := pieceBits(8 * len(calls[p.rpc.paid]))
		if u.left < cost {
			break
		}
		u.left -= cost
		p.rpc.paid++
	}
	a.dropCalls(p, p.rpc.paid)
}

// dropCalls drops and counts a peer's unreliable calls from index from on.
func (a *Authority) dropCalls(p *peer, from int) {
	a.counters.CallsDropped += uint64(len(p.rpc.unreliable) - from)
	clear(p.rpc.unreliable[from:])
	p.rpc.unreliable = p.rpc.unreliable[:from]
}

// piecesBits is what n pieces cost, with their names and their share of the packets'
// headers.
func piecesBits(bits, n int) float64 {
	return float64(bits+n*wire.NameBits) * (1 + wire.HeaderBits/float64(8*PacketRoom-wire.HeaderBits))
}

func pieceBits(bits int) float64 { return piecesBits(bits, 1) }

// A purse is what a peer may be sent: what its budget pays for, if it has one, and no more
// than may be under way.
type purse struct {
	tokens float64 // bytes in the bucket …
	bucket float64 // … which holds so many
	at     time.Duration
	lane   float64 // bytes reserved for messages that wait for the reliable lane
	room   float64 // bytes in the bucket beside those; negative: debt. Without a budget: bytes that may leave
	left   float64 // bits not yet planned for, of room and of what may be under way
	calls  float64 // bytes that unreliable calls have saved up
	paid   float64 // bytes charged for what the reliable lane holds or was given since Charge

	// What may be under way (flow.go).
	most     uint16        // packets, if fewer than maxFlight; else 0
	arrived  uint16        // packets acked, modulo 2¹⁶
	counted  uint16        // arrived when the line was measured last
	settled  bool          // Charge reports what the lane sends
	measured time.Duration // when that was
}

// refill adds to a peer's purse what its budget has given since the last send, or what the
// peer's line carries if that is less, and sets aside the share of the reliable lane.
func (a *Authority) refill(p *peer, now time.Duration) {
	u, l := &p.purse, &p.link.line
	pays := float64(a.cfg.Budget)
	u.bucket = a.bucket
	if limit := l.Limit(); limit > 0 {
		pays, u.bucket = min(pays, limit), lineBucket(limit)
	}
	if u.at == 0 {
		u.tokens, u.calls = u.bucket, u.bucket/2
	} else {
		more := pays * (now - u.at).Seconds()
		l.Update(now, u.tokens+more < u.bucket, float64(a.cfg.Budget))
		u.tokens, u.calls = min(u.bucket, u.tokens+more), min(u.bucket/2, u.calls+more/2)
	}
	u.at = max(now, 1)
	u.lane, u.left = 0, 0
	if p.busy {
		u.lane = a.laneShare(p)
	}
	u.room = u.tokens - u.lane
}

// open starts planning with what there is, if that is worth a packet. flight is for how many
// packets there is room on the way. Without a budget that is all there is, and calls may
// have half of it.
func (u *purse) open(flight int, budget bool) bool {
	bits := float64(flight * PacketRoom * 8)
	if !budget {
		u.room, u.left, u.calls = bits/8, bits, bits/16
		return true
	}
	if u.room < wire.LeastSend {
		return false
	}
	u.left = min(u.room*8, bits) - wire.HeaderBits
	return true
}

// laneShare is the bytes of the bucket that messages waiting for the reliable lane get
// before anything else. Messages are taken in order, of a long one its next part, as
// far as the bucket pays for each whole. If the bucket is full but too small for the
// first, that is taken all the same.
func (a *Authority) laneShare(p *peer) float64 {
	share := 0.0
	for _, m := range p.rpc.ready {
		cost := p.laneCost(min(len(m), wire.MaxPart))
		if p.purse.tokens-share < min(cost, p.purse.bucket) || !a.laneTakes(p, share+cost) {
			break
		}
		if share += cost; len(m) > wire.MaxPart {
			break // one part at a time
		}
	}
	return share
}

// laneTakes is whether a peer's reliable lane may be given so many more bytes now. A
// stalled lane holds at most a bucket of them: otherwise all would leave at once when
// it goes on.
func (a *Authority) laneTakes(p *peer, bytes float64) bool {
	u := &p.purse
	return !u.settled || u.paid == 0 || u.paid+bytes <= u.bucket
}

// laneCost is what so many bytes of a reliable message are charged when they are given
// to the lane: its segments, and with packet loss a copy of each, as transport/lane
// then repeats every segment once. Charge settles what they did cost.
func (p *peer) laneCost(bytes int) float64 {
	cost := float64(bytes + (bytes/laneChunk+1)*laneOverhead)
	if p.link.lossy() {
		cost *= 2
	}
	return cost
}

// Charge reports what a peer's reliable lane has sent since the last Charge, in bytes
// (messages, repeats, acknowledgements, and packets that carried nothing else), and how
// many bytes it still holds to send. That settles what its messages were charged when
// the lane was given them: repeats become a debt, paid before the peer is sent anything
// else. transport.Conn counts both; call Charge after each send, before the next
// Schedule. Without it the charge stays an estimate that knows of no repeats. Charge
// does nothing without AuthorityConfig.Budget, or for a peer that is not connected.
func (a *Authority) Charge(id Peer, sent, held int) {
	if a.cfg.Budget == 0 {
		return
	}
	if p := a.byID.find(id); p != nil {
		u := &p.purse
		u.tokens += u.paid - float64(sent+held)
		u.paid, u.settled = float64(held), true
		p.link.line.Sent(sent)
	}
}

// What the reliable lane adds to a message, roughly: for each chunk a segment's header,
// its ack's, and a share of the packet's.
const (
	laneChunk    = 1100
	laneOverhead = 24 + PacketOverhead
)

// lineBucket is the bytes that a peer may save up whose line carries so many a second: they
// all leave at once, and wait on the line.
func lineBucket(carries float64) float64 {
	return max(carries*wire.LineBucketTime.Seconds(), PacketRoom+PacketOverhead)
}

// bucketOf is the bytes of a budget that a peer may save up.
func bucketOf(budget int) float64 {
	return max(float64(budget)*wire.BucketTime.Seconds(), PacketRoom+PacketOverhead)
}
