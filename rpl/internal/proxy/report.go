package proxy

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Reporting to the adapter. commit.go notes what happens as events; at the end of an
// Apply, when all has been applied, report reports them in the order that ProxyHandler
// promises. This file also keeps track of parents, which may come after their children
// or go before them.

// events are what commit notes and report reports.
type events struct {
	arrived      []*Replica
	items        []itemEvent
	itemed       wire.Bitset // handles of the nodes in items
	ownership    []ownershipEvent
	newOwnership wire.Bitset // handles of the nodes in ownership
	changed      []uint32    // rows
	calls        []wire.Call
	args         []byte // of calls: valid until they have run
	gone         []goneEvent
	progress     reportProgress
}

// reportProgress are how far report has come in each list of events. An adapter that panics and
// is recovered gets the rest from the next Apply, and nothing twice.
type reportProgress struct {
	begun                                                       bool
	reparenting, loaded, items, ownership, changed, calls, gone int
}

type itemEvent struct {
	r   *Replica
	was []*schema.ItemType // the items that the adapter knows
}

// A ownershipEvent is a change of owner or parent, one for each node; owner and parent are the
// previous ones.
type ownershipEvent struct {
	r        *Replica
	owner    ids.Peer
	parent   ids.Node
	above    *Replica
	orphaned bool // so it was
	hung     bool // rehangAll has been at it …
	moved    bool // … and the node has another parent, or it is not known, or was not
}

type goneEvent struct {
	r         *Replica
	tick      ids.Tick
	destroyed bool
}

// report reports the noted events to the adapter, in the promised order.
func (c *Proxy) report(h ProxyHandler) {
	ev := &c.events
	at := &ev.progress // counted up before each report: what panics is not reported twice
	at.begun = true
	c.rehangAll()
	for at.reparenting < len(ev.ownership) {
		at.reparenting++
		if e := ev.ownership[at.reparenting-1]; e.moved && !e.r.fresh {
			h.Reparenting(e.r)
		}
	}
	for _, r := range ev.arrived {
		c.reportArrival(r, h)
	}
	for at.loaded < len(ev.arrived) {
		at.loaded++
		h.Loaded(ev.arrived[at.loaded-1])
	}
	for at.items < len(ev.items) { // before the changes below, which are of the items that a node has now
		at.items++
		e := ev.items[at.items-1]
		reportItems(e.r, e.was, h)
	}
	for at.ownership < len(ev.ownership) {
		at.ownership++
		e := ev.ownership[at.ownership-1]
		if e.owner != e.r.Owner && !e.r.fresh {
			h.Owned(e.r, e.owner)
		}
		if e.moved && !e.r.fresh {
			h.Parented(e.r, e.parent)
		}
	}
	c.adopt(h)
	for at.changed < len(ev.changed) {
		at.changed++
		i := ev.changed[at.changed-1]
		if o := &c.held.rows.owners[i]; c.held.rows.firstReported(i) {
			h.Changed(o.r, o.ordinal, c.held.rows.rows[i].tick)
		}
	}
	c.reportAdvanced(h)
	clear(c.held.rows.reported.W)
	for at.calls < len(ev.calls) {
		at.calls++
		h.Run(ev.calls[at.calls-1])
	}
	for at.gone < len(ev.gone) {
		at.gone++
		e := ev.gone[at.gone-1]
		h.Gone(e.r, e.tick, e.destroyed)
		delete(c.held.writs, e.r)
	}
	c.noteOrphans(ev.gone)
	ev.reset()
}

// keep copies the arguments of a call until it has run.
func (ev *events) keep(args []byte) []byte {
	from := len(ev.args)
	ev.args = append(ev.args, args...)
	return ev.args[from:len(ev.args):len(ev.args)]
}

// reset empties the lists once all of them have been reported.
func (ev *events) reset() {
	for _, r := range ev.arrived {
		r.fresh = false
	}
	clear(ev.arrived)
	for _, e := range ev.items {
		ev.itemed.Clear(e.r.handle)
	}
	for _, e := range ev.ownership {
		ev.newOwnership.Clear(e.r.handle)
	}
	clear(ev.items)
	clear(ev.gone)
	ev.arrived, ev.items, ev.ownership, ev.changed = ev.arrived[:0], ev.items[:0], ev.ownership[:0], ev.changed[:0]
	ev.calls, ev.gone, ev.progress = ev.calls[:0], ev.gone[:0], reportProgress{}
	ev.args = ev.args[:0]
}

// reportArrival reports a new node, after its parent, which may have come in a later
// packet of the same Apply.
func (c *Proxy) reportArrival(r *Replica, h ProxyHandler) {
	if r.reported {
		return
	}
	c.rehang(r)
	if p := r.above; p != nil && p.fresh {
		c.reportArrival(p, h)
	}
	r.reported = true
	h.Arrived(r)
}

// reportItems reports the items that a node has lost, then those that it has gained: two
// items may have changed places.
func reportItems(r *Replica, was []*schema.ItemType, h ProxyHandler) {
	at := func(items []*schema.ItemType, ord int) *schema.ItemType {
		if ord < len(items) {
			return items[ord]
		}
		return nil
	}
	for ord, old := range was {
		if old != nil && old != at(r.Items, ord) {
			h.ItemRemoved(r, ord, old)
		}
	}
	for ord, now := range r.Items {
		if now != nil && now != at(was, ord) {
			h.ItemAdded(r, ord)
		}
	}
}

