package ecs_test

// OnParent and the hierarchy of donburi's transforms, as docs/guide/donburi.md joins them.

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/features/math"
	"github.com/yohamta/donburi/features/transform"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

var ground = donburi.NewTag()

// hang hangs e below up, or below the ground.
func hang(e, up *donburi.Entry) {
	if up == nil {
		var ok bool
		if up, ok = ground.First(e.World); !ok {
			up = e.World.Entry(e.World.Create(transform.Transform, ground))
		}
	}
	transform.ChangeParent(e, up, false)
}

func hangAsNodes(rep *tendon.Replication) {
	rep.OnParent(transform.Transform, func(e *donburi.Entry, _ donburi.Entity) {
		if !tendon.IsAuthority(e) {
			hang(e, tendon.Parent(e))
		}
	})
}

// What gets into a car, out of it, and is in it when it goes, hangs on a client as it does
// on the server, and its place in the world can be asked for in every step.
func TestHierarchyOfTransforms(t *testing.T) {
	protocol := tendon.NewProtocol("hierarchy")
	place := tendon.Replicate(protocol, "place", transform.Transform, rpl.Tags{"LocalPosition": "step=1/32,pos"})
	thing := tendon.NewPrefab(protocol, "thing", func(w donburi.World, _ tendon.None) *donburi.Entry {
		return w.Entry(w.Create(place))
	})
	net := mem.NewNetwork(1, lan)
	listener := net.Listener()
	var machines []*tendon.Replication
	for range 2 {
		rep, err := tendon.New(donburi.NewWorld(), protocol, tendon.Config{})
		if err != nil {
			t.Fatal(err)
		}
		hangAsNodes(rep)
		machines = append(machines, rep)
	}
	server, client := machines[0], machines[1]
	server.Host(listener)
	client.Join(net.Dialer(listener))
	find := func(rep *tendon.Replication, id rpl.Node) *donburi.Entry {
		e, ok := rep.Find(id)
		if !ok {
			t.Fatalf("%v is missing", id)
		}
		return e
	}
	steps := func(n int) {
		for range n {
			net.Advance(time.Second / 60)
			for _, rep := range machines {
				rep.Receive()
				for e := range place.Iter(rep.World()) {
					transform.WorldPosition(e) // panics for a child whose parent has gone
				}
				rep.Send()
			}
		}
	}
	steps(30)
	car, rider := tendon.ID(thing.Spawn(server.World(), tendon.None{})), tendon.ID(thing.Spawn(server.World(), tendon.None{}))
	move := func(id rpl.Node, x float64) {
		transform.GetTransform(find(server, id)).LocalPosition = math.NewVec2(x, 0)
	}
	at := func(what string, want float64) {
		t.Helper()
		steps(30)
		for _, rep := range machines {
			check(t, what, transform.WorldPosition(find(rep, rider)).X, want)
		}
	}
	attach := func(up *donburi.Entry) {
		t.Helper()
		if err := tendon.Attach(find(server, rider), up); err != nil {
			t.Fatal(err)
		}
	}
	move(car, 100)
	move(rider, 90)
	at("beside it", 90)
	attach(find(server, car))
	hang(find(server, rider), find(server, car))
	move(rider, 5)
	at("in it", 105)
	attach(nil)
	hang(find(server, rider), nil)
	move(rider, 120)
	at("out of it", 120)
	attach(find(server, car))
	hang(find(server, rider), find(server, car))
	move(rider, 7)
	at("in it again", 107)
	hang(find(server, rider), nil)
	move(rider, 107)
	find(server, car).Remove()
	at("the car is gone", 107)
}

// So it does where its player predicts it, which a correction puts back, and where it has been so far away
// meanwhile that the car was out of sight and another entity has its place.
func TestHierarchyOfPredictedTransforms(t *testing.T) {
	type heroData struct {
		Riding bool `rpl:""`
	}
	p := tendon.NewProtocol("predicted hierarchy")
	place := tendon.Replicate(p, "place", transform.Transform, rpl.Tags{"LocalPosition": "step=1/32,interp=inplace,pos"})
	hero := tendon.Replicate(p, "hero", donburi.NewComponentType[heroData]())
	walk := tendon.NewCommand[tendon.None](p, "walk", hero)
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Config:   tendon.Config{Interest: rpl.Grid{Enter: 300, Exit: 330}},
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(place, hero, components.Observer), q) })
			hangAsNodes(m.Replication)
			walk.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				if !hero.Get(c.Entry).Riding {
					transform.GetTransform(c.Entry).LocalPosition.Y++
				}
			})
		},
		Step: func(m *tendontest.Machine) {
			walk.Run(m.Replication)
			for e := range place.Iter(m.World()) {
				transform.WorldPosition(e) // panics for a child whose parent has gone
			}
		},
	}, netsim.Conditions{Delay: 50 * time.Millisecond})
	server := lab.Host()
	client := lab.Join()
	lab.Steps(30)
	mine, _ := tendon.Mine(client.Replication, hero)
	me := lab.Other(server, mine)
	car := server.Create(place)
	under := func(what string, up *donburi.Entry, x, y float64) {
		t.Helper()
		if err := tendon.Attach(me, up); err != nil {
			t.Fatal(err)
		}
		hang(me, up)
		hero.Get(me).Riding = up != nil
		transform.GetTransform(me).LocalPosition = math.NewVec2(x, y)
		lab.Steps(90)
		client.Frame()
		if is, want := transform.WorldPosition(mine), transform.WorldPosition(me); is.Distance(want) > 40 || up != nil && is != want {
			t.Errorf("%s: on the client it is at %v, on the server at %v", what, is, want)
		}
	}
	for range 3 {
		transform.GetTransform(car).LocalPosition = math.NewVec2(500, 300)
		transform.GetTransform(me).LocalPosition = math.NewVec2(480, 300)
		lab.Steps(60)
		under("in it", car, 4, 0)
		under("out of it", nil, 480, 300)
		transform.GetTransform(me).LocalPosition = math.NewVec2(2000, 0)
		lab.Steps(120)
		for range 3 { // one of them takes the place of the car on the client
			transform.GetTransform(server.Create(place)).LocalPosition = math.NewVec2(2000, 0)
		}
		lab.Steps(60)
	}
	transform.GetTransform(me).LocalPosition = math.NewVec2(480, 300)
	lab.Steps(60)
	under("in it for the last time", car, 4, 0)
	hang(me, nil)
	hero.Get(me).Riding = false
	car.Remove()
	lab.Steps(60)
	if is, want := transform.WorldPosition(mine), transform.WorldPosition(me); is.Distance(want) > 40 {
		t.Errorf("the car is gone: on the client it is at %v, on the server at %v", is, want)
	}
}
