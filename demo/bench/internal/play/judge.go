package play

// A judge compares what clients hold with the trace, field by field.
type judge struct {
	layout     *layout
	rel        *relevancy
	clean      bool // every item must be right at every tick
	mismatches int
}

// received judges a client after a receive: every item that changed against the
// tick that it claims, and on a clean network every item that it holds against
// the newest tick.
func (j *judge) received(c *client) {
	p := c.phase
	for _, h := range c.claims {
		if h.at < 0 {
			continue // gone again in the same receive
		}
		words, of := c.claim(h)
		at := p.at(of)
		if at < 0 || !p.is(h.life, at) {
			j.mismatches++ // state of before its birth or after its death
			continue
		}
		n := j.layout.differs(words, p.t.Row(p.row(at), h.slot))
		j.mismatches += n
		if n == 0 {
			h.right = max(h.right, at)
		}
	}
	j.mismatches += c.odd
	c.odd = 0
	newest := p.at(c.proxy.Newest())
	if newest < 0 {
		return
	}
	for _, h := range c.held {
		words := c.value(h)
		if p.is(h.life, newest) && j.layout.equal(words, p.t.Row(p.row(newest), h.slot)) {
			h.right = newest
			continue
		}
		if j.clean {
			j.mismatches++
			if p.is(h.life, newest) {
				j.mismatches += j.layout.differs(words, p.t.Row(p.row(newest), h.slot)) - 1
			}
		}
		for at := newest - 1; at > h.right; at-- {
			if p.is(h.life, at) && j.layout.equal(words, p.t.Row(p.row(at), h.slot)) {
				h.right = at
				break
			}
		}
	}
}

// complete reports whether a client holds every node relevant to it at the
// newest tick that it has received.
func (j *judge) complete(c *client) bool {
	p := c.phase
	newest := p.at(c.proxy.Newest())
	if newest < 0 {
		return false
	}
	row := p.row(newest)
	for slot := range p.t.Slots {
		if p.t.Alive(row, slot) && j.rel.must(c.index, row, slot) && !c.holds(slot, row) {
			return false
		}
	}
	return true
}

// holds reports whether the client has the entity that a slot holds at a row.
func (c *client) holds(slot, row int) bool {
	h := c.bySlot[slot]
	return h != nil && c.phase.is(h.life, row)
}

// differences counts what a client has wrong when the trace has ended: a prop
// of a node held, a node held that should not be, a node missing. It stops at
// limit.
func (j *judge) differences(c *client, limit int) (n int) {
	p := c.phase
	last := p.last()
	for _, h := range c.held {
		if !p.is(h.life, last) || !j.rel.may(c.index, last, h.slot) {
			n++
			continue
		}
		row := p.t.Row(last, h.slot)
		if words := c.value(h); !j.layout.equal(words, row) {
			// A predicted value runs on between packets: what was received counts.
			words, of := c.claim(h)
			if p.at(of) < last || !j.layout.equal(words, row) {
				n += max(j.layout.differs(words, row), 1)
			}
		}
		if n >= limit {
			return n
		}
	}
	for slot := range p.t.Slots {
		if n < limit && p.t.Alive(last, slot) && j.rel.must(c.index, last, slot) && !c.holds(slot, last) {
			n++
		}
	}
	return n
}
