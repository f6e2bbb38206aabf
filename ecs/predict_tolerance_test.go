package ecs_test

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type looseData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos,tol=8"`
}

// What comes to rest on a client beside where the server has it, by something that the client does
// not know, is set right once, and not for ever.
func TestToleranceBesideAtRest(t *testing.T) {
	p := tendon.NewProtocol("tolerance beside")
	ball := tendon.Replicate(p, "ball", donburi.NewComponentType[looseData]())
	roll := tendon.NewCommand[tendon.None](p, "roll", ball)
	corrections := 0
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() { m.Create(ball) })
			m.OnStreamIn(ball, func(e *donburi.Entry) { tendon.Predict(e, true) })
			m.OnCorrection(func(tendon.Correction) { corrections++ })
			roll.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				wall := 5.0
				if !m.IsAuthority() {
					wall = 5.125
				}
				b := ball.Get(c.Entry)
				b.Pos.X = min(b.Pos.X+1, wall)
			})
		},
		Step: func(m *tendontest.Machine) { roll.Run(m.Replication) },
	}, netsim.Conditions{Delay: 40 * time.Millisecond})
	lab.Host()
	lab.Join()
	lab.Steps(600)
	before := corrections
	lab.Steps(3600)
	if n := corrections - before; n > 1 {
		t.Errorf("%d corrections in a minute at rest", n)
	}
}

// What has a tolerance is exactly where the server has it once both have been at rest for a second,
// also where it is predicted.
func TestToleranceAtRest(t *testing.T) {
	p := tendon.NewProtocol("tolerance at rest")
	ball := tendon.Replicate(p, "ball", donburi.NewComponentType[looseData]())
	roll := tendon.NewCommand[tendon.None](p, "roll", ball)
	corrections := 0
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() { m.Create(ball) })
			m.OnStreamIn(ball, func(e *donburi.Entry) { tendon.Predict(e, m.Name == "client 1") })
			m.OnCorrection(func(tendon.Correction) { corrections++ })
			roll.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				if (c.Tick == 120 || c.Tick == 180) && tendon.IsAuthority(c.Entry) { // what the client cannot foresee
					ball.Get(c.Entry).Pos.X += 2.5
				}
			})
		},
		Step: func(m *tendontest.Machine) { roll.Run(m.Replication) },
	}, netsim.Conditions{Delay: 40 * time.Millisecond})
	lab.Host()
	lab.Join()
	lab.Join()
	lab.Steps(600)
	lab.CheckEqual()
	for _, m := range lab.Machines {
		m.Frame()
		if e, _ := ball.First(m.World()); tendon.View(e, ball).Pos.X != 5 {
			t.Errorf("%s draws it at %v, and it is at 5", m.Name, tendon.View(e, ball).Pos.X)
		}
	}
	if corrections != 1 {
		t.Errorf("%d corrections", corrections)
	}
}

type restData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
}

// What comes to rest a step beside where the server has it, as two steps may be rounded, is there too after a second, and
// that is no correction.
func TestRestAStepBeside(t *testing.T) {
	p := tendon.NewProtocol("rest beside")
	ball := tendon.Replicate(p, "ball", donburi.NewComponentType[restData]())
	roll := tendon.NewCommand[tendon.None](p, "roll", ball)
	corrections, replays := 0, 0
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() { m.Create(ball) })
			m.OnStreamIn(ball, func(e *donburi.Entry) { tendon.Predict(e, true) })
			m.OnCorrection(func(tendon.Correction) { corrections++ })
			roll.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				b := ball.Get(c.Entry)
				if c.Tick > 120 && b.Pos.X < 3 { // what no client knows is below a step
					if b.Pos.X += 0.75; m.IsAuthority() && c.Tick <= 122 {
						b.Pos.X += 1. / 64
						b.Pos.Y -= 1. / 64
					}
				}
				if c.Replay {
					replays++
				}
			})
		},
		Step: func(m *tendontest.Machine) { roll.Run(m.Replication) },
	}, netsim.Conditions{Delay: 40 * time.Millisecond})
	server := lab.Host()
	client := lab.Join()
	lab.Steps(600)
	here, _ := ball.First(client.World())
	there, _ := ball.First(server.World())
	if of, is := ball.Get(there).Pos, ball.Get(here).Pos; of.DistanceTo(is) > 0.75/32 {
		t.Errorf("it rests at %v, and on the server at %v", is, of)
	}
	before := replays
	lab.Steps(600)
	if n := replays - before; n > 0 || corrections > 0 {
		t.Errorf("%d steps of replays at rest, and %d corrections", n, corrections)
	}
}

// What is beside the same place of the server twice, within its tolerance, is set right twice.
func TestToleranceBesideAgain(t *testing.T) {
	p := tendon.NewProtocol("tolerance beside again")
	ball := tendon.Replicate(p, "ball", donburi.NewComponentType[looseData]())
	lie := tendon.NewCommand[tendon.None](p, "lie", ball)
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() { m.Create(ball) })
			m.OnStreamIn(ball, func(e *donburi.Entry) { tendon.Predict(e, true) })
			lie.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				if !m.IsAuthority() && (c.Tick == 120 || c.Tick == 300) { // as by another player, of whose key it does not know
					ball.Get(c.Entry).Pos.X += 0.25
				}
			})
		},
		Step: func(m *tendontest.Machine) { lie.Run(m.Replication) },
	}, netsim.Conditions{Delay: 40 * time.Millisecond})
	lab.Host()
	lab.Join()
	lab.Steps(600)
	lab.CheckEqual()
}
