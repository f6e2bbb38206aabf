package arena

import "math"

// A kind of entity decides how it moves.
type kind int32

const (
	player kind = iota
	bullet
	walker
	prop
	marcher // recorded as a prop
)

// Speeds are in units per second, forces in units per second squared.
const (
	playerSpeed = 220
	playerForce = 900 // largest change of velocity per second
	walkerSpeed = 80
	walkerForce = 400
	bulletSpeed = 600

	fullHealth = 100
	teams      = 8
	anims      = 32
	dt         = 1.0 / Hz
)

type entity struct {
	kind     kind
	alive    bool
	pos, vel vec
	goal     vec
	facing   float64 // radians, 0 up to 2π
	health   int32
	anim     int32
	team     int32
	wait     int // ticks left of a walker's rest, of a bullet's flight, or until the slot's next bullet
}

func (w *world) newEntity(k kind) entity {
	e := entity{
		kind: k, alive: true, pos: w.somewhere(), goal: w.somewhere(),
		health: fullHealth, team: int32(w.rng.IntN(teams)),
	}
	if k == bullet {
		e.alive, e.wait = false, w.rng.IntN(2*Hz)
	}
	return e
}

func (w *world) step(e *entity) {
	switch e.kind {
	case player:
		w.play(e)
	case bullet:
		w.fly(e)
	case walker:
		w.walk(e)
	case marcher:
		e.march()
	case prop:
		if w.oneIn(20 * Hz) {
			e.anim = (e.anim + 1) % anims
		}
	}
}

// play is a player's step. A player runs towards a goal that changes twice a second on
// average, loses health, and starts elsewhere with full health when none is left.
func (w *world) play(e *entity) {
	if w.oneIn(Hz / 2) {
		e.goal = w.near(e.pos, 300)
	}
	e.steer(playerSpeed, playerForce)
	e.anim = int32(e.vel.len()/20) % anims
	if !w.oneIn(3 * Hz / 2) {
		return
	}
	if e.health -= int32(w.rng.IntN(20)); e.health <= 0 {
		e.health, e.pos = fullHealth, w.somewhere()
	}
}

// fly is a bullet's step. A bullet flies straight for about a second; some time after
// its death the slot holds the next bullet, which starts at a player.
func (w *world) fly(e *entity) {
	e.wait--
	switch {
	case e.alive:
		e.pos = e.pos.add(e.vel.mul(dt))
		if e.wait <= 0 {
			e.alive, e.wait = false, w.rng.IntN(3*Hz/2)
		}
	case e.wait <= 0:
		from := &w.entities[w.shooter()]
		e.alive, e.pos, e.team = true, from.pos, from.team
		e.facing = w.rng.Float64() * 2 * math.Pi
		e.vel = vec{math.Cos(e.facing), math.Sin(e.facing)}.mul(bulletSpeed)
		e.wait = 40 + w.rng.IntN(40)
	}
}

// shooter returns the slot of a random player; players have the first slots.
func (w *world) shooter() int {
	if w.players == 0 {
		for w.players < len(w.entities) && w.entities[w.players].kind == player {
			w.players++
		}
		w.players = max(w.players, 1)
	}
	return w.rng.IntN(w.players)
}

// walk is a walker's step. A walker goes to a goal, rests there for up to four seconds,
// and goes on to another.
func (w *world) walk(e *entity) {
	if e.wait > 0 {
		e.wait--
		e.vel, e.anim = vec{}, 0
		return
	}
	if e.goal.sub(e.pos).len() < 8 || w.oneIn(400) {
		e.goal, e.wait = w.near(e.pos, 200), w.rng.IntN(4*Hz)
		return
	}
	e.steer(walkerSpeed, walkerForce)
	e.anim = 1
}

// march is a marcher's step: position and velocity change at every tick, and nothing
// else does.
func (e *entity) march() {
	const turning = 2.0 * dt // radians per tick
	if e.vel == (vec{}) {
		e.vel = e.goal.sub(e.pos).limit(walkerSpeed)
	}
	sin, cos := math.Sincos(turning)
	e.vel = vec{e.vel.x*cos - e.vel.y*sin, e.vel.x*sin + e.vel.y*cos}
	e.pos = e.pos.add(e.vel.mul(dt))
}

// steer turns the velocity towards the goal, as far as the force allows, and moves the
// entity by it.
func (e *entity) steer(speed, force float64) {
	way := e.goal.sub(e.pos)
	wanted := way.mul(speed / max(way.len(), 1))
	e.vel = e.vel.add(wanted.sub(e.vel).limit(force * dt))
	e.pos = e.pos.add(e.vel.mul(dt))
	if e.facing = math.Atan2(e.vel.y, e.vel.x); e.facing < 0 {
		e.facing += 2 * math.Pi
	}
}
