package island

import (
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// ControllerData is a player's hand in the world: a node that no other player has. The
// player's calls are on it, and name what is shared.
type ControllerData struct {
	// Respawn is the seconds until the walker stands up again.
	Respawn uint8 `rpl:"max=10"`
	// Pack is what the player carries, in the order in which it was found.
	Pack []Item `rpl:"max=8"`

	walker donburi.Entity // on the authority
}

// Controller and its prefab.
var (
	Controller       = tendon.Replicate(Protocol, "controller", donburi.NewComponentType[ControllerData]())
	ControllerPrefab = tendon.NewPrefab(Protocol, "controller", newController, components.NodeData{Relevance: rpl.OwnerOnly})
)

func newController(w donburi.World, _ tendon.None) *donburi.Entry {
	return w.Entry(w.Create(Controller))
}

// CountCalls is the name of the counter of players' calls that ran here.
const CountCalls = "island calls"

// controllerOf returns the controller of a walker's player, on the authority.
func (g *Game) controllerOf(walker donburi.Entity) (*ControllerData, bool) {
	for e := range Controller.Iter(g.rep.World()) {
		if ctl := Controller.Get(e); ctl.walker == walker {
			return ctl, true
		}
	}
	return nil, false
}
