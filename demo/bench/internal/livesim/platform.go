package livesim

import (
	"math"
	"math/rand/v2"

	"github.com/tendonengine/tendon/demo/bench/trace"
)

// The platform: people on a floor of steps under a ceiling, at 50 steps a second, every
// second of which is recorded. Most of what people do begins and ends within some
// steps: a jump, a swing, a shot. In between they stand, and only their clock goes on.

var platformFields = []trace.Field{
	{Name: "alive", Role: trace.Alive},
	{Name: "clock"},
	{Name: "x", Role: trace.PosX},
	{Name: "y", Role: trace.PosY},
	{Name: "vx"},
	{Name: "vy"},
	{Name: "aim"},
	{Name: "direction"},
	{Name: "jumped"},
	{Name: "hooked"},
	{Name: "hook_state"},
	{Name: "hook_clock"},
	{Name: "hook_x"},
	{Name: "hook_y"},
	{Name: "hook_dx"},
	{Name: "hook_dy"},
	{Name: "flags"},
	{Name: "health"},
	{Name: "armour"},
	{Name: "ammo"},
	{Name: "weapon"},
	{Name: "mood"},
	{Name: "shot_clock"},
	{Name: "team"},
}

// duelFields are those of package arena: what a game shows that knows no hooks and has
// declared velocities, in whole pixels a second.
var duelFields = []trace.Field{
	{Name: "alive", Role: trace.Alive},
	{Name: "kind"},
	{Name: "x", Role: trace.PosX},
	{Name: "y", Role: trace.PosY},
	{Name: "angle", Role: trace.Angle, Min: 0, Max: 1607},
	{Name: "vx", Role: trace.VelX},
	{Name: "vy", Role: trace.VelY},
	{Name: "hp"},
	{Name: "anim"},
	{Name: "team"},
}

const (
	platformSteps = 50 // a second
	gravity       = 0.5
	runSpeed      = 10.0
	jumpSpeed     = 13.2
	hookLength    = 380.0
	hookSpeed     = 80.0
	ceiling       = -600.0
	platformWide  = 6000.0
)

// What a person is about.
const (
	standing = iota
	running
	swinging
)

// States of a hook.
const (
	hookIdle    = 0
	hookFlying  = 4
	hookGrabbed = 5
)

type person struct {
	alive      bool
	away       bool // stands for minutes
	about      int
	until      int
	x, y       float64
	vx, vy     float64
	aim, turn  float64
	direction  int
	jumped     int
	hook       int
	hookAge    int
	hx, hy     float64
	hdx, hdy   float64
	typing     bool
	health     int
	armour     int
	ammo       int
	weapon     int
	mood       int
	shot, team int
	back       int // step of the next birth
}

type platform struct {
	rng    *rand.Rand
	people []person
	now    int
	duel   bool
}

func startPlatform(rng *rand.Rand, slots int) world {
	p := &platform{rng: rng, people: make([]person, slots), now: 200_000}
	for i := range p.people {
		p.spawn(&p.people[i])
		p.people[i].away = i%3 == 0
	}
	return p
}

func startDuel(rng *rand.Rand, slots int) world {
	p := startPlatform(rng, slots).(*platform)
	p.duel = true
	return p
}

func (p *platform) spawn(c *person) {
	x := p.rng.Float64() * platformWide
	*c = person{alive: true, away: c.away, x: x, y: floorAt(x), aim: p.rng.Float64() * 2 * math.Pi, health: 10, ammo: 10, team: p.rng.IntN(4)}
}

// floorAt is the height of the floor; up is negative.
func floorAt(x float64) float64 {
	k := math.Floor(x / 320)
	return -64 * math.Floor(3*(math.Sin(k*12.9898)+1))
}

func (p *platform) step() {
	for range 2 {
		p.now++
		for i := range p.people {
			p.move(&p.people[i], i)
		}
	}
}

func (p *platform) move(c *person, i int) {
	rng := p.rng
	if !c.alive {
		if p.now >= c.back {
			p.spawn(c)
		}
		return
	}
	if p.now >= c.until {
		p.decide(c)
	}
	grounded := c.y >= floorAt(c.x)-0.01
	if c.about != standing && rng.IntN(3) == 0 { // a mouse moves in jerks
		c.turn = rng.NormFloat64() * 0.08 * float64(rng.IntN(3))
	}
	if c.about != standing {
		c.aim += c.turn
	} else if !c.away && rng.IntN(60) == 0 {
		c.aim += rng.NormFloat64() * 0.3
	}
	accel := 1.5
	if grounded {
		accel, c.jumped = 2, c.jumped&^2
	}
	if c.direction != 0 {
		c.vx = clamp(c.vx+accel*float64(c.direction), runSpeed)
	} else if grounded {
		c.vx *= 0.5
	} else {
		c.vx *= 0.95
	}
	c.vy += gravity
	if c.about == running && rng.IntN(40) == 0 && c.jumped&2 == 0 {
		c.vy, c.jumped = -jumpSpeed, 3
	} else {
		c.jumped &^= 1
	}
	p.swing(c)
	p.fight(c)
	if speed := math.Hypot(c.vx, c.vy); speed > 30 {
		c.vx, c.vy = c.vx*30/speed, c.vy*30/speed
	}
	c.x += c.vx
	if c.x < 0 || c.x > platformWide {
		c.x, c.vx = math.Min(math.Max(c.x, 0), platformWide), 0
	}
	if c.y += c.vy; c.y >= floorAt(c.x) {
		if c.y-floorAt(c.x) > 40 { // a wall
			c.x -= c.vx
			c.vx = 0
		}
		c.y = math.Min(c.y, floorAt(c.x))
		c.vy = 0
	}
	if c.y < ceiling {
		c.y, c.vy = ceiling, 0
	}
	if math.Abs(c.vx) < 0.02 {
		c.vx = 0
	}
	if c.health <= 0 || rng.IntN(1500) == 0 && !c.away {
		c.alive, c.back = false, p.now+25+rng.IntN(100)
	}
}

