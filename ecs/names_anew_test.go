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

type hatchData struct {
	Life uint16 `rpl:""`
}

// A load-time node ends, and another of its name begins in the same step or a little later. On clients the former
// one ends, too: its id leads nowhere, and OnStreamOut runs once for each OnStreamIn before.
func TestNameThatIsTakenAnewAtOnce(t *testing.T) {
	for _, c := range []netsim.Conditions{{}, {Delay: 50 * time.Millisecond}, {Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: .2}} {
		for _, pause := range []int{0, 1, 2, 20} {
			p := tendon.NewProtocol("hatches")
			hatch := tendon.Replicate(p, "hatch", donburi.NewComponentType[hatchData]())
			is := map[*tendontest.Machine]donburi.Entity{}
			begin := func(m *tendontest.Machine) {
				e := m.World().Entry(m.World().Create(hatch))
				tendon.Named(e, "hatch")
				is[m] = e.Entity()
			}
			here, twice := 0, 0
			lab := tendontest.NewLab(t, tendontest.Game{
				Protocol:  p,
				Configure: func(machine string, c *tendon.Config) { c.Dedicated = machine == "server" },
				Setup: func(m *tendontest.Machine) {
					m.OnWorld(func(donburi.World, string) { begin(m) })
					if m.Name == "server" {
						return
					}
					m.OnStreamIn(hatch, func(*donburi.Entry) {
						if here++; here != 1 {
							twice++
						}
					})
					m.OnStreamOut(hatch, func(_ *donburi.Entry, destroyed bool) {
						if here--; here != 0 || !destroyed {
							twice++
						}
					})
				},
				Step: func(m *tendontest.Machine) {
					if m.Name != "server" && !m.World().Valid(is[m]) {
						begin(m)
					}
				},
			}, c)
			server, client := lab.Host(), lab.Join()
			lab.Steps(60)
			var former []rpl.Node
			for life := range 20 {
				e := server.World().Entry(is[server])
				former = append(former, tendon.ID(e))
				e.Remove()
				lab.Steps(pause)
				begin(server)
				hatch.Get(server.World().Entry(is[server])).Life = uint16(life + 1)
				lab.Steps(40)
			}
			lab.Steps(120)
			for _, id := range former {
				if _, ok := client.Find(id); ok {
					t.Errorf("%v, %d ticks later: %v has ended, and the client finds it", c, pause, id)
					break
				}
			}
			if d := tendon.Differences(server.Replication, client.Replication); len(d) > 0 {
				t.Errorf("%v, %d ticks later: %v", c, pause, d)
			}
			if twice > 0 || here != 1 || hatch.Get(client.World().Entry(is[client])).Life != 20 {
				t.Errorf("%v, %d ticks later: %d callbacks out of turn, %d hatches are here, in its life %d", c, pause, twice, here, hatch.Get(client.World().Entry(is[client])).Life)
			}
		}
	}
}
