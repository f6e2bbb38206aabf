package main

// The arena: bodies that run, turn, jump and shoot, and block each other; a ball that
// they push. The rules are the same on every machine.

import (
	"math"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	tendon "github.com/tendonengine/tendon/ecs"
)

const (
	width, height = 900.0, 600.0
	radius        = 12.0
	topSpeed      = 2.5 // units a step
	reload        = 20  // steps between shots
	boltSpeed     = 12.0
	boltSteps     = 40
	boltRest      = 8
)

// BodyData is a player's body.
type BodyData struct {
	Pos  gmath.Vec `rpl:"step=1/32,interp,pos"`
	Z    float64   `rpl:"step=1/32,interp"`
	HP   uint8     `rpl:""`
	Vel  gmath.Vec `rpl:"step=1/256,to=owner"`
	Rise float64   `rpl:"step=1/256,to=owner"`
	Wait uint8     `rpl:"to=owner"`
}

// BallData is what the bodies push.
type BallData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
	Vel gmath.Vec `rpl:"step=1/256"`
}

// BoltData is what a shot looks like: who hits is decided at once, by what the shooter saw.
type BoltData struct {
	Pos  gmath.Vec `rpl:"step=1/32,interp,pos"`
	Vel  gmath.Vec `rpl:"step=1/256"`
	Left uint8     `rpl:""`
	Shot uint32    `rpl:""`
	rest uint8     // of the authority: how long it has stood
}

type boltArgs struct {
	Pos, Aim gmath.Vec `rpl:"step=1/256"`
	Shot     uint32    `rpl:""`
}

// Keys is a player's input for one tick.
type Keys struct {
	Dir, Aim gmath.Vec `rpl:"step=1/256"`
	Jump     bool      `rpl:"edge"`
	Fire     bool      `rpl:"edge"`
	Target   uint32    `rpl:""` // which shot it is, for the measure
}

var (
	protocol = tendon.NewProtocol("feel")
	body     = tendon.Replicate(protocol, "body", donburi.NewComponentType[BodyData]())
	ball     = tendon.Replicate(protocol, "ball", donburi.NewComponentType[BallData]())
	bodies   = tendon.NewPrefab(protocol, "body", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(body)) })
	balls    = tendon.NewPrefab(protocol, "ball", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(ball)) })
	bolt     = tendon.Replicate(protocol, "bolt", donburi.NewComponentType[BoltData]())
	bolts    = tendon.NewPrefab(protocol, "bolt", func(w donburi.World, a boltArgs) *donburi.Entry {
		e := w.Entry(w.Create(bolt))
		bolt.SetValue(e, BoltData{Pos: a.Pos, Vel: a.Aim.Normalized().Mulf(boltSpeed), Left: boltSteps, Shot: a.Shot})
		return e
	})
	move     = tendon.NewCommand[Keys](protocol, "move", body)
	moveLate = tendon.NewCommand[Keys](protocol, "move, unpredicted", body).Unpredicted()
	roll     = tendon.NewCommand[tendon.None](protocol, "roll", ball)
	fly      = tendon.NewCommand[tendon.None](protocol, "fly", bolt)

	everyBody = donburi.NewQuery(filter.Contains(body))
	seenBody  = donburi.NewQuery(filter.And(filter.Contains(body), tendon.Drawn))
	everyBall = donburi.NewQuery(filter.Contains(ball))
	seenBolt  = donburi.NewQuery(filter.And(filter.Contains(bolt), tendon.Drawn))
)

func inside(v *gmath.Vec) {
	v.X = math.Min(math.Max(v.X, radius), width-radius)
	v.Y = math.Min(math.Max(v.Y, radius), height-radius)
}

// walk is what a command does to a body, but for the shot, which it reports, and whether another
// body is in its way.
func walk(c tendon.Call, k Keys) (fires, blocked bool) {
	b := body.Get(c.Entry)
	want := k.Dir
	if l := want.Len(); l > 1 {
		want = want.Mulf(1 / l)
	}
	b.Vel = b.Vel.Add(want.Mulf(topSpeed).Sub(b.Vel).Mulf(0.2))
	if math.Abs(b.Vel.X)+math.Abs(b.Vel.Y) < 1./64 && want.IsZero() {
		b.Vel = gmath.Vec{}
	}
	to := b.Pos.Add(b.Vel)
	inside(&to)
	for o := range everyBody.Iter(c.Entry.World) {
		if o.Entity() != c.Entry.Entity() {
			p := body.Get(o).Pos
			if d := p.DistanceTo(to); d < 2*radius && d < p.DistanceTo(b.Pos) {
				blocked = true
			}
		}
	}
	if !blocked {
		b.Pos = to
	}
	if k.Jump && b.Z == 0 {
		b.Rise = 4
	}
	if b.Z > 0 || b.Rise > 0 {
		b.Z += b.Rise
		if b.Rise -= 0.3125; b.Z <= 0 {
			b.Z, b.Rise = 0, 0
		}
	}
	if b.Wait > 0 {
		b.Wait--
		return false, blocked
	}
	if k.Fire {
		b.Wait = reload
	}
	return k.Fire, blocked
}

// push is the ball's rule.
func push(c tendon.Call, _ tendon.None) {
	b := ball.Get(c.Entry)
	for o := range everyBody.Iter(c.Entry.World) {
		p := body.Get(o).Pos
		if d := p.DistanceTo(b.Pos); d < 2*radius && d > 0 {
			b.Vel = b.Vel.Add(b.Pos.Sub(p).Mulf(0.6 / d))
		}
	}
	b.Vel = b.Vel.Mulf(0.96)
	b.Pos = b.Pos.Add(b.Vel)
	if b.Pos.X < radius || b.Pos.X > width-radius {
		b.Vel.X = -b.Vel.X
	}
	if b.Pos.Y < radius || b.Pos.Y > height-radius {
		b.Vel.Y = -b.Vel.Y
	}
	inside(&b.Pos)
}

// flight is a bolt's rule. It ends where the authority says so: a moment after it has come to
// its end, so that everyone has been told of that.
func flight(c tendon.Call, _ tendon.None) {
	b := bolt.Get(c.Entry)
	switch {
	case b.Left > 0:
		b.Left--
		b.Pos = b.Pos.Add(b.Vel)
	case tendon.IsAuthority(c.Entry):
		if b.rest++; b.rest > boltRest {
			c.Entry.Remove()
		}
	}
}

// hits reports whether a ray from a place along aim meets a body at another.
func hits(from, aim, at gmath.Vec) bool {
	l := aim.Len()
	if l == 0 {
		return false
	}
	u, k := aim.Mulf(1/l), at.Sub(from)
	return k.X*u.X+k.Y*u.Y >= 0 && math.Abs(k.X*u.Y-k.Y*u.X) < radius
}
