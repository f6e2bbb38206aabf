package ecs_test

// How a client draws what is quick, what is told seldom, what goes and what changes its
// parent, and what it draws after a stall of its own.

import (
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// flight is what a client draws of one thing that moves along x until it is removed.
type flight struct {
	at    []float64 // in each step in which it is drawn
	still int       // steps in which it is where it was before
}

// fly makes a thing that moves so far in each step and lives so many steps. Some steps are
// taken before, so that things appear at any place between two sends.
func (l *lab) fly(server, client *machine, way float64, life, before int) (f flight) {
	l.steps(before)
	e := server.Create(Body)
	id, ent := tendon.ID(e), e.Entity()
	server.step = func() {
		switch {
		case life > 0:
			Body.Get(server.World().Entry(ent)).Pos.X += way
		case server.World().Valid(ent):
			server.World().Remove(ent)
		}
		life--
	}
	seen := donburi.Null
	for range life + 30 {
		l.steps(1)
		client.Frame()
		if client.has(id) {
			seen = client.find(id).Entity()
		}
		if !client.World().Valid(seen) || hidden(client.World().Entry(seen)) {
			continue
		}
		x := tendon.View(client.World().Entry(seen), Body).Pos.X
		if n := len(f.at); n > 0 && x == f.at[n-1] {
			f.still++
		}
		f.at = append(f.at, x)
	}
	return f
}

// What is quick from the beginning is drawn on its way, and not in leaps like teleports.
func TestQuickThingsGlide(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	const way = 100.0 // units a step
	for before := range 4 {
		f := l.fly(server, client, way, 60, before)
		for i := 1; i < len(f.at)-3; i++ {
			if d := f.at[i] - f.at[i-1]; d < way*0.85 || d > way*1.11 { // drawn time may run 10 % fast at first
				t.Fatalf("it moves by %v in frame %d of its life, by %v in truth", d, i, way)
			}
		}
	}
}

// What flies evenly is drawn flying until the send before the one that tells of its
// removal, and never beyond where it was.
func TestFliesUntilItGoes(t *testing.T) {
	for _, sends := range []int{10, 30, 60} {
		l := newLab(t, lan)
		server, client := l.server(tendon.Config{Sends: sends}), l.client(tendon.Config{})
		l.joined()
		for before := range 6 {
			const way, life = 10.0, 24
			f := l.fly(server, client, way, life, before)
			every := 60 / sends
			if end := f.at[len(f.at)-1]; end > way*life+way/2 || end < way*float64(life-every) {
				t.Errorf("%d sends: drawn up to %v, and it flew to %v", sends, end, way*life)
			}
			if f.still > 2*every-1 { // up to a send interval until it is told of, and one from the send before
				t.Errorf("%d sends: it hangs in the air for %d steps", sends, f.still)
			}
		}
	}
}

// What is told less often than packets come (NodeData.Hz) is drawn on its way, and does
// not stand still until the packet before.
func TestThingsAtASteadyRateGlide(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	paced, other := server.Create(Body).Entity(), server.Create(Body).Entity()
	id := tendon.ID(server.World().Entry(paced))
	components.RplNode.Get(server.World().Entry(paced)).Hz = 10
	server.step = func() {
		sin, cos := math.Sincos(float64(server.Tick()) * 0.03)
		Body.Get(server.World().Entry(paced)).Pos = gmath.Vec{X: 100 * cos, Y: 100 * sin}
		Body.Get(server.World().Entry(other)).Pos.Y = float64(server.Tick() * 17 % 40) // so that each send has a packet
	}
	l.until("it is there", func() bool { return client.has(id) })
	l.steps(60)
	const frames = 600
	still, last := 0, gmath.Vec{}
	for range frames {
		l.steps(1)
		client.Frame()
		at := tendon.View(client.find(id), Body).Pos
		if at == last {
			still++
		}
		last = at
	}
	if still > frames/8 { // a third, if it is drawn moving from the packet before on
		t.Errorf("it stands still in %d of %d frames", still, frames)
	}
}

// A client that has stalled finds a ball between the walls between which it bounces, and
// not where it would be had it gone straight on.
func TestAClientsStallMovesNothingDrawn(t *testing.T) {
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

// Who gets into what moves, and out of it, is drawn on a smooth way: in the seat until
// drawn time reaches the step in which the seat was left.
func TestGettingOutIsSmooth(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 10 * time.Millisecond})
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	car, rider := server.Create(Transform).Entity(), server.Create(Transform).Entity()
	carID, id := tendon.ID(server.World().Entry(car)), tendon.ID(server.World().Entry(rider))
	const way, aside = 10.0, 12.0 // units a step, and from the car
	steps := 0
	server.step = func() { // the rider is always beside the car: attached for a second, then walking for one
		c, r := server.World().Entry(car), server.World().Entry(rider)
		at := Transform.Get(c)
		at.Pos.X += way
		var up *donburi.Entry
		place := components.TransformData{Pos: at.Pos.Add(gmath.Vec{Y: aside})}
		if steps++; steps/60%2 == 1 {
			up, place = c, components.TransformData{Pos: gmath.Vec{Y: aside}}
		}
		if tendon.Parent(r) != up {
			if err := tendon.Attach(r, up); err != nil {
				t.Fatal(err)
			}
		}
		*Transform.Get(r) = place
	}
	l.until("both are there", func() bool { return client.has(id) && client.has(carID) })
	l.steps(60)
	changes, under := 0, false
	for range 600 {
		l.steps(1)
		client.Frame()
		r := client.find(id)
		if now := tendon.Parent(r) != nil; now != under {
			changes, under = changes+1, now
		}
		off := tendon.WorldView(r).Pos.Sub(tendon.WorldView(client.find(carID)).Pos)
		if dist := off.DistanceTo(gmath.Vec{Y: aside}); dist > way {
			t.Fatalf("it is drawn %v beside its place", dist)
		}
	}
	if changes < 10 {
		t.Errorf("%d changes of parent in ten seconds", changes)
	}
}

