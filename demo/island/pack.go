package island

import (
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Item is a kind of thing that a player carries, and how many of it the player has.
type Item struct {
	Name  string `rpl:"max=12"`
	Count uint8  `rpl:""`
}

// The things that a player can carry.
const (
	Bandage = "bandage" // heals; some coins come with one
	Feather = "feather" // from a chicken that was caught
	Wool    = "wool"    // from a sheep that was brought home
)

// UseSlot uses the item at an index of the caller's pack.
var UseSlot = tendon.NewRPC[uint8](Protocol, "use slot", rpl.ToServer, rpl.Reliable).On(Controller)

// UseItem asks the authority to use an item of this machine's player, if the player
// carries one.
func UseItem(r *tendon.Replication, name string) error {
	e, ok := tendon.Mine(r, Controller)
	if !ok {
		return nil
	}
	for i, item := range Controller.Get(e).Pack {
		if item.Name == name {
			return UseSlot.Send(e, uint8(i))
		}
	}
	return nil
}

// useSlot checks the index, because the pack may have changed since the player saw it.
func (g *Game) useSlot(c tendon.Call, slot uint8) {
	*g.called++
	ctl := Controller.Get(c.Entry)
	w := c.Entry.World
	if int(slot) >= len(ctl.Pack) || ctl.Pack[slot].Name != Bandage || !w.Valid(ctl.walker) {
		return
	}
	wd := Walker.Get(w.Entry(ctl.walker))
	if wd.Health == 0 || wd.Health == FullHealth {
		return
	}
	wd.Health = min(wd.Health+bandageHeals, FullHealth)
	if ctl.Pack[slot].Count--; ctl.Pack[slot].Count == 0 {
		ctl.Pack = append(ctl.Pack[:slot], ctl.Pack[slot+1:]...)
	}
}

// carry puts an item into the pack of a walker's player, if there is room.
func (g *Game) carry(walker donburi.Entity, name string) {
	for _, e := range g.collect(Controller) {
		ctl := Controller.Get(e)
		if ctl.walker != walker {
			continue
		}
		for i := range ctl.Pack {
			if item := &ctl.Pack[i]; item.Name == name {
				item.Count = min(item.Count+1, maxOfItem)
				return
			}
		}
		if len(ctl.Pack) < maxItems {
			ctl.Pack = append(ctl.Pack, Item{name, 1})
		}
		return
	}
}