// reportAdvanced reports the moving rows (those that move by prediction) of which this
// Apply received nothing.
func (c *Proxy) reportAdvanced(h ProxyHandler) {
	if c.held.newest == c.held.advanced {
		return
	}
	c.held.advanced = c.held.newest
	for k, w := range c.held.rows.moving.W {
		for w &^= c.held.rows.reported.W[k]; w != 0; w &= w - 1 {
			o := &c.held.rows.owners[k<<6+bits.TrailingZeros64(w)]
			h.Advanced(o.r, o.ordinal, c.held.newest)
		}
	}
}

// firstReported is whether a row belongs to its node's present items and is the first row
// of its item in this report: an item that has several rows is reported once.
func (s *replicaRows) firstReported(i uint32) bool {
	if s.rows[i].flags&replicaOld != 0 {
		return false
	}
	for s.rows[i].flags&replicaLater != 0 {
		if i--; s.reported.Has(i) {
			return false
		}
	}
	return true
}

// rehangAll updates the parents of all nodes whose parents were sent anew, as a set (protocol
// rule 20): first they leave their old parents, which may be below the new ones.
func (c *Proxy) rehangAll() {
	ownership := c.events.ownership
	for i := range ownership {
		e := &ownership[i]
		if e.hung {
			continue
		}
		e.parent, e.above = e.r.Parent, e.r.above
		if e.above != nil && !e.above.gone {
			e.r.hang(nil)
		}
	}
	for i := range ownership {
		e := &ownership[i]
		if e.hung {
			continue
		}
		e.hung = true
		c.rehang(e.r)
		e.moved = e.r.above != e.above || e.orphaned != e.r.Orphaned()
	}
}

// rehang updates a node's parent to the newest known, and reports whether that differs
// from what was reported to the adapter. A parent that has gone and come back counts as another.
func (c *Proxy) rehang(r *Replica) bool {
	above := c.parentOf(r)
	changed := above != r.above && !(r.left() && above != nil && above.gone)
	if changed {
		r.hang(above)
	}
	c.noteOrphan(r)
	return changed
}

// hang sets a node's parent, and the count of children of the old parent and the new.
func (r *Replica) hang(above *Replica) {
	if r.above != nil {
		r.above.kids--
	}
	if r.above, r.Parent = above, 0; above != nil {
		above.kids++
		r.Parent = above.ID
	}
}

// noteOrphan notes a node whose parent is not here.
func (c *Proxy) noteOrphan(r *Replica) {
	if r.marks&markWaits == 0 && r.parent != wire.NoHandle && (r.above == nil || r.above.gone) {
		r.mark(markWaits, true)
		c.held.orphans = append(c.held.orphans, r)
	}
}

// noteOrphans notes the nodes whose parents have gone without them.
func (c *Proxy) noteOrphans(gone []goneEvent) {
	left := false
	for _, e := range gone {
		if above := e.r.above; above != nil {
			above.kids--
			e.r.above = nil
		}
	}
	for _, e := range gone {
		left = left || e.r.kids > 0
	}
	if !left {
		return
	}
	for i := range c.held.handles {
		if r := c.held.handles[i].rep; r != nil && r.left() {
			c.noteOrphan(r)
		}
	}
}

// adopt reports the parents of nodes whose parents came after them. A node that is orphaned
// waits for its own change of parent, unless its parent was only resent because of a
// damaged packet (protocol rule 11): then the authority says nothing about the node.
func (c *Proxy) adopt(h ProxyHandler) {
	kept := c.held.orphans[:0]
	for _, r := range c.held.orphans {
		if r.mark(markWaits, !r.gone && r.parent != wire.NoHandle && (r.above == nil || r.above.gone)); r.marks&markWaits == 0 {
			continue
		}
		if above := c.parentOf(r); above != nil && (r.above == nil || !above.gone && above.gen == r.above.gen) {
			was := r.Parent
			r.hang(above)
			r.mark(markWaits, above.gone)
			h.Parented(r, was)
		}
		if r.marks&markWaits != 0 {
			kept = append(kept, r)
		}
	}
	clear(c.held.orphans[len(kept):])
	c.held.orphans = kept
}

// parentOf returns a node's parent by the newest packet that named one: nil for a root,
// or if the parent has not arrived yet. A parent that has gone since that packet is
// still returned.
func (c *Proxy) parentOf(r *Replica) *Replica {
	if r.parent == wire.NoHandle || int(r.parent) >= len(c.held.handles) {
		return nil
	}
	e := &c.held.handles[r.parent]
	switch {
	case e.rep != nil && !e.rep.below(r):
		return e.rep
	case e.rep != nil || e.removed == 0 || e.removed < r.ownershipTick:
		return nil
	case e.last != nil && e.last.gen == e.gen:
		return e.last
	}
	return &Replica{gone: true, handle: r.parent, gen: e.gen} // a parent that went before it arrived: a stand-in
}

// below is whether r is p or a descendant of p. A change of parent that would close a
// cycle leaves the node a root.
func (r *Replica) below(p *Replica) bool {
	for ; r != nil && !r.gone; r = r.above {
		if r == p {
			return true
		}
	}
	return false
}
