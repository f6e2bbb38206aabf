package ecs_test

// A session from Host and Join to its end, and the life of nodes in it. A newcomer may
// begin here; lab_test.go has the machines and the network.

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// tell logs what the session's callbacks say.
func (m *machine) tell() {
	m.OnStart(func() { m.say("start") })
	m.OnJoin(func(p rpl.Peer) { m.say("join %d", p) })
	m.OnLeave(func(p rpl.Peer) { m.say("leave %d", p) })
	m.OnStreamIn(Paint, func(e *donburi.Entry) { m.say("in %d", Paint.Get(e).Colour) })
	m.OnStreamOut(Paint, func(e *donburi.Entry, destroyed bool) { m.say("out %d %v", Paint.Get(e).Colour, destroyed) })
	tendon.OnChange(m.Replication, Paint, func(e *donburi.Entry, old PaintData) {
		m.say("change %d to %d", old.Colour, Paint.Get(e).Colour)
	})
}

func TestModes(t *testing.T) {
	l := newLab(t, lan)
	alone := l.machine("alone", tendon.Config{})
	listen := l.server(tendon.Config{})
	client := l.client(tendon.Config{Hello: []byte("ann")})
	for _, m := range l.machines {
		m.tell()
	}
	l.steps(1)
	check(t, "a client before it is in", client.Mode(), tendon.Client)
	check(t, "its peer", client.Me(), 0)
	l.joined()

	check(t, "alone", alone.Mode(), tendon.Single)
	check(t, "alone's peer", alone.Me(), rpl.Server)
	check(t, "listen", listen.Mode(), tendon.Listen)
	check(t, "client", client.Mode(), tendon.Client)
	check(t, "client's peer", client.Me(), 2)
	check(t, "alone is the authority", alone.IsAuthority(), true)
	check(t, "a client is the authority", client.IsAuthority(), false)
	check(t, "what the client said", string(listen.Hello(2)), "ann")
	check(t, "peers", len(slices.Collect(listen.Peers())), 2)
	check(t, "alone heard", strings.Join(alone.said(), ", "), "start, join 1")
	check(t, "listen heard", strings.Join(listen.said(), ", "), "start, join 1, join 2")
	check(t, "client heard", strings.Join(client.said(), ", "), "")
	check(t, "transport", listen.Stats(2).Conn.Transport, "mem")
	l.steps(60)
	if rtt := client.Stats(rpl.Server).RTT; rtt < 2*lan.Delay {
		t.Errorf("round trip of %v over a network of %v each way", rtt, lan.Delay)
	}

	client.Close("enough")
	l.steps(20)
	check(t, "listen heard", strings.Join(listen.said(), ", "), "leave 2")
	check(t, "the client is", client.Mode(), tendon.Single)
	check(t, "the client heard", strings.Join(client.said(), ", "), "start, join 1")
	if !errors.Is(client.ended, transport.ErrClosed) {
		t.Errorf("the client ended with %v", client.ended)
	}
}

func TestDedicated(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Dedicated: true})
	server.tell()
	client := l.client(tendon.Config{})
	l.joined()
	check(t, "mode", server.Mode(), tendon.Dedicated)
	check(t, "its peer", server.Me(), 0)
	check(t, "it heard", strings.Join(server.said(), ", "), "start, join 2")
	check(t, "client's peer", client.Me(), 2)
}

