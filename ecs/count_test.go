package ecs_test

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type countData struct {
	Left  int     `rpl:"notify"`
	Left2 int32   `rpl:"notify"`
	Left3 uint32  `rpl:""`
	Frame int32   `rpl:"interp=step"`
	Level float64 `rpl:"step=1/32"`
}

// What counts evenly stops where the server's does, and begins anew where it does: clients have no
// number, and OnChange tells of none, that the server never had, on good lines and on bad ones, and
// where a node is sent now and then.
func TestCountsAreExact(t *testing.T) {
	p := tendon.NewProtocol("counts")
	count := tendon.Replicate(p, "count", donburi.NewComponentType[countData]())
	lines := []netsim.Conditions{{Delay: 30 * time.Millisecond}, tendontest.LateLine(), {Delay: 40 * time.Millisecond, Loss: 0.05}, {Delay: 40 * time.Millisecond, Loss: 0.05, Burst: 4}, {Delay: 40 * time.Millisecond, Loss: 0.2}}
	for _, c := range lines {
		for _, hz := range []uint8{0, 10, 1} {
			seeds := uint64(4)
			if hz == 0 {
				seeds = 40
			}
			for seed := range seeds {
				lab := tendontest.NewLab(t, tendontest.Game{Protocol: p, Seed: seed + 1, Step: func(*tendontest.Machine) {}}, c)
				server, client := lab.Host(), lab.Join()
				wrong := func(d countData) bool {
					return d.Left < 0 || d.Left > 90 || int(d.Left2) != d.Left || int(d.Left3) != d.Left || d.Frame < 0 || d.Frame > 7 || d.Level < 0 || d.Level > 90
				}
				var had []countData
				note := func(d countData) {
					if wrong(d) && len(had) < 3 {
						had = append(had, d)
					}
				}
				tendon.OnChange(client.Replication, count, func(e *donburi.Entry, _ countData) { note(*count.Get(e)) })
				e := server.Create(count)
				components.RplNode.Get(e).Hz = hz
				every := []int{1, 2, 3}[seed%3]
				for i := range 100*every + 60 {
					d := count.Get(e)
					if left := max(0, 90-i/every); i%every == 0 {
						*d = countData{left, int32(left), uint32(left), int32(i / every % 8), float64(left)}
					}
					lab.Steps(1)
					if o, ok := client.Find(tendon.ID(e)); ok {
						note(*count.Get(o))
					}
				}
				if len(had) > 0 {
					t.Errorf("%+v, Hz %d, seed %d, one in %d steps: the client had %v", c, hz, seed, every, had)
				}
				lab.Steps(240)
				if end := count.Get(lab.Other(client, e)); end.Left != 0 {
					t.Errorf("%+v, Hz %d: it ends at %+v", c, hz, *end)
				}
			}
		}
	}
}
