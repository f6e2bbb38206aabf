package ecs_test

// Mistakes with commands that panic where they are made.

import (
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A function that was forgotten is named where it should have been given, and not in a later step, and
// a second rule where it is given: the first goes on. Input may be exchanged.
func TestCommandsWithoutFunctionsPanic(t *testing.T) {
	x := newRace(t, netsim.Conditions{})
	for _, r := range []*tendon.Replication{x.server, x.client} {
		refused(t, "Sample of command move of no function", func() { x.move.Sample(r, nil) })
		refused(t, "Apply of command move of no function", func() { x.move.Apply(r, nil) })
	}
	for _, r := range []*tendon.Replication{x.server, x.client} { // as where each level gives its own
		refused(t, "Apply of command move is given twice", func() { x.move.Apply(r, func(tendon.Call, runKeys) {}) })
	}
	before := *x.runner.Get(x.mine())
	x.move.Sample(x.client, func(*donburi.Entry) runKeys { return runKeys{Dir: gmath.Vec{X: 1}} })
	if x.steps(1); *x.runner.Get(x.mine()) == before {
		t.Error("the rule that was given first does not run on the input that was given last")
	}
	judged := 0
	x.judge = func(c tendon.Call, _ runKeys) {
		judged++
		refused(t, "Rewind of no function", func() { c.Rewind(nil) })
		refused(t, "Once of no function", func() { c.Once(0, nil) })
	}
	x.steps(1)
	refused(t, "Rewind of no function", func() { tendon.Call{}.Rewind(nil) })
	refused(t, "Predicted of no entity", func() { tendon.Predicted(nil) })
	check(t, "the own runner is predicted", tendon.Predicted(x.mine()), true)
	check(t, "the server's is not", tendon.Predicted(x.server.World().Entry(x.me)), false)
	if judged == 0 {
		t.Error("no rule has run: that shows nothing")
	}
}

// A Call is of one tick. On a client nothing is predicted by one that was kept, outside of commands or
// in a later one: no correction would come to it. On the authority Predict is Spawn.
func TestPredictByACallThatWasKept(t *testing.T) {
	x := playCareless(t)
	var kept tendon.Call
	x.judge = func(c tendon.Call) {
		switch {
		case tendon.IsAuthority(c.Entry):
		case kept.Tick == 0:
			x.shots.Predict(c, 0, tendon.None{})
			kept = c
		case c.Tick > kept.Tick:
			refused(t, "outside of a command's Apply", func() { x.shots.Predict(kept, 1, tendon.None{}) })
		}
	}
	x.steps(1)
	before := x.client.World().Len()
	refused(t, "prefab shot is predicted on a client outside of a command's Apply", func() { x.shots.Predict(kept, 1, tendon.None{}) })
	x.steps(1)
	check(t, "entities made", x.client.World().Len(), before)
	var theirs tendon.Call
	x.judge = func(c tendon.Call) {
		if tendon.IsAuthority(c.Entry) {
			theirs = c
		}
	}
	x.steps(1)
	check(t, "the server spawns", tendon.ID(x.shots.Predict(theirs, 1, tendon.None{})) != 0, true)
}
