package ecs_test

// What a rule may do inside of a Rewind, and how far it goes back.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A component that a rule puts in another's place, with a hit counted, stays where the node is.
func TestRewindAndSet(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond})
	host, _ := tendon.Mine(x.server, x.runner)
	target, hits := host.Entity(), uint16(0)
	x.nudge = func() { x.runner.Get(x.server.World().Entry(target)).Pos.X += 3.25 }
	x.judge = func(c tendon.Call, _ runKeys) {
		if !tendon.IsAuthority(c.Entry) || c.From != x.client.Me() {
			return
		}
		at := func() gmath.Vec { return x.runner.Get(x.server.World().Entry(target)).Pos }
		before := at()
		c.Rewind(func() {
			v := x.runner.GetValue(x.server.World().Entry(target))
			if v.Pos == before {
				return // the client has drawn nothing yet
			}
			hits++
			v.Jumps = hits
			x.runner.Set(x.server.World().Entry(target), &v)
		})
		if d := x.runner.Get(x.server.World().Entry(target)); d.Pos != before || d.Jumps != hits {
			t.Fatalf("after it %+v, was at %v; %d hits", *d, before, hits)
		}
	}
	if x.steps(120); hits < 50 {
		t.Errorf("%d hits", hits)
	}
}

// A Rewind inside of a Rewind ends where the outer one was, and that where everything is. A node
// that is removed inside is gone.
func TestRewindInsideRewind(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond})
	host, _ := tendon.Mine(x.server, x.runner)
	target, judged := host.Entity(), 0
	doomed := x.server.Create(x.runner).Entity()
	x.nudge = func() { x.runner.Get(x.server.World().Entry(target)).Pos.X += 3.25 }
	x.judge = func(c tendon.Call, _ runKeys) {
		if !tendon.IsAuthority(c.Entry) || c.From != x.client.Me() {
			return
		}
		at := func() gmath.Vec { return x.runner.Get(x.server.World().Entry(target)).Pos }
		before := at()
		c.Rewind(func() {
			outer := at()
			if outer != before {
				judged++
			}
			c.Rewind(func() {
				if at() != outer {
					t.Fatalf("inside it is at %v, outside of that at %v", at(), outer)
				}
				if x.server.World().Valid(doomed) && judged > 20 {
					x.server.World().Remove(doomed)
				}
			})
			if at() != outer {
				t.Fatalf("after the inner one it is at %v, was at %v", at(), outer)
			}
		})
		if at() != before {
			t.Fatalf("after both it is at %v, was at %v", at(), before)
		}
	}
	if x.steps(120); judged < 50 {
		t.Errorf("%d judged", judged)
	}
}

// At any rate of steps a Rewind goes back as far as players are believed.
func TestRewindAtManySteps(t *testing.T) {
	const steps = 240
	x := newRace(t, netsim.Conditions{Delay: 150 * time.Millisecond}, func(c *tendon.Config) { c.Steps = steps })
	host, _ := tendon.Mine(x.server, x.runner)
	id, target := tendon.ID(host), host.Entity()
	x.nudge = func() { x.runner.Get(x.server.World().Entry(target)).Pos.X += 0.5 }
	saw := map[rpl.Tick]gmath.Vec{}
	x.move.Sample(x.client, func(*donburi.Entry) runKeys {
		if e, ok := x.client.Find(id); ok {
			saw[x.client.Tick()] = tendon.View(e, x.runner).Pos
		}
		return runKeys{}
	})
	judged, worst := 0, 0.0
	x.judge = func(c tendon.Call, _ runKeys) {
		if want, ok := saw[c.Tick]; ok && tendon.IsAuthority(c.Entry) && c.From == x.client.Me() {
			c.Rewind(func() {
				judged++
				worst = x.runner.Get(x.server.World().Entry(target)).Pos.DistanceTo(want)
			})
		}
	}
	for range 8 * steps {
		x.net.Advance(time.Second / steps)
		x.step()
	}
	if judged < 100 || worst > 0.1 {
		t.Errorf("%d shots judged, the last %v beside what was drawn", judged, worst)
	}
}

// Who had a node predicted, by asking for it or because a command of its own has made it, does so
// no more when it is another player's: its input is not known here.
func TestPredictedNodeOfAnother(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 40 * time.Millisecond})
	tendon.Predict(x.mine(), false)
	x.steps(30)
	mine := x.mine()
	tendon.Predict(mine, true)
	x.steps(30)
	if !tendon.Predicted(mine) {
		t.Fatal("it is not predicted")
	}
	tendon.Give(x.server.World().Entry(x.me), x.server.Me())
	x.steps(60)
	if tendon.Predicted(mine) {
		t.Error("it is another's, and predicted")
	}
	tendon.Predict(mine, true)
	x.steps(30)
	if !tendon.Predicted(mine) {
		t.Error("it was asked for, and is not predicted")
	}
}

// Within a step View is the component as it is, in rules and in what runs after them, on a client
// that predicts it as on the authority.
func TestViewWithinAStep(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond})
	x.input.Dir = gmath.Vec{X: 1}
	x.judge = func(c tendon.Call, _ runKeys) {
		if v, is := tendon.View(c.Entry, x.runner), x.runner.GetValue(c.Entry); v != is {
			t.Fatalf("in a rule, tick %d, replay %v: %+v is viewed as %+v", c.Tick, c.Replay, is, v)
		}
	}
	for range 120 {
		x.net.Advance(time.Second / 60)
		x.stepOf(x.server)
		x.client.Frame()
		x.client.Receive()
		x.move.Run(x.client)
		if mine := x.mine(); tendon.View(mine, x.runner) != x.runner.GetValue(mine) {
			t.Fatalf("after its rule %+v is viewed as %+v", x.runner.GetValue(mine), tendon.View(mine, x.runner))
		}
		x.client.Send()
	}
}
