package ecs_test

// The actions of games played at random: what they do to nodes, in steps and in
// callbacks.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A mood is a kind of callback that may act.
type mood int

const (
	onIn mood = iota
	onOut
	onOwner
	onPaint
	onPlan
	onSack
	onCall
	onPeer
	onStart
	onEnd
	moodCount
)

// react acts at random inside a callback.
func (g *adventure) react(a *actor, e *donburi.Entry, in mood) {
	if g.moods>>in&1 == 0 || g.left <= 0 || g.dice.IntN(3) > 0 {
		return
	}
	g.left--
	pick := func(n int) int { return g.dice.IntN(n) }
	if g.drama > 0 && pick(20) == 0 {
		g.drama--
		g.upset(a, pick)
		return
	}
	if e == nil || !e.Valid() || tendon.ID(e) == rpl.SessionNode || pick(2) == 0 {
		e = a.some(pick)
	}
	g.act(a, e, pick)
}

// upset changes the level, a seat or the session inside a callback.
func (g *adventure) upset(a *actor, pick func(int) int) {
	switch op := pick(4); {
	case a != g.server && op == 0:
		g.retake(a)
	case a != g.server:
		a.Close("upset")
	case op == 0 && a.IsAuthority():
		a.Load(g.level(pick(3)))
	case op == 1:
		a.Close("a pause")
		g.moveTo(a)
	default:
		a.Kick(a.someone(pick), "upset")
	}
}

// some returns any node of a machine but the session's, nil if there is none.
func (a *actor) some(pick func(int) int) *donburi.Entry {
	if all := nodesOf(a.machine); len(all) > 0 {
		return all[pick(len(all))]
	}
	return nil
}

// nodesOf returns the nodes of a machine but the session's, ordered by id.
func nodesOf(m *machine) (all []*donburi.Entry) {
	for e := range donburi.NewQuery(filter.Contains(components.RplNode)).Iter(m.World()) {
		if id := tendon.ID(e); id != 0 && id != rpl.SessionNode && m.has(id) { // else it is being removed
			all = append(all, m.World().Entry(e.Entity()))
		}
	}
	slices.SortFunc(all, func(a, b *donburi.Entry) int { return cmp.Compare(tendon.ID(a), tendon.ID(b)) })
	return all
}

