package proxy

import (
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Keyframe requests of a proxy for a row: a packet named a base that it does not have, or a
// version differs from the authority's. The proxy sends a nack of the row by handle and row
// number, again and again until a keyframe answers the request. Acks do not suffice: they
// count a block even if it could not be read, so nothing else would have it sent again.

// A keyframeRequest is one row of which a keyframe is wanted.
type keyframeRequest struct {
	r     *Replica
	row   int
	laid  ids.Tick      // Replica.laid when it arose: later rows are others
	tick  ids.Tick      // the newest tick when it arose: a later keyframe answers it
	asked time.Duration // when the authority was last asked; 0: not yet
	tries int           // how often it was asked

	// Of blocks of which the row may have missed something the first and last tick, 0 for none, and the newest packet
	// when the first could not be read: who has heard of the ack of that block has heard of that packet, too.
	first, last ids.Tick
	newest      uint64
}

// requestKeyframe notes that a keyframe of a row is wanted; nil if too many are.
func (m *mending) requestKeyframe(h *holdings, r *Replica, row int) *keyframeRequest {
	if d := m.requested(h, r, row); d != nil {
		return d
	}
	if len(m.requests) == wire.MaxNacks {
		return nil
	}
	m.requests = append(m.requests, keyframeRequest{r: r, row: row, laid: r.laid, tick: h.newest})
	return &m.requests[len(m.requests)-1]
}

// requested is the request of a keyframe of a row that is not answered yet, nil if there is none.
func (m *mending) requested(h *holdings, r *Replica, row int) *keyframeRequest {
	for i := range m.requests {
		if d := &m.requests[i]; d.r == r && d.row == row && !h.answered(d) {
			return d
		}
	}
	return nil
}

// uncertain is whether the authority may mean another version by the newest one up to a tick than that of a row's here,
// of tick at: that of a block which could not be read. It takes that to be here, since its ack counts it, until it
// hears the nack, and the packet with the first nack may have been lost.
func (c *Proxy) uncertain(number uint32, tick, at ids.Tick) bool {
	if len(c.mend.requests) == 0 {
		return false
	}
	r := c.held.rows.owners[number].r
	d := c.mend.requested(&c.held, r, int(number-r.rows.first))
	return d != nil && d.first > 0 && d.first <= tick && at < d.last && (c.dec.stage.block || c.dec.base >= d.newest)
}

// missedBlock notes that a keyframe of a row is wanted, of which a block of tick t may have had news.
func (c *Proxy) missedBlock(r *Replica, row int, t ids.Tick) {
	d := c.mend.requestKeyframe(&c.held, r, row)
	if d == nil {
		c.Resync() // nothing else would have it sent again
		return
	}
	if d.first == 0 {
		d.first, d.newest = t, c.in.history.newest
	}
	d.first, d.last, d.tick = min(d.first, t), max(d.last, t), max(d.tick, t)
}

// requestAfterBlock notes that keyframes are wanted of the rows of a node for which a block that cannot be read may
// have had news: it is not known which rows it carried. On its way a block is often overtaken by packets of which the
// newest then says more, and whose bases are newer than its own, which is dropped for that reason. If it may have had
// no news at all, nothing is wanted, and it counts as any late packet.
func (c *Proxy) requestAfterBlock(r *Replica) {
	st := &c.dec.stage
	owner, news := r.Owner, false
	if n := len(st.ownership); n > 0 && st.tick > r.ownershipTick { // it told of this node alone
		owner, news = st.ownership[n-1].owner, true
	}
	st.overtaken = true
	for k, t := range r.layout.Rows {
		who := t.Audience
		overtaken := len(t.Vars) > 0 && c.held.rows.rows[r.rows.first+uint32(k)].applied >= st.tick // of others the authority goes on from what it takes to be here (line.go)
		if overtaken || who == ids.OwnerSees && owner != c.me || who == ids.OthersSee && owner == c.me {
			continue
		}
		st.overtaken = false
		c.missedBlock(r, k, st.tick)
	}
	if news && st.overtaken {
		st.overtaken = false
		c.missedBlock(r, 0, st.tick) // the answer has the owner, too
	}
}

func (h *holdings) answered(d *keyframeRequest) bool {
	return d.r.gone || d.r.laid != d.laid || h.rows.rows[d.r.rows.first+uint32(d.row)].keyed > d.tick
}

// dropAnswered drops the requests that are answered.
func (m *mending) dropAnswered(h *holdings) {
	kept := m.requests[:0]
	for _, d := range m.requests {
		if !h.answered(&d) {
			kept = append(kept, d)
		}
	}
	clear(m.requests[len(kept):])
	m.requests = kept
}

// requestDue is whether a nack is due now.
func (m *mending) requestDue(o *outgoing, now time.Duration) bool {
	return slices.ContainsFunc(m.requests, func(d keyframeRequest) bool { return o.askDue(d.asked, now) })
}

// askDue is whether to ask now: not asked yet, or the answer should be here by now.
func (o *outgoing) askDue(asked, now time.Duration) bool {
	return asked == 0 || now-asked >= max(wire.Heartbeat, 2*o.trip.Time())
}

// putNacks writes the nacks that are due, as many as fit a packet and MaxNacks.
func (c *Proxy) putNacks(e *prefix.Encoder, m *coder.EntryModel, now time.Duration) {
	n := 0
	refuse := func(handle, row uint32) bool {
		if n == wire.MaxNacks || e.Len()*8+nackBits > wire.PacketRoom*8-wire.EndBits {
			return false
		}
		n++
		e.Put(prefix.Raw(1, 1), coder.Unsigned(&m.Handle, handle), coder.Unsigned(&m.Length, row))
		return true
	}
	if s := &c.mend.desync; s.all && c.out.askDue(s.asked, now) && refuse(wire.AllNodes, uint32(flag(s.timeless))) {
		s.asked = max(now, 1)
	}
	for i := range c.mend.desync.nodes {
		if s := &c.mend.desync.nodes[i]; s.due && refuse(s.handle, wire.WholeNode) {
			s.due = false
		}
	}
	for i := range c.mend.requests {
		d := &c.mend.requests[i]
		row := uint32(d.row)
		if d.tries >= wire.KeyframeTries {
			row = wire.WholeNode // keyframes of the row do not help: refuse the whole node
		}
		if c.out.askDue(d.asked, now) && refuse(d.r.handle, row) {
			d.asked = max(now, 1)
			d.tries++
		}
	}
}

// nackBits is the most bits that a nack takes.
const nackBits = 48
