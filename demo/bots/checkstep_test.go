package bots

import (
	"testing"

	"github.com/tendonengine/tendon/demo/island"
	"github.com/tendonengine/tendon/ecs/tendontest"
)

// The island's rules give the same when they run again, while bots walk, shoot and drive.
func TestRulesAreExact(t *testing.T) {
	games := map[*tendontest.Machine]*island.Game{}
	tendontest.CheckStep(t, tendontest.Game{
		Protocol: island.Protocol,
		Config:   island.Config(nil),
		Setup: func(m *tendontest.Machine) {
			g := island.Setup(m.Replication, 1)
			g.Sample = New(g, m.Rand.Int64()).Sample
			games[m] = g
		},
		Step: func(m *tendontest.Machine) { games[m].Step(m.Replication) },
	}, 300)
}
