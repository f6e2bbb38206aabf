package ecs_test

// What is told of now and then either stands meanwhile, or is sent at a pace of its own.

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
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

// A halving is an Interest that has all be sent in a share of the sends.
type halving struct {
	rpl.Grid
	share float64
}

func (h halving) Rate(rpl.Peer, float64) float64 { return h.share }

// Whatever its rate is, what circles at an even pace or an uneven one is drawn about as evenly as it goes: it neither
// stands nor leaps between its updates, though what is predicted of it between them is wrong.
func TestSlowNodesCircleEvenly(t *testing.T) {
	for _, c := range []struct {
		sends, hz int
		share     float64 // by distance; 0: there are no rates by distance
		loss      float64
	}{
		{sends: 30, hz: 6},
		{sends: 30, hz: 10},
		{sends: 30, hz: 15},
		{sends: 30, hz: 20},
		{sends: 20, hz: 10},
		{sends: 60, hz: 12},
		{sends: 60, hz: 30},
		{sends: 30, share: 1. / 2},
		{sends: 30, share: 1. / 4},
		{sends: 30, hz: 20, loss: 0.05},
		{sends: 60, hz: 15, loss: 0.02},
	} {
		for _, uneven := range []float64{0, 0.4} {
			t.Run(fmt.Sprintf("%d sends, Hz %d, share %.2f, loss %.2f, uneven by %.1f", c.sends, c.hz, c.share, c.loss, uneven), func(t *testing.T) {
				circlesEvenly(t, c.sends, c.hz, c.share, c.loss, uneven)
			})
		}
	}
}

func circlesEvenly(t *testing.T, sends, hz int, share, loss, uneven float64) {
	const radius, turn = 300, 0.025 // a step: 7.5 units
	p := tendon.NewProtocol("carousel")
	body := tendon.Replicate(p, "body", donburi.NewComponentType[BodyData]())
	horses := tendon.NewPrefab(p, "horse", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(body)) }, components.NodeData{Hz: uint8(hz)})
	var horse *donburi.Entry
	angle := 0.0
	l := tendontest.NewLab(t, tendontest.Game{Protocol: p, Configure: func(_ string, c *tendon.Config) {
		if c.Sends = sends; share > 0 {
			c.Interest = halving{rpl.Grid{Enter: 10_000, Exit: 11_000}, share}
		}
	}, Setup: func(m *tendontest.Machine) {
		m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(body, components.Observer), q) })
	}, Step: func(m *tendontest.Machine) {
		if horse != nil && m.World() == horse.World {
			angle += turn * (1 + uneven*(m.Rand.Float64()-0.5))
			body.Get(horse).Pos = gmath.Vec{X: radius * math.Cos(angle), Y: radius * math.Sin(angle)}
		}
	}}, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 3 * time.Millisecond, Loss: loss})
	server := l.Host()
	l.Join()
	horse = horses.Spawn(server.World(), tendon.None{})
	id := tendon.ID(horse)
	l.Play(3*time.Second, tendontest.FPS(60), nil)
	var last gmath.Vec
	frames, stood, leapt, off := 0, 0, 0, 0.0
	l.Play(10*time.Second, tendontest.FPS(60), func(m *tendontest.Machine) {
		e, ok := m.Find(id)
		if m.Name == server.Name || !ok {
			return
		}
		at := tendon.View(e, body).Pos
		if frames++; frames > 1 {
			way := at.DistanceTo(last)
			if off += math.Abs(way - radius*turn); way < 2 {
				stood++
			} else if way > 2.5*radius*turn {
				leapt++
			}
		}
		last = at
	})
	most := 0 // what is lost may be a turn
	if loss > 0 {
		most = frames / 100
	}
	if off /= float64(frames); frames < 500 || stood > most || leapt > most || off > 1.5 {
		t.Errorf("it stood in %d of %d frames, leapt in %d, and was drawn moving by %.1f units more or less than it does on average", stood, frames, leapt, off)
	}
}
