package ecs_test

// How a correction of the own player is drawn.

import (
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/features/transform"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type inPlaceData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp=inplace,pos"`
	At  float64   `rpl:"step=1/32,interp"`
}

// walkers plays a server and a client whose own node walks 2 units a step, by walk.
func walkers(t *testing.T, p *tendon.Protocol, c donburi.IComponentType, walk func(e *donburi.Entry, dir gmath.Vec)) (lab *tendontest.Lab, server, client *tendontest.Machine) {
	command := tendon.NewCommand[runKeys](p, "walk", c)
	lab = tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(c), q) })
			command.Sample(m.Replication, func(*donburi.Entry) runKeys { return runKeys{Dir: gmath.Vec{X: 1}} })
			command.Apply(m.Replication, func(c tendon.Call, k runKeys) { walk(c.Entry, k.Dir.Mulf(2)) })
		},
		Step: func(m *tendontest.Machine) { command.Run(m.Replication) },
	}, netsim.Conditions{Delay: 60 * time.Millisecond})
	server, client = lab.Host(), lab.Join()
	lab.Steps(180)
	return lab, server, client
}

// What is predicted and tagged `interp=inplace` is drawn into the component as View has it, in each of
// the frames of a step, and is as it was for the rules; other fields of it are left alone.
func TestPredictedInPlace(t *testing.T) {
	t.Run("of the game", func(t *testing.T) {
		p := tendon.NewProtocol("in place")
		c := tendon.Replicate(p, "walker", donburi.NewComponentType[inPlaceData]())
		lab, server, client := walkers(t, p, c, func(e *donburi.Entry, way gmath.Vec) {
			d := c.Get(e)
			d.Pos, d.At = d.Pos.Add(way), d.At+way.X
		})
		me, _ := tendon.Mine(client.Replication, c)
		corrected := client.CommandStats().Corrections
		c.Get(lab.Other(server, me)).Pos.Y += 24 // a gust that the client does not foresee
		for i := range 40 {
			lab.Steps(1)
			now, glides := *c.Get(me), 0
			for range 3 {
				lab.Net.Advance(time.Second / 240)
				client.Frame()
				if v, is := tendon.View(me, c), *c.Get(me); v.Pos != is.Pos {
					t.Fatalf("step %d: View has it at %v, the component at %v", i, v.Pos, is.Pos)
				} else if is.At != now.At {
					t.Fatalf("step %d: what is not in place is %v, was %v", i, is.At, now.At)
				} else if math.Abs(is.Pos.Y-now.Pos.Y) > 0.1 {
					glides++
				}
			}
			if i == 8 && glides == 0 {
				t.Error("the correction is drawn at once")
			}
		}
		if n := client.CommandStats().Corrections; n != corrected+1 {
			t.Errorf("%d corrections, for one gust", n-corrected)
		}
	})
	t.Run("of donburi", func(t *testing.T) {
		p := tendon.NewProtocol("in place")
		c := tendon.Replicate(p, "transform", transform.Transform, rpl.Tags{"LocalPosition": "step=1/32,interp=inplace,pos", "LocalRotation": "angle=360,interp=inplace"})
		lab, server, client := walkers(t, p, c, func(e *donburi.Entry, way gmath.Vec) {
			d := c.Get(e)
			d.LocalPosition.X += way.X
		})
		me, _ := tendon.Mine(client.Replication, c)
		corrected := client.CommandStats().Corrections
		c.Get(lab.Other(server, me)).LocalPosition.Y += 24
		before := transform.WorldPosition(me).Y
		for i := range 40 {
			lab.Steps(1)
			client.Frame()
			v, is := tendon.View(me, c).LocalPosition, transform.WorldPosition(me)
			if v != is {
				t.Fatalf("step %d: View has it at %v, WorldPosition at %v", i, v, is)
			}
			if is.Y-before > 6 {
				t.Fatalf("step %d: it moves %v down in a frame", i, is.Y-before)
			}
			before = is.Y
		}
		if n := client.CommandStats().Corrections; n != corrected+1 {
			t.Errorf("%d corrections, for one gust", n-corrected)
		}
	})
}

// A vector leaps as one: where the server has put the own player elsewhere, no axis of it slides.
func TestCorrectionLeapsAsOne(t *testing.T) {
	p := tendon.NewProtocol("leaps")
	c := tendon.Replicate(p, "runner", donburi.NewComponentType[runnerData]())
	lab, server, client := walkers(t, p, c, func(e *donburi.Entry, way gmath.Vec) {
		d := c.Get(e)
		d.Pos = d.Pos.Add(way)
	})
	me, _ := tendon.Mine(client.Replication, c)
	client.Frame()
	before, moved := tendon.View(me, c).Pos, 0
	at := c.Get(lab.Other(server, me))
	at.Pos = at.Pos.Add(gmath.Vec{X: 300, Y: 20})
	for range 40 {
		lab.Steps(1)
		client.Frame()
		now := tendon.View(me, c).Pos
		if now.Y-before.Y > 0.5 || now.X-before.X > 10 {
			moved++
		}
		before = now
	}
	if moved != 1 {
		t.Errorf("a leap was drawn in %d frames", moved)
	}
}

// After a hitch of the server, which makes up for it, the client's ticks are behind by some: the own
// body gets there as from a correction, and does not jump.
func TestDrawnEvenlyAfterAHitchOfTheServer(t *testing.T) {
	for _, c := range []struct{ hz, hitch int }{{60, 20}, {60, 36}, {60, 40}, {60, 42}, {60, 44}, {60, 46}, {60, 50}, {240, 90}, {240, 150}, {240, 200}} {
		x := newRace(t, netsim.Conditions{Delay: 50 * time.Millisecond}, func(config *tendon.Config) { config.Steps = c.hz })
		x.input.Dir = gmath.Vec{X: 1}
		hitch := c.hitch
		x.steps(2 * c.hz)
		corrections, worst := x.client.CommandStats().Corrections, 0.0
		x.client.Frame()
		before := tendon.View(x.mine(), x.runner).Pos.X
		for i := range 5 * c.hz {
			x.net.Advance(time.Second / time.Duration(c.hz))
			switch {
			case i < hitch:
			case i == hitch:
				for range hitch {
					x.stepOf(x.server)
				}
				fallthrough
			default:
				x.stepOf(x.server)
			}
			x.stepOf(x.client)
			x.client.Frame()
			now := tendon.View(x.mine(), x.runner).Pos.X
			if n := x.client.CommandStats().Corrections; n != corrections { // that is another way
				corrections = n
			} else {
				worst = max(worst, now-before, before-now)
			}
			before = now
		}
		if worst > 9 { // a way of 2 in each step
			t.Errorf("a hitch of %d steps at %d: it is drawn %v on in a frame", hitch, c.hz, worst)
		}
	}
}

// What is predicted no more goes over to where others are drawn, in place as by View.
func TestReleasedInPlace(t *testing.T) {
	p := tendon.NewProtocol("released in place")
	c := tendon.Replicate(p, "walker", donburi.NewComponentType[inPlaceData]())
	lab, _, client := walkers(t, p, c, func(e *donburi.Entry, way gmath.Vec) {
		d := c.Get(e)
		d.Pos, d.At = d.Pos.Add(way), d.At+way.X
	})
	me, _ := tendon.Mine(client.Replication, c)
	client.Frame()
	before := c.Get(me).Pos.X
	for i := range 60 {
		if i == 5 {
			tendon.Predict(me, false)
		}
		lab.Steps(1)
		client.Frame()
		is, v := c.Get(me).Pos.X, tendon.View(me, c).Pos.X
		if is != v || is < before-1 || is > before+5 {
			t.Errorf("step %d: drawn in place at %v, by View at %v, before at %v", i, is, v, before)
		}
		before = is
	}
	if tendon.Predicted(me) {
		t.Error("it is predicted still")
	}
}

// On a long line a prediction is judged by the state of its own tick, also at 240 steps a second.
func TestLongLineAtManySteps(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 400 * time.Millisecond}, func(config *tendon.Config) { config.Steps = 240 })
	x.steps(4 * 240)
	x.input.Dir = gmath.Vec{X: 1}
	x.steps(240)
	x.nudge = func() { x.runner.Get(x.server.World().Entry(x.me)).Pos.Y += 30 }
	x.steps(1)
	x.nudge = nil
	x.steps(4 * 240)
	x.input.Dir = gmath.Vec{}
	x.steps(4 * 240)
	if n := x.client.CommandStats().Corrections; n != 1 {
		t.Errorf("one thing that the client could not foresee makes %d corrections", n)
	}
	if is, want := x.runner.Get(x.mine()).Pos, x.runner.Get(x.server.World().Entry(x.me)).Pos; is != want {
		t.Errorf("the client is at %v, the server at %v", is, want)
	}
}
