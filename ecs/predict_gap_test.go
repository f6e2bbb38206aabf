package ecs_test

// What is drawn of predicted things where something was not seen: a cut of the line, and what the server did before.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// gapGame is a game in which each player's body goes on by two and a half in each step while its key is held, and a
// ball of the server's by three, which may be predicted as well.
func gapGame(seed uint64) (g tendontest.Game, body, ball *donburi.ComponentType[passerData]) {
	p := tendon.NewProtocol("gap")
	body = tendon.Replicate(p, "body", donburi.NewComponentType[passerData]())
	ball = tendon.Replicate(p, "ball", donburi.NewComponentType[passerData]())
	walk := tendon.NewCommand[runKeys](p, "walk", body)
	roll := tendon.NewCommand[tendon.None](p, "roll", ball)
	return tendontest.Game{
		Protocol: p, Seed: seed,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() { m.Create(ball) })
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(body), q) })
			walk.Sample(m.Replication, func(*donburi.Entry) runKeys { return runKeys{Dir: gmath.Vec{X: 1}} })
			walk.Apply(m.Replication, func(c tendon.Call, k runKeys) { body.Get(c.Entry).Pos.X += 2.5 * k.Dir.X })
			roll.Apply(m.Replication, func(c tendon.Call, _ tendon.None) { ball.Get(c.Entry).Pos.X += 3 })
		},
		Step: func(m *tendontest.Machine) {
			walk.Run(m.Replication)
			roll.Run(m.Replication)
		},
	}, body, ball
}

// After a cut, and after a window has stood, the own body is drawn between where it was drawn last and where it is:
// nowhere that it was on no machine.
func TestAfterAGapTheOwnBodyIsWhereItWas(t *testing.T) {
	for _, gap := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second} {
		for _, stands := range []bool{false, true} {
			for seed := range uint64(3) {
				game, body, _ := gapGame(seed + 1)
				line := netsim.Conditions{Delay: 50 * time.Millisecond}
				lab := tendontest.NewLab(t, game, line)
				server := lab.Host()
				m := lab.Join()
				lab.Play(2*time.Second, tendontest.FPS(60), nil)
				mine, _ := tendon.Mine(m.Replication, body)
				id := tendon.ID(mine)
				least := tendon.View(mine, body).Pos.X
				most, outside := least, 0.
				draw := func(d *tendontest.Machine) {
					if d != m {
						return
					}
					mine, _ := m.Find(id)
					theirs, _ := server.Find(id)
					most = max(most, body.Get(theirs).Pos.X, body.Get(mine).Pos.X)
					at := tendon.View(mine, body).Pos.X
					outside = max(outside, at-most, least-at)
				}
				frames, stood := tendontest.FPS(60), false
				if stands {
					frames = func(d *tendontest.Machine) time.Duration {
						if d == m && !stood {
							stood = true
							return gap
						}
						return time.Second / 60
					}
				} else {
					m.Dialer.SetConditions(netsim.Conditions{Loss: 1}, netsim.Conditions{Loss: 1})
					lab.Play(gap+time.Duration(seed)*37*time.Millisecond, frames, draw)
					m.Dialer.SetConditions(line, line)
				}
				lab.Play(gap+time.Second, frames, draw)
				if outside > 5 {
					t.Errorf("seed %d, a gap of %v, it stands: %v: it is drawn %.0f beside all places where it was", seed+1, gap, stands, outside)
				}
			}
		}
	}
}

// What begins to be predicted goes over to where it is predicted, also if the server has teleported it before; a
// teleport that is not drawn yet stays a leap.
func TestTeleportedBeforeItIsPredicted(t *testing.T) {
	most := map[time.Duration]float64{}
	for _, ago := range []time.Duration{0, 120 * time.Millisecond, 500 * time.Millisecond, 3 * time.Second} { // 0: never
		game, _, ball := gapGame(1)
		lab := tendontest.NewLab(t, game, netsim.Conditions{Delay: 75 * time.Millisecond})
		server := lab.Host()
		m := lab.Join()
		lab.Play(2*time.Second, tendontest.FPS(60), nil)
		if ago > 0 {
			e, _ := ball.First(server.World())
			ball.Get(e).Pos.X += 400
			tendon.Teleport(e)
			lab.Play(ago, tendontest.FPS(60), nil)
		}
		last := 0.
		draw := func(d *tendontest.Machine) {
			e, ok := ball.First(m.World())
			if d != m || !ok {
				return
			}
			at := tendon.View(e, ball).Pos.X
			if last != 0 {
				most[ago] = max(most[ago], at-last)
			}
			last = at
		}
		lab.Play(time.Second/60, tendontest.FPS(60), draw)
		e, _ := ball.First(m.World())
		tendon.Predict(e, true)
		lab.Play(time.Second, tendontest.FPS(60), draw)
	}
	for _, ago := range []time.Duration{500 * time.Millisecond, 3 * time.Second} {
		if most[ago] > most[0]+1 {
			t.Errorf("teleported %v before, it moves by %.1f in a frame; never teleported by %.1f", ago, most[ago], most[0])
		}
	}
	if d := most[120*time.Millisecond]; d < 400 {
		t.Errorf("a teleport that is not drawn yet is drawn by %.1f a frame", d)
	}
}
