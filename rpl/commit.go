package rpl

import (
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Applying what a packet said: arrivals, forgets, parents, state, calls. What
// the adapter must hear of is noted and told after the whole Receive.

func (c *Proxy) commit() {
	st := &c.stage
	c.newest = max(c.newest, st.tick)
	for _, l := range st.layouts {
		c.layouts[l.number] = l
	}
	for i, r := range st.arrivals {
		c.arrive(r, st.refresh[i])
	}
	for _, f := range st.forgets {
		if f.r.gone || st.tick <= f.row.applied || st.tick < f.r.laid {
			continue
		}
		if f.row.visible {
			f.row.clear()
			c.noteChanged(f.r, f.row)
		}
		f.row.applied, f.row.keyed = st.tick, st.tick // an older packet with the row may be on its way
	}
	for _, m := range st.metas {
		c.meta(m)
	}
	for i := range st.updates {
		c.update(&st.updates[i])
	}
	for _, w := range st.calls {
		if int(w.handle) < len(c.entries) {
			if e := &c.entries[w.handle]; e.rep != nil && e.gen == w.gen {
				c.noteCall(e.rep, w)
				continue
			}
		}
		c.counters.CallsDropped++
	}
	c.removed = append(c.removed, st.removals...)
}

func (c *Proxy) meta(m stagedMeta) {
	if c.stage.tick <= m.r.meta || m.r.gone {
		return
	}
	c.events.metas = append(c.events.metas, metaEvent{m.r, m.r.Owner, m.r.Parent})
	m.r.meta, m.r.Owner, m.r.parent = c.stage.tick, m.owner, m.parent
}

// update keeps a version, and shows it if it is the newest and the node's items
// are still those of then.
func (c *Proxy) update(u *stagedRow) {
	if u.r.gone {
		return
	}
	row, t := u.row, c.stage.tick
	words := c.stage.words[u.at : u.at+row.t.width]
	row.keep(&c.rings, t, words, u.vars, u.floor)
	if u.key {
		row.keyed = max(row.keyed, t)
	}
	c.counters.Records++
	if t <= row.applied || t < u.r.laid {
		return
	}
	row.applied, row.visible = t, true
	c.show(u.r, row, words, u.vars, t)
	c.noteChanged(u.r, row)
}

func (c *Proxy) show(r *Replica, row *replicaRow, words []int32, vars []any, t Tick) {
	copy(row.cur, words)
	copy(row.now, words)
	copy(row.curVars, vars)
	row.tick = t
	if d := row.t.drifts(words); d != row.drifting {
		row.drifting = d
		if d {
			c.moving = append(c.moving, row)
			row.of = r
		}
	}
}

func (c *Proxy) noteChanged(r *Replica, row *replicaRow) {
	if !row.changed && !r.fresh {
		row.changed = true
		c.events.changed = append(c.events.changed, rowEvent{r, row})
	}
}

// arrive makes a node, refreshes one, or ignores a late copy.
func (c *Proxy) arrive(r *Replica, relayout bool) {
	for int(r.handle) >= len(c.entries) {
		c.entries = append(c.entries, proxyEntry{})
	}
	e := &c.entries[r.handle]
	t := c.stage.tick
	if old := e.rep; old != nil {
		if t <= old.born {
			return
		}
		if e.gen == r.gen && old.ID == r.ID {
			c.refreshed(old, r, relayout)
			return
		}
		c.remove(e, t, false)
	} else if t <= e.removed {
		return
	}
	if old := c.byNode[r.ID]; old != nil {
		c.remove(&c.entries[old.handle], t, false) // one node has one handle
	}
	e.rep, e.gen = r, r.gen
	r.first, r.laid = t, t
	c.byNode[r.ID] = r
	r.fresh = true
	c.counters.Arrivals++
	for _, row := range r.rows {
		if row.visible {
			row.keep(&c.rings, t, row.cur, row.curVars, t)
			row.applied = t
			c.show(r, row, row.cur, row.curVars, t)
		}
	}
	c.events.arrived = append(c.events.arrived, r)
	c.releaseHeld(r)
}

// refreshed takes a newer arrival of a node that is here.
func (c *Proxy) refreshed(old, r *Replica, relayout bool) {
	t := c.stage.tick
	old.born = t
	c.meta(stagedMeta{old, r.Owner, r.parent})
	if !relayout || old.layout.number == r.layout.number {
		for i, row := range old.rows {
			if i >= len(r.rows) {
				continue
			}
			row.keyed = max(row.keyed, t)
			if !r.rows[i].visible {
				if row.visible && t > row.applied {
					row.clear()
					row.applied = t
					c.noteChanged(old, row)
				}
				continue
			}
			from := r.rows[i]
			row.keep(&c.rings, t, from.cur, from.curVars, 0)
			if t > row.applied {
				row.applied, row.visible = t, true
				same := equalWords(row.cur, from.cur) && len(row.t.vars) == 0
				c.show(old, row, from.cur, from.curVars, t)
				if !same {
					c.noteChanged(old, row)
				}
			}
		}
		return
	}
	c.noteItems(old)
	for _, row := range old.rows {
		row.drifting = false
	}
	old.laid, old.wasLaid = t, old.laid
	old.old, old.rows, old.layout, old.Items = old.rows, r.rows, r.layout, r.Items
	for _, row := range old.rows {
		if row.visible {
			row.keep(&c.rings, t, row.cur, row.curVars, t)
			row.applied = t
			c.show(old, row, row.cur, row.curVars, t)
		}
		c.noteChanged(old, row) // one that is not visible may have been
	}
}

// noteItems notes that a node's items are about to change: what is told is the
// difference that the whole Apply makes.
func (c *Proxy) noteItems(r *Replica) {
	known := r.fresh
	for _, e := range c.events.items {
		known = known || e.r == r
	}
	if !known {
		c.events.items = append(c.events.items, itemEvent{r, r.Items})
	}
}

// forget gives the memory of rows that no packet can mean any more back.
func (c *Proxy) forget(rows []*replicaRow) {
	for _, row := range rows {
		row.release(&c.rings)
	}
}

func (c *Proxy) noteCall(r *Replica, w wireCall) {
	c.counters.CallsIn++
	c.events.calls = append(c.events.calls, Call{Node: r.ID, From: Server, Tick: w.tick, RPC: w.rpc, Args: w.args})
}

// message takes one message of the reliable lane.
func (c *Proxy) message(b []byte) {
	if len(b) == 0 {
		c.counters.Refused++
		return
	}
	switch b[0] {
	case msgCall:
		w, err := parseCall(b[1:], c.cfg.Schema, Reliable)
		if err != nil {
			c.counters.Refused++
			return
		}
		c.called(w)
	case msgBlock:
		var d prefix.Decoder
		d.Reset(b[1:])
		m := c.models[d.Bits(2)]
		tick, baseTick := Tick(d.Bits(32)), Tick(d.Bits(32))
		err := fmt.Errorf("%w: tables that were not received", ErrPacket)
		if m != nil {
			err = c.body(&d, m, d.Symbol(m.entry.form.t), tick, baseTick, true)
		}
		if err != nil {
			c.counters.Refused++
			c.cfg.Log.Debug("block refused", "tick", tick, "err", err)
		}
	case msgTable:
		set, err := parseTables(b[1:], c.types, c.defaults)
		if err != nil {
			c.counters.Refused++
			return
		}
		c.models[set.number], c.tables = set.build(c.types, c.defaults), set.number
	default:
		c.counters.Refused++
	}
}

// called runs a reliable call, or holds it until its node is here (protocol
// rule 4); one about a node that has gone is dropped (rule 5).
func (c *Proxy) called(w wireCall) {
	e := proxyEntry{}
	if int(w.handle) < len(c.entries) {
		e = c.entries[w.handle]
	}
	switch {
	case e.rep != nil && e.gen == w.gen:
		c.noteCall(e.rep, w)
	case e.rep == nil && e.removed > 0 && e.gen == w.gen, len(c.held) >= maxHeld:
		c.counters.CallsDropped++
	default:
		c.held = append(c.held, w)
	}
}

func (c *Proxy) releaseHeld(r *Replica) {
	kept := c.held[:0]
	for _, w := range c.held {
		if w.handle == r.handle && w.gen == r.gen {
			c.noteCall(r, w)
		} else {
			kept = append(kept, w)
		}
	}
	c.held = kept
}

func (c *Proxy) dropHeld(h uint32, gen uint8) {
	kept := c.held[:0]
	for _, w := range c.held {
		if w.handle == h && w.gen == gen {
			c.counters.CallsDropped++
		} else {
			kept = append(kept, w)
		}
	}
	c.held = kept
}
