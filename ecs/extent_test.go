package ecs_test

import (
	"errors"
	"math"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

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
	donburi.Remove[components.ExtentData](w.Entry(wall), components.Extent)
	l.steps(90)
	check(t, "seen of the castle alone", client.count(Paint), 1)
	big := components.ExtentData{Radius: 350}
	beasts := server.Space(filter.Contains(Paint))
	for _, bad := range []components.ExtentData{
		{Radius: math.NaN()},
		{Radius: -350},
		{Radius: 1e300},
		{Radius: math.Inf(1)},
		{Half: gmath.Vec{X: 350, Y: math.NaN()}},
		{Half: gmath.Vec{X: -350, Y: 1}},
	} {
		counted := *server.Counter("Extent refused")
		if err := bad.Check(); !errors.Is(err, rpl.ErrRange) {
			t.Errorf("%+v: %v", bad, err)
		}
		components.Extent.SetValue(w.Entry(castle), bad) // a point, for who sees it and for questions
		l.steps(90)
		check(t, "seen with a bad extent", client.count(Paint), 0)
		tendon.Moved(w.Entry(castle))
		for range beasts.Within(gmath.Vec{X: 60}, 1) {
			t.Errorf("%+v: the castle is found by its walls", bad)
		}
		if *server.Counter("Extent refused") == counted {
			t.Errorf("%+v is not counted", bad)
		}
		components.Extent.SetValue(w.Entry(castle), big)
		l.steps(60)
		check(t, "seen of the castle again", client.count(Paint), 1)
	}
	components.Extent.Get(w.Entry(castle)).Radius = 1
	l.steps(90)
	check(t, "seen when all are small", client.count(Paint), 0)
}
