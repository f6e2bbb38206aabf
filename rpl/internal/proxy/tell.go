package proxy

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Reporting to the adapter. commit.go notes what happens as events; at the end of an
// Apply, when all has been applied, tell reports them in the order that ProxyHandler
// promises. This file also keeps track of parents, which may come after their children
// or go before them.

// events are what commit notes and tell reports.
type events struct {
	arrived []*Replica
	items   []itemEvent
	itemed  wire.Bitset // handles of the nodes in items
	metas   []metaEvent
	turned  wire.Bitset // handles of the nodes in metas
	changed []uint32    // rows
	calls   []wire.Call
	args    []byte // of calls: valid until they have run
	gone    []goneEvent
	told    toldEvents
}

// toldEvents are how far tell has come in each list of events. An adapter that panics and
// is recovered gets the rest from the next Apply, and nothing twice.
type toldEvents struct {
	begun                                      bool
	loaded, items, metas, changed, calls, gone int
}

type itemEvent struct {
	r   *Replica
	was []*schema.ItemType // the items that the adapter knows
}

// A metaEvent is a change of owner or parent, one for each node; owner and parent are the
// previous ones.
type metaEvent struct {
	r      *Replica
	owner  ids.Peer
	parent ids.Node
	up     *Replica
	adrift bool // so it was
	hung   bool // rehangAll has been at it …
	moved  bool // … and the node has another parent, or it is not known, or was not
}

type goneEvent struct {
	r         *Replica
	tick      ids.Tick
	destroyed bool
}

// tell reports the noted events to the adapter, in the promised order.
func (c *Proxy) tell(h ProxyHandler) {
	ev := &c.events
	at := &ev.told // counted up before each report: what panics is not reported twice
	at.begun = true
	c.rehangAll()
	for _, r := range ev.arrived {
		c.tellArrival(r, h)
	}
	for at.loaded < len(ev.arrived) {
		at.loaded++
		h.Loaded(ev.arrived[at.loaded-1])
	}
	for at.items < len(ev.items) { // before the changes below, which are of the items that a node has now
		at.items++
		e := ev.items[at.items-1]
		tellItems(e.r, e.was, h)
	}
	for at.metas < len(ev.metas) {
		at.metas++
		e := ev.metas[at.metas-1]
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
		if o := &c.held.rows.owners[i]; c.held.rows.firstTold(i) {
			h.Changed(o.r, o.ordinal, c.held.rows.rows[i].tick)
		}
	}
	c.tellAdvanced(h)
	clear(c.held.rows.told.W)
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
	c.setAdrift(ev.gone)
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
	for _, e := range ev.metas {
		ev.turned.Clear(e.r.handle)
	}
	clear(ev.items)
	clear(ev.gone)
	ev.arrived, ev.items, ev.metas, ev.changed = ev.arrived[:0], ev.items[:0], ev.metas[:0], ev.changed[:0]
	ev.calls, ev.gone, ev.told = ev.calls[:0], ev.gone[:0], toldEvents{}
	ev.args = ev.args[:0]
}

// tellArrival reports a new node, after its parent, which may have come in a later
// packet of the same Apply.
func (c *Proxy) tellArrival(r *Replica, h ProxyHandler) {
	if r.told {
		return
	}
	c.rehang(r)
	if p := r.up; p != nil && p.fresh {
		c.tellArrival(p, h)
	}
	r.told = true
	h.Arrived(r)
}

