package island

import (
	"fmt"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// SphereData is one of the nine spheres. Each press of its key turns it to the next
// colour.
type SphereData struct {
	Colour uint8 `rpl:"max=8,notify"`
}

// SwitchData is the button, the plate or the gate.
type SwitchData struct {
	On bool `rpl:"notify"`

	left int // steps until the button comes up again
}

// Sphere and Switch are load-time nodes: every machine makes them at the same places
// under the same names, and only differences are sent.
var (
	Sphere = tendon.Replicate(Protocol, "sphere", donburi.NewComponentType[SphereData]())
	Switch = tendon.Replicate(Protocol, "switch", donburi.NewComponentType[SwitchData]())
)

// TurnSphere names the sphere whose key was pressed. It is called on the
// caller's controller.
type TurnSphere struct {
	Sphere donburi.Entity `rpl:"has=sphere"`
}

// Turn is reliable: each press is sent once, beside the held keys that are sent in every
// step.
var Turn = tendon.NewRPC[TurnSphere](Protocol, "turn sphere", rpl.ToServer, rpl.Reliable).On(Controller)

// build makes the plaza's load-time nodes in this machine's world.
func (g *Game) build(w donburi.World) {
	for i := range g.spheres {
		e := newThing(w, Ball, Sphere)
		Sphere.Get(e).Colour = uint8(i)
		Place.Get(e).Pos = Middle.Add(gmath.Vec{X: float64(i-sphereCount/2) * 44, Y: -150})
		tendon.Named(e, fmt.Sprintf("sphere/%d", i+1))
		g.spheres[i] = e.Entity()
	}
	gate := Pen.Gate()
	g.gate = newSwitch(w, Gate, gate, "gate")
	g.plate = newSwitch(w, Plate, gate.Add(gmath.Vec{X: -130, Y: -50}), "plate")
	g.button = newSwitch(w, Button, gate.Add(gmath.Vec{X: 110, Y: -40}), "button")
	at := Pen.Doors()
	g.doors = [2]donburi.Entity{newDoor(w, at[0], "door/west"), newDoor(w, at[1], "door/east")}
}

func newSwitch(w donburi.World, k Kind, at gmath.Vec, name string) donburi.Entity {
	e := newThing(w, k, Switch)
	Place.Get(e).Pos = at
	tendon.Named(e, name)
	return e.Entity()
}

// paint asks for the next colour of the spheres whose keys this machine's player pressed
// in this step, if they are visible here.
func (g *Game) paint(controller *donburi.Entry, pressed Keys) {
	w := g.rep.World()
	for i, s := range g.spheres {
		if pressed&(Paint<<i) != 0 && w.Valid(s) && !w.Entry(s).HasComponent(components.Hidden) {
			// If the lane is full now, the player can press again.
			_ = Turn.Send(controller, TurnSphere{s})
		}
	}
}

// turn runs on the authority. The call is on the player's controller, because nobody owns
// the spheres.
func (g *Game) turn(c tendon.Call, a TurnSphere) {
	*g.called++
	d := Sphere.Get(c.Entry.World.Entry(a.Sphere))
	d.Colour = (d.Colour + 1) % sphereColours
}

// press pushes the button if the walker is near enough.
func (g *Game) press(walker *donburi.Entry) bool {
	w := g.rep.World()
	if !w.Valid(g.button) || Place.Get(w.Entry(g.button)).Pos.DistanceTo(Place.Get(walker).Pos) > 50 {
		return false
	}
	s := Switch.Get(w.Entry(g.button))
	s.On, s.left = true, gateOpens
	return true
}

// trigger updates the plate, the button and the gate.
func (g *Game) trigger() {
	w := g.rep.World()
	plate, button := w.Entry(g.plate), w.Entry(g.button)
	p, b := Switch.Get(plate), Switch.Get(button)
	p.On = false
	for _, e := range g.collect(Walker) {
		d := Where(e).Pos.Sub(Place.Get(plate).Pos)
		p.On = p.On || max(d.X, -d.X) < 30 && max(d.Y, -d.Y) < 30
	}
	if b.left > 0 {
		b.left--
	}
	b.On = b.left > 0
	Switch.Get(w.Entry(g.gate)).On = p.On || b.On
}

func (g *Game) gateIsOpen() bool {
	w := g.rep.World()
	return w.Valid(g.gate) && Switch.Get(w.Entry(g.gate)).On
}
