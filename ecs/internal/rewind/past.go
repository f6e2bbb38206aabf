package rewind

import (
	"math"
	"unsafe"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// past: what is kept of each tick.

// A rewound is one of the components.
type rewound struct {
	comp  *nodes.Component
	which filter.LayoutFilter
	live  []*past
	room  []*past // of nodes that have ended
	of    map[donburi.Entity]*past

	world donburi.World // of which …
	known int           // … so many archetypes are known, and these are its own
	own   []int
}

// A past is the drawn fields of a node's entity, or of a part's, after each of the last ticks,
// quantised as clients have them.
type past struct {
	node    *nodes.Node
	entity  donburi.Entity
	moments []moment  // by tick
	values  []float64 // by tick, then field

	// On the authority: it has been as at since until newest, and that is kept once. Most of a world stands.
	since, newest rpl.Tick
}

// A moment is what there is to know of a tick.
type moment struct {
	tick, leapt rpl.Tick    // leapt: when it had last leapt
	parent      *nodes.Node // what it hung below, to which its place was relative
}

// Remember keeps the state of this tick.
func (rw *History) Remember() {
	rw.each(func(k *rewound, p *past, e *donburi.Entry) {
		at := e.Component(k.comp.Type)
		if p.newest != 0 && p.newest+1 == rw.Tick && p.stands(k, at) {
			p.newest = rw.Tick
			return
		}
		p.spread(k)
		slot := int(rw.Tick % rw.size)
		p.since, p.newest = rw.Tick, rw.Tick
		p.moments[slot] = moment{rw.Tick, p.node.Leapt, p.node.Parent}
		row := p.row(k, slot)
		for j := range k.comp.Drawn.Fields {
			row[j] = k.comp.Drawn.Fields[j].Rounded(at)
		}
	})
}

// stands reports whether the component is as it was in the newest tick that is kept.
func (p *past) stands(k *rewound, at unsafe.Pointer) bool {
	slot := int(p.since % rpl.Tick(len(p.moments)))
	if m := &p.moments[slot]; m.parent != p.node.Parent || m.leapt != p.node.Leapt {
		return false
	}
	for j, v := range p.row(k, slot) {
		if now := k.comp.Drawn.Fields[j].Rounded(at); now != v && (now == now || v == v) { // NaN is absent
			return false
		}
	}
	return true
}

// spread writes down for each tick that it was as in the newest.
func (p *past) spread(k *rewound) {
	size := rpl.Tick(len(p.moments))
	was, row := p.moments[p.since%size], p.row(k, int(p.since%size))
	for t := max(p.since, p.newest-min(p.newest, size)) + 1; t <= p.newest; t++ {
		p.moments[t%size] = moment{t, was.leapt, was.parent}
		copy(p.row(k, int(t%size)), row)
	}
}

// each shows the entities of nodes and parts that have a past.
func (rw *History) each(keep func(k *rewound, p *past, e *donburi.Entry)) {
	rw.added = rw.Nodes.Added
	for i := range rw.rewound {
		k := &rw.rewound[i]
		before := k.live // most are where they were, and need not be looked up
		k.live = k.live[:0]
		for _, at := range k.archetypes(rw.World) {
			for _, e := range rw.World.Archetypes()[at].Entities() {
				n := rw.Nodes.Of(e)
				if n == nil {
					continue
				}
				var p *past
				if i := len(k.live); i < len(before) && before[i].entity == e {
					p = before[i]
				} else {
					p = k.of[e]
				}
				if p == nil || p.node != n {
					p = k.take(int(rw.size))
					p.node, p.entity, k.of[e] = n, e, p
				}
				k.live = append(k.live, p)
				keep(k, p, rw.World.Entry(e))
			}
		}
		if len(k.of) > len(k.live) { // parts go without their node
			for e, p := range k.of {
				if rw.Nodes.Of(e) != p.node {
					k.forget(p.node, e)
				}
			}
		}
	}
}

// archetypes returns which archetypes have the component. A game may be in a loop over the same entities,
// in which donburi's own query would wait for itself.
func (k *rewound) archetypes(w donburi.World) []int {
	all := w.Archetypes()
	if k.world != w {
		k.world, k.known, k.own = w, 0, k.own[:0]
	}
	for ; k.known < len(all); k.known++ {
		if k.which.MatchesLayout(all[k.known].ComponentTypes()) {
			k.own = append(k.own, k.known)
		}
	}
	return k.own
}

// take returns memory for an entity.
func (k *rewound) take(size int) *past {
	if n := len(k.room); n > 0 {
		p := k.room[n-1]
		k.room = k.room[:n-1]
		clear(p.moments)
		p.since, p.newest = 0, 0
		return p
	}
	return &past{moments: make([]moment, size), values: make([]float64, size*len(k.comp.Drawn.Fields))}
}

func (p *past) row(k *rewound, slot int) []float64 {
	n := len(k.comp.Drawn.Fields)
	return p.values[slot*n:][:n]
}

// at returns what it was in a tick, nil if it was not there.
func (p *past) at(k *rewound, t rpl.Tick) (*moment, []float64) {
	slot := int(t % rpl.Tick(len(p.moments)))
	switch {
	case t == 0:
		return nil, nil
	case p.since != 0 && p.since <= t && t <= p.newest:
		slot = int(p.since % rpl.Tick(len(p.moments)))
	case p.moments[slot].tick != t:
		return nil, nil
	}
	return &p.moments[slot], p.row(k, slot)
}

// drawn returns what somebody saw of it: at what moment, and how far between which values. It returns
// nil if nothing is known of then.
func (p *past) drawn(k *rewound, s *sight) (m *moment, a, b []float64, of float64) {
	share := s.share
	before, a := p.at(k, s.from)
	m, b = p.at(k, s.to)
	switch {
	case m == nil:
		return before, a, a, 0
	case before == nil:
		return m, b, b, 0
	case before.parent != m.parent: // it is drawn where it hung until it hangs elsewhere
		if share < 1 {
			return before, a, a, 0
		}
		return m, b, b, 0
	case m.leapt > s.from && m.leapt <= s.to: // nobody has drawn it on the way
		return m, a, b, math.Floor(min(share, 1))
	}
	return m, a, b, share
}

// Forget drops the past of a node that has ended.
func (rw *History) Forget(n *nodes.Node) {
	for i := range rw.rewound {
		rw.rewound[i].forget(n, n.Entity)
		for _, e := range n.Parts() {
			rw.rewound[i].forget(n, e)
		}
	}
}

func (k *rewound) forget(n *nodes.Node, e donburi.Entity) {
	if p := k.of[e]; p != nil && p.node == n {
		p.node = nil
		k.room = append(k.room, p)
		delete(k.of, e)
	}
}
