package main

// Input as presses: the client finds the edges, and each press is a reliable
// call that names a sphere.

import (
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// PressArgs names the sphere. What is no sphere, or not here, is refused
// before the handler.
type PressArgs struct {
	Sphere donburi.Entity `rpl:"has=sphere"`
}

// Press is called on a player's own controller: the library checks whose it is.
var Press = tendon.NewRPC[PressArgs](Protocol, "press", rpl.ToServer, rpl.Reliable).On(Controller)

// sendPresses calls once for each key that was not held in the step before.
func (g *Game) sendPresses(me *donburi.Entry, keys uint16) {
	c := Controller.Get(me)
	for i, sphere := range g.spheres {
		if keys&^c.sent>>i&1 == 1 {
			if err := Press.Send(me, PressArgs{sphere}); err != nil { // the lane is full
				*g.rep.Counter("press not sent")++
			}
		}
	}
	c.sent = keys
}

func (g *Game) pressed(c tendon.Call, a PressArgs) {
	if w := c.Entry.World; w.Valid(a.Sphere) {
		paint(w.Entry(a.Sphere))
	}
}
