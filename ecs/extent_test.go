package ecs_test

import (
	"math"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// What a large node reaches is what it is seen by: a castle is there when its walls come into
// sight. That follows the component as it is added, changed and removed.
func TestExtentSaysWhoSees(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}})
	client := l.client(tendon.Config{})
	l.joined()
	tendon.Give(server.Create(Body, components.Observer), 2)
	put := func(x float64, extent *components.ExtentData) donburi.Entity {
		e := server.Create(Body, Paint)
		Body.Get(e).Pos.X = x
		if extent != nil {
			e.AddComponent(components.Extent)
			components.Extent.SetValue(e, *extent)
		}
		return e.Entity()
	}
	put(400, nil)
	castle := put(400, &components.ExtentData{Radius: 350})
	wall := put(-300, &components.ExtentData{})
	l.steps(60)
	check(t, "seen of the castle", client.count(Paint), 1)
	w := server.World()
	components.Extent.Get(w.Entry(wall)).Half.X = 250
	l.steps(60)
	check(t, "seen of the castle and the wall", client.count(Paint), 2)
	components.Extent.Get(w.Entry(castle)).Radius = math.NaN()
	donburi.Remove[components.ExtentData](w.Entry(wall), components.Extent)
	l.steps(90)
	check(t, "seen of what is small again", client.count(Paint), 1) // a NaN is refused and changes nothing
	components.Extent.Get(w.Entry(castle)).Radius = 1
	l.steps(90)
	check(t, "seen when all are small", client.count(Paint), 0)
}
