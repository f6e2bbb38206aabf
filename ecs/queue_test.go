package ecs_test

// Lines that carry less than is sent, behind a deep queue.

import (
	"math/rand/v2"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A line that is too slow for a while delays everything by what waits in its queue. That is
// no loss, however long it takes: what waits is not sent again, and so the queue drains as
// soon as less is said.
func TestQueueDrains(t *testing.T) {
	for _, line := range []struct {
		name         string
		rate, queue  int
		until        int // seconds after which it has drained
		copies, lost uint64
	}{
		{"half of what is said", 2000, 256 << 10, 45, 100, 10},
		{"the queue is full", 2000, 32 << 10, 45, 1000, 200},
	} {
		t.Run(line.name, func(t *testing.T) {
			l := newLab(t, lan)
			r := rand.New(rand.NewPCG(l.seed, 1))
			server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
			l.joined()
			var nodes []*donburi.Entry
			for range 150 {
				nodes = append(nodes, Crate.Spawn(server.World(), CrateArgs{}))
			}
			server.step = func() {
				for _, e := range nodes {
					if r.IntN(20) == 0 {
						Body.Get(e).Pos = gmath.Vec{X: float64(r.IntN(500)), Y: float64(r.IntN(500))}
					}
				}
			}
			l.steps(300)
			l.net.SetConditions(netsim.Conditions{Delay: lan.Delay, Rate: line.rate, Queue: line.queue})
			l.steps(1200)
			late := func() int { return int(server.Tick()) - int(client.Tick()) }
			if late() < 300 {
				t.Fatalf("only %d steps of delay: the line is quick enough", late())
			}
			server.step = nil
			for range line.until {
				l.steps(60)
			}
			if late() > 10 {
				t.Errorf("%d steps late after %d s in which nothing changed", late(), line.until)
			}
			for _, e := range nodes {
				check(t, "a place", Body.Get(client.find(tendon.ID(e))).Pos, Body.Get(e).Pos)
			}
			if n := server.Core().Counters(); n.Repeats > line.copies || n.PacketsLost > line.lost {
				t.Errorf("%d records told again, and %d packets judged lost", n.Repeats, n.PacketsLost)
			}
		})
	}
}
