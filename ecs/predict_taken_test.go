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

type takenData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
}

// A kart that the server takes over for a while and gives back goes on evenly on its driver's screen where
// the client predicts it all the time, as the guide says; else it goes back, and catches up on its return.
func TestTakenOverAndGivenBack(t *testing.T) {
	for _, keeps := range []bool{false, true} {
		p := tendon.NewProtocol("taken over")
		kart := tendon.Replicate(p, "kart", donburi.NewComponentType[takenData]())
		drive := tendon.NewCommand[tendon.None](p, "drive", kart)
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol:  p,
			Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
			Setup: func(m *tendontest.Machine) {
				m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(kart), q) })
				if keeps {
					m.OnOwner(kart, func(e *donburi.Entry, old rpl.Peer) {
						if old == m.Me() {
							tendon.Predict(e, true)
						}
					})
				}
				drive.Apply(m.Replication, func(c tendon.Call, _ tendon.None) { kart.Get(c.Entry).Pos.X += 4 })
			},
			Step: func(m *tendontest.Machine) {
				drive.Run(m.Replication)
				if m.IsAuthority() && m.Name == "server" && m.Tick()%120 == 0 {
					for e := range kart.Iter(m.World()) {
						tendon.Give(e, 2-tendon.Owner(e))
					}
				}
			},
		}, netsim.Conditions{Delay: 50 * time.Millisecond})
		lab.Host()
		client := lab.Join()
		lab.Play(time.Second, tendontest.FPS(60), nil)
		last, least, most := 0., 99., 0.
		lab.Play(10*time.Second, tendontest.FPS(60), func(m *tendontest.Machine) {
			for e := range kart.Iter(m.World()) {
				if x := tendon.View(e, kart).Pos.X; m == client {
					if last > 0 {
						least, most = min(least, x-last), max(most, x-last)
					}
					last = x
				}
			}
		})
		if even := least > 3.5 && most < 4.5; even != keeps {
			t.Errorf("kept predicted %v: it moves by %.1f to %.1f in a frame, at 4 a tick", keeps, least, most)
		}
	}
}