// decide chooses what a person is about next.
func (p *platform) decide(c *person) {
	rng := p.rng
	c.until = p.now + 15 + rng.IntN(80)
	c.direction, c.hook = 0, hookIdle
	switch k := rng.IntN(10); {
	case c.away, k < 3:
		c.about, c.typing = standing, rng.IntN(6) == 0
		c.until += rng.IntN(200)
	case k < 7:
		c.about, c.direction, c.typing = running, 2*rng.IntN(2)-1, false
	default:
		c.about, c.direction, c.typing = swinging, 2*rng.IntN(2)-1, false
	}
}

// swing throws, holds and drops a hook.
func (p *platform) swing(c *person) {
	if c.about != swinging {
		c.hook, c.hookAge = hookIdle, 0
		c.hx, c.hy = c.x, c.y
		return
	}
	switch c.hook {
	case hookIdle:
		if p.rng.IntN(8) == 0 {
			c.hook, c.hookAge, c.hx, c.hy = hookFlying, 0, c.x, c.y
			c.hdx = 0.7 * float64(c.direction)
			c.hdy = -math.Sqrt(1 - c.hdx*c.hdx)
			c.aim = math.Atan2(c.hdy, c.hdx)
		}
	case hookFlying:
		c.hx, c.hy = c.hx+c.hdx*hookSpeed, c.hy+c.hdy*hookSpeed
		if math.Hypot(c.hx-c.x, c.hy-c.y) > hookLength {
			c.hook = hookIdle
		} else if c.hy < ceiling || p.rng.IntN(4) == 0 {
			c.hook, c.hy = hookGrabbed, math.Max(c.hy, ceiling)
		}
	case hookGrabbed:
		c.hookAge++
		d := math.Max(math.Hypot(c.hx-c.x, c.hy-c.y), 1)
		if d > 46 {
			c.vx += 3 * (c.hx - c.x) / d * 0.75
			c.vy += 3 * (c.hy - c.y) / d
		}
		if c.hookAge > 60 || p.rng.IntN(40) == 0 {
			c.hook, c.hookAge = hookIdle, 0
		}
	}
	if c.hook == hookIdle {
		c.hx, c.hy = c.x, c.y
	}
}

// fight is shots, hits and what is picked up.
func (p *platform) fight(c *person) {
	rng := p.rng
	if c.mood > 0 && rng.IntN(30) == 0 {
		c.mood = 0
	}
	if c.about == standing {
		return
	}
	switch rng.IntN(60) {
	case 0, 1:
		if c.shot, c.ammo = p.now, c.ammo-1; c.ammo < 0 {
			c.ammo = 10
		}
	case 2:
		c.weapon = rng.IntN(5)
	case 3:
		if rng.IntN(3) == 0 {
			c.health, c.mood = c.health-1-rng.IntN(3), 1
			c.vx += rng.NormFloat64() * 8
			c.vy -= 6
		}
	case 4:
		c.armour = min(c.armour+1, 10)
	}
}

func (p *platform) row(slot int, to []int32) []int32 {
	c := &p.people[slot]
	if !c.alive {
		return nil
	}
	x, y := round(c.x), round(c.y)
	if p.duel {
		const turn = 1608 // 256ths of a radian
		angle := (int(round(c.aim*256))%turn + turn) % turn
		return append(to[:0], 1, 0, x, y, int32(angle), round(c.vx*platformSteps), round(c.vy*platformSteps), int32(c.health), int32(c.hook), int32(c.team))
	}
	flags, hooked := int32(1), int32(-1)
	if c.typing {
		flags |= 4
	}
	return append(to[:0],
		1, int32(p.now), x, y, round(c.vx*256), round(c.vy*256), round(c.aim*256), int32(c.direction), int32(c.jumped), hooked,
		int32(c.hook), int32(c.hookAge), round(c.hx), round(c.hy), round(c.hdx*256), round(c.hdy*256),
		flags, int32(c.health), int32(c.armour), int32(c.ammo), int32(c.weapon), int32(c.mood), int32(c.shot), int32(c.team))
}

func clamp(v, most float64) float64 { return math.Min(math.Max(v, -most), most) }
