package ecs_test

// Rules without input: lifts, which nobody owns and who stands on one predicts.

import (
	"fmt"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type liftData struct {
	Pos   gmath.Vec `rpl:"step=1/32,interp,pos"`
	Speed float64   `rpl:"step=1/64"`
}

// A lift moves by its own rule, from one end to the other. Who stands on it predicts both: the
// lift is under its feet in each step, on its own machine and on the server, and nobody is
// corrected, not even where it turns.
func TestPredictedLifts(t *testing.T) {
	for _, c := range []netsim.Conditions{fine, poor, {Delay: 100 * time.Millisecond, Loss: 0.2, Burst: 3}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			net := mem.NewNetwork(1, c)
			p := tendon.NewProtocol("lifts")
			lift := tendon.Replicate(p, "lift", donburi.NewComponentType[liftData]())
			rider := tendon.Replicate(p, "rider", donburi.NewComponentType[liftData]())
			move := tendon.NewCommand[tendon.None](p, "move", lift)
			walk := tendon.NewCommand[float64](p, "walk", rider)
			session := func(dedicated bool) *tendon.Replication {
				r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
				if err != nil {
					t.Fatal(err)
				}
				move.Apply(r, func(c tendon.Call, _ tendon.None) {
					l := lift.Get(c.Entry)
					if l.Pos.Y <= 0 {
						l.Speed = 1.25
					} else if l.Pos.Y >= 100 {
						l.Speed = -1.25
					}
					l.Pos.Y += l.Speed
				})
				walk.Apply(r, func(c tendon.Call, by float64) {
					d := rider.Get(c.Entry)
					d.Pos.X += by
					for e := range lift.Iter(r.World()) {
						d.Pos.Y = lift.Get(e).Pos.Y
					}
				})
				return r
			}
			server, client := session(true), session(false)
			walk.Sample(client, func(*donburi.Entry) float64 { return 0.5 })
			server.OnStart(func() { server.Create(lift) })
			server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(rider), q) })
			l := net.Listener()
			server.Host(l)
			client.Join(net.Dialer(l))
			told := map[string]int{}
			client.OnCorrection(func(c tendon.Correction) { told[c.Field]++ })
			steps := 0
			for i := range 1500 {
				net.Advance(time.Second / 60)
				for _, r := range []*tendon.Replication{server, client} {
					r.Receive()
					move.Run(r)
					walk.Run(r)
					r.Send()
				}
				e, ok := lift.First(client.World())
				mine, on := tendon.Mine(client, rider)
				if !ok || !on {
					continue
				}
				if steps++; steps == 1 {
					tendon.Predict(e, true)
				}
				if i < 300 {
					clear(told)
					continue
				}
				if !tendon.Predicted(e) {
					t.Fatal("the lift is not predicted")
				}
				if a, b := lift.Get(e).Pos.Y, rider.Get(mine).Pos.Y; a != b {
					t.Fatalf("step %d: the lift is at %v, and its rider at %v", i, a, b)
				}
			}
			if n := told["lift.Pos"] + told["lift.Speed"]; n > 0 {
				t.Errorf("the lift was corrected: %v", told)
			}
			t.Logf("%v of %d ticks", told, client.CommandStats().Ticks)
		})
	}
}
