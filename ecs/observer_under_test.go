package ecs_test

import (
	"testing"

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
