package ecs_test

// Commands while levels follow each other.

import (
	"fmt"
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A client gives commands while its server loads one level after the other. On a line that loses
// packets, where a press leaves in two of them, none is refused for want of the session's node,
// which comes a moment after the new level has begun.
func TestCommandsAcrossLevels(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 20 * time.Millisecond, Loss: 0.05})
	for i := range 12 {
		for range 101 + i {
			x.input.Dir.X = 1 - x.input.Dir.X
			x.steps(1)
		}
		x.server.Load(fmt.Sprint("level ", i))
	}
	x.input.Dir.X = 1
	x.steps(120)
	check(t, "commands not sent", *x.client.Counter("commands not sent"), 0)
	if e, ok := tendon.Mine(x.client, x.runner); !ok || x.runner.Get(e).Pos.X == 0 {
		t.Error("in the last level nothing moves")
	}
}
