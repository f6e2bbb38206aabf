// Package observers reports to the core from where peers look. Most observers are in the next step
// where they were, and whose they were: so who has which is found once and kept, their places are
// read column by column, and the core hears of the peers of which one has moved.
//
//	keeper.go  who looks, and who has moved
//	place.go   where a node looks from
package observers

import (
	"slices"
	"unsafe"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// A Keeper knows the observers of the authority's world.
type Keeper struct {
	*nodes.Base
	Nodes *nodes.Table

	known      bool // what follows is so, unless follow finds otherwise
	archetypes int  // of the world
	refits     int  // of the nodes' items
	lookouts   []lookout
	peers      []*peer // in the order in which they were found
	byID       map[rpl.Peer]*peer
	moved      []*peer // that are to be reported
}

// A lookout is an archetype with components.Observer.
type lookout struct {
	archetype int
	entities  []donburi.Entity
	rows      []row
	place     *nodes.Component // by which the rows are that stand for themselves
}

// A row is one entity of a lookout.
type row struct {
	node   *nodes.Node // nil: it is none
	owner  rpl.Peer
	nth    int32 // among the peer's points; -1: it has no place
	peer   *peer
	itself bool // its own component says where it is, and nothing else
	at     rpl.Observer
}

// A peer is one that has observers.
type peer struct {
	id     rpl.Peer
	points []rpl.Observer
	moved  bool
}

// Again has the next Report report to the core of all peers: one has come, of whose observers it does not know.
func (k *Keeper) Again() { k.known = false }

// Clear forgets a world that the session leaves.
func (k *Keeper) Clear() { *k = Keeper{Base: k.Base, Nodes: k.Nodes} }

// Report reports to the core the peers whose observers have moved, or are others than at the last Report.
func (k *Keeper) Report() {
	if !k.known || !k.follow() {
		k.find()
	}
	for _, p := range k.moved {
		p.moved = false
		k.Faults.Report("observers refused", k.Auth.ObserveFrom(p.id, p.points...))
	}
	k.moved = k.moved[:0]
}

// find finds all observers.
func (k *Keeper) find() {
	for _, p := range k.peers {
		p.points = p.points[:0]
	}
	archetypes := k.World.Archetypes()
	k.lookouts = k.lookouts[:0] // with the lists of those that were there
	for i, a := range archetypes {
		if !slices.Contains(a.ComponentTypes(), donburi.IComponentType(components.Observer)) {
			continue
		}
		n := len(k.lookouts)
		k.lookouts = slices.Grow(k.lookouts, 1)[:n+1]
		k.lookouts[n].find(k, i, a.Entities())
	}
	k.moved = append(k.moved[:0], k.peers...)
	k.peers = slices.DeleteFunc(k.peers, func(p *peer) bool { // the core learns once that they have none
		if len(p.points) == 0 {
			delete(k.byID, p.id)
		}
		return len(p.points) == 0
	})
	k.known, k.archetypes, k.refits = true, len(archetypes), k.Nodes.Refits
}

func (l *lookout) find(k *Keeper, archetype int, now []donburi.Entity) {
	l.archetype, l.place = archetype, nil
	l.entities, l.rows = append(l.entities[:0], now...), slices.Grow(l.rows[:0], len(now))[:len(now)]
	for i, e := range now {
		r := &l.rows[i]
		*r = row{node: k.Nodes.Of(e), nth: -1}
		if r.node == nil {
			continue
		}
		if r.owner = r.node.Owner; r.owner == 0 {
			continue
		}
		from, ok := k.viewpoint(r.node)
		if !ok {
			k.scoldPlaceless(e)
			continue
		}
		r.at = k.checked(e, from, components.Observer.Get(k.World.Entry(e)))
		if b := k.placeItem(r.node); b != nil && r.node.Parent == nil && b.Entity == e && b.Comp.StandIn == nil {
			if l.place == nil {
				l.place = b.Comp
			}
			r.itself = b.Comp == l.place
		}
		r.peer = k.peer(r.owner)
		r.nth, r.peer.points = int32(len(r.peer.points)), append(r.peer.points, r.at)
	}
}

func (k *Keeper) peer(id rpl.Peer) *peer {
	p := k.byID[id]
	if p == nil {
		if k.byID == nil {
			k.byID = map[rpl.Peer]*peer{}
		}
		p = &peer{id: id}
		k.byID[id], k.peers = p, append(k.peers, p)
	}
	return p
}

// follow looks where the observers that are known are now. It reports false if they are others, or
// may be.
func (k *Keeper) follow() bool {
	archetypes := k.World.Archetypes()
	if len(archetypes) != k.archetypes || k.Nodes.Refits != k.refits {
		return false
	}
	for i := range k.lookouts {
		l := &k.lookouts[i]
		if !donburix.SameEntities(l.entities, archetypes[l.archetype].Entities()) || !l.follow(k) {
			return false
		}
	}
	return true
}

func (l *lookout) follow(k *Keeper) bool {
	looks := donburix.Column(k.World, components.Observer, l.archetype, len(l.entities))
	var places []unsafe.Pointer
	if l.place != nil {
		places = donburix.Column(k.World, l.place.Type, l.archetype, len(l.entities))
	}
	for i, e := range l.entities {
		r := &l.rows[i]
		n := r.node
		if k.Nodes.Of(e) != n || n != nil && n.Owner != r.owner {
			return false
		}
		if r.owner == 0 {
			continue
		}
		var from gmath.Vec
		if r.itself {
			if n.Parent != nil {
				return false
			}
			from.X, from.Y = l.place.Pos[0].Get(places[i]), l.place.Pos[1].Get(places[i])
		} else {
			var ok bool
			if from, ok = k.viewpoint(n); ok != (r.nth >= 0) {
				return false
			}
			if !ok {
				k.scoldPlaceless(e)
				continue
			}
		}
		look := (*components.ObserverData)(looks[i])
		if r.at == (rpl.Observer{X: from.X + look.Offset.X, Y: from.Y + look.Offset.Y, Scale: look.Scale}) {
			continue
		}
		r.at = k.checked(e, from, look)
		p := r.peer
		if p.points[r.nth] = r.at; !p.moved {
			p.moved, k.moved = true, append(k.moved, p)
		}
	}
	return true
}

// checked returns from where and how far an observer sees.
func (k *Keeper) checked(e donburi.Entity, from gmath.Vec, look *components.ObserverData) rpl.Observer {
	at := rpl.Observer{X: from.X + look.Offset.X, Y: from.Y + look.Offset.Y, Scale: look.Scale}
	if at.Check() != nil {
		k.ScoldOf("bad observer", "the Observer of", k.World.Entry(e), "a Scale is 0, for 1, or up to rpl.MaxScale: it sees at a scale of 1")
		at.Scale = 1
	}
	return at
}

func (k *Keeper) scoldPlaceless(e donburi.Entity) {
	k.ScoldOf("observer without place", "the Observer of", k.World.Entry(e),
		"neither it nor a node above it has a place, so its player sees nothing by it: give one of them a component with a field tagged `pos`")
}
