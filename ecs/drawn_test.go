package ecs_test

// What a client draws after a stall of its own.

import (
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A client that has stalled finds a ball between the walls between which it bounces, and
// not where it would be had it gone straight on.
func TestStallMovesNothing(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 40 * time.Millisecond})
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	ball, way := server.Create(Body).Entity(), 2.0
	id := tendon.ID(server.World().Entry(ball))
	const wall = 100.0
	server.step = func() {
		x := &Body.Get(server.World().Entry(ball)).Pos.X
		if *x += way; *x <= 0 || *x >= wall {
			way = -way
		}
	}
	l.until("it is there", func() bool { return client.has(id) })
	for _, stall := range []int{90, 187, 403} {
		l.steps(60)
		client.asleep = stall
		l.steps(stall)
		for i := range 60 {
			l.steps(1)
			client.Frame()
			drawn, is := tendon.View(client.find(id), Body).Pos.X, Body.Get(client.find(id)).Pos.X
			if min(drawn, is) < -4 || max(drawn, is) > wall+4 { // it may turn between two sends
				t.Fatalf("%d steps after a stall of %d: it is at %v, drawn at %v", i, stall, is, drawn)
			}
		}
	}
}
