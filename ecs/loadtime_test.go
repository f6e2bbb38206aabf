package ecs_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// guns adds machines whose worlds have one load-time node each.
func guns(l *lab, names ...string) (all []*machine) {
	for _, name := range names {
		m := l.machine(name, tendon.Config{})
		tendon.Named(m.World().Entry(m.World().Create(Link, Paint)), "gun")
		all = append(all, m)
	}
	return all
}

func gun(m *machine) *donburi.Entry { return m.World().Entry(entityWith(m, Link)) }

// entityWith returns an entity of a machine's world that has a component.
func entityWith(m *machine, c donburi.IComponentType) donburi.Entity {
	for _, a := range m.World().Archetypes() {
		if slices.Contains(a.ComponentTypes(), c) && a.Count() > 0 {
			return a.Entities()[0]
		}
	}
	return donburi.Null
}

// cartOf adds a load-time node far from the origin that no other machine has.
func cartOf(m *machine) donburi.Entity {
	cart := m.World().Entry(m.World().Create(Transform))
	tendon.Named(cart, "cart of the server alone")
	Transform.Get(cart).Pos = gmath.Vec{X: 1000}
	return cart.Entity()
}

// meet has one machine host and another join it.
func (l *lab) meet(server, client *machine) {
	l.Helper()
	server.Host(l.listener)
	client.joins = true
	client.Join(l.net.Dialer(l.listener))
	l.joined()
}

// A reference is null when its node is not here any more: also one of a load-time node whose
// session has ended, with which all the session's own nodes have gone.
func TestReferenceOfALoadTimeNodeAfterTheSession(t *testing.T) {
	l := newLab(t, lan)
	all := guns(l, "server", "client")
	server, client := all[0], all[1]
	l.meet(server, client)
	Link.Get(gun(server)).Target = server.Create(Paint).Entity()
	l.steps(30)
	check(t, "in the session it refers to something", Link.Get(gun(client)).Target != donburi.Null, true)
	client.Close("bye")
	l.steps(3)
	check(t, "alone: its target is an entity of this world", client.World().Valid(Link.Get(gun(client)).Target), false)
	check(t, "alone: it refers to nothing", Link.Get(gun(client)).Target, donburi.Null)
}

// A load-time node that a session's server destroyed is there again in the next session,
// whose server has it: as in any world that was made anew.
func TestLoadTimeNodeInTheNextSession(t *testing.T) {
	l, l2 := newLab(t, lan), newLab(t, lan)
	first, client := guns(l, "first", "client")[0], l.machines[1]
	second := guns(l2, "second")[0]
	first.Host(l.listener)
	second.Host(l2.listener)
	client.joins = true
	client.Join(l.net.Dialer(l.listener))
	l.joined()
	gun(first).Remove()
	l.steps(60)
	check(t, "guns in the first session", client.count(Link), 0)
	l.machines = l.machines[:1]
	l2.machines = append(l2.machines, client)
	client.lab = l2
	client.Join(l2.net.Dialer(l2.listener))
	l2.joined()
	l2.steps(60)
	check(t, "guns in the second session", client.count(Link), 1)
}

// A node whose parent is a load-time node that this machine lacks has no known place: it is
// hidden (SPEC rule 18), and not drawn at its relative place near the origin.
func TestRiderOfALoadTimeNodeThatIsNotHere(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.machine("server", tendon.Config{}), l.machine("client", tendon.Config{})
	cart := cartOf(server)
	l.meet(server, client)
	r := server.Create(Transform)
	Transform.Get(r).Pos = gmath.Vec{X: 1}
	id := tendon.ID(r)
	if err := tendon.Attach(r, server.World().Entry(cart)); err != nil {
		t.Fatal(err)
	}
	for range 60 {
		l.steps(1)
		client.Frame()
	}
	if e, ok := client.Find(id); ok && !e.HasComponent(components.Hidden) {
		t.Errorf("drawn at %v, not at %v or not at all", tendon.WorldView(e).Pos, tendon.WorldTransform(server.find(id)).Pos)
	}
}

type loadtimeRefs struct {
	List []donburi.Entity         `rpl:"max=4"`
	By   map[uint8]donburi.Entity `rpl:"max=4"`
	Opt  rpl.Opt[donburi.Entity]  `rpl:""`
}

var loadtimeLink = tendon.Replicate(proto, "loadtime link", donburi.NewComponentType[loadtimeRefs]())

