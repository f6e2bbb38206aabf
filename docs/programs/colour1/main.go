// Colour1 is a sphere that changes its colour every three seconds, by itself,
// on each machine for itself: nothing is replicated, and two machines show the
// same colour only by chance. See colour2 for the same sphere in common.
//
//	go run ./docs/programs/colour1
package main

import (
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/docs/programs/internal/terminal"
	tendon "github.com/tendonengine/tendon/ecs"
)

// Protocol is empty: there is nothing that two machines must agree on.
var Protocol = tendon.NewProtocol("colour 1")

// Colours are those that a sphere goes through, each for as many steps as
// period says.
var Colours = [...]string{"red", "yellow", "green", "blue"}

const period = 180

// SphereData is a sphere's animation. Without tags it is each machine's own.
type SphereData struct {
	Colour uint8
	left   int // steps until the next colour
}

// Sphere is animated, Circle is drawn. Both are plain components.
var (
	Sphere = donburi.NewComponentType[SphereData](SphereData{left: period})
	Circle = donburi.NewComponentType[CircleData](CircleData{Fill: Colours[0]})
)

// CircleData is how a sphere is drawn.
type CircleData struct{ Fill string }

func setup(rep *tendon.Replication) { rep.World().Create(Sphere, Circle) }

func step(rep *tendon.Replication) {
	for e := range Sphere.Iter(rep.World()) {
		s := Sphere.Get(e)
		if s.left--; s.left <= 0 {
			s.Colour, s.left = (s.Colour+1)%uint8(len(Colours)), period
			Circle.Get(e).Fill = Colours[s.Colour]
		}
	}
}

// show is the picture.
func show(rep *tendon.Replication) (picture string) {
	for e := range Circle.Iter(rep.World()) {
		picture += Circle.Get(e).Fill
	}
	return picture
}

func main() { terminal.Run(Protocol, setup, step, show) }
