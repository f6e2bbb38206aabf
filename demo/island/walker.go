package island

import (
	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

// WalkerData is a player's body.
type WalkerData struct {
	Colour uint8 `rpl:"max=7"`
	Health uint8 `rpl:"max=100"` // 0: down, stands up again later
	Ammo   uint8 `rpl:"max=40,to=owner"`

	reload, refill int // steps
	player         donburi.Entity
}

// Walker and its prefab.
var (
	Walker       = tendon.Replicate(Protocol, "walker", donburi.NewComponentType[WalkerData]())
	WalkerPrefab = tendon.NewPrefab(Protocol, "walker", newWalker)
)

func newWalker(w donburi.World, _ tendon.None) *donburi.Entry {
	return newThing(w, Player, Walker, components.Observer)
}

// standUp returns a free place on the plaza.
func (g *Game) standUp() gmath.Vec {
	for range 20 {
		p := Middle.Add(g.rng.Offset(-120, 120))
		if !g.scenery.Hits(p, walkerRadius) {
			return p
		}
	}
	return Middle
}

// walk moves a walker by its player's keys. It faces where the mouse points, or else
// where it walks.
func (g *Game) walk(walker *donburi.Entry, ctl *ControllerData) {
	at, dir := Place.Get(walker), ctl.keys.Direction()
	switch {
	case ctl.keys&Aims != 0:
		at.Rot = ctl.aim
	case !dir.IsZero():
		at.Rot = at.Rot.RotatedTowards(dir.Angle(), 0.2)
	}
	at.Pos = g.slide(at.Pos, dir.Mulf(walkSpeed/Steps), walkerRadius)
}

// slide moves a circle on land, around what stands in its way.
func (g *Game) slide(from, by gmath.Vec, radius float64) gmath.Vec {
	to := g.scenery.Push(from.Add(by), radius)
	to = Pen.Push(from, to, radius, g.openings())
	if Height(to) > 2 {
		return to
	}
	// Along the shore: the part of the way that stays on land.
	if along := from.Add(gmath.Vec{X: by.X}); Height(along) > 2 {
		return along
	}
	if along := from.Add(gmath.Vec{Y: by.Y}); Height(along) > 2 {
		return along
	}
	return from
}

// shoot fires while the key is held and there is something to fire.
func (g *Game) shoot(walker *donburi.Entry, ctl *ControllerData) {
	wd := Walker.Get(walker)
	if wd.refill++; wd.refill >= refill {
		wd.refill, wd.Ammo = 0, min(wd.Ammo+1, maxAmmo)
	}
	if wd.reload > 0 {
		wd.reload--
		return
	}
	if ctl.keys&Fire == 0 || wd.Ammo == 0 {
		return
	}
	wd.reload = reload
	wd.Ammo--
	g.fire(walker)
}

// hurt takes health from a walker. The player of by, which may be Null, gets points when
// the walker goes down.
func (g *Game) hurt(walker *donburi.Entry, much uint8, by donburi.Entity) {
	wd := Walker.Get(walker)
	if wd.Health == 0 {
		return
	}
	if wd.Health > much {
		wd.Health -= much
		return
	}
	wd.Health = 0
	if car, driving := ParentOf(walker); driving {
		g.leave(walker, car)
	}
	g.fine(wd.player, downPoints)
	if by != walker.Entity() {
		g.reward(by, downPoints, "knockouts")
	}
	g.tell(walker.Entity(), "goes down")
	for _, e := range g.collect(Controller) {
		if ctl := Controller.Get(e); ctl.walker == walker.Entity() {
			ctl.waiting, ctl.Respawn = respawn, respawn/Steps
		}
	}
}

// wait counts down until the walker stands up again.
func (g *Game) wait(ctl *ControllerData, walker *donburi.Entry) {
	ctl.waiting--
	ctl.Respawn = uint8((max(ctl.waiting, 0) + Steps - 1) / Steps)
	if ctl.waiting > 0 {
		return
	}
	wd := Walker.Get(walker)
	wd.Health, wd.Ammo = FullHealth, max(wd.Ammo, maxAmmo/2)
	Place.Get(walker).Pos = g.standUp()
}
