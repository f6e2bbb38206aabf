package ecs_test

// Mistakes with commands that panic where they are made.

import (
	"testing"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A function that was forgotten is named where it should have been given, and not in a later step.
func TestCommandsWithoutFunctionsPanic(t *testing.T) {
	x := newRace(t, netsim.Conditions{})
	for _, r := range []*tendon.Replication{x.server, x.client} {
		refused(t, "Sample of command move of no function", func() { x.move.Sample(r, nil) })
		refused(t, "Apply of command move of no function", func() { x.move.Apply(r, nil) })
	}
	judged := 0
	x.judge = func(c tendon.Call, _ runKeys) {
		judged++
		refused(t, "Rewind of no function", func() { c.Rewind(nil) })
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
