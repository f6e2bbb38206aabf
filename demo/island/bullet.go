package island

import (
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Shot is where a bullet begins and in which direction it flies. It is sent once; every
// machine moves its own copy from there, the shooter's from the frame of the key.
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
	Left  int      // steps, where no rule moves it
	Speed float64  // units per second, in the direction that it faces
	Met   rpl.Tick // on its player's machine: when it met something there, which the authority has yet to say; 0: not yet

	ends rpl.Tick       // where one does
	by   donburi.Entity // the walker that has fired it
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

// fire has a walker fire a bullet, in its command: on its player's machine at once, on the
// authority when the command comes there, which is then the same bullet.
func (g *Game) fire(c tendon.Call) {
	at := Place.Get(c.Entry)
	from := at.Pos.MoveInDirection(muzzle, at.Rot)
	e := BulletPrefab.Predict(c, 0, Shot{X: from.X, Y: from.Y, Rot: at.Rot})
	f := Flight.Get(e)
	f.by, f.ends = c.Entry.Entity(), c.Tick+bulletLife
	if g.Fired != nil && tendon.IsOwner(c.Entry) {
		c.Once(0, func(time.Duration) { g.Fired(from) })
	}
}

// blast spawns an explosion and hurts what is near.
func (g *Game) blast(at gmath.Vec, by donburi.Entity) {
	e := BlastPrefab.Spawn(g.rep.World(), Blast{X: at.X, Y: at.Y})
	Flight.Get(e).ends = g.rep.Tick() + BlastSteps
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

// fly is the rule of bullets and blasts, on the authority and for the own bullets of a player's
// machine. A bullet in a tree goes no farther; only the authority ends it.
func (g *Game) fly(c tendon.Call, _ tendon.None) {
	f, at := Flight.Get(c.Entry), Place.Get(c.Entry)
	if to := at.Pos.MoveInDirection(f.Speed/Steps, at.Rot); f.Speed > 0 && !g.scenery.Hits(at.Pos, 0) {
		at.Pos = to
	}
	if !c.Replay {
		f.Left-- // what is drawn of a blast goes by it
	}
	if tendon.IsAuthority(c.Entry) && c.Tick >= f.ends {
		c.Entry.Remove()
	}
}

// coast moves what no rule moves on a client: what others have fired, and blasts, from when
// they are drawn: else they would begin in front of the walker that fires them, which is drawn
// as it was.
func (g *Game) coast() {
	for e := range Flight.Iter(g.rep.World()) {
		f, at := Flight.Get(e), Place.Get(e)
		if tendon.IsAuthority(e) || tendon.Predicted(e) || f.Left <= 0 || e.HasComponent(components.Hidden) {
			continue
		}
		f.Left--
		at.Pos = at.Pos.MoveInDirection(f.Speed/Steps, at.Rot)
	}
}

// strike has a walker's bullets hit what they have reached. It runs in the walker's command,
// rewound to what its player saw when giving it: on that screen the bullets are ahead of
// all others, and so a player who sees a hit has hit. On the player's machine the bullet goes
// at once; what comes of the hit is the authority's to say.
func (g *Game) strike(c tendon.Call) {
	g.flying = g.flying[:0]
	for e := range Flight.Iter(g.rep.World()) {
		if f := Flight.Get(e); f.by == c.Entry.Entity() && f.Speed > 0 {
			g.flying = append(g.flying, flying{bullet: e})
		}
	}
	if len(g.flying) == 0 {
		return
	}
	c.Rewind(func() {
		for i := range g.flying {
			b := &g.flying[i]
			b.hits, b.target = g.reached(c, Flight.Get(b.bullet), Place.Get(b.bullet).Pos)
		}
	})
	for _, b := range g.flying { // what comes of it is done where everything is as it is
		switch f := Flight.Get(b.bullet); {
		case b.hits && tendon.IsAuthority(c.Entry):
			g.hit(b)
			b.bullet.Remove()
		case b.hits && (f.Met == 0 || f.Met > c.Tick):
			f.Met = c.Tick
		case !b.hits && f.Met == c.Tick: // a correction: it has not
			f.Met = 0
		}
	}
}

// A flying is a bullet, and what it has reached.
type flying struct {
	bullet *donburi.Entry
	hits   bool
	target *donburi.Entry // nil for what cannot be hurt
}

// reached returns what a bullet has reached, of what its player saw.
func (g *Game) reached(c tendon.Call, f *FlightData, at gmath.Vec) (hits bool, target *donburi.Entry) {
	if g.scenery.Hits(at, 0) {
		return true, nil
	}
	for e, far := range g.crates.Nearest(at, 1) {
		if far < 18 {
			return true, e
		}
	}
	for e := range Walker.Iter(g.rep.World()) {
		_, driving := ParentOf(e)
		if e.Entity() != f.by && !driving && c.Saw(e) && Walker.Get(e).Health > 0 && Place.Get(e).Pos.DistanceTo(at) < walkerRadius+4 {
			return true, e
		}
	}
	for e := range Car.Iter(g.rep.World()) {
		if c.Saw(e) && Place.Get(e).Pos.DistanceTo(at) < carRadius {
			return true, e
		}
	}
	for e, far := range g.animals.Nearest(at, 1) {
		if far < sheepRadius {
			return true, e
		}
	}
	return false, nil
}

// hit is what a bullet does to what it has reached.
func (g *Game) hit(b flying) {
	e, by := b.target, Flight.Get(b.bullet).by
	switch {
	case e == nil || !e.Valid():
	case e.HasComponent(Crate):
		g.hitCrate(e)
	case e.HasComponent(Walker):
		g.hurt(e, bulletHurts, by)
	case e.HasComponent(Car):
		g.damage(e, by)
	case e.HasComponent(Animal):
		p := Place.Get(b.bullet)
		Animal.Get(e).panicFrom(p.Pos.MoveInDirection(-30, p.Rot), Place.Get(e).Pos)
	}
}
