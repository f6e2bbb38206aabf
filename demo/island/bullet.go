package island

import (
	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

// Shot is where a bullet begins and in which direction it flies. It is sent once; every
// machine moves its own copy from there.
type Shot struct {
	X   float64   `rpl:"step=1/8"`
	Y   float64   `rpl:"step=1/8"`
	Rot gmath.Rad `rpl:"angle,bits=10"`
}

// Blast is where something blew up.
type Blast struct {
	X float64 `rpl:"step=1/4"`
	Y float64 `rpl:"step=1/4"`
}

// FlightData is something that moves and ends by itself: a bullet, an explosion. Nothing
// of it is sent.
type FlightData struct {
	Left  int     // steps
	Speed float64 // units per second, in the direction that it faces
	by    donburi.Entity
}

// Flight and its two prefabs: transient nodes.
var (
	Flight       = donburi.NewComponentType[FlightData]()
	BulletPrefab = tendon.NewPrefab(Protocol, "bullet", newBullet, components.NodeData{Transient: true})
	BlastPrefab  = tendon.NewPrefab(Protocol, "blast", newBlast, components.NodeData{Transient: true})
)

func newBullet(w donburi.World, s Shot) *donburi.Entry {
	e := newThing(w, Shell, Flight)
	*Place.Get(e) = PlaceData{Pos: gmath.Vec{X: s.X, Y: s.Y}, Rot: s.Rot}
	*Flight.Get(e) = FlightData{Left: bulletLife, Speed: bulletSpeed}
	return e
}

func newBlast(w donburi.World, b Blast) *donburi.Entry {
	e := newThing(w, Boom, Flight)
	Place.Get(e).Pos = gmath.Vec{X: b.X, Y: b.Y}
	Flight.Get(e).Left = BlastSteps
	return e
}

// fire spawns a bullet in front of a walker.
func (g *Game) fire(walker *donburi.Entry) {
	at := Place.Get(walker)
	from := at.Pos.MoveInDirection(muzzle, at.Rot)
	e := BulletPrefab.Spawn(walker.World, Shot{X: from.X, Y: from.Y, Rot: at.Rot})
	Flight.Get(e).by = walker.Entity()
}

// blast spawns an explosion and hurts what is near.
func (g *Game) blast(at gmath.Vec, by donburi.Entity) {
	BlastPrefab.Spawn(g.rep.World(), Blast{X: at.X, Y: at.Y})
	for _, e := range g.collect(Walker) {
		if Where(e).Pos.DistanceTo(at) < blastRadius {
			g.hurt(e, blastHurts, by)
		}
	}
	for e := range g.crates.Within(at, blastRadius) {
		g.open(e)
	}
	for e := range g.animals.Within(at, 3*blastRadius) {
		Animal.Get(e).panicFrom(at, Place.Get(e).Pos)
	}
}

// fly moves bullets on every machine, on clients from when they are drawn: else they would
// begin in front of the walker that fires them, which is drawn as it was. Only on the
// authority do they hit anything and end.
func (g *Game) fly() {
	for _, e := range g.collect(Flight) {
		f, at := Flight.Get(e), Place.Get(e)
		if f.Left > 0 && !e.HasComponent(components.Hidden) {
			f.Left--
			at.Pos = at.Pos.MoveInDirection(f.Speed/Steps, at.Rot)
		}
		if tendon.IsAuthority(e) && (f.Left == 0 || f.Speed > 0 && g.hits(e, f, at.Pos)) {
			e.Remove()
		}
	}
}

// hits reports whether a bullet has reached something, and applies the hit.
func (g *Game) hits(bullet *donburi.Entry, f *FlightData, at gmath.Vec) bool {
	if g.scenery.Hits(at, 0) {
		return true
	}
	for e, far := range g.crates.Nearest(at, 1) {
		if far < 18 {
			g.hitCrate(e)
			return true
		}
	}
	for _, e := range g.collect(Walker) {
		_, driving := ParentOf(e)
		if e.Entity() != f.by && !driving && Walker.Get(e).Health > 0 && Place.Get(e).Pos.DistanceTo(at) < walkerRadius+4 {
			g.hurt(e, bulletHurts, f.by)
			return true
		}
	}
	for _, e := range g.collect(Car) {
		if Place.Get(e).Pos.DistanceTo(at) < carRadius {
			g.damage(e, f.by)
			return true
		}
	}
	for e, far := range g.animals.Nearest(at, 1) {
		if far < sheepRadius {
			Animal.Get(e).panicFrom(at.MoveInDirection(-30, Place.Get(bullet).Rot), Place.Get(e).Pos)
			return true
		}
	}
	return false
}
