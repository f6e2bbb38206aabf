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
// once.
type state struct {
	stated   []int32
	from, at rpl.Tick
	value    unsafe.Pointer
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
	if s.from != from || s.at > to || !slices.Equal(s.stated, words) {
		c.Copy(s.value, c.Fresh())
		t.Inject(s.value, words, nil, nil)
		s.stated, s.from, s.at = append(s.stated[:0], words...), from, from
	}
	for s.at < to {
		s.at++
		c.Reckon(cs.table.World, s.at, s.value)
	}
	t.Extract(s.value, words, nil, nil)
}

// add makes room for a state. Nodes that have gone are not told of: their states are dropped once
// there are many.
func (cs *Components) add(k key, c *nodes.Component, now rpl.Tick) *state {
	if len(cs.states) >= cs.sweep {
		for k, s := range cs.states {
			if s.at+keptTicks < now {
				delete(cs.states, k)
			}
		}
		cs.sweep = 2*len(cs.states) + 64
	}
	s := &state{value: c.Fresh()}
	cs.states[k] = s
	return s
}
