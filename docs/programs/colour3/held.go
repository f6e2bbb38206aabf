package main

// Input as held keys: a command in every step says which keys are held, and the server finds
// the edges. Each tick's command runs once, in order, whatever the network loses.

import (
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
)

// HoldArgs has a bit a key. Sixteen bits come, whatever the other side is:
// nine of them name a sphere.
type HoldArgs struct {
	Keys uint16 `rpl:""`
}

// Hold moves a player's own controller. Nothing is predicted by it: what it paints is not the
// player's.
var Hold = tendon.NewCommand[HoldArgs](Protocol, "hold", Controller).Unpredicted()

func (g *Game) held(*donburi.Entry) HoldArgs { return HoldArgs{g.keys()} }

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
