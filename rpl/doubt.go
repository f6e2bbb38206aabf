package rpl

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Doubts of a proxy about what it has: a base that it was to know and does not,
// or a version that is not the authority's. The authority is told by handle and
// row, again and again until a keyframe settles it: a block is acked by its
// number alone, so nothing else would have it said again.

// A doubt is one row that a keyframe is wanted of.
type doubt struct {
	r     *Replica
	row   int
	laid  Tick          // since when the row is of this node
	tick  Tick          // newest tick when it arose: a later keyframe settles it
	asked time.Duration // when it was last told; 0: not yet
	tries int           // how often it was
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

// doubtBlock notes that keyframes of all rows of a node are wanted: of a block
// that cannot be read nobody knows what else it said.
func (c *Proxy) doubtBlock(r *Replica) {
	for i := range int(r.rows.n) {
		c.doubt(r, i)
	}
}

func (c *Proxy) settled(d *doubt) bool {
	return d.r.gone || d.r.laid != d.laid || c.rows.rows[d.r.rows.first+uint32(d.row)].keyed > d.tick
}

// doubting is whether a doubt is to be told now; it forgets those that are
// settled.
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

// askDue is whether the answer to what was asked should be here.
func (c *Proxy) askDue(asked, now time.Duration) bool {
	return asked == 0 || now-asked >= max(heartbeat, 2*c.rtt.rtt)
}

// putRefusals writes what is due, as far as it fits a packet and its limit.
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
			row = wholeNode // the keyframes could not be read
		}
		if c.askDue(d.asked, now) && refuse(d.r.handle, row) {
			d.asked = max(now, 1)
			d.tries++
		}
	}
}

// doubtBits is what a refusal takes, at most.
const doubtBits = 48

// A refusal is a doubt as the authority reads it.
type refusal struct {
	handle uint32
	row    uint8
}

// refused has a keyframe of a row sent, unless one is on its way, and owner and
// parent, which a block may have told. What left before is not built upon,
// whatever acks may say of it; but it is remembered, as it bears on what an
// implicit base means.
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
