// Colour2 is the sphere of colour1 for everyone: the authority decides its
// colour, the colour's index travels, and a callback paints. Against colour1
// it has a tag, a prefab, OnChange and one question for the role.
//
//	go run ./docs/programs/colour2 -host 127.0.0.1:7777
//	go run ./docs/programs/colour2 -join 127.0.0.1:7777
package main

import (
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/docs/programs/internal/terminal"
	tendon "github.com/tendonengine/tendon/ecs"
)

// Protocol is what both ends agree on.
var Protocol = tendon.NewProtocol("colour 2")

// Colours are those that a sphere goes through, each for as many steps as
// period says.
var Colours = [...]string{"red", "yellow", "green", "blue"}

const period = 180

// SphereData is a sphere's animation: which colour it is in travels, how long
// it stays there only the authority knows.
type SphereData struct {
	Colour uint8 `rpl:"max=3,notify"`
	left   int   // steps until the next colour
}

// CircleData is how a sphere is drawn, on each machine.
type CircleData struct{ Fill string }

// Sphere is replicated, Circle local; Ball makes both, on every machine.
var (
	Sphere = tendon.Replicate(Protocol, "sphere", donburi.NewComponentType[SphereData](SphereData{left: period}))
	Circle = donburi.NewComponentType[CircleData](CircleData{Fill: Colours[0]})
	Ball   = tendon.NewPrefab(Protocol, "ball", newBall)
)

func newBall(w donburi.World, _ tendon.None) *donburi.Entry {
	return w.Entry(w.Create(Sphere, Circle))
}

func setup(rep *tendon.Replication) {
	tendon.OnChange(rep, Sphere, func(e *donburi.Entry, _ SphereData) {
		Circle.Get(e).Fill = Colours[Sphere.Get(e).Colour]
	})
	rep.OnStart(func() { Ball.Spawn(rep.World(), tendon.None{}) })
}

func step(rep *tendon.Replication) {
	for e := range Sphere.Iter(rep.World()) {
		if !tendon.IsAuthority(e) {
			continue
		}
		s := Sphere.Get(e)
		if s.left--; s.left <= 0 {
			s.Colour, s.left = (s.Colour+1)%uint8(len(Colours)), period
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
