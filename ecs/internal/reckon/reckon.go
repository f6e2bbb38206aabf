// Package reckon runs the functions by which a game moves components on every machine
// (tendon.Reckon): from what was told last, step by step.
package reckon

import (
	"slices"
	"unsafe"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// keptTicks is how long a state is kept that nobody asks for: what moves is asked for in every
// send, and what is far off may be left out of a few.
const keptTicks = 600

// For settling ticks after a client has got a node, other nodes that its function reads may still be
// on their way, by another packet of the same arrivals: so whenever nodes have come meanwhile, the
// function goes anew from what was stated, which the authority has done just then. It does so at most
// once in each quarter of the time since the node came: that makes about as many ticks as the 30 s
// that a function may go on, however steadily others come. Later, when what was stated is old, the
// world of now would lead astray what has been right.
const settling = 180

// Components are the components of one machine that functions move.
type Components struct {
	table  *nodes.Table
	client bool
	of     map[*rpl.ItemType]*nodes.Component
	states map[key]*state
	sweep  int // how many states there may be until those that nobody asks for are dropped
}

type key struct {
	node rpl.Node
	item *rpl.ItemType
}

// A state is how far a function has come from what was stated, unrounded: so each tick is computed
// once. Who predicts asks for a tick ahead of the newest, and then for the next newest: from the base, which
// is at the newest tick that was asked for after a later one, only the ticks ahead are computed again.
type state struct {
	stated      []int32
	from        rpl.Tick
	base, value stage

	since     rpl.Tick // on a client: the node's From …
	came, ran rpl.Tick // … the tick that was asked for when it came, and that when the function last went anew …
	seen      int      // … and how many nodes had come by then
	again     bool     // perhaps not all that came then had got its state
}

type stage struct {
	at   rpl.Tick
	what unsafe.Pointer
}

// Of returns the Reckoner of a machine, nil if no function moves any of its components.
func Of(t *nodes.Table, client bool) rpl.Reckoner {
	cs := &Components{table: t, client: client, of: map[*rpl.ItemType]*nodes.Component{}, states: map[key]*state{}, sweep: 64}
	for _, c := range t.Components {
		if c.Reckon != nil {
			cs.of[c.Item] = c
		}
	}
	if len(cs.of) == 0 {
		return nil
	}
	return cs
}

// Reckon is for the core (rpl.Reckoner).
func (cs *Components) Reckon(n rpl.Node, t *rpl.ItemType, words []int32, from, to rpl.Tick) {
	c, k := cs.of[t], key{n, t}
	s := cs.states[k]
	if s == nil {
		s = cs.add(k, c, to)
	}
	if s.from != from || s.base.at > to || !slices.Equal(s.stated, words) {
		s.stated = append(s.stated[:0], words...)
		s.begin(c, t, from)
		if now := cs.table.ByID[n]; cs.client && now != nil && now.From != s.since { // it has come, perhaps not for the first time
			s.since, s.came, s.ran, s.again = now.From, to, to, true
		}
	}
	if cs.client && cs.unsettled(s, to) {
		at := s.base.at
		s.begin(c, t, from)
		cs.run(c, &s.base, at)
		c.Copy(s.value.what, s.base.what)
		s.value.at = at
	}
	if s.value.at > to {
		cs.run(c, &s.base, to)
		c.Copy(s.value.what, s.base.what)
		s.value.at = to
	}
	cs.run(c, &s.value, to)
	t.Extract(s.value.what, words, nil, nil)
}

// begin goes back to what was stated.
func (s *state) begin(c *nodes.Component, t *rpl.ItemType, from rpl.Tick) {
	c.Copy(s.base.what, c.Fresh())
	t.Inject(s.base.what, s.stated, nil, nil)
	s.from, s.base.at, s.value.at = from, from, rpl.MaxTick
}

// unsettled is whether a function shall go from what was stated anew.
func (cs *Components) unsettled(s *state, to rpl.Tick) bool {
	if s.seen == cs.table.Added && !s.again || to > s.came+settling || to <= s.ran+(s.ran-s.came)/4 {
		return false
	}
	s.again, s.seen, s.ran = s.seen != cs.table.Added, cs.table.Added, to
	return true
}

// run moves a component on to a tick.
func (cs *Components) run(c *nodes.Component, s *stage, to rpl.Tick) {
	for s.at < to {
		s.at++
		c.Reckon(cs.table.World, s.at, s.what)
	}
}

// add makes room for a state. Nodes that have gone are not told of: their states are dropped once
// there are many.
func (cs *Components) add(k key, c *nodes.Component, now rpl.Tick) *state {
	if len(cs.states) >= cs.sweep {
		for k, s := range cs.states {
			if s.value.at+keptTicks < now {
				delete(cs.states, k)
			}
		}
		cs.sweep = 2*len(cs.states) + 64
	}
	s := &state{base: stage{what: c.Fresh()}, value: stage{what: c.Fresh()}}
	cs.states[k] = s
	return s
}
