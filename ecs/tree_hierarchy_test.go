package ecs_test

// OnParent and the hierarchy of donburi's transforms, as docs/guide/donburi.md joins them.

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/features/math"
	"github.com/yohamta/donburi/features/transform"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
)

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
		rep.OnParent(transform.Transform, func(e *donburi.Entry, _ donburi.Entity) {
			if up := tendon.Parent(e); tendon.IsAuthority(e) {
				return
			} else if up != nil {
				transform.ChangeParent(e, up, false)
			} else {
				transform.RemoveParent(e, false)
			}
		})
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
	transform.ChangeParent(find(server, rider), find(server, car), false)
	move(rider, 5)
	at("in it", 105)
	attach(nil)
	transform.RemoveParent(find(server, rider), false)
	move(rider, 120)
	at("out of it", 120)
	attach(find(server, car))
	transform.ChangeParent(find(server, rider), find(server, car), false)
	move(rider, 7)
	at("in it again", 107)
	transform.RemoveParent(find(server, rider), false)
	move(rider, 107)
	find(server, car).Remove()
	at("the car is gone", 107)
}
