package ecs_test

import (
	"math"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A player whose own node hangs under a node without a place (a team, a squad) still sees
// what is round that own node.
func TestObserverUnderANodeWithoutAPlace(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}})
	client := l.client(tendon.Config{})
	l.joined()
	eye := server.Create(Body, components.Observer).Entity()
	tendon.Give(server.World().Entry(eye), 2)
	for range 10 {
		server.Create(Body, Paint)
	}
	team := server.Create(Lazy).Entity()
	l.steps(60)
	check(t, "seen from the top of its tree", client.count(Paint), 10)
	if err := tendon.Attach(server.World().Entry(eye), server.World().Entry(team)); err != nil {
		t.Fatal(err)
	}
	l.steps(60)
	check(t, "seen from under a node without a place", client.count(Paint), 10)
}

// The same when the top loses the component with its place for a while.
func TestObserverUnderANodeThatLosesItsPlace(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}})
	client := l.client(tendon.Config{})
	l.joined()
	eye := server.Create(Body, components.Observer).Entity()
	tendon.Give(server.World().Entry(eye), 2)
	for range 10 {
		server.Create(Body, Paint)
	}
	car := server.Create(Body, Lazy).Entity()
	l.steps(30)
	if err := tendon.Attach(server.World().Entry(eye), server.World().Entry(car)); err != nil {
		t.Fatal(err)
	}
	l.steps(60)
	check(t, "seen from the car", client.count(Paint), 10)
	donburi.Remove[BodyData](server.World().Entry(car), Body)
	l.steps(60)
	check(t, "seen from a car without a place", client.count(Paint), 10)
}

// An Observer without a place anywhere sees nothing, which is said once; with one below a node
// without a place, or above it, it sees.
func TestObserverWithoutAPlace(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}})
	client := l.client(tendon.Config{})
	l.joined()
	eye := server.Create(Ammo, components.Observer).Entity()
	tendon.Give(server.World().Entry(eye), 2)
	server.Create(Body, Paint)
	l.steps(60)
	check(t, "seen", client.count(Paint), 0)
	check(t, "said", *server.Counter("observer without place") > 0, true)
	car, team := server.Create(Body).Entity(), server.Create(Lazy).Entity()
	for _, hung := range [][2]donburi.Entity{{eye, car}, {car, team}} {
		if err := tendon.Attach(server.World().Entry(hung[0]), server.World().Entry(hung[1])); err != nil {
			t.Fatal(err)
		}
		l.steps(60)
		check(t, "seen", client.count(Paint), 1)
	}
	said := *server.Counter("observer without place")
	l.steps(60)
	check(t, "said since", *server.Counter("observer without place")-said, 0)
}

// An Observer on a hull looks from its own place there, wherever the hull is and however it is turned,
// and a player who rides where the game says places in the world looks from what carries it.
func TestObserverLooksFromItsPlace(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}})
	client := l.client(tendon.Config{})
	l.joined()
	at := func(c donburi.IComponentType, x, y float64, rest ...donburi.IComponentType) donburi.Entity {
		e := server.Create(append(rest, c)...)
		if c == components.Transform {
			components.Transform.Get(e).Pos = gmath.Vec{X: x, Y: y}
		} else {
			Body.Get(e).Pos = gmath.Vec{X: x, Y: y}
		}
		return e.Entity()
	}
	of := func(e donburi.Entity) *donburi.Entry { return server.World().Entry(e) }
	attach := func(e, to donburi.Entity) {
		t.Helper()
		if err := tendon.Attach(of(e), of(to)); err != nil {
			t.Fatal(err)
		}
	}
	hull, mast := at(components.Transform, 10_000, 0), at(components.Transform, 0, 1500)
	radar, eye := at(components.Transform, 0, 500, components.Observer), at(Body, 10_000, 0)
	components.Transform.Get(of(hull)).Rot = math.Pi / 2
	attach(mast, hull)
	attach(radar, mast)
	bow, middle := tendon.ID(of(at(Body, 8050, 0))), tendon.ID(of(at(Body, 10_050, 0)))
	tendon.Give(of(radar), 2)
	l.steps(60)
	check(t, "from the mast, what is there and at the middle", [2]bool{client.has(bow), client.has(middle)}, [2]bool{true, false})
	tendon.Give(of(radar), 0)
	of(eye).AddComponent(components.Observer)
	tendon.Give(of(eye), 2)
	attach(eye, hull)
	l.steps(60)
	check(t, "from a place that the game says", [2]bool{client.has(bow), client.has(middle)}, [2]bool{false, true})
}
