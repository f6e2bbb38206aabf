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

type rifleData struct {
	Ready rpl.Tick `rpl:"to=owner"`
	Shots uint32   `rpl:"to=owner"`
}

// A cooldown that a frame reads from predicted state by PredictedTick goes evenly from its whole
// length to nothing, on a client as on a host and alone; what is not predicted goes by Tick.
func TestPredictedTickInAFrame(t *testing.T) {
	const cooldown = 20
	for _, delay := range []time.Duration{0, 60, 120} {
		p := tendon.NewProtocol("guns")
		gun := tendon.Replicate(p, "gun", donburi.NewComponentType[rifleData]())
		pull := tendon.NewCommand[runKeys](p, "pull", gun)
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p,
			Setup: func(m *tendontest.Machine) {
				m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(gun), q) })
				pull.Sample(m.Replication, func(*donburi.Entry) runKeys { return runKeys{Dir: gmath.Vec{X: 1}} })
				pull.Apply(m.Replication, func(c tendon.Call, k runKeys) {
					if m.PredictedTick() != c.Tick {
						t.Errorf("in a rule of tick %d it is %d", c.Tick, m.PredictedTick())
					}
					if g := gun.Get(c.Entry); k.Dir.X > 0 && c.Tick >= g.Ready {
						g.Ready, g.Shots = c.Tick+cooldown, g.Shots+1
					}
				})
			},
			Step: func(m *tendontest.Machine) { pull.Run(m.Replication) },
		}, netsim.Conditions{Delay: delay * time.Millisecond})
		host := lab.Host()
		client := lab.Join()
		machines := []*tendontest.Machine{host, client, lab.Alone("alone")}
		lab.Steps(300)
		last := map[*tendontest.Machine]rifleData{}
		for i := range 300 {
			lab.Steps(1)
			for _, m := range machines {
				m.Frame()
				e, ok := tendon.Mine(m.Replication, gun)
				if !ok {
					t.Fatalf("%s has no gun", m.Name)
				}
				g, now := *gun.Get(e), m.PredictedTick()
				left := int(g.Ready) - int(now)
				if left <= 0 || left > cooldown {
					t.Errorf("%v ms, step %d, %s: %d ticks of %d are left", int(delay), i, m.Name, left, cooldown)
				}
				if was := last[m]; was.Ready > 0 && was.Shots+1 == g.Shots && left != cooldown {
					t.Errorf("%v ms, step %d, %s: in the frame of the shot %d ticks of %d are left", int(delay), i, m.Name, left, cooldown)
				}
				if last[m] = g; m.IsAuthority() && now != m.Tick() {
					t.Errorf("%s: it is %d, the step is %d", m.Name, now, m.Tick())
				}
			}
		}
		if ahead := client.PredictedTick() - client.Tick(); ahead < 1 || float64(ahead) > 2*float64(delay)*60/1000+8 {
			t.Errorf("%v ms: a client is %d ticks ahead", int(delay), ahead)
		}
		e, _ := tendon.Mine(client.Replication, gun)
		tendon.Predict(e, false)
		lab.Steps(2)
		if tendon.Predicted(e) || client.PredictedTick() != client.Tick() {
			t.Errorf("%v ms: with nothing predicted it is %d, the newest is %d", int(delay), client.PredictedTick(), client.Tick())
		}
	}
}
