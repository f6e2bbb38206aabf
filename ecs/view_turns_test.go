package ecs_test

// A change of motion is drawn in time though packets are lost: shots that are born without a
// velocity, what is launched from rest, what stops and what bounces off.

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type ShotData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
	age int
}

type ThrownData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos,predict=Vel/tick"`
	Vel gmath.Vec `rpl:"step=1/32"`
	age int
}

var (
	turns   = tendon.NewProtocol("turns")
	shot    = tendon.Replicate(turns, "shot", donburi.NewComponentType[ShotData]())
	thrown  = tendon.Replicate(turns, "thrown", donburi.NewComponentType[ThrownData]())
	turning = donburi.NewQuery(filter.And(filter.Or(filter.Contains(shot), filter.Contains(thrown)), tendon.Drawn))
)

func TestTurnsAreDrawnInTime(t *testing.T) {
	const speed, life = 10.0, 60
	for _, c := range []struct {
		name string
		way  func(age int) (x, v float64) // where a thing of an age is, and its velocity if it has one
		bare bool                         // it has none
	}{
		{"a shot without a velocity", func(age int) (x, v float64) { return speed * float64(age), 0 }, true},
		{"a launch from rest", func(age int) (x, v float64) {
			if age < 20 {
				return 0, 0
			}
			return speed * float64(age-20), speed
		}, false},
		{"a stop", func(age int) (x, v float64) {
			if age >= 30 {
				return speed * 30, 0
			}
			return speed * float64(age), speed
		}, false},
		{"a bounce", func(age int) (x, v float64) {
			if age >= 30 {
				return speed * float64(60-age), -speed
			}
			return speed * float64(age), speed
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := mem.NewNetwork(1, netsim.Conditions{Delay: 60 * time.Millisecond, Loss: 0.03})
			listener := n.Listener()
			server, err := tendon.New(donburi.NewWorld(), turns, tendon.Config{Dedicated: true})
			if err != nil {
				t.Fatal(err)
			}
			client, err := tendon.New(donburi.NewWorld(), turns, tendon.Config{})
			if err != nil {
				t.Fatal(err)
			}
			server.Host(listener)
			client.Join(n.Dialer(listener))
			type seen struct {
				x    float64
				from int // the frame in which it was seen first
			}
			last := map[rpl.Node]seen{}
			frames, wrong, things := 0, 0, 0
			for step := range 60 * 120 {
				server.Receive()
				w := server.World()
				var gone []*donburi.Entry
				move := func(age *int, e *donburi.Entry, pos, vel *gmath.Vec) {
					if *age++; *age > life {
						gone = append(gone, e)
					}
					x, v := c.way(*age)
					if pos.X = x; vel != nil {
						vel.X = v
					}
				}
				for e := range shot.Iter(w) {
					s := shot.Get(e)
					move(&s.age, e, &s.Pos, nil)
				}
				for e := range thrown.Iter(w) {
					s := thrown.Get(e)
					move(&s.age, e, &s.Pos, &s.Vel)
				}
				for _, e := range gone {
					e.Remove()
				}
				if step > 60 && step%7 == 0 {
					if c.bare {
						w.Create(components.RplNode, shot)
					} else {
						_, v := c.way(0)
						thrown.SetValue(w.Entry(w.Create(components.RplNode, thrown)), ThrownData{Vel: gmath.Vec{X: v}})
					}
				}
				server.Send()
				client.Receive()
				client.Frame()
				for e := range turning.Iter(client.World()) {
					x := 0.0
					if c.bare {
						x = tendon.View(e, shot).Pos.X
					} else {
						x = tendon.View(e, thrown).Pos.X
					}
					id := tendon.ID(e)
					old, ok := last[id]
					if !ok {
						last[id] = seen{x, step}
						things++
						continue
					}
					last[id] = seen{x, old.from}
					if step-old.from > life-5 {
						continue // it rests where it ends until it is gone
					}
					// The things that there are go their way by whole steps. One whose turn is not
					// told in time stands, goes on beyond, or leaps.
					frames++
					_, v := c.way(step - old.from)
					if d := x - old.x; d > 3*speed || d < -3*speed || !c.bare && v == 0 && x > 31*speed || d < 0.5 && d > -0.5 && x > speed && x < 29*speed {
						wrong++
					}
				}
				client.Send()
				n.Advance(time.Second / 60)
			}
			if things < 900 {
				t.Fatalf("only %d things were seen", things)
			}
			t.Logf("%d of %d frames of %d things stand or leap", wrong, frames, things)
			if wrong*1000 > frames {
				t.Errorf("%d of %d frames stand or leap, more than one in a thousand", wrong, frames)
			}
		})
	}
}

