// Package bots plays the island without a player: it looks at the world that
// its machine has, as a player would, and holds down keys. The second pane, the
// dedicated server and tests use it.
package bots

import (
	"math"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
)

// A Bot is one player. It shoots at crates, collects what is near, gets into a
// car, drives across the island, far beyond the radius at which nodes leave its
// sight, gets out, and begins again.
type Bot struct {
	rng   gmath.Rand
	plan  plan
	left  int       // steps until the plan is given up
	goal  gmath.Vec // where it drives
	stuck int       // steps in which it hardly moved
	last  gmath.Vec
	use   int // steps for which the use key is still held
	said  bool
}

type plan uint8

const (
	shoot plan = iota // on foot, at the nearest crate
	board             // on foot, to the nearest car
	drive             // far away
)

const (
	shootFor = 2 * island.Steps
	boardFor = 4 * island.Steps
	driveFor = 6 * island.Steps
	holdUse  = island.Steps / 5 // long enough that some of it survives any loss
	farAway  = 1300.0
)

// New makes a bot; each seed plays another way.
func New(seed int64) *Bot {
	b := &Bot{left: shootFor}
	b.rng.SetSeed(seed)
	return b
}

// Sample is what the bot holds down in this step; see island.Game.Sample.
func (b *Bot) Sample(r *tendon.Replication) island.Input {
	me, ok := tendon.Mine(r, island.Walker)
	if !ok || island.Walker.Get(me).Health == 0 {
		return island.Input{}
	}
	b.chat(r, me)
	at := island.Where(me)
	_, driving := island.ParentOf(me)
	b.left--
	b.watch(at.Pos)
	var in island.Input
	switch {
	case driving:
		in = b.driving(at)
	case b.plan == board:
		in = b.boarding(r.World(), at)
	default:
		in = b.shooting(r.World(), at)
	}
	if b.use > 0 {
		b.use--
		in.Keys |= island.Use
	}
	if b.rng.Chance(0.01) {
		in.Keys |= island.Paint << b.rng.IntRange(0, 8)
	}
	return in
}

// chat greets once, and uses a bandage when hurt. What cannot be sent now is
// sent later, or was not that important.
func (b *Bot) chat(r *tendon.Replication, me *donburi.Entry) {
	if !b.said {
		b.said = island.Talk(r, "hello") == nil
	}
	if island.Walker.Get(me).Health < 60 && b.rng.Chance(1.0/island.Steps) {
		_ = island.UseItem(r, island.Bandage)
	}
}

// watch notices when the bot hardly moves.
func (b *Bot) watch(at gmath.Vec) {
	if at.DistanceTo(b.last) < 0.4 {
		b.stuck++
	} else {
		b.stuck = 0
	}
	b.last = at
}

func (b *Bot) shooting(w donburi.World, at island.PlaceData) island.Input {
	if b.left <= 0 {
		b.plan, b.left = board, boardFor
	}
	crate, ok := nearest(w, island.Crate, at.Pos, nil)
	if !ok {
		return island.Input{Keys: b.towards(at.Pos, island.Middle)}
	}
	in := island.Input{Keys: island.Fire | island.Aims, Aim: at.Pos.AngleToPoint(crate)}
	if at.Pos.DistanceTo(crate) > 120 {
		in.Keys |= b.towards(at.Pos, crate)
	}
	return in
}

func (b *Bot) boarding(w donburi.World, at island.PlaceData) island.Input {
	if b.left <= 0 {
		b.plan, b.left = shoot, shootFor
	}
	car, ok := nearest(w, island.Car, at.Pos, func(e *donburi.Entry) bool { return !driven(w, e) })
	if !ok {
		return island.Input{Keys: b.towards(at.Pos, island.Middle)}
	}
	if at.Pos.DistanceTo(car) > 55 {
		return island.Input{Keys: b.towards(at.Pos, car)}
	}
	if b.use == 0 && b.left%(2*holdUse) == 0 {
		b.use = holdUse
	}
	b.plan, b.goal = board, gmath.Vec{}
	return island.Input{}
}

func (b *Bot) driving(at island.PlaceData) island.Input {
	if b.plan != drive || b.goal.IsZero() || at.Pos.DistanceTo(b.goal) < 120 || b.stuck > island.Steps {
		if b.plan != drive {
			b.left = driveFor
		}
		b.plan, b.goal, b.stuck = drive, b.elsewhere(at.Pos), 0
	}
	if b.left <= 0 && b.use == 0 {
		b.plan, b.left, b.use = shoot, shootFor, holdUse
	}
	if b.stuck > island.Steps/3 { // back out of it
		return island.Input{Keys: island.Down | island.Left}
	}
	in := island.Input{Keys: island.Up}
	switch turn := (at.Pos.AngleToPoint(b.goal) - at.Rot).Normalized(); {
	case turn > 0.08 && turn <= math.Pi:
		in.Keys |= island.Right
	case turn > math.Pi && turn < 2*math.Pi-0.08:
		in.Keys |= island.Left
	}
	return in
}

// elsewhere is a place far away on land.
func (b *Bot) elsewhere(from gmath.Vec) gmath.Vec {
	for range 50 {
		p := island.Middle.Add(b.rng.Offset(-farAway, farAway))
		if island.Height(p) > 0 && p.DistanceTo(from) > 2*island.Exit {
			return p
		}
	}
	return island.Middle
}

// towards are the arrows that lead somewhere; who is stuck goes round.
func (b *Bot) towards(from, to gmath.Vec) island.Keys {
	d := to.Sub(from)
	if b.stuck > island.Steps/4 {
		d = d.Rotated(gmath.Rad(b.rng.FloatRange(0.8, 2.4)))
	}
	var k island.Keys
	if d.X > 5 {
		k |= island.Right
	} else if d.X < -5 {
		k |= island.Left
	}
	if d.Y > 5 {
		k |= island.Down
	} else if d.Y < -5 {
		k |= island.Up
	}
	return k
}

// nearest is the place of the nearest entity with a component.
func nearest[T any](w donburi.World, c *donburi.ComponentType[T], at gmath.Vec, want func(*donburi.Entry) bool) (gmath.Vec, bool) {
	best, found := gmath.Vec{}, false
	for e := range c.Iter(w) {
		p := island.Place.Get(e).Pos
		if (want == nil || want(e)) && (!found || p.DistanceTo(at) < best.DistanceTo(at)) {
			best, found = p, true
		}
	}
	return best, found
}

// driven reports whether somebody sits in a car.
func driven(w donburi.World, car *donburi.Entry) bool {
	for e := range island.Walker.Iter(w) {
		if p, ok := island.ParentOf(e); ok && p.Entity() == car.Entity() {
			return true
		}
	}
	return false
}
