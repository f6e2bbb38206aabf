package ecs_test

// What is drawn where one thing goes and another comes in its place, as when a rock splits.

import (
	"fmt"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// swap removes a thing and makes another where it is, again and again at any place between two sends. It
// returns in how many frames neither is drawn, in how many both are, and how far what is drawn goes back.
func swap(t *testing.T, line netsim.Conditions, sends int, way float64) (none, both int, back float64) {
	l := newLab(t, line)
	server, client := l.server(tendon.Config{Sends: sends}), l.client(tendon.Config{})
	l.joined()
	var now donburi.Entity
	at, last, step := 0., 0., 0
	server.step = func() {
		if step++; step%37 == 1 {
			if server.World().Valid(now) {
				tendon.Remove(server.World().Entry(now), 1)
			}
			e := server.Create(Body)
			Body.Get(e).Pos.X = at
			now = e.Entity()
		}
		at += way
		Body.Get(server.World().Entry(now)).Pos.X = at
	}
	l.steps(60)
	for range 37 * 30 {
		l.steps(1)
		client.Frame()
		drawn := 0
		for e := range Body.Iter(client.World()) {
			if hidden(e) {
				continue
			}
			x := tendon.View(e, Body).Pos.X
			back, last = max(back, last-x), x
			drawn++
		}
		switch drawn {
		case 0:
			none++
		case 1:
		default:
			both++
		}
	}
	return none, both, back
}

// What comes in the step in which another goes appears in the frame in which that vanishes, whatever the rate
// of sends; where packets are lost there is a gap now and then.
func TestOneComesAsTheOtherGoes(t *testing.T) {
	for _, way := range []float64{0, 2} {
		for _, sends := range []int{60, 30, 20, 10, 5} {
			t.Run(fmt.Sprint(way, " a tick, ", sends, " sends"), func(t *testing.T) {
				none, both, back := swap(t, netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond}, sends, way)
				if none > 0 || both > 0 || back > 0 {
					t.Errorf("in %d frames neither is drawn, in %d both are; drawn %v back", none, both, back)
				}
			})
		}
		t.Run(fmt.Sprint(way, " a tick, loss"), func(t *testing.T) {
			none, both, back := swap(t, netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: .1}, 30, way)
			if none > 10 || both > 0 || back > 2 {
				t.Errorf("in %d frames neither is drawn, in %d both are; drawn %v back", none, both, back)
			}
		})
	}
}
