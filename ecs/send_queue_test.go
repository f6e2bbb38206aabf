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
// soon as less is said. Of a deep queue little is used: what is sent follows what arrives, for
// minutes if need be.
func TestQueueDrains(t *testing.T) {
	for _, line := range some([]struct {
		name         string
		rate, queue  int
		slow         int // seconds of too much
		copies, lost uint64
	}{
		{"half of what is said", 2000, 256 << 10, 20, 100, 10},
		{"half of what is said for minutes", 2000, 1 << 20, 200, 100, 10},
		{"a quarter of what is said for minutes", 1000, 1 << 20, 200, 100, 10},
		{"the queue is full", 2000, 4 << 10, 20, 20_000, 1000},
	}) {
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
			late, latest := func() int { return int(server.Tick()) - int(client.Tick()) }, 0
			for range line.slow * 60 {
				l.steps(1)
				latest = max(latest, late())
			}
			if latest < 20 || latest > 600 || late() > 300 { // the line is too slow, and what is sent follows it
				t.Errorf("up to %d steps of delay, %d in the end", latest, late())
			}
			server.step = nil
			l.steps(720)
			if late() > 10 {
				t.Errorf("%d steps late after 12 s in which nothing changed", late())
			}
			for _, e := range nodes {
				check(t, "a place", Body.Get(client.find(tendon.ID(e))).Pos, Body.Get(e).Pos)
			}
			n := server.Core().Counters()
			t.Logf("up to %d steps late; %d records told again, %d packets lost", latest, n.Repeats, n.PacketsLost)
			if n.Repeats > line.copies || n.PacketsLost > line.lost {
				t.Errorf("%d records told again, and %d packets judged lost", n.Repeats, n.PacketsLost)
			}
		})
	}
}
