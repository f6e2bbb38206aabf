package proxy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Applying what a packet said, once all of it was decoded: arrivals, forgets, owners and
// parents, state, calls. Removals wait for the end of Apply. What the adapter must hear
// is noted in events, and reported at the end of Apply (report.go). Messages of the reliable
// lane are applied here, too.

// commit applies the stage: one packet or block.
func (c *Proxy) commit() {
	st := &c.dec.stage
	if st.tick > c.held.newest {
		c.held.newest, c.held.newestAt = st.tick, c.dec.readingAt
	}
	for _, l := range st.layouts {
		if was := c.held.layouts[l.Number]; was == nil || st.tick >= was.Since { // else the number means a newer layout
			l.Since = st.tick
			c.held.layouts[l.Number] = l
		}
	}
	for i := range st.arrivals {
		c.arrive(&st.arrivals[i])
	}
	for _, i := range st.forgets {
		c.forget(i)
	}
	for _, m := range st.ownership {
		c.applyOwnership(m)
	}
	for i := range st.updates {
		c.update(&st.updates[i])
	}
	for _, w := range st.calls {
		if w.Handle < uint32(len(c.held.handles)) {
			if e := &c.held.handles[w.Handle]; e.rep != nil && e.gen == w.Gen && st.tick >= e.removed {
				c.noteUnreliable(e.rep, w)
				continue
			}
		}
		c.counters.CallsDropped++
	}
	c.held.removed = append(c.held.removed, st.removals...)
}

// forget takes a row's state away, which this peer may not see any more.
func (c *Proxy) forget(i uint32) {
	row, t := &c.held.rows.rows[i], c.dec.stage.tick
	if row.flags&(replicaGone|replicaOld) != 0 || t <= row.applied {
		return
	}
	if row.flags&replicaVisible != 0 {
		c.held.rows.forget(i)
		c.noteChanged(i)
	}
	row.applied, row.keyed = t, t // an older packet with the row may still arrive
}

// applyOwnership applies a node's owner and parent, unless newer ones are here.
func (c *Proxy) applyOwnership(m stagedOwnership) {
	m.r.Leapt = max(m.r.Leapt, m.leapt)
	if c.dec.stage.tick <= m.r.ownershipTick || m.r.gone {
		return
	}
	if ev := &c.events; !ev.newOwnership.Has(m.r.handle) { // of several changes in one Apply the sum is reported
		ev.newOwnership.Set(m.r.handle)
		c.events.ownership = append(c.events.ownership, ownershipEvent{r: m.r, owner: m.r.Owner, orphaned: m.r.Orphaned()})
	}
	if m.r.Owner = m.owner; !m.last {
		m.r.ownershipTick, m.r.parent = c.dec.stage.tick, m.parent
	}
}

// update keeps a row's version. The version becomes the row's state if it is the
// newest, and the node still has the items that it had then.
func (c *Proxy) update(u *stagedRow) {
	row, t := &c.held.rows.rows[u.row], c.dec.stage.tick
	if row.flags&replicaGone != 0 {
		return
	}
	words := c.dec.stage.wordsOf(u, c.held.types[row.typ])
	c.held.rows.keep(u.row, t, words, c.dec.stage.varsOf(u), int(u.newer), u.key)
	if u.key {
		row.keyed = max(row.keyed, t)
	}
	c.counters.Records++
	if t <= row.applied || row.flags&replicaOld != 0 {
		return
	}
	row.applied = t
	c.held.rows.show(u.row, words)
	c.noteChanged(u.row)
}

func (s *stage) wordsOf(u *stagedRow, t *rowtype.Type) []int32 { return s.words[u.at:][:t.Width] }

// noteChanged notes a row that must be reported to the adapter, once per Apply.
func (c *Proxy) noteChanged(i uint32) {
	if !c.held.rows.reported.Has(i) {
		c.held.rows.reported.Set(i)
		c.events.changed = append(c.events.changed, i)
	}
}

