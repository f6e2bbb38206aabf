package ecs_test

import (
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Who stands, goes and stands again is where it was seen in each tick, also for longer than is kept.
func TestRewindOfWhoStandsAndGoes(t *testing.T) {
	for _, delay := range []time.Duration{0, 40, 120} {
		d := newDuel(t, *seedFlag, netsim.Conditions{Delay: delay * time.Millisecond})
		d.stops = true
		d.play(2400)
		if d.asked < 4000 || d.off > 0 {
			t.Errorf("%v, seed %d: of %d places %d are off by more than 1", delay*time.Millisecond, *seedFlag, d.asked, d.off)
		}
	}
}

// A client that names nothing in Config.Rewind, where its server does, finds others elsewhere than that:
// it is counted there, and logged.
func TestRewindOfNothingOnAClient(t *testing.T) {
	d := newDuel(t, 1, netsim.Conditions{}, func(c *tendon.Config) {
		if !c.Dedicated {
			c.Rewind = nil
		}
	})
	d.rule = func(_ *tendontest.Machine, c tendon.Call) { c.Rewind(func() {}) }
	d.lab.Steps(60)
	check(t, "counted on the client", *d.client.Counter("rewind of nothing") > 0, true)
	check(t, "and on the server", *d.server.Counter("rewind of nothing"), 0)
}
