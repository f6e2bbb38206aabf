package proxy

import (
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// readChecks reads what putChecks wrote, and returns false if there are too many. The
// comparison follows after the packet.
func (c *Proxy) readChecks(d *prefix.Decoder, m *coder.EntryModel) bool {
	for d.Bits(1) == 1 {
		if len(c.mend.toCheck) >= wire.MaxChecks {
			return false
		}
		k := wire.Check{Handle: coder.ReadUnsigned(d, &m.Handle), Row: wire.WholeNode}
		if row := coder.ReadUnsigned(d, &m.Run); row > 0 {
			k.Row, k.Age = row-1, coder.ReadUnsigned(d, &m.BaseAge)
		}
		k.Hash = uint16(d.Bits(16))
		c.mend.toCheck = append(c.mend.toCheck, k)
	}
	return true
}

// compare performs the checks that the packet of a tick contained.
func (c *Proxy) compare(tick ids.Tick) {
	for _, k := range c.mend.toCheck {
		if k.Row == wire.WholeNode {
			c.compareNode(k, tick)
			continue
		}
		if k.Handle >= uint32(len(c.held.handles)) {
			continue
		}
		r, at := c.held.handles[k.Handle].rep, tick-ids.Tick(k.Age)
		if r == nil || at < r.laid || k.Row >= uint32(r.rows.n) {
			continue
		}
		i := r.rows.first + k.Row
		row := &c.held.rows.rows[i]
		slot, _, found, ok := c.held.rows.base(row, at)
		if !ok || found != at || row.flags&replicaVisible == 0 {
			continue
		}
		var vars []any
		t := c.held.types[row.typ]
		if len(t.Vars) > 0 {
			vars = c.held.rows.vars[i][slot]
		}
		c.counters.Checks++
		if wire.RowChecksum(t, c.held.rows.version(row, slot)[1:], vars) == k.Hash {
			continue
		}
		c.counters.Mismatches++
		if c.mayMend(r) {
			c.mend.requestKeyframe(&c.held, r, int(k.Row))
			c.cfg.Log.Warn("state differs from the authority's", "node", r.ID, "item", t.Item.Name, "tick", at)
		}
	}
	c.mend.toCheck = c.mend.toCheck[:0]
}

// compareNode checks a node itself as of the packet's tick, unless a later packet has
// changed it. A node that is not here is refused like one that differs: the peer has
// acked its arrival, or it would not be checked.
func (c *Proxy) compareNode(k wire.Check, tick ids.Tick) {
	r, _ := c.tenant(k.Handle)
	if r == nil && !c.lacks(k.Handle) || r != nil && (r.gone || r.ownershipTick > tick) {
		return
	}
	c.counters.Checks++
	if r != nil && r.layout.Checksum(r.ID, r.Owner, r.parent, r.Name, r.Args) == k.Hash {
		return
	}
	c.counters.Mismatches++
	if r == nil {
		c.noteWrongNode(k.Handle)
	} else if c.mayMend(r) {
		c.noteWrongNode(k.Handle)
		c.cfg.Log.Warn("a node is not the authority's", "node", r.ID, "tick", tick)
	}
}

// mayMend is whether a node whose checksum differed is to be sent anew now.
func (c *Proxy) mayMend(r *Replica) bool {
	now, e := c.dec.readingAt, &c.held.handles[r.handle]
	if e.mended != 0 && now-e.mended < wire.MendEvery {
		return false
	}
	e.mended = max(now, 1)
	return true
}
