package ecs_test

import (
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A server stands still for a second and makes up for it, so that drawn time is far behind for a while: all is drawn
// where it was at that time.
func TestDrawnWhereItWasAfterAStandstill(t *testing.T) {
	type body struct {
		Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
	}
	p := tendon.NewProtocol("stand")
	bodies := tendon.Replicate(p, "body", donburi.NewComponentType[body]())
	run := tendon.NewCommand[bool](p, "run", bodies)
	was := map[rpl.Tick]float64{}
	l := tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Config: tendon.Config{Steps: 60, Sends: 60},
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(bodies), q) })
			run.Sample(m.Replication, func(*donburi.Entry) bool { return false })
			run.Apply(m.Replication, func(c tendon.Call, _ bool) { bodies.Get(c.Entry).Pos.X += 2 })
		},
		Step: func(m *tendontest.Machine) {
			run.Run(m.Replication)
			for e := range bodies.Iter(m.World()) {
				if m.IsAuthority() && tendon.IsOwner(e) { // the host's
					was[m.Tick()] = bodies.Get(e).Pos.X
				}
			}
		},
	}, netsim.Conditions{Delay: 40 * time.Millisecond})
	server := l.Host()
	l.Join()
	l.Steps(120)
	updates, compared, behind := 0, 0, time.Duration(0)
	l.Play(12*time.Second, func(m *tendontest.Machine) time.Duration {
		if m.Name == server.Name {
			if updates++; updates == 300 {
				return time.Second
			}
		}
		return time.Second / 60
	}, func(m *tendontest.Machine) {
		for e := range bodies.Iter(m.World()) {
			if m.Name == server.Name || tendon.IsOwner(e) {
				continue
			}
			behind = max(behind, m.Stats(1).ViewDelay)
			at := math.Floor(m.ViewTick())
			from, ok := was[rpl.Tick(at)]
			to, known := was[rpl.Tick(at)+1]
			if !ok || !known {
				continue
			}
			compared++
			if d := tendon.View(e, bodies).Pos.X - from - (to-from)*(m.ViewTick()-at); d > 2 {
				t.Fatalf("frame %d: it is drawn %.0f units ahead of where it was", compared, d)
			}
		}
	})
	if compared == 0 || behind < 400*time.Millisecond {
		t.Errorf("nothing is shown: %d frames, drawn time was %v behind", compared, behind)
	}
}
