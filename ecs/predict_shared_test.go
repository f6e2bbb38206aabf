package ecs_test

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	bumperData struct {
		Pos gmath.Vec `rpl:"step=1/64,interp,pos"`
		Vel gmath.Vec `rpl:"step=1/1024"`
		Way gmath.Vec `rpl:"step=1/64"`
	}
	puckData struct {
		Pos gmath.Vec `rpl:"step=1/64,interp,pos"`
		Vel gmath.Vec `rpl:"step=1/1024"`
	}
	wheel struct {
		Way gmath.Vec `rpl:"step=1/64"`
	}
)

// Cars push a ball that everybody predicts, with the others' cars as they were last steered (the
// guide's page on time): whoever hits it moves it in the step of the hit, and at rest all agree.
func TestBallThatSeveralPush(t *testing.T) {
	p := tendon.NewProtocol("football")
	car := tendon.Replicate(p, "car", donburi.NewComponentType[bumperData]())
	ball := tendon.Replicate(p, "ball", donburi.NewComponentType[puckData]())
	drive := tendon.NewCommand[wheel](p, "drive", car)
	roll := tendon.NewCommand[tendon.None](p, "roll", ball)
	stop := false
	corrections := 0
	moved := map[string]rpl.Tick{} // when the ball was first hit there
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() { ball.Get(m.Create(ball)).Pos.X = 100 })
			places := 0.0
			m.OnJoin(func(p rpl.Peer) {
				if p == m.Me() {
					return
				}
				e := m.Create(car)
				car.Get(e).Pos.Y = places
				places += 300
				tendon.Give(e, p)
			})
			m.OnStreamIn(car, func(e *donburi.Entry) { tendon.Predict(e, true) })
			m.OnStreamIn(ball, func(e *donburi.Entry) { tendon.Predict(e, true) })
			m.OnCorrection(func(tendon.Correction) { corrections++ })
			drive.Sample(m.Replication, func(*donburi.Entry) wheel {
				if stop || m.Name != "client 1" {
					return wheel{}
				}
				return wheel{gmath.Vec{X: 1}}
			})
			drive.Apply(m.Replication, func(c tendon.Call, k wheel) {
				d := car.Get(c.Entry)
				if tendon.IsAuthority(c.Entry) || tendon.IsOwner(c.Entry) {
					d.Way = k.Way
				}
				d.Vel = d.Vel.Mulf(0.9).Add(d.Way.Mulf(0.3))
				d.Pos = d.Pos.Add(d.Vel)
			})
			roll.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				b := ball.Get(c.Entry)
				b.Vel = b.Vel.Mulf(0.97)
				b.Pos = b.Pos.Add(b.Vel)
				cars := slices.SortedFunc(car.Iter(m.World()), func(a, b *donburi.Entry) int { return cmp.Compare(tendon.ID(a), tendon.ID(b)) })
				for _, e := range cars {
					d := car.Get(e)
					if way := b.Pos.Sub(d.Pos); way.Len() < 20 && way.Len() > 0 {
						b.Vel = d.Vel.Add(way.Normalized().Mulf(2))
						if moved[m.Name] == 0 {
							moved[m.Name] = c.Tick
						}
					}
				}
			})
		},
		Step: func(m *tendontest.Machine) { drive.Run(m.Replication); roll.Run(m.Replication) },
	}, netsim.Conditions{Delay: 50 * time.Millisecond})
	lab.Host()
	lab.Join()
	lab.Join()
	lab.Steps(300)
	stop = true
	lab.Steps(900)
	lab.CheckEqual()
	if hit := moved["server"]; hit == 0 || moved["client 1"] != hit {
		t.Errorf("the ball was hit in ticks %v", moved)
	}
	if corrections > 10 {
		t.Errorf("%d corrections", corrections)
	}
	if b, _ := ball.First(lab.Machines[1].World()); math.Abs(ball.Get(b).Pos.X-100) < 50 {
		t.Errorf("the ball is at %v", ball.Get(b).Pos)
	}
}