// A rider that keeps a place of its own in the world goes on smoothly, too, whoever carries
// it.
func TestPlaceInTheWorldGoesOnThroughAParentChange(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	truck, rider := server.Create(Body).Entity(), server.Create(Body).Entity()
	id := tendon.ID(server.World().Entry(rider))
	const way = 10.0
	steps := 0
	server.step = func() {
		on, r := server.World().Entry(truck), server.World().Entry(rider)
		Body.Get(on).Pos.X += way
		Body.Get(r).Pos.X += way
		if steps++; steps/60%2 == 0 {
			on = nil
		}
		if tendon.Parent(r) != on {
			if err := tendon.Attach(r, on); err != nil {
				t.Fatal(err)
			}
		}
	}
	l.until("it is there", func() bool { return client.has(id) })
	l.steps(60)
	last := 0.0
	for i := range 300 {
		l.steps(1)
		client.Frame()
		x := tendon.View(client.find(id), Body).Pos.X
		if d := x - last; i > 0 && (d < way*0.85 || d > way*1.11) {
			t.Fatalf("it moves by %v in step %d, by %v in truth", d, i, way)
		}
		last = x
	}
}

// On a line with jitter and loss, what moves evenly is drawn moving: state that is late
// makes it neither stand nor leap.
func TestLateStateIsNoLeap(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.05})
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := server.Create(Body).Entity()
	id := tendon.ID(server.World().Entry(e))
	const way = 4.0
	steps, turns := 0, gmath.Vec{X: way}
	server.step = func() {
		if steps++; steps%50 == 0 {
			turns = gmath.Vec{X: turns.Y, Y: -turns.X} // at right angles
		}
		b := Body.Get(server.World().Entry(e))
		b.Pos = b.Pos.Add(turns)
	}
	l.until("it is there", func() bool { return client.has(id) })
	l.steps(200)
	still, leaps, last := 0, 0, gmath.Vec{}
	const frames = 1800
	for i := range frames {
		l.steps(1)
		client.Frame()
		at := tendon.View(client.find(id), Body).Pos
		if d := at.DistanceTo(last); i > 0 && d < 0.05*way {
			still++
		} else if i > 0 && d > 2.5*way {
			leaps++
		}
		last = at
	}
	if still > frames/60 || leaps > frames/150 {
		t.Errorf("of %d frames it stands still in %d and leaps in %d", frames, still, leaps)
	}
}
