package ecs_test

import (
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Who joins asks again before the answer can be there, and gets two: on a line that loses nothing and
// doubles nothing no packet counts as ignored.
func TestNoPacketOfACleanLineIsIgnored(t *testing.T) {
	for _, delay := range []time.Duration{0, 20 * time.Millisecond, 50 * time.Millisecond, 150 * time.Millisecond} {
		lab := tendontest.NewLab(t, tendontest.Game{Protocol: tendon.NewProtocol("clean"), Step: func(*tendontest.Machine) {}}, netsim.Conditions{Delay: delay})
		lab.Host()
		for range 3 {
			lab.Join()
			lab.Steps(120)
		}
		for _, m := range lab.Machines {
			if n := *m.Counter("packet ignored"); n > 0 {
				t.Errorf("%v: %s has ignored %d packets", delay, m.Name, n)
			}
		}
	}
}
