package ecs_test

// Questions about space inside Rewind and in replays.

import (
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Inside Rewind questions are answered as of what the caller saw; after it, as of now.
func TestSpaceInsideRewind(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 80 * time.Millisecond})
	target := x.server.Create(x.runner)
	const far = 1e6 // from everybody else
	at := 0.0
	x.nudge = func() {
		at++
		x.runner.Get(x.server.World().Entry(target.Entity())).Pos = gmath.Vec{X: at * 8, Y: far}
	}
	sp := x.server.Space(filter.Contains(x.runner))
	asked := 0
	x.judge = func(c tendon.Call, _ runKeys) {
		if !tendon.IsAuthority(c.Entry) || c.Entry.Entity() != x.me || asked > 200 {
			return
		}
		asked++
		place := func() (rewound, found float64) {
			e := x.server.World().Entry(target.Entity())
			for _, found = range sp.Nearest(gmath.Vec{Y: far}, 1) {
			}
			return x.runner.Get(e).Pos.X, found
		}
		c.Rewind(func() {
			if rewound, found := place(); asked > 100 && math.Abs(rewound-found) > 1e-9 || rewound == at*8 && asked > 100 {
				t.Fatalf("inside, the target is at %v and found at %v, now it is at %v", rewound, found, at*8)
			}
		})
		if now, found := place(); asked > 100 && (math.Abs(now-found) > 1e-9 || now != at*8) {
			t.Fatalf("after it the target is at %v and found at %v", now, found)
		}
	}
	x.steps(300)
	if asked < 100 {
		t.Fatalf("asked %d times", asked)
	}
}

// In a replay a client finds its own nodes where they were in the tick that runs again.
func TestSpaceInReplays(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 80 * time.Millisecond})
	sp := x.client.Space(filter.Contains(x.runner))
	replays := 0
	x.judge = func(c tendon.Call, _ runKeys) {
		if tendon.IsAuthority(c.Entry) {
			return
		}
		if c.Replay {
			replays++
		}
		for e, d := range sp.Nearest(x.runner.Get(c.Entry).Pos, 1) {
			if d != 0 {
				t.Fatalf("tick %d, replay %v: the runner is found %v from where it is (%v)", c.Tick, c.Replay, d, e.Entity() == c.Entry.Entity())
			}
		}
	}
	x.input.Dir = gmath.Vec{X: 1}
	for i := range 300 {
		if i%40 == 0 { // what the client does not foresee
			x.runner.Get(x.server.World().Entry(x.me)).Pos.Y += 10
		}
		x.input.Dir = gmath.Vec{X: math.Cos(float64(i) / 20), Y: math.Sin(float64(i) / 20)}
		x.steps(1)
	}
	if replays == 0 {
		t.Error("nothing was run again")
	}
}

// A camera finds what has gone as long as it is drawn, and OnStreamOut finds it too; a command's rule
// does not, in any of the questions.
func TestSpaceFindsWhatIsDrawn(t *testing.T) {
	x := newRace(t, netsim.Conditions{Delay: 80 * time.Millisecond, Jitter: 120 * time.Millisecond})
	sp, any := x.client.Space(tendon.Drawn), x.client.Space(nil)
	ball := x.server.Create(x.runner)
	at := gmath.Vec{X: 5000}
	x.runner.Get(ball).Pos = at
	for range 240 { // until the line is known
		x.steps(1)
		x.client.Frame()
	}
	seen, ok := x.client.Find(tendon.ID(ball))
	if !ok {
		t.Fatal("the ball is not there")
	}
	donburi.Add(seen, components.Extent, &components.ExtentData{Radius: 1})
	found := func(s *tendon.Space) (by [4]bool) {
		near := gmath.Vec{X: 10, Y: 10}
		for e := range s.InRect(gmath.Rect{Min: at.Sub(near), Max: at.Add(near)}) {
			by[0] = by[0] || e == seen
		}
		for e := range s.Within(at, 10) {
			by[1] = by[1] || e == seen
		}
		for e := range s.Nearest(at, 1) {
			by[2] = by[2] || e == seen
		}
		_, by[3] = s.Trace(at.Sub(gmath.Vec{X: 10}), at.Add(gmath.Vec{X: 10}))
		return by
	}
	all := [4]bool{true, true, true, true}
	gone, ended, ruled := false, 0, 0
	x.client.OnStreamOut(x.runner, func(e *donburi.Entry, _ bool) {
		ended++
		check(t, "what OnStreamOut finds", found(any), all)
	})
	x.judge = func(c tendon.Call, _ runKeys) {
		if !tendon.IsAuthority(c.Entry) && gone {
			ruled++
			check(t, "what a rule finds", found(any), [4]bool{})
		}
	}
	ball.Remove()
	for ended == 0 {
		x.steps(1)
		x.client.Frame()
		if _, here := x.client.Find(tendon.ID(seen)); !here && ended == 0 {
			gone = true
			if !seen.HasComponent(components.Hidden) { // else this frame is the first without it
				check(t, "what the camera finds", found(sp), all)
			}
		}
	}
	if ruled == 0 {
		t.Error("no rule has run meanwhile")
	}
}
