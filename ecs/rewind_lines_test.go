package ecs_test

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// An honest shot hits what it was aimed at, also where few sends a second, losses and late packets
// make the shooter's screen older than usual.
func TestRewindOnUsualLines(t *testing.T) {
	type duckData struct {
		Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
	}
	type hunterData struct {
		Shots uint16 `rpl:""`
	}
	type aim struct {
		Fire bool      `rpl:"edge"`
		At   gmath.Vec `rpl:"step=1/32"`
	}
	const size, speed = 12, 300
	for _, x := range []struct {
		steps, sends int
		line         netsim.Conditions
	}{
		{60, 30, tendontest.LateLine()},
		{60, 10, netsim.Conditions{Delay: 15 * time.Millisecond, Loss: 0.1}},
		{60, 10, tendontest.LateLine()},
		{30, 10, netsim.Conditions{Delay: 15 * time.Millisecond, Loss: 0.03}},
		{20, 10, tendontest.LateLine()},
		{20, 5, netsim.Conditions{}},
	} {
		p := tendon.NewProtocol("hunt")
		duck := tendon.Replicate(p, "duck", donburi.NewComponentType[duckData]())
		hunter := tendon.Replicate(p, "hunter", donburi.NewComponentType[hunterData]())
		hunt := tendon.NewCommand[aim](p, "hunt", hunter)
		shots, missed := 0, 0
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p, Config: tendon.Config{Steps: x.steps, Sends: x.sends, Dedicated: true, Rewind: []donburi.IComponentType{duck}},
			Setup: func(m *tendontest.Machine) {
				m.OnStart(func() { m.Create(duck) })
				m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(hunter), q) })
				hunt.Sample(m.Replication, func(*donburi.Entry) (a aim) {
					if e, ok := duck.First(m.World()); ok && m.Rand.IntN(x.steps/2) == 0 {
						a = aim{true, tendon.View(e, duck).Pos}
					}
					return a
				})
				hunt.Apply(m.Replication, func(c tendon.Call, a aim) {
					if !a.Fire || !m.IsAuthority() {
						return
					}
					c.Rewind(func() {
						if shots++; duck.Get(duck.MustFirst(m.World())).Pos.DistanceTo(a.At) > size {
							missed++
						}
					})
				})
			},
			Step: func(m *tendontest.Machine) {
				if hunt.Run(m.Replication); m.IsAuthority() {
					duck.Get(duck.MustFirst(m.World())).Pos.X += speed / float64(x.steps)
				}
			},
		}, x.line)
		lab.Host()
		client := lab.Join()
		for i := range 45 * x.steps {
			if i == 5*x.steps {
				shots, missed = 0, 0
			}
			lab.Steps(1)
			client.Frame()
		}
		if shots < 50 || missed > shots/20 {
			t.Errorf("%d steps, %d sends a second, %+v: %d of %d shots miss", x.steps, x.sends, x.line, missed, shots)
		}
	}
}
