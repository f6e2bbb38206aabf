package ecs_test

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

// A rule that makes nodes of its own kind, such as a shell that bursts into fragments, moves them from the
// next tick on: on the authority, on the client, and where a correction runs the tick again.
func TestFragmentsOfTheirOwnKind(t *testing.T) {
	type shellData struct {
		Pos      gmath.Vec `rpl:"step=1/32,interp,pos"`
		Vel      gmath.Vec `rpl:"step=1/32"`
		Bursts   rpl.Tick  `rpl:""`
		Fragment bool      `rpl:""`
	}
	type shot struct {
		Pos, Vel gmath.Vec `rpl:"step=1/32"`
		Bursts   rpl.Tick  `rpl:""`
		Fragment bool      `rpl:""`
	}
	type gunData struct {
		Shots uint32 `rpl:""`
	}
	p := tendon.NewProtocol("fragments")
	gun := tendon.Replicate(p, "gun", donburi.NewComponentType[gunData]())
	shell := tendon.Replicate(p, "shell", donburi.NewComponentType[shellData]())
	shells := tendon.NewPrefab(p, "shell", func(w donburi.World, s shot) *donburi.Entry {
		e := w.Entry(w.Create(shell))
		shell.SetValue(e, shellData(s))
		return e
	})
	shoot, fly := tendon.NewCommand[bool](p, "shoot", gun), tendon.NewCommand[tendon.None](p, "fly", shell)
	corrections, bursts := 0, 0
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(gun), q) })
			m.OnCorrection(func(c tendon.Correction) {
				if corrections++; corrections < 4 {
					t.Errorf("%s is corrected by %v", c.Field, c.Size)
				}
			})
			shoot.Sample(m.Replication, func(*donburi.Entry) bool { return m.Tick()%45 == 0 })
			shoot.Apply(m.Replication, func(c tendon.Call, fire bool) {
				if gun.Get(c.Entry); fire {
					shells.Predict(c, 0, shot{Vel: gmath.Vec{X: 4}, Bursts: c.Tick + 15})
				}
			})
			fly.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				s := shell.Get(c.Entry)
				s.Pos = s.Pos.Add(s.Vel)
				switch {
				case c.Tick < s.Bursts:
				case c.Tick == s.Bursts && !s.Fragment:
					from := s.Pos
					for i := range 3 {
						shells.Predict(c, i, shot{from, gmath.Vec{X: 3, Y: float64(i - 1)}, c.Tick + 30, true})
					}
					bursts++
				case c.Tick > s.Bursts+5 && tendon.IsAuthority(c.Entry):
					c.Entry.Remove()
				}
			})
		},
		Step: func(m *tendontest.Machine) { shoot.Run(m.Replication); fly.Run(m.Replication) },
	}, netsim.Conditions{Delay: 50 * time.Millisecond})
	lab.Host()
	lab.Join()
	lab.Join()
	lab.Steps(900)
	if bursts < 60 || corrections > 0 {
		t.Errorf("%d bursts, %d corrections", bursts, corrections)
	}
}
