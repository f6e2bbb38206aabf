package ecs_test

// What a client draws: views, removals at render time, drawing in place.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// walker makes a crate on the authority that moves two units a step and turns.
func (l *lab) walker(m *machine) *donburi.Entry {
	e := Crate.Spawn(m.World(), CrateArgs{Pos: gmath.Vec{X: 100}})
	ent := e.Entity()
	m.step = func() {
		if m.World().Valid(ent) {
			b := Body.Get(m.World().Entry(ent))
			b.Pos.X += 2
			b.Rot = (b.Rot + 0.2).Normalized()
		}
	}
	return e
}

// A view moves evenly at any frame rate, never backwards, and never before the first
// sample. Fields that are drawn in place hold the state again when rules run.
func TestView(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 30 * time.Millisecond, Jitter: 8 * time.Millisecond})
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	id := tendon.ID(l.walker(server))
	drawn := donburi.NewQuery(filter.And(filter.Contains(Body), tendon.Drawn))

	l.until("it is there", func() bool { return client.has(id) })
	check(t, "drawn before its first sample", drawn.Count(client.World()), 0)
	check(t, "what it has then", Body.Get(client.find(id)).Pos.X >= 100, true)
	l.until("it is drawn", func() bool { return drawn.Count(client.World()) == 1 })
	l.steps(30)

	const frames = 144 // a second; the steps are 60
	last, lastRot := 0.0, gmath.Rad(0)
	var worst float64
	next := time.Duration(0)
	for i := range 2 * frames {
		l.net.Advance(time.Second / frames)
		for next += time.Second / frames; next >= time.Second/60; next -= time.Second / 60 {
			for _, m := range l.machines {
				m.Receive()
				if m == client && i > 0 {
					if x := Body.Get(client.find(id)).Pos.X; x < last {
						t.Fatalf("the rules see %v, what was drawn, %v, is ahead of it", x, last)
					}
				}
				if m.step != nil {
					m.step()
				}
				m.Send()
			}
		}
		client.Frame()
		v := tendon.View(client.find(id), Body)
		check(t, "in place", Body.Get(client.find(id)).Pos, v.Pos)
		if last != 0 {
			worst = max(worst, math.Abs((v.Pos.X-last)-2*60.0/frames))
			if turned := (v.Rot - lastRot).Normalized(); turned > 1 && turned < 2*math.Pi-0.01 {
				t.Errorf("frame %d: turned by %v", i, turned)
			}
			if v.Pos.X < last {
				t.Errorf("frame %d: from %v back to %v", i, last, v.Pos.X)
			}
		}
		last, lastRot = v.Pos.X, v.Rot
	}
	if worst > 0.15 {
		t.Errorf("a frame's way is %v off the even 0.83 units", worst)
	}
	p := client.find(id)
	if n := testing.AllocsPerRun(100, func() { client.Frame(); tendon.View(p, Body) }); n > 0 && !raceEnabled {
		t.Errorf("a frame allocates %v times", n)
	}
	delay := client.Stats(1).ViewDelay
	if delay < time.Second/30 || delay > time.Second/30+25*time.Millisecond {
		t.Errorf("the delay drawn with: %v, want a send interval and a little", delay)
	}
}

// A proxy is drawn until render time reaches its removal; only then does OnStreamOut run
// and is the entity removed. A teleport is a cut, without drawn places between.
func TestRemovalAtRenderTime(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	removed := 0
	client := l.client(tendon.Config{Remove: func(e *donburi.Entry) { removed++; e.Remove() }})
	client.tell()
	l.joined()
	e := l.walker(server)
	id := tendon.ID(e)
	l.steps(40)
	p := client.find(id)

	// A teleport.
	Body.Get(e).Pos.X += 5000
	for range 30 {
		l.steps(1)
		client.Frame()
		if x := tendon.View(client.find(id), Body).Pos.X; x > 400 && x < 5100 {
			t.Errorf("glided to %v", x)
		}
	}
	if x := tendon.View(client.find(id), Body).Pos.X; x < 5100 {
		t.Errorf("has not arrived: %v", x)
	}

	client.said()
	last := Body.Get(e).Pos.X
	e.Remove()
	l.until("the node is no more", func() bool { return !client.has(id) })
	check(t, "its entity is still there", client.World().Valid(p.Entity()), true)
	check(t, "told out", strings.Join(client.said(), ", "), "")
	steps := 0
	for ; client.World().Valid(p.Entity()); steps++ {
		client.Frame()
		if x := tendon.View(p, Body).Pos.X; x > last {
			t.Errorf("drawn at %v, beyond its end at %v", x, last)
		}
		l.steps(1)
		if steps > 60 {
			t.Fatal("it stays for ever")
		}
	}
	if want := 3; steps < want-2 || steps > want+2 { // a view delay of 46.7 ms, less the time since the arrival
		t.Errorf("gone after %d steps, about %d expected", steps, want)
	}
	check(t, "told out", strings.Join(client.said(), ", "), "out 1 true")
	check(t, "Config.Remove ran", removed, 1)
}

