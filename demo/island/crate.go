package island

import (
	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

// CrateData is a crate: a few hits open it and leave a coin.
type CrateData struct {
	Hits uint8 `rpl:"max=3"`
}

// Crate, and the prefabs of crates and coins.
var (
	Crate       = tendon.Replicate(Protocol, "crate", donburi.NewComponentType[CrateData]())
	Coin        = donburi.NewTag("Coin")
	CratePrefab = tendon.NewPrefab(Protocol, "crate", newCrate, components.NodeData{Weight: 0.4})
	CoinPrefab  = tendon.NewPrefab(Protocol, "coin", newCoin, components.NodeData{Weight: 0.4})
)

func newCrate(w donburi.World, _ tendon.None) *donburi.Entry { return newThing(w, Box, Crate) }
func newCoin(w donburi.World, _ tendon.None) *donburi.Entry  { return newThing(w, Money, Coin) }

// hitCrate handles a bullet that has hit a crate.
func (g *Game) hitCrate(e *donburi.Entry) {
	if c := Crate.Get(e); c.Hits+1 < crateHealth {
		c.Hits++
		return
	}
	g.open(e)
}

// open replaces a crate by a coin; another crate appears somewhere else, so that the
// island never runs out of them.
func (g *Game) open(e *donburi.Entry) {
	at := Place.GetValue(e)
	e.Remove()
	coin := CoinPrefab.Spawn(g.rep.World(), tendon.None{})
	Place.Get(coin).Pos = at.Pos
	g.putCrate(g.pasture())
}

func (g *Game) putCrate(at gmath.Vec) {
	e := CratePrefab.Spawn(g.rep.World(), tendon.None{})
	*Place.Get(e) = PlaceData{Pos: at, Rot: g.rng.Rad()}
}

// gather gives coins to walkers and drivers who come near.
func (g *Game) gather() {
	walkers := g.collect(Walker)
	for _, coin := range g.collect(Coin) {
		at := Place.Get(coin).Pos
		for _, e := range walkers {
			reach := pickUp
			if _, driving := ParentOf(e); driving {
				reach = carRadius + 10
			}
			if wd := Walker.Get(e); wd.Health > 0 && Where(e).Pos.DistanceTo(at) < reach {
				wd.Ammo = min(wd.Ammo+coinAmmo, maxAmmo)
				g.reward(e.Entity(), coinPoints, "coins")
				if g.rng.Chance(bandageOdds) {
					g.carry(e.Entity(), Bandage)
				}
				g.tell(e.Entity(), "picks up a coin")
				coin.Remove()
				break
			}
		}
	}
}
