package main

// A machine: one session with its bot, its steps and its frames.

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A machine is one session and the bot that plays it.
type machine struct {
	*tendon.Replication
	g   *game
	rng *rand.Rand

	// The bot.
	dir        gmath.Vec
	turn, wait int
	pressed    time.Duration // when it began to move out of rest, 0: its body shows that already
	rested     int           // steps without a key

	// What it draws.
	nextStep, nextFrame, lastFrame time.Duration
	last                           map[rpl.Node]gmath.Vec
	bolts                          map[int]bool
	lastView                       float64
	own                            gmath.Vec
	line                           time.Duration // the quickest way to it
	calm                           func()        // ends the line's jitter

	fading     bool          // a correction's error is drawn away, …
	fadesSince time.Duration // … since this frame, 0: none since has been drawn …
	fadesFrom  float64       // … in which it was so large

	touched time.Duration // when another body was last near enough to touch its own
}

// keys is the bot's input for a tick.
func (m *machine) keys(e *donburi.Entry) (k Keys) {
	if m.g.over {
		return k
	}
	was := m.dir
	at := body.Get(e).Pos
	if m.turn--; m.turn <= 0 {
		m.turn = 15 + m.rng.IntN(55)
		m.dir = gmath.Vec{X: m.rng.Float64()*2 - 1, Y: m.rng.Float64()*2 - 1}.Normalized()
		switch x := m.rng.Float64(); {
		case x < 0.2:
			m.dir = gmath.Vec{}
		case x < 0.5: // to the ball
			for b := range everyBall.Iter(e.World) {
				m.dir = tendon.View(b, ball).Pos.Sub(at).Normalized()
			}
		}
	}
	if m.dir.IsZero() {
		m.rested++
	} else {
		to := at.Add(m.dir)
		if inside(&to); was.IsZero() && m.rested > 40 && body.Get(e).Vel.IsZero() && !m.touching() && to.DistanceTo(at) > 0.1 { // else it runs against a wall: nothing shows that
			m.pressed = m.g.net.Now()
			m.own = tendon.View(e, body).Pos
		}
		m.rested = 0
	}
	k.Dir = m.dir
	k.Jump = m.rng.Float64() < 0.02
	if m.wait--; m.wait <= 0 && body.Get(e).Wait == 0 {
		m.aim(e, &k)
	}
	return k
}

// aim has the bot shoot at the nearest body where it sees it, if its aim is true.
func (m *machine) aim(e *donburi.Entry, k *Keys) {
	from := body.Get(e).Pos
	if m.g.opt.noPredict {
		from = tendon.View(e, body).Pos
	}
	var best *donburi.Entry
	far := math.Inf(1)
	for o := range seenBody.Iter(e.World) {
		if o.Entity() == e.Entity() {
			continue
		}
		if d := tendon.View(o, body).Pos.DistanceTo(from); d < far && d > 3*radius {
			best, far = o, d
		}
	}
	if best == nil {
		return
	}
	at := tendon.View(best, body).Pos
	aim := at.Sub(from).Rotated(gmath.Rad((m.rng.Float64()*2 - 1) * 0.8 * radius / far))
	if !hits(from, aim, at) {
		return
	}
	m.wait = 25
	m.g.shots = append(m.g.shots, shot{target: tendon.ID(best), at: at, touched: m.touching(), when: m.g.net.Now(), by: m})
	if m.g.warm() {
		m.g.pressed++
	}
	k.Fire, k.Aim, k.Target = true, aim, uint32(len(m.g.shots))
}

// touching reports whether the own body touches another, or has a moment ago, here or on the
// server: what has come in the way of the body there is not seen here yet.
func (m *machine) touching() bool {
	const lately = time.Second
	if m.touched > 0 && m.g.net.Now()-m.touched < lately {
		return true
	}
	mine, ok := tendon.Mine(m.Replication, body)
	if !ok {
		return false
	}
	at := m.g.touched[tendon.ID(mine)]
	return at > 0 && m.g.net.Now()-at < lately
}

