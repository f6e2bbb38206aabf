package send

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// The order in which the nodes that a peer is to have come to it.

// A contender is a node that waits for its arrival, with what it is worth to send it now.
type contender struct {
	worth float32
	slot  uint32
}

// patience is how many sends a long queue keeps its order, unless it gets longer: what is
// waited for changes slowly, and a look at all of it is not free.
const patience = 8

// sortQueue orders a peer's queue (protocol rule 26): the session and own nodes first, with
// what they hang on, then by weight, nearness and waiting (interest/lead.go).
func (plr *planner) sortQueue(p *Peer, now time.Duration) {
	in := plr.sender.interest
	in.Track(p.view, now)
	if len(p.arrivals.queue) < 2 || len(p.arrivals.queue) > longQueue && len(p.arrivals.queue) <= int(p.arrivals.before) && (plr.store.Send+uint32(p.Index))%patience != 0 {
		return
	}
	plr.queueing, plr.carrying = plr.queueing[:0], plr.carrying[:0]
	for _, slot := range p.arrivals.queue {
		n := &plr.store.Nodes[slot]
		worth := float32(0)
		switch hd := n.Holder(p.Index); {
		case hd == nil:
		case n.ID == ids.SessionNode:
			worth = float32(math.Inf(1))
		case n.Owner == p.ID && p.ID != 0:
			worth = foremost
			for up := n.Parent; up != 0; up = plr.store.Nodes[up].Parent {
				plr.carrying = append(plr.carrying, up)
			}
		default:
			worth = in.ArrivalWorth(p.view, slot, hd.Held(now))
		}
		plr.queueing = append(plr.queueing, contender{worth, slot})
	}
	for i := range plr.queueing {
		if q := &plr.queueing[i]; q.worth < foremost && slices.Contains(plr.carrying, q.slot) {
			q.worth = foremost
		}
	}
	slices.SortStableFunc(plr.queueing, func(x, y contender) int { return cmp.Compare(y.worth, x.worth) })
	for i := range plr.queueing {
		p.arrivals.queue[i] = plr.queueing[i].slot
	}
}
