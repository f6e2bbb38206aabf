package send

import (
	"cmp"
	"math"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/budget"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// What a send leaves out when the peer's bucket does not pay for everything (protocol rules
// 26 to 29).

// afford charges a bundle to the peer's room and reports whether the room pays for it.
func (plr *planner) afford(p *Peer, bits int) bool {
	if !p.bucket.Afford(bits, p.plan.empty()) {
		plr.sender.Accounts.Counters.Starved++
		return false
	}
	return true
}

// fitUpdates leaves out updates that the room does not pay for, and reports whether it pays for all.
func (plr *planner) fitUpdates(p *Peer) bool {
	if cost := budget.BundlesCost(int(p.plan.updateBits), p.plan.updates.len()+int(p.plan.folded)); cost <= p.bucket.Left {
		p.bucket.Left -= cost
		return true
	}
	plr.fitUrgent(p)
	return false
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
func (plr *planner) fitUrgent(p *Peer) {
	plr.sender.Updates.unfold(p)
	bucket := &p.bucket
	updates := p.plan.updates.in(plr.sender.Updates.bundles.updates)
	plr.order = plr.order[:0]
	ownership := 0.0 // bits of the updates with a new parent or owner
	for i := range updates {
		b := &updates[i]
		if b.skip {
			continue
		}
		urgency := float32(foremost)
		if b.ownership {
			ownership += budget.BundleCost(int(b.bits))
		} else if b.urgency < foremost {
			urgency = b.urgency * plr.sender.Updates.worthOf(p, &plr.store.Nodes[p.States[b.handle].slot])
		}
		plr.order = append(plr.order, ranked{urgency, int32(i)})
	}
	slices.SortFunc(plr.order, mostUrgent)
	first := bucket.Room > 0 && p.plan.removals.empty() && p.plan.arrivals.empty()
	together := ownership <= 8*wire.PacketRoom && (first || bucket.Left > 0)
	for _, o := range plr.order {
		b := &updates[o.i]
		if cost := budget.BundleCost(int(b.bits)); bucket.Left >= cost || first || b.ownership && together {
			bucket.Left -= cost
		} else {
			b.skip = true
			plr.sender.Accounts.Counters.Starved++
			if len(p.overload.priorities) > 0 {
				p.overload.priorities[b.handle].since = plr.sinceOf(b) // it goes on waiting
			}
		}
		first = false
	}
}

// sinceOf is the tick since which an update's content has waited.
func (plr *planner) sinceOf(b *bundle) ids.Tick {
	if b.urgency >= foremost {
		return plr.store.Tick
	}
	return plr.store.Tick + 1 - ids.Tick(b.urgency)
}

// fitSpeculative leaves out speculative updates for which there is no room to spare, and those of
// nodes of which a copy of the arrival leaves in this send: it carries the same. With both, the peer
// would have the row as a keyframe, and the authority would not know: one of the two packets, or
// its ack, may be lost. They would not start the next line from the same version. Those go first that have
// waited longest, and where packets are lost one send leaves three quarters to the next ones.
func (plr *planner) fitSpeculative(p *Peer) {
	if p.plan.speculative.empty() {
		return
	}
	speculative := p.plan.speculative.in(plr.sender.Updates.bundles.speculative)
	lossy := p.Link.Lossy()
	line := float64(plr.lineRoom(p)) // calls and messages, which come after, go by the bucket alone
	rest := line * 3 / 4 * float64(flag(lossy))
	plr.order = plr.order[:0]
	for i := range speculative {
		plr.order = append(plr.order, ranked{speculative[i].urgency, int32(i)})
	}
	slices.SortFunc(plr.order, mostUrgent)
	for _, o := range plr.order {
		g := &speculative[o.i]
		b := budget.BundleCost(int(g.bits))
		if g.skip = line < rest || min(p.bucket.Left, line) < b || p.States[g.handle].has(statePlanned); !g.skip {
			p.bucket.Left, line = p.bucket.Left-b, line-b
			if lossy {
				plr.sender.Updates.beginCopies(p, plr.sender.Updates.recsOf(g))
			}
		}
	}
}

// payCalls charges unreliable calls, in order, before arrivals and updates are planned.
// They have a share of their own, half of the budget, which they save up: so neither
// calls nor state wait for ever. The first may cost more than is left. Where some were dropped in the
// send before, those on the next node come first now: else the same ones would be heard always, and others
// never.
func (plr *planner) payCalls(p *Peer) {
	if turn := p.RPC.turn; turn != 0 {
		p.RPC.turn = 0
		slices.SortStableFunc(p.RPC.Unreliable, func(a, b []byte) int { return cmp.Compare(wire.Callee(a)-turn, wire.Callee(b)-turn) })
	}
	u := &p.bucket
	for u.Calls > 0 && u.Left > 0 && p.RPC.paid < len(p.RPC.Unreliable) {
		cost := budget.BundleCost(8 * len(p.RPC.Unreliable[p.RPC.paid]))
		if u.Left < cost {
			if p.RPC.paid > 0 || u.Room <= 0 {
				break
			}
			u.Room = 0 // the room is overdrawn
		}
		u.Left -= cost
		u.Calls -= cost / 8
		p.RPC.paid++
	}
}

// sparedCalls lets further calls go for what updates have left over, and drops the
// rest: what an unreliable call says is not worth waiting for.
func (plr *planner) sparedCalls(p *Peer) {
	u, calls := &p.bucket, p.RPC.Unreliable
	for p.RPC.paid < len(calls) {
		cost := budget.BundleCost(8 * len(calls[p.RPC.paid]))
		if u.Left < cost {
			break
		}
		u.Left -= cost
		p.RPC.paid++
	}
	plr.dropCalls(p, p.RPC.paid)
}

// dropCalls drops and counts a peer's unreliable calls from index from on.
func (plr *planner) dropCalls(p *Peer, from int) {
	if from < len(p.RPC.Unreliable) {
		p.RPC.turn = wire.Callee(p.RPC.Unreliable[from])
		plr.sender.Accounts.Counters.NoRoom(wire.Missed(p.RPC.Unreliable[from:], plr.store.Schema))
	}
	p.RPC.spares.Put(p.RPC.Unreliable[from:])
	p.RPC.Unreliable = p.RPC.Unreliable[:from]
}

// laneShare is the bytes of the bucket that messages waiting for the reliable lane get
// before anything else. Messages are taken in order, of a long one its next part, as
// far as the bucket pays for each whole; the next one saves up.
func (plr *planner) laneShare(p *Peer) float64 {
	share := 0.0
	p.RPC.Ready.Sizes(func(bytes int, call bool) bool {
		reserve, whole := p.bucket.ForLane(share, p.laneCost(bytes), !call)
		share += reserve
		return whole
	})
	return share
}

func (p *Peer) laneCost(bytes int) float64 { return budget.LaneCost(bytes, p.Link.Lossy()) }

// Charge is Authority.Charge.
func (plr *planner) Charge(id ids.Peer, sent, held int) {
	if plr.budget.Rate == 0 {
		return
	}
	if p := plr.sender.ByID.Find(id); p != nil {
		p.bucket.Correct(sent, held)
		p.Link.Line.Sent(sent)
	}
}
