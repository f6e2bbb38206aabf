package livesim

import (
	"math"
	"math/rand/v2"

	"github.com/tendonengine/tendon/demo/bench/trace"
)

// The pitch: a ball and four cars, at 28 Hz. The recording has a new state of a body in
// less than half of its frames; in the others the body is held where it was.

var pitchFields = []trace.Field{
	{Name: "here", Role: trace.Alive},
	{Name: "what"},
	{Name: "x", Role: trace.PosX},
	{Name: "y", Role: trace.PosY},
	{Name: "z"},
	{Name: "vx"},
	{Name: "vy"},
	{Name: "vz"},
	{Name: "yaw"},
	{Name: "pitch"},
	{Name: "roll"},
	{Name: "boost"},
	{Name: "throttle"},
	{Name: "steer"},
}

const (
	pitchHz    = 28
	pitchLong  = 5120.0
	pitchWide  = 4096.0
	pitchUnit  = 20   // parts of a unit that are recorded
	pitchFresh = 0.43 // the share of frames that show a body anew
)

type body struct {
	x, y, z, vx, vy, vz float64
	yaw, spin           float64
	throttle, steer     float64
	boost               float64
	until               int
	shown               []int32
}

type pitch struct {
	rng    *rand.Rand
	bodies []body
	now    int
}

func startPitch(rng *rand.Rand, slots int) world {
	p := &pitch{rng: rng, bodies: make([]body, slots)}
	for i := range p.bodies {
		b := &p.bodies[i]
		b.x, b.y, b.boost = (rng.Float64()-0.5)*pitchLong, (rng.Float64()-0.5)*pitchWide, 33
	}
	return p
}

func (p *pitch) step() {
	p.now++
	ball := &p.bodies[0]
	for i := range p.bodies {
		b := &p.bodies[i]
		if i > 0 {
			p.drive(b, ball)
		}
		b.fly()
		if b.shown == nil || p.rng.Float64() < pitchFresh {
			b.show(i)
		}
	}
}

// drive steers a car after the ball, and hits it.
func (p *pitch) drive(b, ball *body) {
	if p.now >= b.until {
		b.until = p.now + 5 + p.rng.IntN(40)
		b.throttle = float64(p.rng.IntN(3)-1) * 127
		if p.rng.IntN(3) > 0 {
			b.throttle = 127
		}
	}
	to := math.Atan2(ball.y-b.y, ball.x-b.x) - b.yaw
	to -= 2 * math.Pi * math.Round(to/(2*math.Pi))
	b.steer = math.Round(clamp(to, 1) * 127)
	b.spin = b.steer / 127 * 3
	b.yaw += b.spin / pitchHz
	b.yaw -= 2 * math.Pi * math.Round(b.yaw/(2*math.Pi))
	speed := math.Hypot(b.vx, b.vy)*0.97 + b.throttle*0.35
	if speed = math.Min(speed, 1400); b.boost > 0 && b.throttle > 0 && p.rng.IntN(4) == 0 {
		speed, b.boost = speed+200, b.boost-3
	}
	if p.rng.IntN(100) == 0 {
		b.boost = math.Min(b.boost+100, 100)
	}
	b.vx, b.vy = math.Cos(b.yaw)*speed, math.Sin(b.yaw)*speed
	if b.z <= 0 && p.rng.IntN(120) == 0 {
		b.vz = 290
	}
	if d := math.Hypot(ball.x-b.x, ball.y-b.y); d < 180 {
		ball.vx += (ball.x - b.x) / d * (speed + 300)
		ball.vy += (ball.y - b.y) / d * (speed + 300)
		ball.vz += 300 * p.rng.Float64()
	}
}

func (b *body) fly() {
	const t = 1.0 / pitchHz
	b.x, b.y, b.z = b.x+b.vx*t, b.y+b.vy*t, b.z+b.vz*t
	b.vx, b.vy = b.vx*0.999, b.vy*0.999
	if b.vz -= 650 * t; b.z <= 0 {
		if b.z, b.vz = 0, -b.vz*0.6; math.Abs(b.vz) < 40 {
			b.vz = 0
		}
	}
	if math.Abs(b.x) > pitchLong/2 {
		b.x, b.vx = math.Copysign(pitchLong/2, b.x), -b.vx*0.6
	}
	if math.Abs(b.y) > pitchWide/2 {
		b.y, b.vy = math.Copysign(pitchWide/2, b.y), -b.vy*0.6
	}
	if speed := math.Hypot(b.vx, b.vy); speed > 3000 {
		b.vx, b.vy = b.vx*3000/speed, b.vy*3000/speed
	}
}

// show makes the body's state what the recording has until it is shown again.
func (b *body) show(i int) {
	what := int32(1)
	if i == 0 {
		what = 0
	}
	lean := b.vz / 40
	b.shown = append(b.shown[:0], 1, what, round(b.x*pitchUnit), round(b.y*pitchUnit), round(b.z*pitchUnit), round(b.vx*pitchUnit), round(b.vy*pitchUnit), round(b.vz*pitchUnit),
		round(b.yaw*1000), round(lean*10), round(b.spin*20), round(math.Max(b.boost, 0)), round(b.throttle), round(b.steer))
}

func (p *pitch) row(slot int, to []int32) []int32 { return append(to[:0], p.bodies[slot].shown...) }