// Nodes that are made in one step appear in the same drawn frame, also nodes without state,
// and not before render time reaches that step.
func TestAppearsTogether(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	mover := tendon.ID(l.walker(server))
	l.steps(40)
	with, without := tendon.ID(server.Create(Body)), tendon.ID(server.Create(Local))
	l.until("both have arrived", func() bool { return client.has(with) && client.has(without) })
	steps := 0
	for ; hidden(client.find(with)); steps++ {
		if steps > 60 {
			t.Fatal("it is never drawn")
		}
		check(t, "the one without a state is hidden", hidden(client.find(without)), true)
		l.steps(1)
		client.Frame()
	}
	check(t, "the one without a state is hidden", hidden(client.find(without)), false)
	if steps < 3 {
		t.Errorf("drawn after %d steps, before its time", steps)
	}
	check(t, "what was there is hidden", hidden(client.find(mover)), false)
}

func TestStandIn(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := Opener.Spawn(server.World(), tendon.None{})
	id, ent := tendon.ID(e), e.Entity()
	server.step = func() { Opaque.Get(server.World().Entry(ent)).x++ }
	l.steps(60)
	p := client.find(id)
	now := Opaque.Get(p).x
	client.Frame()
	seen := tendon.View(p, Opaque).x
	if seen >= now || seen < now-10 {
		t.Errorf("drawn at %v while the state is %v", seen, now)
	}
	check(t, "the component", Opaque.Get(p).x, now)
}

// A stand-in that draws in place leaves the drawn values in the component until the next
// step. The step's rules see the state again, also if no packet has arrived meanwhile.
func TestStandInInPlace(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := Opener.Spawn(server.World(), tendon.None{})
	id, ent := tendon.ID(e), e.Entity()
	l.steps(60)
	for i := range 100 {
		if i < 30 {
			Opaque.Get(server.World().Entry(ent)).y++
		}
		before := Opaque.Get(client.find(id)).y
		client.Frame()
		now := Opaque.Get(client.find(id)).y
		if i == 29 && now >= before {
			t.Errorf("drawn in place at %v, the state is %v", now, before)
		}
		client.Receive()
		if now := Opaque.Get(client.find(id)).y; now < before || now != math.Trunc(now) {
			t.Fatalf("the rules see %v after %v", now, before)
		}
		l.steps(1)
	}
	check(t, "the state", Opaque.Get(client.find(id)).y, 30)
}

// The library's own transform is an ordinary replicated component.
func TestTransform(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{Interest: rpl.Grid{Enter: 10, Exit: 11}}), l.client(tendon.Config{})
	server.OnJoin(func(p rpl.Peer) {
		e := server.Create(Transform, components.Observer)
		Transform.Get(e).Pos = gmath.Vec{X: 50}
		tendon.Give(e, p)
	})
	l.joined()
	near, far := server.Create(Transform), server.Create(Transform)
	*Transform.Get(near) = components.TransformData{Pos: gmath.Vec{X: 55.5, Y: -1}, Rot: 3}
	l.steps(20)
	p := client.find(tendon.ID(near))
	check(t, "place", Transform.Get(p).Pos, gmath.Vec{X: 55.5, Y: -1})
	if d := math.Abs(float64(Transform.Get(p).Rot - 3)); d > math.Pi/4096 {
		t.Errorf("turned by %v too much", d)
	}
	check(t, "out of sight", client.has(tendon.ID(far)), false)
}

func TestReferences(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	target, from := server.Create(Paint), server.Create(Link)
	components.RplNode.Get(target).Relevance = 2 // rpl.OwnerOnly
	Link.Get(from).Target = target.Entity()
	tid, fid := tendon.ID(target), tendon.ID(from)
	l.steps(15)
	check(t, "to what is not here", Link.Get(client.find(fid)).Target, donburi.Null)
	components.RplNode.Get(target).Relevance = 0
	l.steps(15)
	check(t, "to what has come", Link.Get(client.find(fid)).Target, client.find(tid).Entity())
	target.Remove()
	l.steps(30)
	check(t, "to what has gone", Link.Get(client.find(fid)).Target, donburi.Null)
}