// arrive applies an arrival: it makes the node, refreshes it, or ignores a late copy.
func (c *Proxy) arrive(n *stagedNode) {
	r := n.r
	e := c.held.state(r.handle)
	t := c.dec.stage.tick
	sure := c.dec.reading
	if newest := c.in.history.newest; c.in.history.any && sure <= newest { // of a late packet an earlier ack said nothing
		sure = newest + 1
	}
	if old := e.rep; old != nil {
		if t <= old.born {
			return
		}
		if e.gen == r.gen && old.ID == r.ID && old.madeAs(r) {
			c.mend.found(r.handle)
			e.again = sure
			c.refreshed(old, n)
			return
		}
		c.remove(e, t, false)
	} else if t <= e.removed {
		return
	}
	if old := c.held.byNode[r.ID]; old != nil {
		// A node has one handle. The old handle's new tenant may arrive in this very
		// packet, so the removal counts as of the tick before.
		c.remove(&c.held.handles[old.handle], max(t, 1)-1, false)
	}
	c.mend.found(r.handle)
	e.rep, e.gen, e.mended = r, r.gen, 0
	r.first, e.sure, e.again = t, sure, sure
	c.held.byNode[r.ID] = r
	r.fresh = true
	c.counters.Arrivals++
	c.lay(r, n)
	c.events.arrived = append(c.events.arrived, r)
	c.releaseHeld(r)
}

// madeAs is whether two arrivals agree in prefab, name and arguments, as two arrivals
// of the same node do.
func (r *Replica) madeAs(o *Replica) bool {
	return r.Prefab == o.Prefab && r.Name == o.Name && bytes.Equal(r.Args, o.Args)
}

// lay makes a node's rows, with the state that its arrival has.
func (c *Proxy) lay(r *Replica, n *stagedNode) {
	t := c.dec.stage.tick
	r.rows, r.laid = c.held.rows.add(r, t), t
	c.held.runs[r.handle] = r.rows
	for k := range uint32(r.rows.n) {
		i, from := r.rows.first+k, &c.dec.stage.whole[n.rows+int(k)]
		if from.at >= 0 {
			words := c.dec.stage.wordsOf(from, c.held.types[from.row])
			c.held.rows.keep(i, t, words, c.dec.stage.varsOf(from), wire.BaseLen, true)
			c.held.rows.rows[i].applied = t
			c.held.rows.show(i, words)
		}
		if r.fresh {
			c.held.rows.reported.Set(i) // Arrived reports it
		} else {
			c.noteChanged(i) // even without state: the row before it may have had some
		}
	}
}

// refreshed applies a newer arrival to a node that is here already.
func (c *Proxy) refreshed(old *Replica, n *stagedNode) {
	r, t := n.r, c.dec.stage.tick
	old.born = t
	c.applyOwnership(stagedOwnership{r: old, owner: r.Owner, parent: r.parent, leapt: r.Leapt})
	if !old.layout.Is(r.layout.Prefab, r.layout.Items) {
		c.noteItems(old)
		c.held.rows.retire(old.rows, replicaOld)
		c.held.outdated = append(c.held.outdated, old.old)
		old.old, old.wasLaid = old.rows, old.laid
		old.layout, old.Items = r.layout, r.Items
		c.lay(old, n)
		return
	}
	for k := range uint32(old.rows.n) {
		c.refreshRow(old.rows.first+k, &c.dec.stage.whole[n.rows+int(k)])
	}
}

// refreshRow applies one row of such an arrival.
func (c *Proxy) refreshRow(i uint32, from *stagedRow) {
	row, t := &c.held.rows.rows[i], c.dec.stage.tick
	row.keyed = max(row.keyed, t)
	visible := row.flags&replicaVisible != 0
	if from.at < 0 {
		if visible && t > row.applied {
			c.held.rows.forget(i)
			row.applied = t
			c.noteChanged(i)
		}
		return
	}
	rt := c.held.types[row.typ]
	words := c.dec.stage.wordsOf(from, rt)
	same := visible && len(rt.Vars) == 0 && rowtype.EqualWords(c.held.rows.received(i), words)
	c.held.rows.keep(i, t, words, c.dec.stage.varsOf(from), wire.BaseLen, true)
	if t > row.applied {
		row.applied = t
		c.held.rows.show(i, words)
		if !same {
			c.noteChanged(i)
		}
	}
}

// noteItems notes the items that a node has before they change. The adapter is told the
// difference that the whole Apply makes.
func (c *Proxy) noteItems(r *Replica) {
	if !r.fresh && !c.events.itemed.Has(r.handle) {
		c.events.itemed.Set(r.handle)
		c.events.items = append(c.events.items, itemEvent{r, r.Items})
	}
}

