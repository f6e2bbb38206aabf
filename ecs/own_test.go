package ecs_test

// What a machine decides itself is drawn between its steps.

import (
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// On a host a thing that moves evenly moves by about as much in each frame of a quick display,
// also if it is no node; a teleport and a new parent are no motion, a rule sees what is, and at
// the steps' own rate each frame shows the newest.
func TestOwnIsDrawnBetweenSteps(t *testing.T) {
	for _, fps := range []float64{60, 144, 240} {
		net := mem.NewNetwork(1, netsim.Conditions{})
		p := tendon.NewProtocol("own")
		body := tendon.Replicate(p, "body", donburi.NewComponentType[passerData]())
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
		if err != nil {
			t.Fatal(err)
		}
		r.Host(net.Listener())
		var node, local, jumper *donburi.Entry
		r.OnStart(func() {
			node, jumper = r.Create(body), r.Create(body)
			local = r.World().Entry(r.World().Create(body))
		})
		const speed = 3.0
		step := func(i int) {
			r.Receive()
			for _, e := range []*donburi.Entry{node, local} {
				body.Get(e).Pos.X += speed
				if x := tendon.View(e, body).Pos.X; x != body.Get(e).Pos.X {
					t.Fatalf("%v fps: a rule sees %v where it is %v", fps, x, body.Get(e).Pos.X)
				}
			}
			if i%20 == 0 {
				body.Get(jumper).Pos = gmath.Vec{X: float64(i)}
				tendon.Teleport(jumper)
			}
			r.Send()
		}
		last := [2]float64{math.NaN(), math.NaN()}
		shows := 0
		frame, due := time.Duration(float64(time.Second)/fps), time.Duration(0)
		for i, n := 0, 0; i < 400; i++ {
			net.Advance(frame)
			for ; due <= net.Now(); due += time.Second / 60 {
				step(n)
				n++
			}
			r.Frame()
			for j, e := range []*donburi.Entry{node, local} {
				at := tendon.View(e, body).Pos.X
				d, want := at-last[j], speed*60/fps
				if last[j] = at; i > 100 && math.Abs(d-want) > 0.2*want {
					t.Errorf("%v fps, frame %d, thing %d: it is drawn %v further, not %v", fps, i, j, d, want)
				}
				if newest := body.Get(e).Pos.X; at == newest {
					shows++
				} else if at > newest || at < newest-speed {
					t.Errorf("%v fps, frame %d: drawn at %v, while it is at %v", fps, i, at, newest)
				}
			}
			if x := tendon.View(jumper, body).Pos.X; x != body.Get(jumper).Pos.X {
				t.Errorf("%v fps, frame %d: a teleport is drawn on its way", fps, i)
			}
		}
		if fps == 60 && shows < 700 {
			t.Errorf("at the rate of the steps only %d of 800 are drawn where they are", shows)
		}
		if n := testing.AllocsPerRun(100, func() { tendon.View(node, body) }); n > 0 && !raceEnabled {
			t.Errorf("View allocates %v", n)
		}
	}
}

// Within a step View is the component as it is, in rules and in what runs after them, on a client
// that predicts it as on the authority.
func TestViewWithinAStep(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 60 * time.Millisecond})
	x.input.Dir = gmath.Vec{X: 1}
	x.judge = func(c tendon.Call, _ runKeys) {
		if v, is := tendon.View(c.Entry, x.runner), x.runner.GetValue(c.Entry); v != is {
			t.Fatalf("in a rule, tick %d, replay %v: %+v is viewed as %+v", c.Tick, c.Replay, is, v)
		}
	}
	for range 120 {
		x.net.Advance(time.Second / 60)
		x.stepOf(x.server)
		x.client.Frame()
		x.client.Receive()
		x.move.Run(x.client)
		if mine := x.mine(); tendon.View(mine, x.runner) != x.runner.GetValue(mine) {
			t.Fatalf("after its rule %+v is viewed as %+v", x.runner.GetValue(mine), tendon.View(mine, x.runner))
		}
		x.client.Send()
	}
}

// The first step out of rest shows in the next frame of a quick display at the latest, also where the lead
// of commands has just grown, by a step of two ticks: what stands is drawn as it is, whatever went before.
func TestFirstStepShowsAtOnce(t *testing.T) {
	x := newRace(t, netsim.Conditions{})
	const rests, runs = 20, 5
	frame, step := time.Second/144, time.Second/60
	pressed, from, presses := time.Duration(0), 0., 0
	for due, i := x.net.Now(), 0; presses < 100; {
		x.net.Advance(frame)
		for ; due <= x.net.Now(); due += step {
			if i%120 == 0 { // the line is worse for a second, and better again
				delay := time.Duration(20+50*(i/120%2)) * time.Millisecond
				x.dialer.SetConditions(netsim.Conditions{Delay: delay}, netsim.Conditions{Delay: delay})
			}
			x.input.Dir = gmath.Vec{}
			if i%(rests+runs) >= rests {
				x.input.Dir.X = 1
			}
			if i%(rests+runs) == rests {
				pressed, from = x.net.Now(), tendon.View(x.mine(), x.runner).Pos.X
				presses++
			}
			x.step()
			i++
		}
		x.client.Frame()
		switch at := tendon.View(x.mine(), x.runner).Pos.X; {
		case pressed == 0 || at > from:
			pressed = 0
		case x.net.Now() > pressed:
			t.Errorf("press %d is not seen %v later", presses, x.net.Now()-pressed)
		}
	}
}
