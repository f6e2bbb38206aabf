package ecs_test

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What a client predicts and that rests is told no more than anything that rests.
func TestPredictedAtRestIsSilent(t *testing.T) {
	for _, predicts := range []bool{false, true} {
		for _, c := range []netsim.Conditions{{Delay: 40 * time.Millisecond}, {Delay: 60 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.03}} {
			p := tendon.NewProtocol("idle")
			type idle struct {
				Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
				HP  uint8     `rpl:""`
				Vel gmath.Vec `rpl:"step=1/256,to=owner"`
			}
			body := tendon.Replicate(p, "body", donburi.NewComponentType[idle]())
			walk := tendon.NewCommand[sameKeys](p, "walk", body)
			if !predicts {
				walk.Unpredicted()
			}
			net := mem.NewNetwork(1, c)
			keys := sameKeys{}
			open := func(dedicated bool) *tendon.Replication {
				s, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
				if err != nil {
					t.Fatal(err)
				}
				s.OnJoin(func(q rpl.Peer) { tendon.Give(s.Create(body), q) })
				walk.Apply(s, func(c tendon.Call, k sameKeys) {
					b := body.Get(c.Entry)
					b.Vel = b.Vel.Mulf(0.5).Add(k.Dir)
					if k.Dir.IsZero() && b.Vel.Len() < 0.1 {
						b.Vel = gmath.Vec{}
					}
					b.Pos = b.Pos.Add(b.Vel)
				})
				walk.Sample(s, func(*donburi.Entry) sameKeys { return keys })
				return s
			}
			server, client := open(true), open(false)
			listener := net.Listener()
			server.Host(listener)
			client.Join(net.Dialer(listener))
			steps := func(n int) {
				for range n {
					net.Advance(time.Second / 60)
					for _, s := range []*tendon.Replication{server, client} {
						s.Receive()
						walk.Run(s)
						s.Send()
					}
				}
			}
			steps(60)
			keys.Dir.X = 1
			steps(60)
			keys.Dir.X = 0
			steps(120)
			records := client.ProxyCounters().Records
			steps(600)
			if more := client.ProxyCounters().Records - records; more > 0 {
				t.Errorf("predicts %v, loss %v: %d updates of what rests", predicts, c.Loss, more)
			}
			client.Close("")
			server.Close("")
		}
	}
}
