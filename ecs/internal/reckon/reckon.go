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

// Components are the components of one machine that functions move.
type Components struct {
	table  *nodes.Table
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
}

type stage struct {
	at   rpl.Tick
	what unsafe.Pointer
}

// Of returns the Reckoner of a machine, nil if no function moves any of its components.
func Of(t *nodes.Table) rpl.Reckoner {
	cs := &Components{table: t, of: map[*rpl.ItemType]*nodes.Component{}, states: map[key]*state{}, sweep: 64}
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
		c.Copy(s.base.what, c.Fresh())
		t.Inject(s.base.what, words, nil, nil)
		s.stated, s.from, s.base.at, s.value.at = append(s.stated[:0], words...), from, from, rpl.MaxTick
	}
	if s.value.at > to {
		cs.run(c, &s.base, to)
		c.Copy(s.value.what, s.base.what)
		s.value.at = to
	}
	cs.run(c, &s.value, to)
	t.Extract(s.value.what, words, nil, nil)
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
