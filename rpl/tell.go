package rpl

import "math/bits"

// What an adapter is told of one Apply, once all of it is applied, in the order
// that ProxyHandler promises.

// events are noted by commit and told by tell.
type events struct {
	arrived []*Replica
	items   []itemEvent
	metas   []metaEvent
	changed []uint32 // rows
	calls   []Call
	gone    []goneEvent
}

type itemEvent struct {
	r   *Replica
	was []*ItemType // what the adapter knows it with
}

type metaEvent struct {
	r      *Replica
	owner  Peer
	parent Node
}

type goneEvent struct {
	r         *Replica
	tick      Tick
	destroyed bool
}

// tell tells the adapter what was noted, in the promised order.
func (c *Proxy) tell(h ProxyHandler) {
	ev := &c.events
	for _, r := range ev.arrived {
		c.tellArrival(r, h)
	}
	for _, r := range ev.arrived {
		h.Loaded(r)
	}
	for _, e := range ev.items { // first of all: what follows is of the items that a node has now
		tellItems(e.r, e.was, h)
	}
	for _, e := range ev.metas {
		e.r.Parent = c.parentOf(e.r)
		c.noteOrphan(e.r)
		if e.owner != e.r.Owner && !e.r.fresh {
			h.Owned(e.r, e.owner)
		}
		if e.parent != e.r.Parent && !e.r.fresh {
			h.Parented(e.r, e.parent)
		}
	}
	c.adopt(h)
	for _, i := range ev.changed {
		if o := &c.rows.owners[i]; c.rows.firstTold(i) {
			h.Changed(o.r, o.ordinal, c.rows.rows[i].tick)
		}
	}
	c.tellAdvanced(h)
	clear(c.rows.told.w)
	for _, call := range ev.calls {
		h.Run(call)
	}
	for _, e := range ev.gone {
		h.Gone(e.r, e.tick, e.destroyed)
	}
	for _, r := range ev.arrived {
		r.fresh = false
	}
	clear(ev.arrived)
	clear(ev.items)
	clear(ev.gone)
	ev.arrived, ev.items, ev.metas, ev.changed = ev.arrived[:0], ev.items[:0], ev.metas[:0], ev.changed[:0]
	ev.calls, ev.gone = ev.calls[:0], ev.gone[:0]
}

// tellArrival tells of a node after its parent, which may have come in a later
// packet of the same Apply.
func (c *Proxy) tellArrival(r *Replica, h ProxyHandler) {
	if r.told {
		return
	}
	r.Parent = c.parentOf(r)
	if p := c.byNode[r.Parent]; p != nil && p.fresh {
		c.tellArrival(p, h)
	}
	r.told = true
	c.noteOrphan(r)
	h.Arrived(r)
}

// tellItems tells of the items that a node has lost, then of those that it has
// gained: two may have changed places.
func tellItems(r *Replica, was []*ItemType, h ProxyHandler) {
	at := func(items []*ItemType, ord int) *ItemType {
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

// tellAdvanced tells of what drifts and was not received in this Apply.
func (c *Proxy) tellAdvanced(h ProxyHandler) {
	if c.newest == c.moved {
		return
	}
	c.moved = c.newest
	for k, w := range c.rows.drifting.w {
		for w &^= c.rows.told.w[k]; w != 0; w &= w - 1 {
			o := &c.rows.owners[k<<6+bits.TrailingZeros64(w)]
			h.Advanced(o.r, o.ordinal, c.newest)
		}
	}
}

// firstTold is whether a row is of its node's present items, and the first row of
// its item that is told of: an item is told once.
func (s *replicaRows) firstTold(i uint32) bool {
	if s.rows[i].flags&replicaOld != 0 {
		return false
	}
	for s.rows[i].flags&replicaLater != 0 {
		if i--; s.told.has(i) {
			return false
		}
	}
	return true
}

func (c *Proxy) noteOrphan(r *Replica) {
	if r.Parent == 0 && r.parent != noHandle {
		c.orphans = append(c.orphans, r)
	}
}

// adopt tells of the parents of nodes whose parents came after them.
func (c *Proxy) adopt(h ProxyHandler) {
	kept := c.orphans[:0]
	for _, r := range c.orphans {
		if r.gone || r.parent == noHandle || r.Parent != 0 {
			continue
		}
		if r.Parent = c.parentOf(r); r.Parent == 0 {
			kept = append(kept, r)
		} else {
			h.Parented(r, 0)
		}
	}
	clear(c.orphans[len(kept):])
	c.orphans = kept
}

func (c *Proxy) parentOf(r *Replica) Node {
	if r.parent == noHandle || int(r.parent) >= len(c.entries) {
		return 0
	}
	if p := c.entries[r.parent].rep; p != nil && !c.above(p, r) {
		return p.ID
	}
	return 0
}

// above is whether r is p or above it: a change of parents that would close a
// ring leaves the node a root.
func (c *Proxy) above(p, r *Replica) bool {
	for p != nil {
		if p == r {
			return true
		}
		p = c.byNode[p.Parent]
	}
	return false
}
