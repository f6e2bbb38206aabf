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
	speed float64 // units in the last step
	held  int     // steps of taps on the use key
	back  int     // steps for which it still drives backwards
	said  bool

	scenery *island.Scenery
}

type plan uint8

const (
	shoot plan = iota // on foot, at the nearest crate
	board             // on foot, to the nearest car
	drive             // far away
	leave             // out of the car
)

// durations are how many steps a plan is followed at most.
var durations = [...]int{shoot: 2 * island.Steps, board: 4 * island.Steps, drive: 6 * island.Steps, leave: island.Steps}

const (
	holdUse = island.Steps / 5
	farAway = 1300.0
)

// New makes a bot for a game on one's own machine; each seed plays another way.
func New(g *island.Game, seed int64) *Bot {
	b := &Bot{left: durations[shoot], scenery: g.Scenery()}
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

// think changes the plan when its time is over, or when it has come true: that
// the bot sits in a car it sees, like a player, a while after it asked.
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

// tap presses the use key again and again, each time long enough that some of
// it survives any loss.
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
		in.Keys |= island.Up // else it slows down for the bend
	}
	return in
}

// heading is the direction nearest to the goal's in which the way is free.
func (b *Bot) heading(at island.PlaceData) gmath.Rad {
	want := at.Pos.AngleToPoint(b.goal)
	for _, off := range []gmath.Rad{0, 0.3, -0.3, 0.6, -0.6, 0.9, -0.9, 1.3, -1.3, 1.8, -1.8} {
		if b.free(at.Pos, want+off) {
			return want + off
		}
	}
	return want
}

// free reports whether a car could go some way in a direction.
func (b *Bot) free(from gmath.Vec, dir gmath.Rad) bool {
	for d := 30.0; d <= 210; d += 30 {
		p := from.MoveInDirection(d, dir)
		if island.Height(p) < 30 || island.Pen.Near(p, 40) || b.scenery.Hits(p, 36) {
			return false
		}
	}
	return true
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