// An explicit component is extracted only when it is bumped. Local fields, pointers and
// fields without a tag survive injection.
func TestExplicitAndLocal(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := server.Create(Lazy, Foreign, Body)
	Lazy.Get(e).N = 3
	id := tendon.ID(e)
	l.steps(10)
	p := client.find(id)
	check(t, "the first state", Lazy.Get(p).N, 3)
	Lazy.Get(e).N = 4
	l.steps(10)
	check(t, "without a bump", Lazy.Get(p).N, 3)
	tendon.Bump(e, Lazy)
	l.steps(10)
	check(t, "bumped", Lazy.Get(p).N, 4)

	mine := 5
	Foreign.Get(p).Pointer, Body.Get(p).local = &mine, 6
	Foreign.Get(e).Value, Body.Get(e).Pos.X = 9, 9
	l.steps(10)
	check(t, "a foreign type's value", Foreign.Get(p).Value, 9)
	check(t, "its pointer", Foreign.Get(p).Pointer, &mine)
	check(t, "a local field", Body.Get(p).local, 6)
}

func TestPrefabPerSession(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	for _, m := range l.machines {
		Late.Build(m.Replication, func(w donburi.World, _ tendon.None) *donburi.Entry {
			e := w.Entry(w.Create(Local, Paint))
			Local.SetValue(e, LocalData{From: m.name})
			return e
		})
	}
	l.joined()
	built := tendon.ID(Late.Spawn(server.World(), tendon.None{}))
	w := server.World()
	many := w.CreateMany(3, Body, Paint, Local)
	for i, ent := range many {
		Crate.Adopt(w.Entry(ent), CrateArgs{Label: fmt.Sprint("adopted ", i)})
	}
	adopted := tendon.ID(w.Entry(many[2]))
	l.steps(10)
	check(t, "built by", Local.Get(client.find(built)).From, "client 1")
	check(t, "adopted", Local.Get(client.find(adopted)).From, "adopted 2")
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "only the authority") {
			t.Errorf("Spawn on a client: %v", r)
		}
	}()
	Late.Spawn(client.World(), tendon.None{})
}

// One lost packet does not stop the view of a moving node, also if nothing else is sent.
// Two lost packets in a row stop it for a few frames.
func TestLossDoesNotStopWhatMoves(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: 0.02})
	server, client := l.server(tendon.Config{Dedicated: true}), l.client(tendon.Config{})
	l.joined()
	ball := server.Create(Body)
	id, e := tendon.ID(ball), ball.Entity()
	server.step = func() { Body.Get(server.World().Entry(e)).Pos.X += 2 }
	l.until("it is there", func() bool { return client.has(id) })
	l.steps(120)
	still, last := 0, 0.0
	for range 60 * 60 {
		l.steps(1)
		client.Frame()
		x := tendon.View(client.find(id), Body).Pos.X
		still += map[bool]int{true: 1}[x == last]
		last = x
	}
	if still > 15 { // with packets at half the rate it is 44
		t.Errorf("it stands still in %d frames of a minute", still)
	}
}

// A view comes to rest where the component does, also if the packet with the last change
// was overtaken by one from which the client concluded that the node still moves.
func TestViewComesToRest(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 50 * time.Millisecond})
	r := rand.New(rand.NewPCG(l.seed, 1))
	server, client := l.server(tendon.Config{Sends: 60}), l.client(tendon.Config{})
	l.joined()
	ball, other := server.Create(Body), server.Create(Body)
	id, e, o := tendon.ID(ball), ball.Entity(), other.Entity()
	way := gmath.Vec{}
	server.step = func() {
		b := Body.Get(server.World().Entry(e))
		b.Pos = b.Pos.Add(way)
		Body.Get(server.World().Entry(o)).Pos.X = r.Float64() // it changes in every step
	}
	l.until("it is there", func() bool { return client.has(id) })
	for stop := range 200 {
		way = gmath.Vec{X: r.Float64()*6 - 3, Y: r.Float64()*6 - 3}
		l.steps(30 + r.IntN(7))
		way = gmath.Vec{}
		l.steps(60) // with three round trips, in case that was overtaken, and so was what came again
		client.Frame()
		drawn, is := tendon.View(client.find(id), Body).Pos, Body.Get(server.World().Entry(e)).Pos
		if drawn.DistanceTo(is) > 1.0/32 {
			t.Fatalf("stop %d: it is drawn at %v, and is at %v", stop, drawn, is)
		}
	}
}