// tellItems reports the items that a node has lost, then those that it has gained: two
// items may have changed places.
func tellItems(r *Replica, was []*schema.ItemType, h ProxyHandler) {
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

// tellAdvanced reports the moving rows (those that move by prediction) of which this
// Apply received nothing.
func (c *Proxy) tellAdvanced(h ProxyHandler) {
	if c.held.newest == c.held.advanced {
		return
	}
	c.held.advanced = c.held.newest
	for k, w := range c.held.rows.drifting.W {
		for w &^= c.held.rows.told.W[k]; w != 0; w &= w - 1 {
			o := &c.held.rows.owners[k<<6+bits.TrailingZeros64(w)]
			h.Advanced(o.r, o.ordinal, c.held.newest)
		}
	}
}

// firstTold is whether a row belongs to its node's present items and is the first row
// of its item in this report: an item that has several rows is reported once.
func (s *replicaRows) firstTold(i uint32) bool {
	if s.rows[i].flags&replicaOld != 0 {
		return false
	}
	for s.rows[i].flags&replicaLater != 0 {
		if i--; s.told.Has(i) {
			return false
		}
	}
	return true
}

// rehangAll updates the parents of all nodes that were told of anew, as a set (protocol
// rule 20): first they leave their old parents, which may be below the new ones.
func (c *Proxy) rehangAll() {
	metas := c.events.metas
	for i := range metas {
		e := &metas[i]
		if e.hung {
			continue
		}
		e.parent, e.up = e.r.Parent, e.r.up
		if e.up != nil && !e.up.gone {
			e.r.hang(nil)
		}
	}
	for i := range metas {
		e := &metas[i]
		if e.hung {
			continue
		}
		e.hung = true
		c.rehang(e.r)
		e.moved = e.r.up != e.up || e.adrift != e.r.Adrift()
	}
}

// rehang updates a node's parent to the newest known, and reports whether that differs
// from what the adapter was told. A parent that has gone and come back counts as another.
func (c *Proxy) rehang(r *Replica) bool {
	up := c.parentOf(r)
	changed := up != r.up && !(r.left() && up != nil && up.gone)
	if changed {
		r.hang(up)
	}
	c.noteOrphan(r)
	return changed
}

// hang sets a node's parent, and the count of children of the old parent and the new.
func (r *Replica) hang(up *Replica) {
	if r.up != nil {
		r.up.kids--
	}
	if r.up, r.Parent = up, 0; up != nil {
		up.kids++
		r.Parent = up.ID
	}
}

// noteOrphan notes a node whose parent is not here.
func (c *Proxy) noteOrphan(r *Replica) {
	if !r.waits && r.parent != wire.NoHandle && (r.up == nil || r.up.gone) {
		r.waits = true
		c.held.orphans = append(c.held.orphans, r)
	}
}

// setAdrift notes the nodes whose parents have gone without them.
func (c *Proxy) setAdrift(gone []goneEvent) {
	left := false
	for _, e := range gone {
		if up := e.r.up; up != nil {
			up.kids--
			e.r.up = nil
		}
	}
	for _, e := range gone {
		left = left || e.r.kids > 0
	}
	if !left {
		return
	}
	for i := range c.held.entries {
		if r := c.held.entries[i].rep; r != nil && r.left() {
			c.noteOrphan(r)
		}
	}
}

// adopt reports the parents of nodes whose parents came after them. A node that is adrift
// waits for its own change of parent, unless its parent was only resent because of a
// damaged packet (protocol rule 11): then the authority says nothing about the node.
func (c *Proxy) adopt(h ProxyHandler) {
	kept := c.held.orphans[:0]
	for _, r := range c.held.orphans {
		if r.waits = !r.gone && r.parent != wire.NoHandle && (r.up == nil || r.up.gone); !r.waits {
			continue
		}
		if up := c.parentOf(r); up != nil && (r.up == nil || !up.gone && up.gen == r.up.gen) {
			was := r.Parent
			r.hang(up)
			r.waits = up.gone
			h.Parented(r, was)
		}
		if r.waits {
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
	if r.parent == wire.NoHandle || int(r.parent) >= len(c.held.entries) {
		return nil
	}
	e := &c.held.entries[r.parent]
	switch {
	case e.rep != nil && !e.rep.below(r):
		return e.rep
	case e.rep != nil || e.removed == 0 || e.removed < r.meta:
		return nil
	case e.last != nil && e.last.gen == e.gen:
		return e.last
	}
	return &Replica{gone: true, handle: r.parent, gen: e.gen} // a parent that went before it arrived: a stand-in
}

// below is whether r is p or a descendant of p. A change of parent that would close a
// cycle leaves the node a root.
func (r *Replica) below(p *Replica) bool {
	for ; r != nil && !r.gone; r = r.up {
		if r == p {
			return true
		}
	}
	return false
}