func TestRefusals(t *testing.T) {
	t.Run("full", func(t *testing.T) {
		l := newLab(t, lan)
		l.server(tendon.Config{MaxPeers: 2})
		in, out := l.client(tendon.Config{}), l.client(tendon.Config{})
		l.until("one is refused", func() bool { return in.ended != nil || out.ended != nil })
		l.steps(60)
		if in.ended != nil && out.ended != nil {
			t.Errorf("both were refused: %v, %v", in.ended, out.ended)
		}
		if err := cmpErr(in.ended, out.ended); !errors.Is(err, transport.ErrFull) {
			t.Errorf("refused with %v", err)
		}
	})
	t.Run("kicked", func(t *testing.T) {
		l := newLab(t, lan)
		server := l.server(tendon.Config{})
		server.tell()
		client := l.client(tendon.Config{})
		l.joined()
		server.said()
		server.Kick(2, "no running on the deck")
		l.steps(30)
		check(t, "the server heard", strings.Join(server.said(), ", "), "leave 2")
		if !errors.Is(client.ended, transport.ErrKicked) || !strings.Contains(client.ended.Error(), "no running on the deck") {
			t.Errorf("kicked with %v", client.ended)
		}
	})
	t.Run("steps", func(t *testing.T) {
		l := newLab(t, lan)
		l.server(tendon.Config{})
		if _, err := tendon.New(donburi.NewWorld(), proto, tendon.Config{Steps: 50}); err == nil || !strings.Contains(err.Error(), "50") {
			t.Errorf("a protocol at two rates: %v", err)
		}
	})
	t.Run("nobody", func(t *testing.T) {
		l := newLab(t, lan)
		client := l.client(tendon.Config{}) // nobody hosts
		l.until("it gives up", func() bool { return client.ended != nil })
		if !errors.Is(client.ended, transport.ErrNoAnswer) {
			t.Errorf("ended with %v", client.ended)
		}
	})
}

func cmpErr(errs ...error) error { return errors.Join(errs...) }

// A node streams in with its state, changes, and streams out, with the
// callbacks of each role, on a good and on a bad network.
func TestStream(t *testing.T) {
	for name, c := range map[string]netsim.Conditions{
		"lan":   lan,
		"lossy": {Delay: 40e6, Jitter: 20e6, Loss: 0.2, Duplicate: 0.05},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c)
			server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
			server.tell()
			client.tell()
			l.joined()
			server.said()

			e := Crate.Spawn(server.World(), CrateArgs{Label: "box", Note: "!", Pos: gmath.Vec{X: 10.25, Y: -3}})
			Paint.Get(e).Colour = 7
			id, ent := tendon.ID(e), e.Entity()
			check(t, "a role on the authority", tendon.IsAuthority(e), true)
			check(t, "local on the authority", Local.Get(e).From, "box!")
			l.steps(1)
			check(t, "the server heard", strings.Join(server.said(), ", "), "in 7, change 1 to 7")

			l.until("the client has it", func() bool { return client.has(id) })
			p := client.find(id)
			check(t, "state", Paint.Get(p).Colour, 7)
			check(t, "its place", Body.Get(p).Pos, gmath.Vec{X: 10.25, Y: -3})
			check(t, "local on the proxy", Local.Get(p).From, "box")
			check(t, "a role on the proxy", tendon.IsAuthority(p), false)
			check(t, "the client heard", strings.Join(client.said(), ", "), "in 7, change 1 to 7")

			Paint.Get(server.World().Entry(ent)).Colour = 9
			l.until("it has changed", func() bool { return Paint.Get(client.find(id)).Colour == 9 })
			check(t, "the client heard", strings.Join(client.said(), ", "), "change 7 to 9")
			check(t, "the server heard", strings.Join(server.said(), ", "), "change 7 to 9")

			server.World().Remove(ent)
			check(t, "the server heard", strings.Join(server.said(), ", "), "out 9 true")
			l.until("it has gone", func() bool { return client.count(Paint) == 0 })
			check(t, "the client heard", strings.Join(client.said(), ", "), "out 9 true")
		})
	}
}

