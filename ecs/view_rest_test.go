package ecs_test

// What is drawn in place costs a frame only while it moves, and comes to rest where it is;
// so does the session's node in each level.

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Frame looks at the nodes that are on their way, however many stand about. What it draws
// of each is what View shows, and between frames the components hold the state.
func TestDrawnInPlaceWhileItMoves(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	const nodes = 20
	var ents [nodes]donburi.Entity
	for i := range ents {
		e := server.Create(Body)
		ents[i], Body.Get(e).Pos.X = e.Entity(), float64(i)
	}
	l.joined()
	l.until("all are here and at rest", func() bool { return client.count(Body) == nodes && client.InPlace() == 0 })
	mover := ents[7]
	left := 0
	server.step = func() {
		if left > 0 {
			left--
			Body.Get(server.World().Entry(mover)).Pos.X += 3.3
		}
	}
	for range 3 {
		left = 20
		most, between := 0, 0
		for range 60 {
			l.steps(1)
			state := Body.Get(client.find(tendon.ID(server.World().Entry(mover)))).Pos
			for range 2 {
				client.Frame()
				for i, ent := range ents {
					e := client.find(tendon.ID(server.World().Entry(ent)))
					if drawn, want := Body.Get(e).Pos, tendon.View(e, Body).Pos; drawn != want {
						t.Fatalf("node %d is drawn at %v in place, its view is at %v", i, drawn, want)
					}
				}
			}
			if Body.Get(client.find(tendon.ID(server.World().Entry(mover)))).Pos != state {
				between++
			}
			most = max(most, client.InPlace())
		}
		check(t, "nodes that were drawn in place at once", most, 1)
		check(t, "nodes that still are, at rest", client.InPlace(), 0)
		if between < 15 {
			t.Errorf("it was drawn beside its state in %d frames of 20 steps", between)
		}
	}
}

// The session's node is drawn in place in each level and each session, as in the first.
func TestSessionDrawnInPlaceInEveryLevel(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	server.OnStart(func() {
		if s := server.Session(); !s.HasComponent(Body) {
			donburi.Add(s, Body, &BodyData{})
		}
	})
	l.joined()
	moves := func(where string) {
		t.Helper()
		server.step = func() { Body.Get(server.Session()).Pos.X += 5 }
		l.steps(60)
		beside := 0
		for range 30 {
			l.steps(1)
			state := *Body.Get(client.Session())
			client.Frame()
			if Body.Get(client.Session()).Pos != state.Pos {
				beside++
			}
		}
		server.step = nil
		if beside < 25 || client.Session().HasComponent(components.Hidden) {
			t.Errorf("%s: in %d of 30 frames it is drawn on its way", where, beside)
		}
	}
	moves("first level")
	server.Load("next")
	l.steps(60)
	moves("second level")
	client.Close("")
	l.steps(10)
	client.Join(l.net.Dialer(l.listener))
	l.steps(60)
	moves("second session")
}

// Once all stands still, a peer is sent a few packets a second, whatever moved before and
// however many rows its node has: sends without anything new have packets only while
// something moves.
func TestWorldAtRestSendsLittle(t *testing.T) {
	for _, loss := range []float64{0, 0.05, 0.1, 0.2} {
		for name, kinds := range map[string][]donburi.IComponentType{
			"one component": {Body}, "two components": {Body, Paint}, "a part for the owner": {Body, Ammo},
		} {
			l := newLab(t, netsim.Conditions{Delay: 30e6, Loss: loss})
			server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
			l.joined()
			e := server.Create(kinds...).Entity()
			server.step = func() { Body.Get(server.World().Entry(e)).Pos.X += 1.5 }
			sent := func() uint64 { return server.Stats(client.Me()).Conn.PacketsOut }
			l.steps(300)
			before := sent()
			l.steps(300)
			if n := sent() - before; n < 70 {
				t.Errorf("%s, loss %v: %d packets in 5 s while it moves", name, loss, n)
			}
			server.step = nil
			l.steps(180)
			before = sent()
			l.steps(300)
			if n := sent() - before; n > 45 {
				t.Errorf("%s, loss %v: %d packets in 5 s at rest", name, loss, n)
			}
		}
	}
}

// What starts after a rest is drawn from where it was, also where the packets that say that nothing
// happens were lost: nothing else of that time was to be seen.
func TestStartsAfterARestAreDrawn(t *testing.T) {
	const seed, rest, speed = 1, 60, 10.0
	p := tendon.NewProtocol("rest")
	car := tendon.Replicate(p, "car", donburi.NewComponentType[passerData]())
	for _, loss := range []float64{0, 0.05, 0.1} {
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p, Seed: seed,
			Setup: func(m *tendontest.Machine) { m.OnStart(func() { m.Create(car) }) },
			Step: func(m *tendontest.Machine) {
				if m.Mode() == tendon.Client || m.Tick()%(2*rest) < rest {
					return
				}
				for e := range car.Iter(m.World()) {
					car.Get(e).Pos.X += speed
				}
			},
		}, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 8 * time.Millisecond, Loss: loss})
		lab.Host()
		client := lab.Join()
		lab.Steps(2 * rest)
		last := 0.0
		for range 200 * 2 * rest {
			lab.Steps(1)
			client.Frame()
			for e := range car.Iter(client.World()) {
				x := tendon.View(e, car).Pos.X
				if d := x - last; last > 0 && d > 2.5*speed {
					t.Errorf("seed %d, loss %v, tick %d: it is drawn %.1f further in a frame", seed, loss, client.Tick(), d)
				}
				last = x
			}
		}
	}
}

// What flies on while the server has nothing else to say is drawn without a leap where drawn time
// has waited for its next word.
func TestFlightInSilenceIsDrawn(t *testing.T) {
	const seed, speed = 1, 5.0
	p := tendon.NewProtocol("flight")
	ball := tendon.Replicate(p, "ball", donburi.NewComponentType[passerData]())
	for _, loss := range some([]float64{0.1, 0, 0.05, 0.2}) {
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p, Seed: seed,
			Setup: func(m *tendontest.Machine) { m.OnStart(func() { m.Create(ball); m.Create(ball) }) },
			Step: func(m *tendontest.Machine) {
				if m.Mode() == tendon.Client {
					return
				}
				i := 0
				for e := range ball.Iter(m.World()) {
					switch i++; {
					case i == 1:
						ball.Get(e).Pos.X += speed
					case m.Tick()%240 < 60: // what makes the server say something, a second long
						ball.Get(e).Pos.Y += m.Rand.Float64()
					}
				}
			},
		}, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 8 * time.Millisecond, Loss: loss})
		server := lab.Host()
		client := lab.Join()
		lab.Steps(120)
		first, _ := ball.First(server.World())
		last := 0.0
		for range 100 * 240 {
			lab.Steps(1)
			client.Frame()
			if e, ok := client.Find(tendon.ID(first)); ok {
				x := tendon.View(e, ball).Pos.X
				if d := x - last; last > 0 && (d < 0 || d > 2.5*speed) {
					t.Errorf("seed %d, loss %v, tick %d: it is drawn %.1f further in a frame", seed, loss, client.Tick(), d)
				}
				last = x
			}
		}
	}
}
