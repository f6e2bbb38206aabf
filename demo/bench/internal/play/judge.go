package play

import "github.com/tendonengine/tendon/rpl"

// A judge compares the state that clients hold with the trace, field by field.
type judge struct {
	layout     *layout
	rel        *relevancy
	clean      bool // the network is clean: every item must be right at every tick
	mismatches Mismatches

	words []int32 // scratch
	here  []bool  // scratch: by slot
}

// Mismatches counts what is wrong, by kind.
type Mismatches struct {
	Claimed int // wrong fields of changed items, compared at the tick that the item claims
	Held    int // wrong fields of held items, compared at the newest tick, on a clean network
	Odd     int // callbacks about nodes or items that do not exist
	Props   int // at the end: wrong fields of held nodes
	Extra   int // at the end: held nodes that should not be held
	Missing int // at the end: missing nodes
}

// Sum returns the number of all mismatches.
func (m Mismatches) Sum() int {
	return m.Claimed + m.Held + m.Odd + m.Props + m.Extra + m.Missing
}

// received judges a client after a receive. It compares every item that changed with
// the trace at the tick that the item claims, and every held item with the newest tick;
// on a clean network a difference from the newest tick is a mismatch. It also updates
// each holding's right.
func (j *judge) received(c *client) {
	p := c.phase
	words := j.words
	for _, r := range c.claims {
		h, ok := r.Entity.(*holding)
		if !ok {
			continue // removed in the same receive
		}
		var of rpl.Tick
		words, of = c.claim(h, words[:0])
		at := p.at(of)
		if at < 0 || !h.lives(p.row(at)) {
			j.mismatches.Claimed++ // the claimed tick is before its birth or after its death
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

// complete reports whether a client holds every node that is relevant to it at the
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

// holds returns, for each slot, whether the client holds the entity that is alive in
// the slot at a row. The result is valid until the next call.
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

// final counts what a client has wrong after the trace has ended: wrong props of held
// nodes, held nodes that it should not hold, and missing nodes. With first set it stops
// at the first.
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
		// A predicted value is advanced between packets, so the received value counts.
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
