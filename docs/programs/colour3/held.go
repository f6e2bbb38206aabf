package main

// Input as held keys: an unreliable call in every step says which keys are
// held, and the server finds the edges. What is lost is said again; what newer
// calls have overtaken on the way does not run.

import (
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// HoldArgs has a bit a key. Sixteen bits come, whatever the other side is:
// nine of them name a sphere.
type HoldArgs struct {
	Keys uint16 `rpl:""`
}

// Hold is called on a player's own controller.
var Hold = tendon.NewRPC[HoldArgs](Protocol, "hold", rpl.ToServer, rpl.Unreliable).On(Controller)

func (g *Game) sendHeld(me *donburi.Entry, keys uint16) {
	if err := Hold.Send(me, HoldArgs{keys}); err != nil {
		*g.rep.Counter("keys not sent")++
	}
}

func (g *Game) holds(c tendon.Call, a HoldArgs) {
	ctl := Controller.Get(c.Entry)
	edges := a.Keys &^ ctl.held
	ctl.held = a.Keys
	for i := 0; edges>>i != 0; i++ {
		switch {
		case edges>>i&1 == 0:
		case i < len(g.spheres): // never trust an index that came from elsewhere
			paint(c.Entry.World.Entry(g.spheres[i]))
		default:
			*g.rep.Counter("no such sphere")++
		}
	}
}