// M2: RplNode makes an entity a node, and its replicated components are items. Both may be
// removed again.
func TestNodesByComponents(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()

	w := server.World()
	e := w.Entry(w.Create(Paint, Local))
	l.steps(5)
	check(t, "a local entity's id", tendon.ID(e), 0)
	ent := e.Entity()
	e.AddComponent(components.RplNode)
	Paint.Get(e).Colour = 3
	l.steps(10)
	id := tendon.ID(w.Entry(ent))
	p := client.find(id)
	check(t, "colour", Paint.Get(p).Colour, 3)
	check(t, "local components travel", p.HasComponent(Local), false)
	driven := donburi.NewQuery(filter.Contains(components.Owner, components.Parent))
	for _, m := range l.machines {
		check(t, m.name+" finds by Owner and Parent", driven.Count(m.World()), 2) // the node and the session's
	}

	donburi.Add(w.Entry(ent), Body, &BodyData{Pos: gmath.Vec{X: 4}})
	l.steps(10)
	check(t, "an item was added", client.find(id).HasComponent(Body), true)
	check(t, "with its state", Body.Get(client.find(id)).Pos.X, 4)
	donburi.Remove[PaintData](w.Entry(ent), Paint)
	l.steps(10)
	check(t, "an item was removed", client.find(id).HasComponent(Paint), false)

	value := BodyData{Pos: gmath.Vec{X: 5}}
	donburi.Set(w.Entry(ent), Body, &value) // the component is at another address now
	l.steps(10)
	check(t, "after Set", Body.Get(client.find(id)).Pos.X, 5)

	w.Entry(ent).RemoveComponent(components.RplNode)
	l.until("the node has gone", func() bool { return client.count(Body) == 0 })
	check(t, "the entity stays", w.Valid(ent), true)
	check(t, "its id", tendon.ID(w.Entry(ent)), 0)

	// An entity whose slot is reused at once is another node.
	a := server.Create(Paint)
	first := tendon.ID(a)
	l.steps(10)
	a.Remove()
	b := server.Create(Paint)
	Paint.Get(b).Colour = 8
	check(t, "the slot is used again", a.Id(), b.Id())
	second := tendon.ID(b)
	l.steps(20)
	check(t, "the first is there", client.has(first), false)
	check(t, "the second's colour", Paint.Get(client.find(second)).Colour, 8)
}

func TestOwnership(t *testing.T) {
	l := newLab(t, lan)
	server, ann, bob := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
	server.OnJoin(func(p rpl.Peer) {
		e := server.Create(Ammo, Paint)
		Ammo.Get(e).Left = 100 + int(p)
		tendon.Give(e, p)
	})
	l.joined()

	for _, m := range l.machines {
		e, ok := tendon.Mine(m.Replication, Ammo)
		if !ok {
			t.Fatalf("%s owns nothing", m.name)
		}
		check(t, m.name+" is the owner", tendon.IsOwner(e), true)
		check(t, m.name+"'s ammunition", Ammo.Get(e).Left, 100+int(m.Me()))
		check(t, m.name+"'s nodes", m.count(Ammo), 3)
		for o := range Ammo.Iter(m.World()) {
			if p := tendon.Owner(o); p != m.Me() && m != server {
				check(t, "another's ammunition", Ammo.Get(o).Left, 0)
			}
			check(t, "the component Owner", components.Owner.Get(o).Peer, tendon.Owner(o))
		}
	}

	mine, _ := tendon.Mine(ann.Replication, Ammo)
	id := tendon.ID(mine)
	tendon.Give(server.find(id), bob.Me())
	l.steps(20)
	check(t, "ann owns it", tendon.IsOwner(ann.find(id)), false)
	check(t, "ann sees it", Ammo.Get(ann.find(id)).Left, 0)
	check(t, "bob owns it", tendon.IsOwner(bob.find(id)), true)
	check(t, "bob sees it", Ammo.Get(bob.find(id)).Left, 100+int(ann.Me()))

	tendon.Give(server.find(id), 77)
	check(t, "a stale peer", tendon.Owner(server.find(id)), bob.Me())
	check(t, "is counted", *server.Counter("stale give"), 1)

	// When their owner leaves, nodes with Keep belong to nobody, and the others end.
	ghost := Ghost.Spawn(server.World(), CrateArgs{})
	kept := tendon.ID(ghost)
	tendon.Give(ghost, bob.Me())
	l.steps(10)
	check(t, "bob has his own", bob.has(kept), true)
	check(t, "ann has bob's own", ann.has(kept), false)
	bob.Close("bye")
	l.steps(20)
	check(t, "nodes left", server.count(Ammo), 1)
	check(t, "kept by nobody", tendon.Owner(server.find(kept)), 0)
}