// So are references in lists, maps and optional values; those to load-time nodes stay.
func TestReferencesInListsAfterTheSession(t *testing.T) {
	l := newLab(t, lan)
	var all []*machine
	for _, name := range []string{"server", "client"} {
		m := l.machine(name, tendon.Config{})
		tendon.Named(m.World().Entry(m.World().Create(loadtimeLink)), "crew")
		tendon.Named(m.World().Entry(m.World().Create(Paint)), "door")
		all = append(all, m)
	}
	server, client := all[0], all[1]
	l.meet(server, client)
	of := func(m *machine) *loadtimeRefs { return loadtimeLink.Get(m.World().Entry(entityWith(m, loadtimeLink))) }
	door := entityWith(server, Paint)
	made := server.Create(Paint).Entity()
	*of(server) = loadtimeRefs{List: []donburi.Entity{made, door}, By: map[uint8]donburi.Entity{1: made, 2: door}, Opt: rpl.Some(made)}
	l.steps(60)
	client.Close("bye")
	l.steps(3)
	d := of(client)
	for _, e := range []donburi.Entity{d.List[0], d.By[1]} {
		check(t, "refers to nothing", e, donburi.Null)
	}
	for _, e := range []donburi.Entity{d.List[1], d.By[2]} {
		check(t, "the door is here", client.World().Valid(e), true)
	}
	if v, ok := d.Opt.Get(); ok && v != donburi.Null {
		t.Errorf("opt %v", v)
	}
}

// A load-time tree that a session destroyed is there again when its client is alone, hosts, or
// joins another server, and not when it comes back to the same session.
func TestLoadTimeTreeAfterTheSession(t *testing.T) {
	for _, how := range []string{"alone", "host", "same", "lacks"} {
		t.Run(how, func(t *testing.T) {
			l := newLab(t, lan)
			all := guns(l, "server", "client")
			server, client := all[0], all[1]
			for _, m := range all {
				barrel := m.World().Entry(m.World().Create(Body))
				tendon.Named(barrel, "barrel")
				_ = tendon.Attach(barrel, gun(m))
			}
			l.meet(server, client)
			check(t, "the barrel hangs", tendon.Parent(client.World().Entry(entityWith(client, Body))) != nil, true)
			gun(server).Remove()
			l.steps(60)
			check(t, "guns in the first session", client.count(Link), 0)
			client.Close("bye")
			client.joins = false
			l.steps(30)
			switch how {
			case "alone":
				check(t, "guns alone", client.count(Link), 1)
			case "host":
				l2 := newLab(t, lan)
				client.lab = l2
				l2.machines = append(l2.machines, client)
				client.Host(l2.listener)
				l2.steps(30)
				check(t, "guns as host", client.count(Link), 1)
			case "same":
				client.joins = true
				client.Join(l.net.Dialer(l.listener))
				l.joined()
				l.steps(60)
				check(t, "guns in the same session", client.count(Link), 0)
				client.Close("bye")
				client.joins = false
				l.steps(30)
				check(t, "guns alone", client.count(Link), 1)
			case "lacks":
				l2 := newLab(t, lan)
				s2 := l2.server(tendon.Config{})
				l2.machines = append(l2.machines, client)
				client.lab = l2
				l.machines = l.machines[:1]
				client.joins = true
				client.Join(l2.net.Dialer(l2.listener))
				l2.joined()
				l2.steps(60)
				check(t, "guns where the server lacks it", client.count(Link), 1)
				check(t, "guns of that server", s2.count(Link), 0)
			}
		})
	}
}

// What rides on a rider of such a node is hidden with it, and shown again once they have got off.
func TestRidersOfARiderOfWhatIsNotHere(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.machine("server", tendon.Config{}), l.machine("client", tendon.Config{})
	cart := cartOf(server)
	l.meet(server, client)
	a, b := server.Create(Transform).Entity(), server.Create(Transform, Paint).Entity()
	at := func(e donburi.Entity) *donburi.Entry { return server.World().Entry(e) }
	_ = tendon.Attach(at(b), at(a))
	ids := []rpl.Node{tendon.ID(at(a)), tendon.ID(at(b))}
	see := func(hidden bool) {
		t.Helper()
		for range 90 {
			l.steps(1)
			client.Frame()
			for _, id := range ids {
				if e, ok := client.Find(id); ok && !e.HasComponent(components.Hidden) {
					if d := tendon.WorldView(e).Pos.DistanceTo(tendon.WorldTransform(server.find(id)).Pos); d > 1 {
						t.Fatalf("%v drawn %v off", id, d)
					}
				}
			}
		}
		for _, id := range ids {
			e, ok := client.Find(id)
			check(t, fmt.Sprint(id, " hidden"), !ok || e.HasComponent(components.Hidden), hidden)
		}
	}
	see(false)
	_ = tendon.Attach(at(a), at(cart))
	for range 60 {
		l.steps(1)
		client.Frame()
	}
	see(true)
	_ = tendon.Attach(at(a), nil)
	for range 60 {
		l.steps(1)
		client.Frame()
	}
	see(false)
}
