package ecs_test

// Leaps: what is somewhere else without a way there is never drawn on one, whether the game
// says so or the library sees it.

import (
	"fmt"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A leaper is a game in which one node leaps in one step, to x = far.
type leaper struct {
	noise    bool    // another node changes in every step: packets in every send
	phase    int     // steps before the leap
	far      float64 // from 0
	out      bool    // it gets out of what stands at 0
	marked   bool    // the game says so
	speed    float64 // of its way on, and before
	on       float64 // its part: how far ahead of it a child sits
	line     netsim.Conditions
	sends    int
	Together bool // its parent leaps, and it rides
}

// between returns where the node was drawn that it never was.
func (z leaper) between(t *testing.T) (at string) {
	l := newLab(t, z.line)
	c := tendon.Config{Sends: z.sends}
	server, client := l.server(c), l.client(c)
	l.joined()
	w := server.World()
	car := server.Create(Transform).Entity()
	e := server.Create(Transform)
	ent, id := e.Entity(), tendon.ID(e)
	other := server.Create(Paint).Entity()
	if z.out || z.Together {
		if err := tendon.Attach(w.Entry(ent), w.Entry(car)); err != nil {
			t.Fatal(err)
		}
	}
	mover := ent
	if z.Together {
		mover = car
		Transform.Get(w.Entry(ent)).Pos.Y = z.on
	}
	was := 0.0 // where it leaps from
	step := func() {
		if z.noise {
			Paint.Get(w.Entry(other)).Colour++
		}
		Transform.Get(w.Entry(mover)).Pos.X += z.speed
		l.steps(1)
		client.Frame()
	}
	for range 120 + z.phase {
		step()
	}
	if z.out {
		_ = tendon.Attach(w.Entry(ent), nil)
	}
	was = Transform.Get(w.Entry(mover)).Pos.X
	Transform.Get(w.Entry(mover)).Pos = gmath.Vec{X: was + z.far}
	if z.marked {
		tendon.Teleport(w.Entry(mover))
	}
	slack := 3*z.speed + .1
	for range 60 {
		step()
		if !client.has(id) {
			continue
		}
		x := tendon.WorldView(client.find(id)).Pos.X - was
		if low, high := min(0, z.far)+slack, max(0, z.far)-slack; x > low && x < high {
			at += fmt.Sprintf(" %.1f", x)
		}
	}
	return at
}

// slides counts in how many of some phases a leap slides.
func (z leaper) slides(t *testing.T) {
	t.Helper()
	slides, at := 0, ""
	for z.phase = range 8 { // of the step and of the send
		if s := z.between(t); s != "" {
			slides, at = slides+1, s
		}
	}
	if slides > 0 {
		t.Errorf("%+v: slides in %d of 8 cases, drawn at%s", z, slides, at)
	}
}

// What rests and leaps 100 to 400 units in one step is drawn as a cut, whether or not other
// things move in the session. So is getting out of something and being far from it.
func TestLeapsInQuietSessionsAreCut(t *testing.T) {
	for _, noise := range []bool{true, false} {
		for _, out := range []bool{false, true} {
			for _, far := range []float64{100, 200, 400} {
				leaper{noise: noise, far: far, out: out, line: lan}.slides(t)
			}
		}
	}
}

// A teleport that the game marks is never drawn as motion, however short it is, whatever is
// lost, in what rests and in what moves, at any rate of sends, with what rides on it.
func TestTeleportsAreNeverDrawnAsMotion(t *testing.T) {
	lossy := netsim.Conditions{Delay: 30 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: .2}
	for _, line := range some([]netsim.Conditions{lossy, lan}) {
		for _, far := range []float64{2, 20, 300} {
			for _, noise := range []bool{true, false} {
				leaper{noise: noise, far: far, line: line, marked: true}.slides(t)
			}
			leaper{noise: true, far: far, line: line, marked: true, sends: 20}.slides(t)
			leaper{far: far, line: line, marked: true, Together: true, on: 3}.slides(t)
			leaper{far: far, line: line, marked: true, out: true}.slides(t)
		}
		leaper{far: 40, line: line, marked: true, speed: 2}.slides(t)
		leaper{far: 40, line: line, marked: true, speed: 2, noise: true}.slides(t)
	}
}

// Getting in and out, short ways and marked, is a cut at the step in which it happened: until
// drawn time is there it is drawn in its seat.
func TestGettingOutMarkedIsACut(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	w := server.World()
	car, man := server.Create(Transform).Entity(), server.Create(Transform).Entity()
	if err := tendon.Attach(w.Entry(man), w.Entry(car)); err != nil {
		t.Fatal(err)
	}
	l.steps(60)
	_ = tendon.Attach(w.Entry(man), nil)
	Transform.SetValue(w.Entry(man), components.TransformData{Pos: gmath.Vec{Y: 8}})
	tendon.Teleport(w.Entry(man))
	id, at, tick := tendon.ID(w.Entry(man)), 0.0, float64(server.Tick()+1)
	for range 30 {
		l.steps(1)
		client.Frame()
		y := tendon.WorldView(client.find(id)).Pos.Y
		if y != 0 && y != 8 {
			t.Errorf("drawn at %v", y)
		}
		if y == 8 && at == 0 {
			if at = client.ViewTick(); at < tick || at > tick+2.2 { // it counts from the next step on
				t.Errorf("out at drawn time %v, not %v", at, tick)
			}
		}
	}
	check(t, "got out", at > 0, true)
}

// Teleport may be called of anything: what is no node, and a proxy, are left alone.
func TestTeleportOfWhatIsNotOurs(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := server.Create(Transform)
	l.steps(10)
	tendon.Teleport(client.find(tendon.ID(e)))
	tendon.Teleport(server.World().Entry(server.World().Create(Local)))
	tendon.Teleport(server.Session())
	other := donburi.NewWorld()
	tendon.Teleport(other.Entry(other.Create(Local)))
	l.steps(10)
}
