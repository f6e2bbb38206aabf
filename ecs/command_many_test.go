package ecs_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type antKeys struct {
	Go bool `rpl:""`
}

// A player drives as many nodes as a message has room for; of more the client says so, and the
// others obey.
func TestManyDriven(t *testing.T) {
	for _, n := range []int{40, 110, 190, 300} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var log bytes.Buffer
			p := tendon.NewProtocol("ants")
			ant := tendon.Replicate(p, "ant", donburi.NewComponentType[passerData]())
			move := tendon.NewCommand[antKeys](p, "move", ant)
			lab := tendontest.NewLab(t, tendontest.Game{
				Protocol: p,
				Configure: func(name string, c *tendon.Config) {
					if c.Dedicated = name == "server"; !c.Dedicated {
						c.Log = slog.New(slog.NewTextHandler(&log, nil))
					}
				},
				Setup: func(m *tendontest.Machine) {
					m.OnJoin(func(p rpl.Peer) {
						for i := range n {
							e := m.Create(ant)
							ant.Get(e).Pos = gmath.Vec{Y: float64(i)}
							tendon.Give(e, p)
						}
					})
					move.Sample(m.Replication, func(*donburi.Entry) antKeys { return antKeys{true} })
					move.Apply(m.Replication, func(c tendon.Call, k antKeys) {
						if k.Go {
							ant.Get(c.Entry).Pos.X++
						}
					})
				},
				Step: func(m *tendontest.Machine) { move.Run(m.Replication) },
			}, netsim.Conditions{Delay: 30 * time.Millisecond, Loss: 0.05})
			server := lab.Host()
			lab.Join()
			lab.Steps(300)
			moved := 0
			for e := range ant.Iter(server.World()) {
				if x := ant.Get(e).Pos.X; x > 200 && x < 310 {
					moved++
				}
			}
			if moved < min(n, 190) || moved > n {
				t.Errorf("%d nodes have obeyed", moved)
			}
			if said := strings.Contains(log.String(), "drive fewer nodes"); said != (moved < n) {
				t.Errorf("the client has said: %s", log.String())
			}
		})
	}
}
