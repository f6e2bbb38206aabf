package send

import (
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/store"
)

// touchStates reads ahead of a whole batch: the two limits are one.
var _ [store.Ahead]uint32 = [marks.Most]uint32{}

// touchAcks touches what the waiting acks of some peers concern. Most peers have one.
func (plr *planner) touchAcks(peers []*Peer) {
	var some [2 * store.AheadPeers]struct {
		p *Peer
		r *link.Record
	}
	n, sum := 0, uint32(0)
	for _, p := range peers {
		l := &p.Link
		sum += l.Sends.Touch()
		for i := range l.Acks {
			if n < len(some) {
				r := l.Record(l.Acks[i].Seq)
				sum += uint32(r.Seq) + uint32(l.Record(l.Acks[i].Seq+1).Tick) // the oldest in flight then
				some[n].p, some[n].r = p, r
				n++
			}
		}
	}
	about := some[:n]
	for i := range about {
		if carried := about[i].r.Entries; len(carried) > 0 {
			sum += carried[0].Handle
		}
	}
	for i := range about {
		sum += about[i].p.touchRecord(about[i].r.Entries)
	}
	plr.sender.Updates.ahead += sum
}

// touchRecord touches the peer's handles that a packet's record is about.
func (p *Peer) touchRecord(carried []link.Entry) (sum uint32) {
	states := p.States
	carried = carried[:min(len(carried), store.Ahead)]
	for i := range carried {
		if h := carried[i].Handle; h < uint32(len(states)) { // for a layout the handle is its number
			sum += uint32(states[h].gen) + uint32(states[h].one.notes) // half of the states take two cache lines
		}
	}
	return sum
}

// A rowAtPeer is a row that may be sent to a peer, and what the peer has of it.
type rowAtPeer struct {
	r  *store.Row
	pr *peerRow
}

// touchPeers takes the first batch of marked handles of each peer and touches what
// planning them needs.
func (plr *planner) touchPeers(peers []*Peer) {
	var some [store.AheadPeers * store.Ahead]rowAtPeer
	found, sum := 0, uint32(0)
	for i, p := range peers {
		b := &plr.batches[i]
		b.Take(&p.Marks, 0)
		sum += uint32(p.again.rest)
		p.plan.stale = false
		if l := &p.Link; b.N > 0 {
			sum += uint32(l.Record(l.Next).Seq)
			found += plr.sender.Updates.touchStates(p.States, b, some[found:])
		}
		if p.went {
			for _, h := range p.going[:min(len(p.going), store.Ahead)] {
				sum += uint32(p.States[h].copies)
			}
		}
		if p.came {
			for _, c := range p.coming[:min(len(p.coming), store.Ahead)] {
				sum += uint32(p.States[c.handle].copies)
			}
		}
	}
	sum += plr.touchQueues(peers)
	plr.sender.Updates.touchRows(some[:found])
	plr.sender.Updates.ahead += sum
}

// touchQueues touches the nodes whose arrivals are planned next, a few of each peer, and what the peers'
// base packets told.
func (plr *planner) touchQueues(peers []*Peer) (sum uint32) {
	const few = 8
	var some [few * store.AheadPeers]uint32
	found := some[:0]
	for _, p := range peers {
		sum += p.again.touch(&p.Link)
		if p.busy {
			found = append(found, p.arrivals.queue[:min(len(p.arrivals.queue), few)]...)
		}
	}
	return sum + plr.store.TouchArrivals(found)
}

// touchNext touches what planning the next batch of one peer needs.
func (u *updates) touchNext(p *Peer, b *marks.Batch) {
	var some [store.Ahead]rowAtPeer
	u.touchRows(some[:u.touchStates(p.States, b, some[:])])
}

// touchStates touches the states of a batch and collects the rows of the plain ones.
func (u *updates) touchStates(states []handleState, b *marks.Batch, found []rowAtPeer) (n int) {
	rows := u.store.Rows
	for _, h := range b.All() {
		if e := &states[h]; e.has(statePlain) {
			found[n] = rowAtPeer{&rows[e.row], &e.one}
			n++
		}
	}
	return n
}

// touchRows touches rows, and then, unless an update is coded already by any tables,
// what an update would be coded from.
func (u *updates) touchRows(some []rowAtPeer) {
	sum, send := uint32(0), u.store.Send<<2
	for i := range some {
		sum += some[i].r.Head + uint32(some[i].pr.notes)
	}
	for i := range some {
		r, pr := some[i].r, some[i].pr
		if s := &r.Share; s.Key&^3 != send || uint32(r.ShareVer) != r.Head-pr.acked {
			sum += u.touchVersions(r, pr)
		}
	}
	u.ahead += sum // so that the compiler keeps the reads
}

// touchVersions touches a row's current words, its newest version, the version that a peer
// has, and the one before it, from which lines start.
func (u *updates) touchVersions(r *store.Row, pr *peerRow) uint32 {
	s := &u.store.Slabs[r.Type.Index]
	block := s.Blocks[int(r.Block)*s.Block:]
	sum := uint32(block[0] + block[s.Head+s.Width])
	if pr.acked != r.Head {
		_, tick := s.Version(r, pr.acked)
		sum += tick
	}
	if s.Lines && pr.secondAgo != 0 {
		_, tick := s.Version(r, pr.acked-uint32(pr.secondVer))
		sum += tick
	}
	return sum
}

// touchDirty touches what is needed to mark nodes for their holders.
func (u *updates) touchDirty(slots []uint32) {
	sum := uint32(0)
	for _, slot := range slots {
		sum += uint32(len(u.store.Nodes[slot].Holders))
	}
	for _, slot := range slots {
		if n := &u.store.Nodes[slot]; n.Shared {
			sum += n.SharedHandle
		} else if len(n.Holders) > 0 {
			sum += n.Holders[0].Handle()
		}
	}
	u.ahead += sum
}
