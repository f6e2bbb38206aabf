package island

import (
	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// WalkerData is a player's body.
type WalkerData struct {
	Colour uint8 `rpl:"max=7"`
	Health uint8 `rpl:"max=100"` // 0: down, stands up again later
	Ammo   uint8 `rpl:"max=40,to=owner"`
	// Ready is the tick from which it can fire again. What a rule reads must travel, and a
	// tick changes once a shot, where steps left would change in each.
	Ready rpl.Tick `rpl:"to=owner"`

	player  donburi.Entity
	waiting int // on the authority: steps until it stands up again
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

// walk is the rule of a walker: on the authority, and ahead of it on its player's machine. What
// others must agree with is left to the authority: cars, buttons, hits.
func (g *Game) walk(c tendon.Call, in Steering) {
	walker := c.Entry
	decides := tendon.IsAuthority(walker)
	g.strike(c)
	if Walker.Get(walker).Health == 0 {
		if decides {
			g.wait(walker)
		}
		return
	}
	car, driving := ParentOf(walker)
	switch {
	case driving && in.Use && decides:
		g.leave(walker, car)
	case driving:
	case in.Use && decides && (g.enter(walker) || g.press(walker)):
	default:
		g.stride(walker, in)
		g.shoot(c, in)
	}
}

// stride moves a walker. It faces where the mouse points, or else where it walks.
func (g *Game) stride(walker *donburi.Entry, in Steering) {
	at, dir := Place.Get(walker), in.Keys.Direction()
	switch {
	case in.Keys&Aims != 0:
		at.Rot = in.Aim
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

// shoot fires while the key is held and there is something to fire. It counts by the tick, which
// is the same whenever a correction runs it again.
func (g *Game) shoot(c tendon.Call, in Steering) {
	wd := Walker.Get(c.Entry)
	if c.Tick%refill == 0 {
		wd.Ammo = min(wd.Ammo+1, maxAmmo)
	}
	if in.Keys&Fire == 0 || wd.Ammo == 0 || c.Tick < wd.Ready {
		return
	}
	wd.Ready = c.Tick + reload + 1
	wd.Ammo--
	g.fire(c)
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
	wd.waiting = respawn
	if ctl, ok := g.controllerOf(walker.Entity()); ok {
		ctl.Respawn = respawn / Steps
	}
}

// wait counts down until the walker stands up again.
func (g *Game) wait(walker *donburi.Entry) {
	wd := Walker.Get(walker)
	wd.waiting--
	if ctl, ok := g.controllerOf(walker.Entity()); ok {
		ctl.Respawn = uint8((max(wd.waiting, 0) + Steps - 1) / Steps)
	}
	if wd.waiting > 0 {
		return
	}
	wd.Health, wd.Ammo = FullHealth, max(wd.Ammo, maxAmmo/2)
	Place.Get(walker).Pos = g.standUp()
	tendon.Teleport(walker)
}
