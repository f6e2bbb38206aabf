package proxy

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Doubts of a proxy about a row: a packet named a base that it does not have, or a
// version differs from the authority's. The proxy refuses the row by handle and row
// number, again and again until a keyframe settles the doubt. Acks do not suffice: they
// count a block even if it could not be read, so nothing else would have it sent again.

// A doubt is one row of which a keyframe is wanted.
type doubt struct {
	r     *Replica
	row   int
	laid  ids.Tick      // Replica.laid when it arose: later rows are others
	tick  ids.Tick      // the newest tick when it arose: a later keyframe settles it
	asked time.Duration // when the authority was last asked; 0: not yet
	tries int           // how often it was asked
}

// doubt notes that a keyframe of a row is wanted.
func (c *Proxy) doubt(r *Replica, row int) {
	for i := range c.mend.doubts {
		if d := &c.mend.doubts[i]; d.r == r && d.row == row && !c.held.settled(d) {
			return
		}
	}
	if len(c.mend.doubts) < wire.MaxRefusals {
		c.mend.doubts = append(c.mend.doubts, doubt{r: r, row: row, laid: r.laid, tick: c.held.newest})
	}
}

// doubtBlock notes that keyframes of all rows of a node are wanted, since it is not known
// which rows an unreadable block carried.
func (c *Proxy) doubtBlock(r *Replica) {
	for i := range int(r.rows.n) {
		c.doubt(r, i)
	}
}

func (h *holdings) settled(d *doubt) bool {
	return d.r.gone || d.r.laid != d.laid || h.rows.rows[d.r.rows.first+uint32(d.row)].keyed > d.tick
}

// doubting is whether a refusal is due now. It drops the doubts that are settled.
func (c *Proxy) doubting(now time.Duration) bool {
	kept, due := c.mend.doubts[:0], false
	for _, d := range c.mend.doubts {
		if !c.held.settled(&d) {
			kept = append(kept, d)
			due = due || c.out.askDue(d.asked, now)
		}
	}
	clear(c.mend.doubts[len(kept):])
	c.mend.doubts = kept
	return due
}

// askDue is whether to ask now: not asked yet, or the answer should be here by now.
func (o *outgoing) askDue(asked, now time.Duration) bool {
	return asked == 0 || now-asked >= max(wire.Heartbeat, 2*o.trip.Time())
}

// putRefusals writes the refusals that are due, as many as fit a packet and maxRefusals.
func (c *Proxy) putRefusals(e *prefix.Encoder, m *coder.EntryModel, now time.Duration) {
	n := 0
	refuse := func(handle, row uint32) bool {
		if n == wire.MaxRefusals || e.Len()*8+doubtBits > wire.PacketRoom*8-wire.EndBits {
			return false
		}
		n++
		e.Put(prefix.Raw(1, 1), coder.Unsigned(&m.Handle, handle), coder.Unsigned(&m.Length, row))
		return true
	}
	if s := &c.mend.astray; s.all && c.out.askDue(s.asked, now) && refuse(wire.AllNodes, uint32(flag(s.timeless))) {
		s.asked = max(now, 1)
	}
	for i := range c.mend.astray.nodes {
		if s := &c.mend.astray.nodes[i]; s.due && refuse(s.handle, wire.WholeNode) {
			s.due = false
		}
	}
	for i := range c.mend.doubts {
		d := &c.mend.doubts[i]
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

// doubtBits is the most bits that a refusal takes.
const doubtBits = 48
