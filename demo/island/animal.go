package island

import (
	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// AnimalData is an animal's mind. It is not replicated: other machines only see where the
// animal goes.
type AnimalData struct {
	species
	goal   gmath.Vec
	pause  int // steps left to stand still
	scared int // steps left to run
	from   gmath.Vec
	home   bool // a sheep in the pen: it has been counted
	lived  rpl.Tick
}

type species struct {
	speed, radius, sees float64
	bird                bool
}

var (
	sheep = species{speed: sheepSpeed, radius: sheepRadius, sees: sheepSees}
	bird  = species{speed: birdSpeed, radius: birdRadius, sees: birdSees, bird: true}
)

// Animal and the prefabs of both species. Their low Weight has them updated less often
// than players where the budget is short.
var (
	Animal        = donburi.NewComponentType[AnimalData]()
	SheepPrefab   = tendon.NewPrefab(Protocol, "sheep", newSheep, components.NodeData{Weight: 0.6})
	ChickenPrefab = tendon.NewPrefab(Protocol, "chicken", newChicken, components.NodeData{Weight: 0.5})
)

func newSheep(w donburi.World, _ tendon.None) *donburi.Entry {
	e := newThing(w, Sheep, Animal)
	Animal.Get(e).species = sheep
	return e
}

func newChicken(w donburi.World, _ tendon.None) *donburi.Entry {
	e := newThing(w, Chicken, Animal)
	Animal.Get(e).species = bird
	return e
}

// A threat is what animals run from: a walker, or a car that somebody drives.
type threat struct {
	pos    gmath.Vec
	walker donburi.Entity
}

// graze moves all animals: they flee from threats nearby, and wander otherwise.
func (g *Game) graze() {
	var threats []threat
	for _, e := range g.collect(Walker) {
		if Walker.Get(e).Health > 0 {
			threats = append(threats, threat{Where(e).Pos, e.Entity()})
		}
	}
	for _, t := range threats {
		for e := range g.animals.Within(t.pos, max(sheepSees, birdSees)) {
			g.meet(e, t)
		}
	}
	if g.Crowd == 0 {
		for _, e := range g.collect(Animal) {
			g.live(e, threats)
		}
		return
	}
	for _, e := range g.collect(Walker) { // those that no player is near rest
		for e := range g.animals.Within(Where(e).Pos, Exit) {
			if a := Animal.Get(e); a.lived != g.rep.Tick() {
				a.lived = g.rep.Tick()
				g.live(e, threats)
			}
		}
	}
}

// meet has an animal run from a threat, or be caught by it.
func (g *Game) meet(e *donburi.Entry, t threat) {
	a, at := Animal.Get(e), Place.Get(e)
	switch d := t.pos.DistanceTo(at.Pos); {
	case a.bird && d < pickUp:
		g.reward(t.walker, birdPoints, "chickens")
		g.carry(t.walker, Feather)
		g.tell(t.walker, "catches a chicken")
		at.Pos, a.goal = g.pasture(), gmath.Vec{}
		tendon.Moved(e) // the next player does not catch it too
	case d < a.sees:
		a.panicFrom(t.pos, at.Pos)
	}
}

// live is an animal's step.
func (g *Game) live(e *donburi.Entry, threats []threat) {
	a, at := Animal.Get(e), Place.Get(e)
	if !a.bird {
		g.countSheep(a, at.Pos, threats)
	}
	g.move(a, at)
}

// panicFrom makes an animal run from a place for half a second.
func (a *AnimalData) panicFrom(from, at gmath.Vec) {
	if a.scared == 0 || from.DistanceTo(at) < a.from.DistanceTo(at) {
		a.from = from
	}
	a.scared, a.pause = Steps/2, 0
}

// move runs, wanders or stands.
func (g *Game) move(a *AnimalData, at *PlaceData) {
	speed := a.speed
	var dir gmath.Vec
	switch {
	case a.scared > 0:
		a.scared--
		dir = at.Pos.Sub(a.from)
		a.goal = gmath.Vec{}
	case a.pause > 0:
		a.pause--
		return
	case a.goal.IsZero() || a.goal.DistanceTo(at.Pos) < 6:
		a.goal = at.Pos.Add(g.rng.Offset(-140, 140))
		a.pause = g.rng.IntRange(Steps/2, Steps*4)
		return
	default:
		speed *= 0.3
		dir = a.goal.Sub(at.Pos)
	}
	if dir.IsZero() {
		return
	}
	at.Rot = at.Rot.RotatedTowards(dir.Angle(), 0.12).Normalized()
	to := g.slide(at.Pos, dir.Normalized().Mulf(speed/Steps), a.radius)
	if to.DistanceTo(at.Pos) < speed/Steps/3 {
		a.goal = gmath.Vec{} // something is in the way: think again
	}
	at.Pos = to
}

// countSheep gives the nearest player points when a sheep comes into the pen.
func (g *Game) countSheep(a *AnimalData, at gmath.Vec, threats []threat) {
	inside := Pen.Rect.Contains(at)
	if inside == a.home {
		return
	}
	if a.home = inside; !inside {
		return
	}
	var who donburi.Entity
	near := 300.0
	for _, t := range threats {
		if d := t.pos.DistanceTo(at); d < near {
			who, near = t.walker, d
		}
	}
	if near < 300 {
		g.reward(who, sheepPoints, "sheep")
		g.carry(who, Wool)
		g.tell(who, "brings a sheep home")
	}
}
