package ecs_test

// What the callbacks of a machine say in games played at random, and the checks that they
// say nothing wrong.

import (
	"maps"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A witness records what the callbacks of one machine have said about each life of a node
// and, on an authority, about peers.
type witness struct {
	in      map[rpl.Node]bool
	parent  map[rpl.Node]donburi.Entity // as OnParent reported last
	owner   map[rpl.Node]rpl.Peer       // as OnOwner reported last
	painted map[rpl.Node]PaintData      // as OnChange reported last
	sacks   map[rpl.Node]sackTold       // as OnChange reported last
	lives   map[rpl.Peer]*life
	order   map[line]uint32 // the last reliable call that has run on a line
	groups  map[member]bool
	blurred map[donburi.Entity]bool     // nodes of which other machines cannot tell which entity carries what
	dropped map[donburi.Entity]rpl.Tick // when an entity's explicit component was removed
	odd     int                         // 0 or 1: even or odd peers are in Blue; 2: Blue has no rule
	client  bool                        // the machine was a client in its last step
	tick    rpl.Tick                    // the tick of that step
}

// anew begins the records of another session, if a client has become the authority. The
// machine may also have become a client and the authority again within one step; its tick
// has then gone back.
func (w *witness) anew(now rpl.Tick) {
	if !w.client && now >= w.tick {
		return
	}
	w.lives, w.client, w.tick = map[rpl.Peer]*life{}, false, now
	maps.DeleteFunc(w.groups, func(m member, _ bool) bool { return m.door == 0 })
}

// A member is a node in a group. A door that outlives every level stays in its groups
// through all lives of its node, so its entity stands for it.
type member struct {
	of   *tendon.Group
	id   rpl.Node
	door donburi.Entity
}

func (a *actor) member(g *tendon.Group, e *donburi.Entry) member {
	if a.doors[e.Entity()] {
		return member{of: g, door: e.Entity()}
	}
	return member{of: g, id: tendon.ID(e)}
}

// attend binds all callbacks of one machine, and checks what they say.
func (g *adventure) attend(a *actor) {
	g.pulls(a)
	w := &witness{client: true, in: map[rpl.Node]bool{}, parent: map[rpl.Node]donburi.Entity{}, owner: map[rpl.Node]rpl.Peer{}, painted: map[rpl.Node]PaintData{}, sacks: map[rpl.Node]sackTold{}, order: map[line]uint32{}, groups: map[member]bool{}, blurred: map[donburi.Entity]bool{}, dropped: map[donburi.Entity]rpl.Tick{}, odd: 2}
	w.anew(0)
	a.witness = w
	none := func(where string) {
		if len(w.in) > 0 {
			g.t.Fatalf("%s: %s while %v are in", a.name, where, w.in)
		}
	}
	if g.worlds == one {
		a.doors = map[donburi.Entity]bool{}
		for _, e := range doorsOf(a.World(), "") {
			a.doors[e] = true
			components.RplNode.Get(a.World().Entry(e)).Keep = true // whichever owner leaves
		}
	} else {
		a.OnWorld(func(world donburi.World, name string) {
			if none("OnWorld"); a.IsAuthority() {
				w.anew(a.Tick())
			}
			doorsOf(world, name)
			g.react(a, nil, onStart)
		})
	}
	a.OnEnd(func(error) {
		none("OnEnd")
		w.anew(a.Tick())
		if a.again {
			a.Join(a.way)
		}
		g.react(a, nil, onEnd)
	})
	a.After(tendon.Receive, "witness", func(*tendon.Replication) {
		w.client, w.tick = !a.IsAuthority(), a.Tick()
		for id := range w.in {
			if e, ok := a.Find(id); ok && w.client && parentOf(e) != w.parent[id] {
				g.t.Fatalf("%s: %v hangs under %v, and was told to hang under %v", a.name, id, parentOf(e), w.parent[id])
			}
		}
		for id := range w.painted {
			if e, ok := a.Find(id); !ok || !e.HasComponent(Paint) {
				delete(w.painted, id)
			}
		}
		for id := range w.sacks {
			if e, ok := a.Find(id); !ok || !e.HasComponent(Sack) {
				delete(w.sacks, id)
			}
		}
	})
	g.attendNodes(a)
	g.attendSacks(a)
	g.attendCalls(a)
	g.attendPeers(a)
}

// doorsOf makes the load-time nodes of a world.
func doorsOf(world donburi.World, name string) (all []donburi.Entity) {
	for _, door := range []string{"a", "b", "c"} {
		e := world.Entry(world.Create(Paint, Body))
		Paint.Get(e).Name = door
		tendon.Named(e, name+"/"+door)
		all = append(all, e.Entity())
	}
	return all
}

// attendNodes checks what callbacks say about the lives of nodes.
func (g *adventure) attendNodes(a *actor) {
	w := a.witness
	must := func(e *donburi.Entry, what string, in bool) rpl.Node {
		id := tendon.ID(e)
		if w.in[id] != in && id != rpl.SessionNode {
			g.t.Fatalf("%s: %s of %v, which is in: %v", a.name, what, id, w.in[id])
		}
		return id
	}
	a.OnStreamIn(components.Owner, func(e *donburi.Entry) {
		id := must(e, "stream in", false)
		w.in[id], w.parent[id], w.owner[id] = true, donburi.Null, 0
		delete(w.painted, id)
		delete(w.sacks, id)
		if up := tendon.Parent(e); up != nil && !a.IsAuthority() {
			must(up, "stream in of a child", true)
		}
		g.react(a, e, onIn)
	})
	a.OnStreamOut(components.Owner, func(e *donburi.Entry, _ bool) {
		delete(w.in, must(e, "stream out", true))
		g.react(a, nil, onOut)
	})
	a.OnParent(components.Owner, func(e *donburi.Entry, old donburi.Entity) {
		id, now := must(e, "parent", true), parentOf(e)
		if old != w.parent[id] || old == now {
			g.t.Fatalf("%s: parent of %v from %v to %v, which was told to be %v", a.name, id, old, now, w.parent[id])
		}
		if w.parent[id] = now; now != donburi.Null && !a.IsAuthority() {
			must(tendon.Parent(e), "a child", true)
		}
		g.react(a, e, onOwner)
	})
	a.OnOwner(components.Owner, func(e *donburi.Entry, old rpl.Peer) {
		id := must(e, "owner", true)
		if now := tendon.Owner(e); old != w.owner[id] || old == now {
			g.t.Fatalf("%s: owner of %v from %d to %d, which was told to be of %d", a.name, id, old, now, w.owner[id])
		}
		w.owner[id] = tendon.Owner(e)
		g.react(a, e, onOwner)
	})
	tendon.OnChange(a.Replication, Paint, func(e *donburi.Entry, old PaintData) {
		id, now := must(e, "change", true), *Paint.Get(e)
		if last, ok := w.painted[id]; ok && id != rpl.SessionNode && old != last && old != (PaintData{Colour: 1}) { // a default old value: the paint was added
			g.t.Fatalf("%s, %v: paint of %v from %v to %v, which was told to be %v", a.name, a.Mode(), id, old, now, last)
		}
		w.painted[id] = now
		g.react(a, e, onPaint)
	})
	tendon.OnChange(a.Replication, Plan, func(e *donburi.Entry, _ PlanData) {
		must(e, "change of plan", true)
		g.react(a, e, onPlan)
	})
}

// parentOf returns the entity of a node's parent, donburi.Null for none.
func parentOf(e *donburi.Entry) donburi.Entity {
	if up := tendon.Parent(e); up != nil {
		return up.Entity()
	}
	return donburi.Null
}

// attendPeers checks what callbacks say about the lives of peers.
func (g *adventure) attendPeers(a *actor) {
	w := a.witness
	of := func(what string, p rpl.Peer, ok func(l *life) bool) *life {
		l := w.lives[p]
		if l == nil {
			l = &life{joins: true}
			w.lives[p] = l
		}
		if !ok(l) {
			g.t.Fatalf("%s: %s of peer %d, %+v", a.name, what, p, *l)
		}
		return l
	}
	a.OnStart(func() {
		w.anew(a.Tick())
		if len(w.in) > 0 {
			g.t.Fatalf("%s: OnStart while %v are in", a.name, w.in)
		}
		for _, l := range w.lives {
			l.joins = true
		}
		g.react(a, nil, onStart)
	})
	a.OnJoin(func(p rpl.Peer) {
		l := of("OnJoin", p, func(l *life) bool { return l.joins && !l.lost && !l.left })
		l.known, l.joins = true, false
		g.react(a, nil, onPeer)
	})
	a.OnLost(func(p rpl.Peer) {
		of("OnLost", p, func(l *life) bool { return l.known && !l.lost && !l.left }).lost = true
		g.react(a, nil, onPeer)
	})
	a.OnBack(func(p rpl.Peer) {
		of("OnBack", p, func(l *life) bool { return l.lost && !l.left }).lost = false
		g.react(a, nil, onPeer)
	})
	a.OnLeave(func(p rpl.Peer) {
		l := of("OnLeave", p, func(l *life) bool { return l.known && !l.left })
		l.lost, l.left = false, true
		g.react(a, nil, onPeer)
	})
	for _, s := range []*tendon.Group{Red, Blue} {
		s.Allow(a.Replication, func(p rpl.Peer) bool {
			g.react(a, nil, onPeer)
			return p%3 != 0
		})
	}
}
