package ecs_test

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// However few sends a game has, its clients learn how early commands must be: a tick and a half at most on a clean line.
func TestMarginOfFewSends(t *testing.T) {
	type counter struct {
		N uint16 `rpl:""`
	}
	for _, rate := range [][2]int{{1, 1}, {2, 2}, {5, 2}, {10, 10}} {
		p := tendon.NewProtocol("seldom")
		counters := tendon.Replicate(p, "counter", donburi.NewComponentType[counter]())
		press := tendon.NewCommand[bool](p, "press", counters)
		l := tendontest.NewLab(t, tendontest.Game{
			Protocol: p, Config: tendon.Config{Steps: rate[0], Sends: rate[1]},
			Configure: func(n string, c *tendon.Config) { c.Dedicated = n == "server" },
			Setup: func(m *tendontest.Machine) {
				m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(counters), q) })
				press.Sample(m.Replication, func(*donburi.Entry) bool { return false })
				press.Apply(m.Replication, func(c tendon.Call, _ bool) { counters.Get(c.Entry).N++ })
			},
			Step: func(m *tendontest.Machine) { press.Run(m.Replication) },
		}, netsim.Conditions{Delay: 50 * time.Millisecond})
		l.Host()
		m := l.Join()
		l.Steps(rate[0] * 120)
		if most, got := 3*time.Second/time.Duration(2*rate[0]), m.Stats(1).Margin; got > most {
			t.Errorf("%d steps and %d sends a second: commands come %v early, not %v at most", rate[0], rate[1], got, most)
		}
	}
}