// act does one thing that a game may do on a machine, to node e or to something else.
func (g *adventure) act(a *actor, e *donburi.Entry, pick func(int) int) {
	if !a.IsAuthority() {
		g.actAsClient(a, e, pick)
		return
	}
	op := pick(34)
	if e == nil && op > 5 {
		op = 0
	}
	switch op {
	case 0, 1:
		a.spawn(pick)
	case 2:
		group(pick).Put(a.Replication, a.someone(pick), pick(2) == 0)
	case 3:
		switch s := a.Session(); pick(5) {
		case 0:
			carry(s, Body, !s.HasComponent(Body), BodyData{Pos: gmath.Vec{X: float64(pick(100))}})
		case 1:
			carry(s, Paint, !s.HasComponent(Paint), PaintData{Colour: uint8(pick(100)), Name: "session"})
		case 2:
			carry(s, Plan, !s.HasComponent(Plan), PlanData{Where: int32(pick(100))})
		case 3:
			carry(s, Sack, !s.HasComponent(Sack), SackData{Counts: map[string]int32{"session": 1}})
		default:
			a.paint(s, pick)
		}
	case 4:
		g.call(a, a.Session(), pick)
	case 5:
		a.odd = pick(3)
		if a.odd == 2 {
			Blue.While(a.Replication, nil)
		} else {
			Blue.While(a.Replication, func(p rpl.Peer) bool { return int(p)%2 == a.odd })
		}
	case 6, 7:
		a.paint(e, pick)
	case 8:
		if !a.doors[e.Entity()] {
			remove(e)
		}
	case 9, 10:
		if up := a.some(pick); pick(3) == 0 || up == nil {
			_ = tendon.Attach(e, nil)
		} else {
			_ = tendon.Attach(e, up) // refused if it would close a ring
		}
	case 11, 12:
		tendon.Give(e, a.someone(pick))
	case 13:
		carry(e, Paint, !e.HasComponent(Paint), PaintData{Colour: 2 + uint8(pick(200))})
		delete(a.painted, tendon.ID(e)) // nothing is known of a new component
	case 30:
		if e.HasComponent(components.RplNode) && e.HasComponent(Body) {
			Body.Get(e).Pos.X += float64(pick(2000))
			tendon.Teleport(e)
		}
	case 31:
		a.misfit(pick)
	case 32:
		carry(e, Puppet, !e.HasComponent(Puppet), PuppetData{})
	case 33:
		if e.HasComponent(Puppet) && pick(2) == 0 {
			Puppet.Get(e).Pos.Y = float64(pick(100))
			return
		}
		p := a.Create(Puppet, Body)
		tendon.Give(p, a.someone(pick))
	case 22:
		carry(e, Sack, !e.HasComponent(Sack), SackData{Name: "new"})
		delete(a.sacks, tendon.ID(e))
	case 23, 24:
		a.paint(e, pick)
	case 25, 26, 27:
		a.graft(e, pick)
	case 14:
		carry(e, Plan, !e.HasComponent(Plan), PlanData{Where: int32(pick(100)), Words: "x"})
	case 15, 16:
		if s := group(pick); !e.HasComponent(components.RplNode) {
			return
		} else if pick(2) == 0 {
			s.Add(e)
			a.groups[a.member(s, e)] = true
		} else {
			s.Remove(e)
			delete(a.groups, a.member(s, e))
		}
	case 17:
		if !e.HasComponent(components.RplNode) {
			return // its RplNode was removed earlier in this step
		}
		d := components.RplNode.Get(e)
		d.Relevance = rpl.Relevance(pick(4))
		d.Keep, d.Hz = pick(2) == 0 || a.doors[e.Entity()], []uint8{0, 0, 20}[pick(3)]
	case 18:
		if pick(3) == 0 && e.HasComponent(components.RplNode) && !a.doors[e.Entity()] { // it is local from now on
			prime(e, func(set []donburi.IComponentType) []donburi.IComponentType { return without(set, components.RplNode) })
			donburi.Remove[components.NodeData](e, components.RplNode)
		}
	case 19:
		carry(e, components.Observer, !e.HasComponent(components.Observer), components.ObserverData{})
	case 20: // an entity that was made local becomes a node again
		for e := range donburi.NewQuery(filter.And(filter.Contains(Body), filter.Not(filter.Contains(components.RplNode)))).Iter(a.World()) {
			prime(e, func(set []donburi.IComponentType) []donburi.IComponentType { return append(set, components.RplNode) })
			donburi.Add(a.World().Entry(e.Entity()), components.RplNode, &components.NodeData{Keep: true})
			break
		}
	case 21: // several acts at once, as in one step of a game
		id := tendon.ID(e)
		for range 3 {
			if e, ok := a.Find(id); ok {
				g.act(a, e, pick)
			}
		}
	default:
		g.call(a, e, pick)
	}
}

// actAsClient does one thing that a game may do where it is not the authority.
func (g *adventure) actAsClient(a *actor, e *donburi.Entry, pick func(int) int) {
	switch pick(10) {
	case 9:
		if e != nil {
			a.foresee(e, pick)
		}
	case 8:
		if a.annexes {
			a.annex(pick(3))
		}
	case 0:
		group(pick).Ask(a.Replication, pick(2) == 0)
	case 1:
		g.shout(a)
	case 2:
		g.call(a, a.Session(), pick)
	default:
		if e != nil {
			g.call(a, e, pick)
		}
	}
}

func group(pick func(int) int) *tendon.Group { return []*tendon.Group{Red, Red, Blue}[pick(3)] }

// remove removes a node. It swallows the panic with which Tendon refuses to remove a node
// that is being removed already.
func remove(e *donburi.Entry) {
	defer func() {
		if why := recover(); why != nil && !strings.Contains(fmt.Sprint(why), "inside its own") {
			panic(why)
		}
	}()
	e.Remove()
}

