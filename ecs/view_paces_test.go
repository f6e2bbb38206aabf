package ecs_test

// What is told of now and then either stands meanwhile, or is sent at a pace of its own.

import (
	"math"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What takes one step at a time at even intervals, as pieces of a game in turns do, has no pace at which it goes on: at
// rest it is drawn where it is.
func TestEvenStepsEndWhereTheyEnd(t *testing.T) {
	for _, each := range []int{8, 20, 60, 90} {
		l := newLab(t, lan)
		server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
		e := server.Create(Body)
		l.joined()
		l.steps(60)
		for turn := range 8 {
			Body.Get(e).Pos.X += 16
			for step := range each {
				l.steps(1)
				client.Frame()
				mine := client.find(tendon.ID(e))
				if d := tendon.View(mine, Body).Pos.X - Body.Get(e).Pos.X; d > 0.05 || step > 16 && d < -0.05 {
					t.Fatalf("each %d steps, turn %d: %d steps after it has moved it is drawn %.1f units beside its place", each, turn, step, d)
				}
			}
		}
	}
}

// What its prefab has sent less often (NodeData.Hz) is drawn moving on until its next state, which is not late: that
// nothing was told of it does not mean that it stands.
func TestSlowNodeMovesOnUntilItsNextState(t *testing.T) {
	p := tendon.NewProtocol("herd")
	body := tendon.Replicate(p, "body", donburi.NewComponentType[BodyData]())
	cows := tendon.NewPrefab(p, "cow", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(body)) }, components.NodeData{Hz: 10})
	stood, frames := 0, 0
	var cow *donburi.Entry
	l := tendontest.NewLab(t, tendontest.Game{Protocol: p, Step: func(m *tendontest.Machine) {
		if cow != nil && m.World() == cow.World {
			body.Get(cow).Pos.X += 3 + 2*math.Sin(float64(m.Tick())/3)
		}
	}}, netsim.Conditions{Delay: 75 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.1})
	server := l.Host()
	l.Join()
	cow = cows.Spawn(server.World(), tendon.None{})
	last := 0.0
	l.Play(time.Minute, tendontest.FPS(60), func(m *tendontest.Machine) {
		for e := range body.Iter(m.World()) {
			if m.Name != server.Name {
				x := tendon.View(e, body).Pos.X
				if frames++; frames > 120 && math.Abs(x-last) < 0.2 {
					stood++
				}
				last = x
			}
		}
	})
	if stood*12 > frames { // of a node that may stand it is one in eight
		t.Errorf("it was drawn standing in %d of %d frames", stood, frames)
	}
}
