// Package bots plays the island without a player: a bot reads the world of its own
// machine, as a player would see it, and returns which keys it holds down. The second
// pane, the dedicated server and tests use bots.
package bots

import (
	"math"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
)

// A Bot plays one player. In turn it shoots at crates, gets into a car, drives across
// the island, far beyond the radius at which nodes stream out, and gets out again.
type Bot struct {
	rng   gmath.Rand
	plan  plan
	left  int       // steps until the plan's time is over
	goal  gmath.Vec // where it drives to
	stuck int       // steps in a row in which it hardly moved
	last  gmath.Vec
	speed float64 // units moved in the last step
	held  int     // steps spent tapping the use key
	back  int     // steps for which it will still drive backwards
	said  bool    // it has greeted

	scenery *island.Scenery
}

type plan uint8

const (
	shoot plan = iota // on foot, at the nearest crate
	board             // on foot, to the nearest car
	drive             // far away
	leave             // out of the car
)

// durations are the longest times for which plans are followed, in steps.
var durations = [...]int{shoot: 2 * island.Steps, board: 4 * island.Steps, drive: 6 * island.Steps, leave: island.Steps}

const (
	holdUse = island.Steps / 5
	farAway = 1300.0
)

// New makes a bot for a game on this machine. Bots of different seeds play differently.
func New(g *island.Game, seed int64) *Bot {
	b := &Bot{left: durations[shoot], scenery: g.Scenery()}
	b.rng.SetSeed(seed)
	return b
}

// Sample returns the bot's input for this step; see island.Game.Sample.
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
	b.think(driving, at.Pos)
	var in island.Input
	switch b.plan {
	case drive:
		in = b.driving(at)
	case leave:
		in.Keys = b.tap()
	case board:
		in = b.boarding(r.World(), at)
	default:
		in = b.shooting(r.World(), at)
	}
	if b.rng.Chance(0.01) {
		in.Keys |= island.Paint << b.rng.IntRange(0, 8)
	}
	return in
}

// think changes the plan when its time is over or its aim is reached. The bot learns
// that it sits in a car as a player does: from its world, a while after it pressed the
// use key.
func (b *Bot) think(driving bool, at gmath.Vec) {
	next := b.plan
	switch {
	case driving && b.plan != drive && b.plan != leave:
		next = drive
	case !driving && (b.plan == drive || b.plan == leave), b.plan == board && b.left <= 0:
		next = shoot
	case b.plan == drive && b.left <= 0:
		next = leave
	case b.plan == shoot && b.left <= 0:
		next = board
	}
	if next == b.plan {
		return
	}
	b.plan, b.left, b.held, b.stuck, b.back = next, durations[next], 0, 0, 0
	if next == drive {
		b.goal = b.elsewhere(at)
	}
}

// chat greets once, and uses a bandage when hurt. A greeting that cannot be sent is
// tried again; an error of UseItem is ignored, because the bot tries again while it is
// hurt.
func (b *Bot) chat(r *tendon.Replication, me *donburi.Entry) {
	if !b.said {
		b.said = island.Talk(r, "hello") == nil
	}
	if island.Walker.Get(me).Health < 60 && b.rng.Chance(1.0/island.Steps) {
		_ = island.UseItem(r, island.Bandage)
	}
}

// watch counts the steps in which the bot hardly moves.
func (b *Bot) watch(at gmath.Vec) {
	b.speed = at.DistanceTo(b.last)
	if b.speed < 0.4 {
		b.stuck++
	} else {
		b.stuck = 0
	}
	b.last = at
}

func (b *Bot) shooting(w donburi.World, at island.PlaceData) island.Input {
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
	car, ok := nearest(w, island.Car, at.Pos, func(e *donburi.Entry) bool { return !driven(w, e) })
	if !ok {
		return island.Input{Keys: b.towards(at.Pos, island.Middle)}
	}
	if at.Pos.DistanceTo(car) > 55 {
		return island.Input{Keys: b.towards(at.Pos, car)}
	}
	return island.Input{Keys: b.tap()}
}

// tap presses and releases the use key in turn, each time for so many steps that packet
// loss does not hide the press.
func (b *Bot) tap() island.Keys {
	if b.held++; b.held%(2*holdUse) < holdUse {
		return island.Use
	}
	return 0
}

func (b *Bot) driving(at island.PlaceData) island.Input {
	if at.Pos.DistanceTo(b.goal) < 150 {
		b.goal = b.elsewhere(at.Pos)
	}
	if b.stuck > island.Steps/4 {
		b.stuck, b.back = 0, island.Steps*2/3
	}
	if b.back > 0 {
		b.back--
		return island.Input{Keys: island.Down | island.Left}
	}
	var in island.Input
	turn := float64((b.heading(at) - at.Rot).Normalized())
	if turn > math.Pi {
		turn -= 2 * math.Pi
	}
	switch {
	case turn > 0.08:
		in.Keys |= island.Right
	case turn < -0.08:
		in.Keys |= island.Left
	}
	if math.Abs(turn) < 0.5 || b.speed < 2.5 {
		in.Keys |= island.Up // otherwise it slows down for the bend
	}
	return in
}

// heading returns the direction nearest to the goal's in which the way is free, or the
// goal's where no way is.
func (b *Bot) heading(at island.PlaceData) gmath.Rad {
	want := at.Pos.AngleToPoint(b.goal)
	for _, off := range []gmath.Rad{0, 0.3, -0.3, 0.6, -0.6, 0.9, -0.9, 1.3, -1.3, 1.8, -1.8} {
		if b.free(at.Pos, want+off) {
			return want + off
		}
	}
	return want
}

// free reports whether a car can drive 210 units in a direction.
func (b *Bot) free(from gmath.Vec, dir gmath.Rad) bool {
	for d := 30.0; d <= 210; d += 30 {
		p := from.MoveInDirection(d, dir)
		if island.Height(p) < 30 || island.Pen.Near(p, 40) || b.scenery.Hits(p, 36) {
			return false
		}
	}
	return true
}

// elsewhere returns a random place on land, far from the given one; the island's middle
// if it finds none.
func (b *Bot) elsewhere(from gmath.Vec) gmath.Vec {
	for range 50 {
		p := island.Middle.Add(b.rng.Offset(-farAway, farAway))
		if island.Height(p) > 0 && p.DistanceTo(from) > 2*island.Exit {
			return p
		}
	}
	return island.Middle
}

// towards returns the arrow keys that lead from one place to another. A bot that is
// stuck turns aside by a random angle.
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

// nearest returns the place of the nearest entity that has a component and that want
// accepts; a nil want accepts all.
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
