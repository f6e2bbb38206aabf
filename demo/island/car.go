package island

import (
	"math"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

// CarData is a car. Its driver's walker is its child, and its driver is its owner.
type CarData struct {
	Colour uint8 `rpl:"max=7"`
	Damage uint8 `rpl:"max=8"` // the car blows up at carHealth

	// For the driver's machine, which moves the car ahead of the authority: the place that
	// others are told is too coarse to drive on by.
	Speed   float64   `rpl:"step=1/64,to=owner"` // along its length, units per second
	Heading gmath.Rad `rpl:"angle,bits=16,to=owner"`

	driver donburi.Entity // on the authority
	home   PlaceData
}

// Car and its prefab. It stays when its driver leaves the session.
var (
	Car       = tendon.Replicate(Protocol, "car", donburi.NewComponentType[CarData]())
	CarPrefab = tendon.NewPrefab(Protocol, "car", newCar, components.NodeData{Keep: true})
)

func newCar(w donburi.World, _ tendon.None) *donburi.Entry {
	return newThing(w, Vehicle, Car)
}

// enter puts a walker into the nearest free car in reach: the walker becomes the car's
// child, and the walker's player the car's owner.
func (g *Game) enter(walker *donburi.Entry) bool {
	at := Place.Get(walker).Pos
	var best *donburi.Entry
	reach := carReach
	for _, e := range g.collect(Car) {
		if d := Place.Get(e).Pos.DistanceTo(at); d < reach && !occupied(e) {
			best, reach = e, d
		}
	}
	if best == nil || tendon.Attach(walker, best) != nil {
		return false
	}
	*Place.Get(walker) = PlaceData{}
	Car.Get(best).driver = walker.Entity()
	tendon.Give(best, tendon.Owner(walker))
	g.tell(walker.Entity(), "drives off in a car")
	return true
}

// leave puts the driver beside the car, which nobody owns from then on.
func (g *Game) leave(walker, car *donburi.Entry) {
	if tendon.Attach(walker, nil) != nil {
		return
	}
	at := Place.GetValue(car)
	beside := at.Rot - math.Pi/2
	door := at.Pos.MoveInDirection(carRadius+walkerRadius, beside)
	if Height(door) <= 2 || g.scenery.Hits(door, walkerRadius) {
		door = at.Pos
	}
	*Place.Get(walker) = PlaceData{Pos: door, Rot: at.Rot}
	Car.Get(car).driver = donburi.Null
	tendon.Give(car, 0)
	g.tell(walker.Entity(), "leaves the car")
}

// occupied reports whether somebody sits in the car: its driver owns it. A driver who has left
// the session does not.
func occupied(car *donburi.Entry) bool { return tendon.Owner(car) != 0 }

// drive is the rule of a car: on the authority, with or without a driver, and ahead of it on
// the driver's machine.
func (g *Game) drive(c tendon.Call, p Pedals) {
	car, at := Car.Get(c.Entry), Place.Get(c.Entry)
	car.steer(p.Keys)
	at.Rot = car.Heading
	drag := carDrag
	if !occupied(c.Entry) {
		drag = 4 * carDrag
	}
	if car.Speed -= car.Speed * drag / Steps; math.Abs(car.Speed) < 2 {
		car.Speed = 0
		return
	}
	by := gmath.RadToVec(car.Heading).Mulf(car.Speed / Steps)
	to := g.slide(at.Pos, by, carRadius)
	switch went := to.DistanceTo(at.Pos); {
	case went < by.Len()*0.4: // straight into it
		car.Speed *= -0.3
	case went < by.Len()*0.9: // along it
		car.Speed *= 0.97
	}
	at.Pos = to
	if tendon.IsAuthority(c.Entry) { // only it knows where the others are in this tick
		g.scatter(at)
		g.ram(c.Entry, car, at)
	}
}

// steer turns keys into speed and direction.
func (c *CarData) steer(keys Keys) {
	switch {
	case keys&Up != 0:
		c.Speed = math.Min(c.Speed+carPower/Steps, carTop)
	case keys&Down != 0:
		c.Speed = math.Max(c.Speed-1.6*carPower/Steps, -carReverse)
	}
	grip := gmath.Clamp(c.Speed/160, -1, 1)
	if keys&Left != 0 {
		c.Heading -= gmath.Rad(carTurn * grip / Steps)
	}
	if keys&Right != 0 {
		c.Heading += gmath.Rad(carTurn * grip / Steps)
	}
	c.Heading = c.Heading.Normalized()
}

// scatter pushes animals out of a car's way, unhurt.
func (g *Game) scatter(at *PlaceData) {
	for _, e := range g.collect(Animal) {
		a, p := Animal.Get(e), Place.Get(e)
		if reach := carRadius + a.radius; p.Pos.DistanceTo(at.Pos) < reach && p.Pos != at.Pos {
			out := p.Pos.Sub(at.Pos).Normalized().Mulf(reach)
			p.Pos = g.slide(p.Pos, at.Pos.Add(out).Sub(p.Pos), a.radius)
			a.panicFrom(at.Pos, p.Pos)
		}
	}
}

// ram hurts walkers in front of a fast car, and breaks crates.
func (g *Game) ram(car *donburi.Entry, c *CarData, at *PlaceData) {
	if math.Abs(c.Speed) < carRams {
		return
	}
	for _, e := range g.collect(Walker) {
		if _, driving := ParentOf(e); driving || e.Entity() == c.driver {
			continue
		}
		if p := Place.Get(e); p.Pos.DistanceTo(at.Pos) < carRadius {
			p.Pos = g.slide(p.Pos, p.Pos.Sub(at.Pos).Mulf(0.8), walkerRadius)
			g.hurt(e, ramHurts, c.driver)
			c.Speed *= 0.5
		}
	}
	for _, e := range g.collect(Crate) {
		if Place.Get(e).Pos.DistanceTo(at.Pos) < carRadius+10 {
			g.open(e)
			c.Speed *= 0.7
		}
	}
}

// damage handles a hit on a car; by may be Null.
func (g *Game) damage(car *donburi.Entry, by donburi.Entity) {
	c := Car.Get(car)
	if c.Damage++; c.Damage < carHealth {
		return
	}
	at := Place.GetValue(car)
	if occupied(car) && car.World.Valid(c.driver) {
		driver := car.World.Entry(c.driver)
		g.leave(driver, car)
		g.hurt(driver, FullHealth, by)
	}
	g.wrecks = append(g.wrecks, wreck{c.home, c.Colour, carReturns})
	car.Remove()
	g.tell(by, "blows up a car")
	g.blast(at.Pos, by)
}

// A wreck is a car that blew up and whose replacement does not stand at its home yet.
type wreck struct {
	home   PlaceData
	colour uint8
	left   int // steps
}

func (g *Game) replaceWrecks() {
	kept := g.wrecks[:0]
	for _, x := range g.wrecks {
		if x.left--; x.left > 0 {
			kept = append(kept, x)
		} else {
			g.park(x.home, x.colour)
		}
	}
	g.wrecks = kept
}

// park spawns a car.
func (g *Game) park(home PlaceData, colour uint8) {
	e := CarPrefab.Spawn(g.rep.World(), tendon.None{})
	*Car.Get(e) = CarData{Colour: colour, Heading: home.Rot, home: home}
	*Place.Get(e) = home
}
