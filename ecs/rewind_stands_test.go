package ecs_test

import (
	"testing"
	"time"

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
