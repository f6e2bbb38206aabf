// Package rewind is the authority's memory of where things were, so that a shot is judged by
// what the shooter saw.
package rewind

import (
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/ecs/internal/command"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

const (
	// rewindMost is how far back anybody is believed to have seen: with more, who is shot
	// would have been behind a wall for half a second.
	rewindMost = 500 * time.Millisecond

	// rewindSlack, and so many sends, are how much later than the round trip that the server itself has
	// measured a peer may have drawn: the view waits for the state behind a lost one, and commands come
	// early for the sake of those that their line delays. A claim beyond it is a lie or no line to shoot on.
	rewindSlack = 150 * time.Millisecond
	rewindSends = 5

	// pastLeast is how many ticks are kept at least: rewindMost at 60 steps a second, twice.
	pastLeast = 64
)

// A History remembers the drawn fields of the components that Config.Rewind names.
type History struct {
	*nodes.Base
	Nodes *nodes.Table
	Sends int // a second

	rewound []rewound
	size    rpl.Tick // how many ticks are kept
	undos   []undo   // of the Rewind in progress
	claims  []claim  // of it, and of those that it is inside of
}

// A claim is what a Rewind goes back to: what a peer has drawn.
type claim struct {
	from  rpl.Peer
	drawn command.Drawn
}

// A rewound is one of the components.
type rewound struct {
	comp  *nodes.Component
	query *donburi.Query
	live  []*past
	room  []*past // of nodes that have ended
	of    map[donburi.Entity]*past
}

// A past is the drawn fields of a node's entity, or of a part's, after each of the last ticks,
// quantised as clients have them.
type past struct {
	node    *nodes.Node
	entity  donburi.Entity
	moments []moment  // by tick
	values  []float64 // by tick, then field
}

// A moment is what there is to know of a tick.
type moment struct {
	tick, leapt rpl.Tick    // leapt: when it had last leapt
	parent      *nodes.Node // what it hung below, to which its place was relative
}

// An undo is a field that a Rewind has set. The component is looked up again: a rule may have put
// another in its place, or have removed it.
type undo struct {
	n        *nodes.Node
	entity   donburi.Entity
	comp     *nodes.Component
	f        *track.Field
	was, set float64
}

// Begin finds the components, which are those of Config.Rewind, in the protocol. only is
// Config.RewindOnly.
func (rw *History) Begin(cs []donburi.IComponentType, only filter.LayoutFilter) error {
	// Twice, because what was seen lies between two packets, which few sends and losses put far apart.
	rw.size = max(pastLeast, rpl.Tick(2*rewindMost.Seconds()/rw.step())+2)
	for _, c := range cs {
		comp := (*nodes.Component)(nil)
		if c != nil {
			comp = rw.Kinds.Of(c)
		}
		switch {
		case comp == nil:
			return fmt.Errorf("tendon: Config.Rewind names a component that is not replicated: only those have a past")
		case len(comp.Drawn.Fields) == 0 || comp.StandIn != nil:
			return fmt.Errorf("tendon: Config.Rewind names component %s, which has no field tagged `interp` of its own: what is not drawn between samples is not rewound", comp.Name)
		}
		which := filter.LayoutFilter(filter.Contains(c))
		if only != nil {
			which = filter.And(which, only)
		}
		rw.rewound = append(rw.rewound, rewound{comp: comp, query: donburi.NewQuery(which), of: map[donburi.Entity]*past{}})
	}
	return nil
}

// remember keeps the state of this tick.
func (rw *History) Remember() {
	for i := range rw.rewound {
		k := &rw.rewound[i]
		k.live = k.live[:0]
		for e := range k.query.Iter(rw.World) {
			n := rw.Nodes.Of(e.Entity())
			if n == nil {
				continue
			}
			p := k.of[e.Entity()]
			if p == nil || p.node != n {
				p = k.take(int(rw.size))
				p.node, p.entity, k.of[e.Entity()] = n, e.Entity(), p
			}
			k.live = append(k.live, p)
			at, slot := e.Component(k.comp.Type), int(rw.Tick%rw.size)
			p.moments[slot] = moment{rw.Tick, n.Leapt, n.Parent}
			row := p.row(k, slot)
			for j := range k.comp.Drawn.Fields {
				row[j] = k.comp.Drawn.Fields[j].Rounded(at)
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

// take returns memory for an entity.
func (k *rewound) take(size int) *past {
	if n := len(k.room); n > 0 {
		p := k.room[n-1]
		k.room = k.room[:n-1]
		clear(p.moments)
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
	if t == 0 || p.moments[slot].tick != t {
		return nil, nil
	}
	return &p.moments[slot], p.row(k, slot)
}

// drawn returns what it was as drawn at a share of the way between two ticks: at what moment, and
// between which values. It returns nil if it was not there.
func (p *past) drawn(k *rewound, from, to rpl.Tick, share float64) (m *moment, a, b []float64, of float64) {
	before, a := p.at(k, from)
	m, b = p.at(k, to)
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
	case m.leapt > from && m.leapt <= to: // nobody has drawn it on the way
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

// Back sets everything to what a peer has drawn, until Forth. Inside of another Back it is as the
// inner one says, and then again as the outer.
func (rw *History) Back(from rpl.Peer, d command.Drawn) {
	rw.forth()
	rw.claims = append(rw.claims, claim{from, d})
	rw.back(from, d)
}

// Forth sets everything back to what it is, or to what the Back says that this one was inside of.
func (rw *History) Forth() {
	rw.forth()
	rw.claims = rw.claims[:len(rw.claims)-1]
	if n := len(rw.claims); n > 0 {
		rw.back(rw.claims[n-1].from, rw.claims[n-1].drawn)
	}
}

func (rw *History) back(from rpl.Peer, d command.Drawn) {
	to, span, share := rpl.Tick(d.To), rpl.Tick(d.Span), d.Share()
	if oldest := rw.oldest(from); to < oldest+span && d.At < float64(oldest) {
		to, span, share = oldest, 0, 1
	}
	if to > rw.Tick {
		to, span, share = rw.Tick, 0, 1
	}
	most := 1.0
	if span > 0 {
		most = 1 + track.BeyondSeconds/rw.step()/float64(span)
	}
	share = min(share, most)
	others := rw.Auth.Predicting(from)
	goes := func(k *rewound, p *past) bool { // it is what the caller saw, and not where the caller predicts it
		n := p.node
		return n != nil && n.Owner != from && rw.Nodes.Of(p.entity) == n && rw.World.Entry(p.entity).HasComponent(k.comp.Type) &&
			(len(others) == 0 || !slices.Contains(others, n.ID))
	}
	for i := range rw.rewound { // what hung nowhere comes off first: two may have changed places since
		k := &rw.rewound[i]
		for _, p := range k.live {
			if p.node != nil && p.node.Parent != nil && goes(k, p) {
				if m, _, _, _ := p.drawn(k, to-span, to, share); m != nil && m.parent == nil {
					rw.Nodes.HangAsThen(p.node, nil)
				}
			}
		}
	}
	for i := range rw.rewound {
		k := &rw.rewound[i]
		for _, p := range k.live {
			if !goes(k, p) {
				continue
			}
			n := p.node
			m, a, b, of := p.drawn(k, to-span, to, share)
			if m == nil || m.parent != nil && rw.Nodes.Of(m.parent.Entity) != m.parent {
				continue // it was not there, or on something that is not there any more
			}
			if !rw.Nodes.HangAsThen(n, m.parent) {
				continue
			}
			at := rw.World.Entry(p.entity).Component(k.comp.Type)
			rw.Nodes.Shift(n)
			for j := range k.comp.Drawn.Fields {
				f := &k.comp.Drawn.Fields[j]
				u := undo{n: n, entity: p.entity, comp: k.comp, f: f, was: f.Get(at)}
				f.Set(at, f.Between(a[j], b[j], of))
				u.set = f.Get(at)
				rw.undos = append(rw.undos, u)
			}
		}
	}
}

func (rw *History) forth() {
	rw.Nodes.HangAsNow()
	var of undo
	var at unsafe.Pointer
	for i := range rw.undos {
		u := &rw.undos[i]
		if u.n != of.n || u.entity != of.entity || u.comp != of.comp {
			of, at = *u, rw.now(u)
		}
		if at == nil {
			continue
		}
		v := u.was
		if now := u.f.Get(at); now != u.set {
			v = u.f.Plus(v, u.f.Way(u.set, now))
		}
		u.f.Set(at, v)
		rw.Nodes.Shift(u.n)
	}
	rw.undos = rw.undos[:0]
}

// now is where the component is, nil if it has gone.
func (rw *History) now(u *undo) unsafe.Pointer {
	if rw.Nodes.Of(u.entity) != u.n || !rw.World.Valid(u.entity) {
		return nil
	}
	e := rw.World.Entry(u.entity)
	if !e.HasComponent(u.comp.Type) {
		return nil
	}
	return e.Component(u.comp.Type)
}

// oldest is the earliest tick that a peer is believed to have seen.
func (rw *History) oldest(p rpl.Peer) rpl.Tick {
	core := rw.Auth.PeerStats(p)
	back := min(rewindMost, core.RTT+4*core.Jitter+rewindSlack+rewindSends*time.Second/time.Duration(rw.Sends))
	ticks := rpl.Tick(back.Seconds() / rw.step())
	return rw.Tick - min(rw.Tick, ticks)
}

// step is the length of a tick in seconds.
func (rw *History) step() float64 { return (time.Second / time.Duration(rw.Steps)).Seconds() }
