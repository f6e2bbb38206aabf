package ecs_test

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// After an outage of the line the first states come in pieces, some of which are lost, too. What is predicted
// is compared with a whole one, and not with the first piece because the last whole one is long ago. Until then it
// stays about where it was, and does not run on by the commands that were never given.
func TestFirstStateAfterAnOutageIsWaitedFor(t *testing.T) {
	for seed := range someRuns(uint64(10)) {
		p := tendon.NewProtocol("swarm")
		place := tendon.Replicate(p, "place", components.Transform)
		walk := tendon.NewCommand[float64](p, "walk", place)
		line := netsim.Conditions{Delay: 50 * time.Millisecond, Loss: 0.15}
		net := mem.NewNetwork(seed+1, line)
		session := func(dedicated bool) *tendon.Replication {
			r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
			if err != nil {
				t.Fatal(err)
			}
			walk.Sample(r, func(e *donburi.Entry) float64 { return 1 })
			walk.Apply(r, func(c tendon.Call, by float64) {
				at := &place.Get(c.Entry).Pos
				*at = at.Add(gmath.Vec{X: by, Y: float64(uint32(c.Tick)*uint32(c.Entry.Entity().Id())%13) / 8})
			})
			return r
		}
		server, client := session(true), session(false)
		server.OnJoin(func(q rpl.Peer) {
			for i := range 200 {
				e := server.Create(place)
				place.Get(e).Pos = gmath.Vec{X: float64(i), Y: float64(i)}
				tendon.Give(e, q)
			}
		})
		listener := net.Listener()
		server.Host(listener)
		way := net.Dialer(listener)
		client.Join(way)
		before, corrections, from := uint64(0), 0, 0.0
		here := func() float64 {
			e, _ := tendon.Mine(client, place)
			return place.Get(e).Pos.X
		}
		for step := range 450 {
			switch step {
			case 240:
				way.SetConditions(netsim.Conditions{Loss: 1}, netsim.Conditions{Loss: 1})
			case 400:
				way.SetConditions(line, line)
				before, corrections, from = *client.Counter("state incomplete"), client.CommandStats().Corrections, here()
			}
			net.Advance(time.Second / 60)
			for _, r := range []*tendon.Replication{server, client} {
				r.Receive()
				walk.Run(r)
				r.Send()
			}
			if step >= 400 && step < 420 && client.CommandStats().Corrections == corrections && here()-from > 40 {
				t.Fatalf("seed %d, step %d: what is predicted has run on by %.0f units", seed+1, step, here()-from)
			}
		}
		if n := *client.Counter("state incomplete") - before; n > 0 {
			t.Errorf("seed %d: %d incomplete states were judged", seed+1, n)
		}
	}
}