func (a *actor) someone(pick func(int) int) rpl.Peer {
	peers := append(slices.Collect(a.Peers()), 0)
	return peers[pick(len(peers))]
}

func (a *actor) spawn(pick func(int) int) {
	w := a.World()
	if len(nodesOf(a.machine)) > a.most {
		return
	}
	var e *donburi.Entry
	switch pick(15) {
	case 14:
		e = Flash.Spawn(w, CrateArgs{Label: "flash", Pos: gmath.Vec{X: float64(pick(50))}})
	case 11:
		e = a.escort(pick)
	case 12:
		e = a.adopt(pick)
	case 13:
		if a.annexes {
			a.annex(pick(3))
		}
		return
	case 0:
		e = Crate.Spawn(w, CrateArgs{Label: "crate", Pos: gmath.Vec{X: float64(pick(50))}})
	case 1:
		e = Tank.Spawn(w, tendon.None{})
		Ammo.Get(turretOf(e)).Left = pick(100)
	case 2:
		e = Ghost.Spawn(w, CrateArgs{Label: "ghost"})
		tendon.Give(e, a.someone(pick))
	case 3:
		e = Opener.Spawn(w, tendon.None{})
	case 4:
		e = a.Create(Link, Ammo, Lazy)
	case 6, 7:
		e = a.Create(Sack, Body)
	case 8, 9:
		e = Rig.Spawn(w, tendon.None{})
	case 5: // a player's avatar
		e = a.Create(Body, Ammo, components.Observer)
		tendon.Give(e, a.someone(pick))
	default:
		e = a.Create(Paint, Body, Plan)
	}
	if pick(2) == 0 {
		a.paint(e, pick)
	}
	if up := a.some(pick); up != nil && pick(4) == 0 {
		_ = tendon.Attach(e, up)
	}
}

// carry adds a component to an entity, or removes it.
func carry[T any](e *donburi.Entry, c *donburi.ComponentType[T], on bool, v T) {
	prime(e, func(set []donburi.IComponentType) []donburi.IComponentType {
		if set = without(set, c); on {
			set = append(set, c)
		}
		return set
	})
	if e = e.World.Entry(e.Entity()); on {
		donburi.Add(e, c, &v)
	} else {
		donburi.Remove[T](e, c)
	}
}

// prime makes the archetype that an entity is about to move into: donburi miscounts
// entities that move into an archetype in which none has been created yet.
func prime(e *donburi.Entry, to func([]donburi.IComponentType) []donburi.IComponentType) {
	e.World.Remove(e.World.Create(to(slices.Clone(e.Archetype().ComponentTypes()))...))
}

func without(set []donburi.IComponentType, c donburi.IComponentType) []donburi.IComponentType {
	return slices.DeleteFunc(set, func(o donburi.IComponentType) bool { return o == c })
}

// paint changes the values of a node's components.
func (a *actor) paint(e *donburi.Entry, pick func(int) int) {
	if e.HasComponent(Body) {
		Body.Get(e).Pos = gmath.Vec{X: float64(pick(9600))/32 - 150, Y: float64(pick(3200)) / 32}
	}
	if e.HasComponent(Paint) {
		Paint.SetValue(e, PaintData{Colour: uint8(pick(256)), Name: fmt.Sprint("name ", pick(100))})
	}
	if e.HasComponent(Ammo) {
		Ammo.Get(e).Left = pick(1000)
	}
	if e.HasComponent(Plan) {
		Plan.SetValue(e, PlanData{Where: int32(pick(1000)), Words: fmt.Sprint(pick(100)), Raised: pick(2) == 0})
	}
	if e.HasComponent(Sack) {
		a.stuff(e, pick)
	}
	if e.HasComponent(Opaque) {
		Opaque.SetValue(e, opaqueData{float64(pick(100)), float64(pick(100))})
	}
	if e.HasComponent(Link) {
		if to := a.some(pick); to != nil {
			Link.Get(e).Target = to.Entity()
		}
	}
	if e.HasComponent(Lazy) {
		Lazy.Get(e).N = int32(pick(1000))
		tendon.Bump(e, Lazy)
	}
}
