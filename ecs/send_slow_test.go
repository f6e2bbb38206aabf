package ecs_test

// Clients whose acks come late: because they step rarely, or because of the network.

import (
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A client that acts rarely acks late, and on a network whose delay varies packets
// overtake each other. Neither is loss, for which changes would be told several times.
func TestLateIsNotLost(t *testing.T) {
	for _, c := range []struct {
		name   string
		every  int // steps of the server for one of the client
		way    netsim.Conditions
		loss   float64 // at most
		copies float64 // of 100 records, at most
	}{
		{"20 steps a second", 3, netsim.Conditions{Delay: time.Millisecond}, 0, 0},
		{"6 steps a second", 10, netsim.Conditions{Delay: time.Millisecond}, 0.01, 1},
		{"6 steps a second, far away", 10, netsim.Conditions{Delay: 50 * time.Millisecond}, 0.01, 1},
		{"2 steps a second", 30, netsim.Conditions{Delay: 50 * time.Millisecond}, 0.01, 3},
		{"delay of 30 to 70 ms", 1, netsim.Conditions{Delay: 30 * time.Millisecond, Jitter: 40 * time.Millisecond}, 0.01, 2},
		{"delay of 20 to 170 ms", 1, netsim.Conditions{Delay: 20 * time.Millisecond, Jitter: 150 * time.Millisecond}, 0.03, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, lan)
			server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
			l.joined()
			l.net.SetConditions(c.way)
			for range 40 {
				server.Create(Body, Paint)
			}
			step := 0
			server.step = func() {
				step++
				for e := range Body.Iter(server.World()) {
					Body.Get(e).Pos.X += float64(step%50) / 10
				}
				for e := range Paint.Iter(server.World()) {
					if (step+int(e.Entity().Id()))%50 == 0 {
						Paint.Get(e).Colour++
					}
				}
			}
			for range 1200 / c.every {
				client.asleep = c.every - 1
				l.steps(c.every)
			}
			core := server.Core()
			if loss := core.PeerStats(client.Me()).Loss; loss > c.loss {
				t.Errorf("it is judged to lose %.3f of all packets", loss)
			}
			if n := core.Counters(); float64(n.Repeats) > c.copies/100*float64(n.Records) {
				t.Errorf("%d of %d records were copies", n.Repeats, n.Records)
			}
		})
	}
}
