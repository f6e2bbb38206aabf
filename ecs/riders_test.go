package ecs_test

import (
	"math/rand/v2"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Where the budget does not pay for all, what is near the player is told more often. A rider's
// place is relative to its car, which stands beside the player: the rider is near, too,
// wherever in the world the two are.
func TestRidersAreAsNearAsTheirCar(t *testing.T) {
	var updates []int
	for _, where := range []float64{0, 50_000} {
		l := newLab(t, lan)
		server := l.server(tendon.Config{Budget: 6000, Interest: rpl.Grid{Enter: 1000, Exit: 1100}})
		client := l.client(tendon.Config{})
		l.joined()
		eye := server.Create(Body, components.Observer)
		Body.Get(eye).Pos.X = where
		tendon.Give(eye, 2)
		rng := rand.New(rand.NewPCG(1, 2))
		var all []donburi.Entity
		for range 200 {
			e := server.Create(Body)
			Body.Get(e).Pos.X = where + 100
			all = append(all, e.Entity())
		}
		car := server.Create(Body).Entity()
		Body.Get(server.World().Entry(car)).Pos.X = where + 10
		rider := server.Create(Body).Entity()
		tendon.Attach(server.World().Entry(rider), server.World().Entry(car))
		l.steps(240)
		id := tendon.ID(server.World().Entry(rider))
		server.step = func() {
			for _, e := range all {
				Body.Get(server.World().Entry(e)).Pos = gmath.Vec{X: where + 100 + rng.Float64()*200, Y: rng.Float64() * 300}
			}
			Body.Get(server.World().Entry(rider)).Pos = gmath.Vec{X: rng.Float64() * 5, Y: rng.Float64() * 5}
		}
		n, last := 0, gmath.Vec{}
		for range 60 * 20 {
			l.steps(1)
			if e, ok := client.Find(id); ok && Body.Get(e).Pos != last {
				n, last = n+1, Body.Get(e).Pos
			}
		}
		t.Logf("at %v the rider was updated %d times in 20 s", where, n)
		updates = append(updates, n)
	}
	if updates[1] < updates[0]/2 {
		t.Errorf("%d updates of the rider far from the origin, %d at the origin", updates[1], updates[0])
	}
}