// turnLate has something run at a speed, and go back at another while the packets of some steps, from the
// turn on, are lost. It returns the farthest that it is drawn forward, and either way, in a frame.
func turnLate(t *testing.T, sends, lost int, fast, back float64) (forward, farthest float64) {
	ok := netsim.Conditions{Delay: 30 * time.Millisecond}
	l := newLab(t, ok)
	server, client := l.server(tendon.Config{Sends: sends}), l.player(tendon.Config{Sends: sends})
	l.joined()
	e := server.Create(Transform).Entity()
	since, last := -180, math.NaN()
	server.step = func() {
		speed := fast
		if since++; since > 0 {
			speed = -back
		}
		Transform.Get(server.World().Entry(e)).Pos.X += speed
	}
	for range 240 {
		down := ok
		if since >= 0 && since < lost {
			down.Loss = 1
		}
		client.way.SetConditions(ok, down)
		l.steps(1)
		if client.Frame(); since > -60 {
			x := tendon.View(client.find(tendon.ID(server.World().Entry(e))), Transform).Pos.X
			if !math.IsNaN(last) {
				forward, farthest = max(forward, x-last), max(farthest, math.Abs(x-last))
			}
			last = x
		}
	}
	return forward, farthest
}

// What turns while its packets are lost is drawn back from where it is when their news comes: never
// farther on first, and without a leap.
func TestLateNewsOfATurn(t *testing.T) {
	const fast = 6.0
	for _, sends := range []int{60, 30} {
		for _, back := range []float64{6, 10, 16, 24, 40} {
			said := ""
			for lost := range 12 {
				forward, farthest := turnLate(t, sends, lost, fast, back)
				if said += fmt.Sprintf(" %.0f/%.0f", forward, farthest); forward > 1.5*fast {
					t.Errorf("%d sends, %d lost, back at %v: drawn on by %.1f in a frame", sends, lost, back, forward)
				}
				if farthest > 4.5*back && back <= 4*fast { // what is more than four times as fast as before may leap
					t.Errorf("%d sends, %d lost, back at %v: drawn to go %.1f in a frame", sends, lost, back, farthest)
				}
			}
			t.Logf("%d sends, back at %v, on/either way by packets lost:%s", sends, back, said)
		}
	}
}

// What turns while its packets are lost, and then those too that would have said it again, and some that would not, has gone
// the wrong way for long when its news come: it is drawn back, and does not leap, for it has only turned.
func TestTurnWhoseNewsIsLostAgain(t *testing.T) {
	const speed = 1.5
	said, ok := "", netsim.Conditions{Delay: 150 * time.Millisecond}
	for again := 12; again <= 36; again += 2 { // steps after the turn at which packets are lost again
		l := newLab(t, ok)
		server, client := l.server(tendon.Config{}), l.player(tendon.Config{})
		l.joined()
		w, since := server.World(), -200
		e := server.Create(Transform).Entity()
		id := tendon.ID(w.Entry(e))
		server.step = func() {
			if pos := &Transform.Get(w.Entry(e)).Pos; since < 0 {
				pos.X += speed
			} else {
				pos.Y += speed
			}
			since++
		}
		var last gmath.Vec
		farthest := 0.0
		for range 340 {
			down := ok
			if since >= -1 && since < 9 || since >= again && since < again+12 || since >= again+22 && since < again+26 {
				down.Loss = 1
			}
			client.way.SetConditions(ok, down)
			l.steps(1)
			if client.Frame(); since > -60 {
				p := tendon.View(client.find(id), Transform).Pos
				if since > -59 {
					farthest = max(farthest, p.DistanceTo(last))
				}
				last = p
			}
		}
		if said += fmt.Sprintf(" %.1f", farthest); farthest > 6*speed {
			t.Errorf("lost again after %d steps: drawn to go %.1f in a frame", again, farthest)
		}
	}
	t.Logf("farthest in a frame:%s", said)
}
