package play

// A judge compares what clients hold with the trace, field by field.
type judge struct {
	layout     *layout
	rel        *relevancy
	clean      bool // every item must be right at every tick
	mismatches Mismatches
}

// Mismatches are counted by what is wrong.
type Mismatches struct {
	Claimed int // fields of a changed item, against the tick that it claims
	Held    int // fields of a held item, against the newest tick, on a clean network
	Odd     int // told of what does not exist
	Props   int // at the end: fields of a node held
	Extra   int // … nodes held that should not be
	Missing int // … nodes missing
}

// Sum is all of them.
func (m Mismatches) Sum() int {
	return m.Claimed + m.Held + m.Odd + m.Props + m.Extra + m.Missing
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
		if at < 0 || !h.lives(p.row(at)) {
			j.mismatches.Claimed++ // state of before its birth or after its death
			continue
		}
		n := j.layout.differs(words, p.state(h, at))
		j.mismatches.Claimed += n
		if n == 0 {
			h.right = max(h.right, int32(at))
		}
	}
	j.mismatches.Odd += c.odd
	c.odd = 0
	newest := p.at(c.proxy.Newest())
	if newest < 0 {
		return
	}
	for _, h := range c.held {
		words, lives := c.value(h), h.lives(p.row(newest))
		if lives && j.layout.equal(words, p.state(h, newest)) {
			h.right = int32(newest)
			continue
		}
		if j.clean {
			j.mismatches.Held++
			if lives {
				j.mismatches.Held += j.layout.differs(words, p.state(h, newest)) - 1
			}
		}
		for at := newest - 1; at > int(h.right); at-- {
			if h.lives(p.row(at)) && j.layout.equal(words, p.state(h, at)) {
				h.right = int32(at)
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
	return h != nil && h.lives(row)
}

// final counts what a client has wrong when the trace has ended: a prop of a
// node held, a node held that should not be, a node missing. With first set it
// stops at the first.
func (j *judge) final(c *client, first bool) (m Mismatches) {
	p := c.phase
	last := p.last()
	for _, h := range c.held {
		if first && m.Sum() > 0 {
			return m
		}
		if !h.lives(last) || !j.rel.may(c.index, last, int(h.slot)) {
			m.Extra++
			continue
		}
		row := p.state(h, last)
		if j.layout.equal(c.value(h), row) {
			continue
		}
		// A predicted value runs on between packets: what was received counts.
		words, of := c.claim(h)
		if n := j.layout.differs(words, row); n > 0 || p.at(of) < last {
			m.Props += max(n, 1)
		}
	}
	for slot := range p.t.Slots {
		if first && m.Sum() > 0 {
			return m
		}
		if p.t.Alive(last, slot) && j.rel.must(c.index, last, slot) && !c.holds(slot, last) {
			m.Missing++
		}
	}
	return m
}