// step is one step of a client.
func (m *machine) step() {
	m.Receive()
	m.run()
	m.Send()
	m.lookAtBolts()
	mine, ok := tendon.Mine(m.Replication, body)
	if !ok {
		return
	}
	for o := range everyBody.Iter(m.World()) {
		if o.Entity() != mine.Entity() && body.Get(o).Pos.DistanceTo(body.Get(mine).Pos) < touch {
			m.touched = m.g.net.Now()
		}
	}
}

func (m *machine) run() {
	if m.g.opt.noPredict {
		moveLate.Run(m.Replication)
	} else {
		move.Run(m.Replication)
	}
	roll.Run(m.Replication)
	fly.Run(m.Replication)
}

// fade takes how long the drawn error of a correction takes until half of it is gone.
func (m *machine) fade(me *donburi.Entry, now time.Duration) {
	at := body.Get(me)
	off := beside(tendon.View(me, body).Pos, at.Pos.Sub(at.Vel), at.Pos)
	switch {
	case m.fadesSince == 0 && off < 1./8: // nobody sees it
		m.fading = false
	case m.fadesSince == 0:
		m.fadesSince, m.fadesFrom = now, off
	case off <= m.fadesFrom/2:
		m.fading = false
		if m.g.warm() {
			m.g.halves = append(m.g.halves, ms(now-m.fadesSince))
		}
	}
}

// beside is how far a place is from the way from a to b.
func beside(p, a, b gmath.Vec) float64 {
	way := b.Sub(a)
	if l := way.LenSquared(); l > 0 {
		share := min(max(0, p.Sub(a).Dot(way)/l), 1)
		return p.DistanceTo(a.Add(way.Mulf(share)))
	}
	return p.DistanceTo(a)
}

// lookAtBolts looks for bolts of this machine's shots that are there twice, or that the
// server does not know of.
func (m *machine) lookAtBolts() {
	clear(m.bolts)
	now := m.g.net.Now()
	for e := range seenBolt.Iter(m.World()) {
		i := int(bolt.Get(e).Shot) - 1
		if i < 0 || i >= len(m.g.shots) || m.g.shots[i].by != m {
			continue
		}
		s := &m.g.shots[i]
		s.doubled = s.doubled || m.bolts[i]
		m.bolts[i] = true
		switch {
		case tendon.ID(e) != 0:
		case s.alone == 0:
			s.alone = now
		case now-s.alone > m.g.opt.rtt+m.g.opt.jitter+250*time.Millisecond+2*step:
			s.orphan = true
		}
	}
}

// frame draws.
func (m *machine) frame() {
	now := m.g.net.Now()
	dt := now - m.lastFrame
	m.lastFrame = now
	m.Frame()
	view := m.ViewTick()
	me, _ := tendon.Mine(m.Replication, body)
	if m.touching() {
		m.pressed = 0 // another is in its way: nothing shows the key
	}
	if me != nil && m.pressed > 0 && tendon.View(me, body).Pos.DistanceTo(m.own) > 1e-4 {
		m.g.ownInput(now-m.pressed-dt, now)
		m.pressed = 0
	}
	if me != nil && m.fading {
		m.fade(me, now)
	}
	if m.g.warm() {
		if view < m.lastView {
			m.g.backwards++
		}
		m.g.delays(m, view, now)
	}
	m.lastView = view
	for o := range seenBody.Iter(m.World()) {
		if me != nil && o.Entity() == me.Entity() {
			continue
		}
		id := tendon.ID(o)
		at := tendon.View(o, body).Pos
		was, known := m.last[id]
		m.last[id] = at
		if known && m.g.warm() {
			m.g.frames = append(m.g.frames, drawn{by: m, id: id, at: at, was: was, view: view, now: now, dt: dt})
		}
	}
}
