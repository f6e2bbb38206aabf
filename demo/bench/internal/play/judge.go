package play

import "github.com/tendonengine/tendon/rpl"

// A judge compares what clients hold with the trace, field by field.
type judge struct {
	layout     *layout
	rel        *relevancy
	clean      bool // every item must be right at every tick
	mismatches Mismatches

	words []int32 // scratch
	here  []bool  // scratch: by slot
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
	words := j.words
	for _, r := range c.claims {
		h, ok := r.Entity.(*holding)
		if !ok {
			continue // gone again in the same receive
		}
		var of rpl.Tick
		words, of = c.claim(h, words[:0])
		at := p.at(of)
		if at < 0 || !h.lives(p.row(at)) {
			j.mismatches.Claimed++ // state of before its birth or after its death
			continue
		}
		if state := p.state(h, at); j.layout.equal(words, state) {
			h.right = max(h.right, int32(at))
		} else {
			j.mismatches.Claimed += j.layout.differs(words, state)
		}
	}
	j.words = words
	if c.odd > 0 {
		j.mismatches.Odd, c.odd = j.mismatches.Odd+int(c.odd), 0
	}
	newest := p.at(c.proxy.Newest())
	if newest < 0 {
		return
	}
	row := p.row(newest)
	for i := range c.held {
		h := &c.held[i]
		words = c.value(h, words[:0])
		lives := h.lives(row)
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
	j.words = words
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
	here := j.holds(c, row)
	for slot := range p.t.Slots {
		if p.t.Alive(row, slot) && j.rel.must(int(c.index), row, slot) && !here[slot] {
			return false
		}
	}
	return true
}

// holds tells of which slots the client has the entity that they hold at a row;
// valid until the next call.
func (j *judge) holds(c *client, row int) []bool {
	if j.here == nil {
		j.here = make([]bool, c.phase.t.Slots)
	}
	clear(j.here)
	for i := range c.held {
		if h := &c.held[i]; h.lives(row) {
			j.here[h.slot] = true
		}
	}
	return j.here
}

// final counts what a client has wrong when the trace has ended: a prop of a
// node held, a node held that should not be, a node missing. With first set it
// stops at the first.
func (j *judge) final(c *client, first bool) (m Mismatches) {
	p := c.phase
	last := p.last()
	for i := range c.held {
		h := &c.held[i]
		if first && m.Sum() > 0 {
			return m
		}
		if !h.lives(last) || !j.rel.may(int(c.index), last, int(h.slot)) {
			m.Extra++
			continue
		}
		row := p.state(h, last)
		j.words = c.value(h, j.words[:0])
		if j.layout.equal(j.words, row) {
			continue
		}
		// A predicted value runs on between packets: what was received counts.
		words, of := c.claim(h, j.words[:0])
		if n := j.layout.differs(words, row); n > 0 || p.at(of) < last {
			m.Props += max(n, 1)
		}
	}
	here := j.holds(c, last)
	for slot := range p.t.Slots {
		if first && m.Sum() > 0 {
			return m
		}
		if p.t.Alive(last, slot) && j.rel.must(int(c.index), last, slot) && !here[slot] {
			m.Missing++
		}
	}
	return m
}
