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

type shieldHit struct {
	At donburi.Entity `rpl:"has=shield"`
}

// A call that waits until it is drawn comes before its node loses the component that it is on, as a shield
// that breaks by the hit; and never with a reference to what lacks the component that it is to have.
func TestCallsWhenDrawnOnWhatLosesAComponent(t *testing.T) {
	p := tendon.NewProtocol("shields")
	shield := tendon.Replicate(p, "shield", donburi.NewComponentType[passerData]())
	hit := tendon.NewRPC[shieldHit](p, "hit", rpl.Broadcast, rpl.Reliable).WhenDrawn().On(shield)
	ran := 0
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol:  p,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			hit.Handle(m.Replication, func(c tendon.Call, h shieldHit) {
				if m.Name == "server" {
					return
				}
				if ran++; !c.Entry.HasComponent(shield) || !m.World().Entry(h.At).HasComponent(shield) {
					t.Error("it came where there is no shield")
				}
			})
		},
		Step: func(*tendontest.Machine) {},
	}, netsim.Conditions{Delay: 40 * time.Millisecond})
	server, client := lab.Host(), lab.Join()
	lab.Steps(60)
	for _, breaks := range []string{"its own", "the other's"} {
		a, b := server.Create(shield), server.Create(shield)
		lab.Steps(30)
		if err := hit.Send(a, shieldHit{b.Entity()}); err != nil {
			t.Fatal(err)
		}
		lab.Steps(2)
		if breaks == "its own" {
			a.RemoveComponent(shield)
		} else {
			b.RemoveComponent(shield)
		}
		lab.Steps(40)
	}
	check(t, "ran", ran, 1)
	check(t, "refused", *client.Counter("rpc refused"), 1)
}