// noteUnreliable notes an unreliable call, unless a newer one of its kind has come. A call
// Everywhere is handed on for its caller, whose number its arguments begin with.
func (c *Proxy) noteUnreliable(r *Replica, w wire.WireCall) {
	from := ids.Server
	if w.Rpc.To == ids.Everywhere {
		caller, _ := binary.Uvarint(w.Args)
		from = ids.Peer(caller)
	}
	if !w.Rpc.AnyOrder && c.in.latest.Overtaken(r.ID, from, w.Rpc.Index, c.dec.reading, max(c.in.history.newest, c.dec.reading)) {
		c.counters.CallsOvertaken++
		return
	}
	c.noteCall(r, w)
}

func (c *Proxy) noteCall(r *Replica, w wire.WireCall) {
	c.counters.CallsIn++
	c.events.calls = append(c.events.calls, wire.Call{Node: r.ID, From: ids.Server, Tick: w.Tick, RPC: w.Rpc, Args: c.events.keep(w.Args)})
}

// message takes one message of the reliable lane.
func (c *Proxy) message(b []byte) {
	if len(b) == 0 {
		c.counters.Refused++
		return
	}
	switch b[0] {
	case wire.MsgCall:
		w, err := wire.ParseCall(b[1:], c.cfg.Schema, ids.Reliable)
		if err != nil {
			c.counters.Refused++
			return
		}
		c.called(w)
	case wire.MsgBlock:
		if tick, err := c.block(b[1:]); err != nil && !(c.dec.stage.overtaken && errors.Is(err, errNoBase)) {
			c.counters.Refused++
			c.cfg.Log.Debug("block refused", "tick", tick, "err", err)
			if !isNamed(err) {
				c.Resync() // the block counts as applied, and what it said is lost
			}
		}
	case wire.MsgTable:
		m, err := coder.CodingOf(c.cfg.Schema).ShippedAs(b[1:], &c.dec.models)
		if err != nil {
			c.counters.Refused++
			c.cfg.Log.Debug("tables refused", "err", err)
			return
		}
		c.dec.models[m.Number], c.dec.tables = m, m.Number
		c.dec.since[m.Number] = c.in.history.newest + 1 // the authority uses them only once it hears that they are here
	case wire.MsgResynced:
		if !c.resynced(b[1:]) {
			c.counters.Refused++
		}
	default:
		c.counters.Refused++
	}
}

// block reads and applies a block (block.go has its layout), and returns its tick.
func (c *Proxy) block(b []byte) (tick ids.Tick, err error) {
	var d prefix.Decoder
	d.Reset(b)
	m := c.dec.models[d.Bits(2)]
	tick, baseTick := ids.Tick(d.Bits(32)), ids.Tick(d.Bits(32))
	switch {
	case tick > wire.MaxTick:
		return tick, fmt.Errorf("%w: tick %d of %d", ids.ErrPacket, tick, wire.MaxTick)
	case m == nil:
		return tick, fmt.Errorf("%w: tables that were not received", ids.ErrPacket)
	}
	c.readBlockWindow(&d, m, baseTick)
	return tick, c.body(&d, m, d.Symbol(m.Entry.Form.T), tick, baseTick, true)
}

// called queues a reliable call to run, or holds it until its node is here (protocol
// rule 4). A call on a node that has gone is dropped (rule 5).
func (c *Proxy) called(w wire.WireCall) {
	e := handleState{}
	if w.Handle < uint32(len(c.held.handles)) {
		e = c.held.handles[w.Handle]
	}
	switch {
	case e.rep != nil && e.gen == w.Gen:
		c.noteCall(e.rep, w)
	case e.rep == nil && e.removed > 0 && e.gen == w.Gen, len(c.in.held) >= wire.MaxHeld:
		c.counters.CallsDropped++
	default:
		c.in.held = append(c.in.held, w)
	}
}

// releaseHeld queues the calls that were held for a node, which is here now.
func (c *Proxy) releaseHeld(r *Replica) {
	kept := c.in.held[:0]
	for _, w := range c.in.held {
		if w.Handle == r.handle && w.Gen == r.gen {
			c.noteCall(r, w)
		} else {
			kept = append(kept, w)
		}
	}
	c.in.held = kept
}

// dropHeld drops the calls that are held for a node that will not come.
func (c *Proxy) dropHeld(h uint32, gen uint8) {
	kept := c.in.held[:0]
	for _, w := range c.in.held {
		if w.Handle == h && w.Gen == gen {
			c.counters.CallsDropped++
		} else {
			kept = append(kept, w)
		}
	}
	c.in.held = kept
}