// Hierarchies: parents are replicated, a cycle is refused, and Give includes all nodes
// below.
func TestHierarchy(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	car, driver, hat := server.Create(Body), server.Create(Paint), server.Create(Paint)
	ids := []rpl.Node{tendon.ID(car), tendon.ID(driver), tendon.ID(hat)}
	attach := func(child, parent *donburi.Entry) {
		t.Helper()
		if err := tendon.Attach(child, parent); err != nil {
			t.Fatal(err)
		}
	}
	attach(hat, driver)
	attach(driver, car)
	if err := tendon.Attach(car, hat); !errors.Is(err, rpl.ErrCycle) {
		t.Errorf("a cycle: %v", err)
	}
	if err := tendon.Attach(car, client.Session()); !errors.Is(err, tendon.ErrNotAllowed) {
		t.Errorf("a parent in another world: %v", err)
	}
	tendon.Give(car, 2)
	l.steps(10)
	check(t, "the hat's parent", components.Parent.Get(client.find(ids[2])).Entity, client.find(ids[1]).Entity())
	check(t, "the driver's parent", components.Parent.Get(client.find(ids[1])).Entity, client.find(ids[0]).Entity())
	check(t, "the hat's owner", tendon.Owner(client.find(ids[2])), 2)

	attach(server.find(ids[1]), nil)
	l.steps(10)
	check(t, "out of the car", components.Parent.Get(client.find(ids[1])).Entity, donburi.Null)
	attach(server.find(ids[1]), server.find(ids[0]))
	l.steps(10)
	server.find(ids[0]).Remove()
	l.steps(40)
	check(t, "the car", client.has(ids[0]), false)
	check(t, "the driver is a root", components.Parent.Get(client.find(ids[1])).Entity, donburi.Null)
}

func TestParts(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	tank := Tank.Spawn(server.World(), tendon.None{})
	id := tendon.ID(tank)
	Body.Get(tank).Pos.X = 1
	Body.Get(turretOf(tank)).Pos.X = 2
	Ammo.Get(turretOf(tank)).Left = 5
	tendon.Give(tank, 2)
	l.steps(15)
	p := client.find(id)
	turret := turretOf(p)
	check(t, "the hull", Body.Get(p).Pos.X, 1)
	check(t, "the turret", Body.Get(turret).Pos.X, 2)
	check(t, "its ammunition", Ammo.Get(turret).Left, 5)
	check(t, "the turret's role", tendon.IsAuthority(turret), false)
	check(t, "the turret's owner", tendon.IsOwner(turret), true)
	check(t, "a part has an id of its own", tendon.ID(turret), 0)
	tank.Remove()
	l.until("both have gone", func() bool { return client.count(Body) == 0 })
}

// Both sides make load-time nodes by themselves. Their state travels, and a node that
// streams out is hidden.
func TestNamed(t *testing.T) {
	l := newLab(t, lan)
	make := func(m *machine) {
		for _, name := range []string{"door/1", "door/2"} {
			e := m.World().Entry(m.World().Create(Paint, Local))
			Local.SetValue(e, LocalData{From: m.name + " " + name})
			tendon.Named(e, name)
		}
		m.tell()
	}
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	make(server)
	make(client)
	l.joined()
	client.said()
	var doors []*donburi.Entry
	for e := range Paint.Iter(server.World()) {
		doors = append(doors, e)
	}
	Paint.Get(doors[0]).Colour = 4
	l.steps(20)
	p := client.find(tendon.ID(doors[0]))
	check(t, "built by the client", Local.Get(p).From, "client 1 door/1")
	check(t, "its state", Paint.Get(p).Colour, 4)
	check(t, "its role", tendon.IsAuthority(p), false)
	check(t, "it is drawn", p.HasComponent(components.Hidden), false)
	check(t, "the client heard", strings.Join(client.said(), ", "), "change 1 to 4")

	components.RplNode.Get(doors[0]).Relevance = rpl.OwnerOnly
	l.steps(60)
	check(t, "out of sight", p.HasComponent(components.Hidden), true)
	check(t, "the client heard", strings.Join(client.said(), ", "), "out 4 false")
	check(t, "the door still stands", client.count(Paint), 2)
	components.RplNode.Get(doors[0]).Relevance = rpl.Near
	l.steps(60)
	check(t, "in sight", p.HasComponent(components.Hidden), false)
	check(t, "the client heard", strings.Join(client.said(), ", "), "in 4")

	doors[1].Remove()
	l.steps(60)
	check(t, "destroyed on the client", client.count(Paint), 1)

	client.Close("home")
	l.steps(5)
	check(t, "alone again, the door is its own", tendon.IsAuthority(p), true)
	check(t, "and a node", tendon.ID(p) != 0, true)
}
