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

type masonData struct {
	Walls int32 `rpl:""`
}

// At few steps and sends a second a lost packet is made up for later. What the server accepts stays on the
// screen of who has placed it all the same.
func TestPredictedSpawnsAtLowRates(t *testing.T) {
	placed, gone := 0, 0
	for seed := uint64(1); seed <= 3; seed++ {
		p := tendon.NewProtocol("masons")
		mason := tendon.Replicate(p, "mason", donburi.NewComponentType[masonData]())
		wall := donburi.NewTag("wall")
		walls := tendon.NewPrefab(p, "wall", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(wall)) })
		place := tendon.NewCommand[bool](p, "place", mason)
		pressed := false
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p, Seed: seed,
			Config:    tendon.Config{Steps: 20, Sends: 10},
			Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
			Setup: func(m *tendontest.Machine) {
				place.Apply(m.Replication, func(c tendon.Call, yes bool) {
					if yes {
						mason.Get(c.Entry).Walls++
						walls.Predict(c, 0, tendon.None{})
					}
				})
				place.Sample(m.Replication, func(*donburi.Entry) bool { defer func() { pressed = false }(); return pressed })
				if m.Name == "server" {
					m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(mason), q) })
				}
			},
			Step: func(m *tendontest.Machine) { place.Run(m.Replication) },
		}, netsim.Conditions{Delay: 75 * time.Millisecond, Loss: .05})
		lab.Host()
		client := lab.Join()
		lab.Steps(100)
		for i := range 40 {
			pressed = true
			most := i
			for range 20 {
				lab.Steps(1)
				there := 0
				for range wall.Iter(client.World()) {
					there++
				}
				if there < most {
					gone++
				}
				most = max(most, there)
			}
			placed++
		}
	}
	if gone > 0 {
		t.Errorf("of %d walls that are placed, some are gone for %d steps in all", placed, gone)
	}
}
