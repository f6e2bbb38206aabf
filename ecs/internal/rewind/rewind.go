// Package rewind is the memory of where things were, so that a shot is judged by what the shooter saw:
// the authority's of what was so in each tick (past.go), of which it works out what a player has drawn, and
// a client's of what it has drawn itself (client.go), so that its rules come to the same.
package rewind

import (
	"fmt"
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

	// Of a client.
	Screen *track.Screen
	asked  bool    // a rule has gone back: what is drawn is kept from then on
	frames []frame // by tick

	rewound []rewound
	size    rpl.Tick // how many ticks are kept
	added   int      // Nodes.Added as of the newest tick that is kept
	claims  []claim  // of the Rewind in progress, and of those that it is inside of
	undos   []undo   // of the Rewind in progress …
	unseen  []*nodes.Node
}

// A claim is what a Rewind goes back to: what a peer has drawn, or on a client what that has in a tick.
type claim struct {
	from  rpl.Peer
	drawn command.Drawn
	tick  rpl.Tick
}

// A sight is what somebody saw: the state at a share of the way between two ticks.
type sight struct {
	by       rpl.Peer
	others   []rpl.Node // of those of others, what it predicts
	from, to rpl.Tick
	share    float64
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
	rw.frames = make([]frame, rw.size)
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
		rw.rewound = append(rw.rewound, rewound{comp: comp, which: which, of: map[donburi.Entity]*past{}})
	}
	return nil
}

// Back sets everything to what a peer has drawn, until Forth. Inside of another Back it is as the
// inner one says, and then again as the outer.
func (rw *History) Back(from rpl.Peer, d command.Drawn) {
	rw.begin(claim{from: from, drawn: d})
}

func (rw *History) begin(c claim) {
	rw.forth()
	rw.claims = append(rw.claims, c)
	rw.back(c)
}

// Forth sets everything back to what it is, or to what the Back says that this one was inside of.
func (rw *History) Forth() {
	rw.forth()
	rw.claims = rw.claims[:len(rw.claims)-1]
	if n := len(rw.claims); n > 0 {
		rw.back(rw.claims[n-1])
	}
}

// sight returns what a claim is taken for.
func (rw *History) sight(c claim) sight {
	if rw.Auth == nil {
		return sight{by: rw.Me, from: c.tick, to: c.tick, share: 1}
	}
	d := c.drawn
	to, span, share := rpl.Tick(d.To), rpl.Tick(d.Span), d.Share()
	if oldest := rw.oldest(c.from); to < oldest+span && d.At < float64(oldest) {
		to, span, share = oldest, 0, 1
	}
	if to > rw.Tick {
		to, span, share = rw.Tick, 0, 1
	}
	most := 1.0
	if span > 0 {
		most = 1 + track.BeyondSeconds/rw.step()/float64(span)
	}
	return sight{c.from, rw.Auth.Predicting(c.from), to - span, to, min(share, most)}
}

// isShown reports whether the caller sees a node as it is told of, and not where it predicts it.
func (rw *History) isShown(n *nodes.Node, s *sight) bool {
	return n != nil && n.Owner != s.by && n.Predicted == nil && (len(s.others) == 0 || !slices.Contains(s.others, n.ID))
}

// goes reports whether an entity is set back.
func (rw *History) goes(k *rewound, p *past, s *sight) bool {
	return rw.isShown(p.node, s) && rw.Nodes.Of(p.entity) == p.node && rw.World.Entry(p.entity).HasComponent(k.comp.Type)
}

// stood reports whether an entity has been as it is since before it was seen: it need not be set back.
func (rw *History) stood(k *rewound, p *past, s *sight) bool {
	if p.since == 0 || p.since > s.from || p.node == nil || rw.Nodes.Of(p.entity) != p.node {
		return false
	}
	e := rw.World.Entry(p.entity)
	return e.HasComponent(k.comp.Type) && p.stands(k, e.Component(k.comp.Type))
}

// miss has a node not be there if the caller had it not on its screen.
func (rw *History) miss(n *nodes.Node, s *sight) {
	if n == nil || n.Unseen || !rw.wasHidden(n, s) {
		return
	}
	for u := n; u != nil; u = u.Parent {
		if !rw.isShown(u, s) { // what hangs below what is drawn ahead is drawn with it
			return
		}
	}
	n.Unseen = true
	rw.unseen = append(rw.unseen, n)
	rw.Nodes.Shift(n)
}

func (rw *History) wasHidden(n *nodes.Node, s *sight) bool {
	if rw.Auth == nil {
		return rw.isHidden(n, s.to)
	}
	return n.From > s.to || n.From > s.from && s.share < 1 // made between two packets, it is drawn from the second on
}

func (rw *History) back(c claim) {
	s := rw.sight(c)
	for i := range rw.rewound {
		k := &rw.rewound[i]
		for _, p := range k.live {
			rw.miss(p.node, &s)
		}
		if rw.Nodes.Added != rw.added { // since then, of which nothing is kept yet
			for _, at := range k.archetypes(rw.World) {
				for _, e := range rw.World.Archetypes()[at].Entities() {
					rw.miss(rw.Nodes.Of(e), &s)
				}
			}
		}
	}
	for i := range rw.rewound { // what hung nowhere comes off first: two may have changed places since
		k := &rw.rewound[i]
		for _, p := range k.live {
			if p.node != nil && p.node.Parent != nil && rw.goes(k, p, &s) {
				if m, _, _, _ := p.drawn(k, &s); m != nil && m.parent == nil {
					rw.Nodes.HangAsThen(p.node, nil)
				}
			}
		}
	}
	for i := range rw.rewound {
		k := &rw.rewound[i]
		for _, p := range k.live {
			n := p.node
			if rw.stood(k, p, &s) || !rw.goes(k, p, &s) || n.Unseen {
				continue
			}
			m, a, b, of := p.drawn(k, &s)
			if m == nil || m.parent != nil && rw.Nodes.Of(m.parent.Entity) != m.parent {
				continue // nothing is known of then, or it was on something that is not there any more
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
	for _, n := range rw.unseen {
		n.Unseen = false
		rw.Nodes.Shift(n)
	}
	clear(rw.unseen)
	rw.unseen = rw.unseen[:0]
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
		switch now := u.f.Get(at); {
		case now == u.set:
		case u.f.Steps(): // no sum of two states is a state
			v = now
		default:
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
