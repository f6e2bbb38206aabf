package rpl

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Doubts of a proxy about a row: a packet named a base that it does not have, or a
// version differs from the authority's. The proxy refuses the row by handle and row
// number, again and again until a keyframe settles the doubt. Acks do not suffice: they
// count a block even if it could not be read, so nothing else would have it sent again.

// A doubt is one row of which a keyframe is wanted.
type doubt struct {
	r     *Replica
	row   int
	laid  Tick          // Replica.laid when it arose: later rows are others
	tick  Tick          // the newest tick when it arose: a later keyframe settles it
	asked time.Duration // when the authority was last asked; 0: not yet
	tries int           // how often it was asked
}

// doubt notes that a keyframe of a row is wanted.
func (c *Proxy) doubt(r *Replica, row int) {
	for i := range c.doubts {
		if d := &c.doubts[i]; d.r == r && d.row == row && !c.settled(d) {
			return
		}
	}
	if len(c.doubts) < maxRefusals {
		c.doubts = append(c.doubts, doubt{r: r, row: row, laid: r.laid, tick: c.newest})
	}
}

// doubtBlock notes that keyframes of all rows of a node are wanted, since it is not known
// which rows an unreadable block carried.
func (c *Proxy) doubtBlock(r *Replica) {
	for i := range int(r.rows.n) {
		c.doubt(r, i)
	}
}

func (c *Proxy) settled(d *doubt) bool {
	return d.r.gone || d.r.laid != d.laid || c.rows.rows[d.r.rows.first+uint32(d.row)].keyed > d.tick
}

// doubting is whether a refusal is due now. It drops the doubts that are settled.
func (c *Proxy) doubting(now time.Duration) bool {
	kept, due := c.doubts[:0], false
	for _, d := range c.doubts {
		if !c.settled(&d) {
			kept = append(kept, d)
			due = due || c.askDue(d.asked, now)
		}
	}
	clear(c.doubts[len(kept):])
	c.doubts = kept
	return due
}

// askDue is whether to ask now: not asked yet, or the answer should be here by now.
func (c *Proxy) askDue(asked, now time.Duration) bool {
	return asked == 0 || now-asked >= max(heartbeat, 2*c.trip.time())
}

// putRefusals writes the refusals that are due, as many as fit a packet and maxRefusals.
func (c *Proxy) putRefusals(e *prefix.Encoder, m *entryModel, now time.Duration) {
	n := 0
	refuse := func(handle, row uint32) bool {
		if n == maxRefusals || e.Len()*8+doubtBits > PacketRoom*8-endBits {
			return false
		}
		n++
		e.Put(prefix.Raw(1, 1), unsigned(&m.handle, handle), unsigned(&m.length, row))
		return true
	}
	if s := &c.astray; s.all && c.askDue(s.asked, now) && refuse(allNodes, uint32(flag(s.timeless))) {
		s.asked = max(now, 1)
	}
	for i := range c.astray.nodes {
		if s := &c.astray.nodes[i]; s.due && refuse(s.handle, wholeNode) {
			s.due = false
		}
	}
	for i := range c.doubts {
		d := &c.doubts[i]
		row := uint32(d.row)
		if d.tries >= doubtTries {
			row = wholeNode // keyframes of the row do not help: refuse the whole node
		}
		if c.askDue(d.asked, now) && refuse(d.r.handle, row) {
			d.asked = max(now, 1)
			d.tries++
		}
	}
}

// doubtBits is the most bits that a refusal takes.
const doubtBits = 48

// A refusal is a doubt as the authority reads it.
type refusal struct {
	handle uint32
	row    uint8
}

// refused answers a refusal. It has a keyframe of the row sent, unless one is on its way,
// and owner and parent, which an unreadable block may have carried. Versions sent before
// are not used as bases any more, whatever acks say of them; newest and carried are kept,
// since they decide what an implicit base means. Refusals of a whole node or of all nodes
// are noted for mend (resync.go).
func (a *Authority) refused(p *peer, r refusal) {
	switch {
	case r.handle == allNodes:
		p.resync.asked, p.resync.lost, p.busy = true, p.resync.lost || r.row != 0, true
		return
	case r.handle >= uint32(len(p.entries)):
		return
	case r.row == wholeNode:
		if s := &p.resync; len(s.nodes) < maxRefusals {
			s.nodes, p.busy = append(s.nodes, r.handle), true
		}
		return
	}
	e := &p.entries[r.handle]
	if e.state != entryIn || r.row >= e.nrows {
		return
	}
	e.meta = true
	p.marks.set(markDirty, r.handle)
	pr := p.row(e, int(r.row))
	if pr.acked == 0 && pr.flight != 0 {
		return
	}
	*pr = peerRow{newest: pr.newest, carried: pr.carried, from: uint32(p.nextTick(a.tick))}
}
