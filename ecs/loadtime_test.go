package ecs_test

import (
	"testing"

	"github.com/yohamta/donburi"

	"github.com/quasilyte/gmath"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
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

func gun(m *machine) *donburi.Entry {
	for e := range Link.Iter(m.World()) {
		return m.World().Entry(e.Entity())
	}
	return nil
}

// A reference is null when its node is not here any more: also one of a load-time node whose
// session has ended, with which all the session's own nodes have gone.
func TestReferenceOfALoadTimeNodeAfterTheSession(t *testing.T) {
	l := newLab(t, lan)
	all := guns(l, "server", "client")
	server, client := all[0], all[1]
	server.Host(l.listener)
	client.joins = true
	client.Join(l.net.Dialer(l.listener))
	l.joined()
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
	cart := server.World().Entry(server.World().Create(Transform))
	tendon.Named(cart, "cart of the server alone")
	Transform.Get(cart).Pos = gmath.Vec{X: 1000}
	cartEnt := cart.Entity()
	server.Host(l.listener)
	client.joins = true
	client.Join(l.net.Dialer(l.listener))
	l.joined()
	r := server.Create(Transform)
	Transform.Get(r).Pos = gmath.Vec{X: 1}
	id := tendon.ID(r)
	if err := tendon.Attach(r, server.World().Entry(cartEnt)); err != nil {
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
