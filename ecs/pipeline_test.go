package ecs_test

// Plugins, systems, interest, and callbacks that act.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	donburiecs "github.com/yohamta/donburi/ecs"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// traffic is a plugin: it counts steps and logs when its system after Send runs.
type traffic struct{ m *machine }

func (p traffic) Plug(r *tendon.Replication) {
	steps := r.Counter("traffic: steps")
	r.After(tendon.Receive, "traffic: count", func(*tendon.Replication) { *steps++ })
	r.After(tendon.Send, "traffic: note", func(r *tendon.Replication) { p.m.say("sent in %d", r.Tick()) })
	r.OnStreamIn(Paint, func(*donburi.Entry) { p.m.say("in") })
}

func TestPlugin(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	m.Use(traffic{m})
	check(t, "the pipeline", strings.Join(slices.Collect(m.Systems()), ", "),
		"receive, traffic: count, extract, stream, schedule, encode, send, traffic: note")
	m.Create(Paint)
	l.steps(2)
	check(t, "it heard", strings.Join(m.said(), ", "), "in, sent in 1, sent in 2")
	counters := maps.Collect(m.Counters())
	check(t, "it counted", counters["traffic: steps"], 2)
	check(t, "the library counted", counters["stream in"], 1)
}

// The session runs as systems and a renderer of donburi/ecs, in a game that builds its
// entities with that package.
func TestDonburiECS(t *testing.T) {
	l := newLab(t, lan)
	type canvas struct{ frames int }
	var games []*donburiecs.ECS
	for _, name := range []string{"server", "client"} {
		ecs := donburiecs.NewECS(donburi.NewWorld())
		rep, err := tendon.New(ecs.World, proto, tendon.Config{})
		if err != nil {
			t.Fatal(err)
		}
		Late.Build(rep, func(w donburi.World, _ tendon.None) *donburi.Entry {
			return w.Entry(ecs.Create(0, Paint, Local))
		})
		ecs.AddSystem(tendon.ReceiveSystem(rep)).
			AddSystem(func(ecs *donburiecs.ECS) {
				for e := range Paint.Iter(ecs.World) {
					if tendon.IsAuthority(e) {
						Paint.Get(e).Colour++
					}
				}
			}).
			AddSystem(tendon.SendSystem(rep)).
			AddRenderer(0, tendon.FrameRenderer[canvas](rep)).
			AddRenderer(0, func(_ *donburiecs.ECS, c *canvas) { c.frames++ })
		if name == "server" {
			rep.Host(l.listener)
			rep.OnStart(func() { Late.Spawn(ecs.World, tendon.None{}) })
		} else {
			rep.Join(l.net.Dialer(l.listener))
		}
		games = append(games, ecs)
	}
	c := canvas{}
	for range 90 {
		l.net.Advance(time.Second / 60)
		for _, g := range games {
			g.Update()
			g.Draw(&c)
		}
	}
	check(t, "frames", c.frames, 180)
	e, ok := Paint.First(games[1].World)
	if !ok {
		t.Fatal("nothing has come")
	}
	if Paint.Get(e).Colour < 30 || tendon.IsAuthority(e) {
		t.Errorf("colour %d", Paint.Get(e).Colour)
	}
}

// The systems of a donburi/ecs play the world that the session plays, from one level to the
// next and when a client's session ends: they find what OnWorld and the prefabs' functions
// make, also where these use the ECS.
func TestDonburiECSFollowsLoad(t *testing.T) {
	l := newLab(t, lan)
	type game struct {
		*donburiecs.ECS
		rep    *tendon.Replication
		paints int // in the world that its systems play
	}
	var games []*game
	for _, name := range []string{"server", "client"} {
		g := &game{ECS: donburiecs.NewECS(donburi.NewWorld())}
		rep, err := tendon.New(g.World, proto, tendon.Config{})
		if err != nil {
			t.Fatal(err)
		}
		g.rep = rep
		Late.Build(rep, func(w donburi.World, _ tendon.None) *donburi.Entry {
			if w != g.World {
				t.Errorf("%s: a prefab builds in another world than the systems'", name)
			}
			return w.Entry(g.Create(0, Paint))
		})
		rep.OnWorld(func(w donburi.World, level string) {
			if w != g.World {
				t.Errorf("%s: OnWorld fills level %q in another world than the systems'", name, level)
			}
			g.Create(0, Local)
		})
		rep.OnStart(func() { Late.Spawn(g.World, tendon.None{}) })
		g.AddSystem(tendon.ReceiveSystem(rep)).
			AddSystem(func(e *donburiecs.ECS) {
				g.paints = 0
				for range Paint.Iter(e.World) {
					g.paints++
				}
				if e.World != rep.World() {
					t.Errorf("%s: the systems play another world than the session", name)
				}
			}).
			AddSystem(tendon.SendSystem(rep))
		games = append(games, g)
	}
	server, client := games[0], games[1]
	server.rep.Host(l.listener)
	client.rep.Join(l.net.Dialer(l.listener))
	play := func() {
		for range 60 {
			l.net.Advance(time.Second / 60)
			server.Update()
			client.Update()
		}
	}
	play()
	for _, level := range []string{"2", "3", ""} {
		old := server.World
		server.rep.Load(level)
		play()
		if server.World == old {
			t.Errorf("level %q is played in the old world", level)
		}
		check(t, "the server's nodes in level "+level, server.paints, 1)
		check(t, "the client's nodes in level "+level, client.paints, 1)
	}
	client.rep.Close("enough")
	play()
	check(t, "the client's nodes when it is alone", client.paints, 1)
}

// With an Interest, a peer has the nodes round its observers. Nodes that leave their sight
// stream out and are not reported as destroyed.
func TestInterest(t *testing.T) {
	l := newLab(t, lan)
	config := tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}}
	server, client := l.server(config), l.client(tendon.Config{})
	client.tell()
	server.OnJoin(func(p rpl.Peer) {
		e := server.Create(Body, components.Observer)
		tendon.Give(e, p)
	})
	var crates []rpl.Node
	server.OnStart(func() {
		for i := range 20 {
			crates = append(crates, tendon.ID(Crate.Spawn(server.World(), CrateArgs{Pos: gmath.Vec{X: float64(i) * 50}})))
		}
	})
	l.joined()
	held := func() (s string) {
		for i, id := range crates {
			if client.has(id) {
				s += fmt.Sprint(i, " ")
			}
		}
		return s
	}
	l.steps(30)
	check(t, "in sight at 0", held(), "0 1 2 ")
	client.said()
	me, _ := tendon.Mine(client.Replication, Body)
	eye := server.find(tendon.ID(me))
	Body.Get(eye).Pos.X = 500
	l.steps(90)
	check(t, "in sight at 500", held(), "8 9 10 11 12 ")
	outs := 0
	for _, line := range client.said() {
		if line == "out 1 false" {
			outs++
		}
	}
	check(t, "streamed out", outs, 3)
	components.Observer.Get(eye).Offset.X = 200
	l.steps(90)
	check(t, "with an offset", held(), "12 13 14 15 16 ")

	// An observer that is attached to a vehicle sees from the vehicle's place.
	car := server.Create(Body)
	Body.Get(car).Pos.X = 50
	if err := tendon.Attach(eye, car); err != nil {
		t.Fatal(err)
	}
	components.Observer.Get(eye).Offset.X = 0
	l.steps(90)
	check(t, "from the car", held(), "0 1 2 3 ")
}

// A node whose relevance is restricted in a step is secret in that step's packets.
func TestSecretFromTheStart(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	made := server.Create(Paint)
	components.RplNode.SetValue(made, components.NodeData{Relevance: rpl.OwnerOnly})
	was := server.Create(Paint)
	seen := tendon.ID(was)
	l.steps(30)
	check(t, "made secret", client.has(tendon.ID(made)), false)
	check(t, "not secret", client.has(seen), true)
	before := *client.Counter("stream in")
	components.RplNode.Get(was).Relevance = rpl.OwnerOnly
	Paint.Get(was).Colour = 200
	for range 60 {
		l.steps(1)
		for e := range Paint.Iter(client.World()) {
			if Paint.Get(e).Colour == 200 {
				t.Fatal("the client was told what happened after it lost sight")
			}
		}
	}
	check(t, "now secret", client.has(seen), false)
	check(t, "streamed in since", *client.Counter("stream in")-before, 0)
}

// Callbacks may spawn, remove, load and close.
func TestCallbacksThatAct(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	server.OnStreamIn(Link, func(*donburi.Entry) { server.Create(Paint) })
	server.OnStreamIn(Paint, func(e *donburi.Entry) {
		Paint.Get(e).Colour = 9
		server.Create(Ammo)
	})
	server.OnStreamIn(Ammo, func(e *donburi.Entry) { e.Remove() })
	client.OnStreamOut(Link, func(e *donburi.Entry, _ bool) { e.Remove() }) // a second time, since it is being removed
	client.OnStreamIn(Paint, func(e *donburi.Entry) { client.Close("seen enough") })
	l.joined()
	server.Create(Link)
	l.steps(40)
	check(t, "paint", server.count(Paint), 1)
	check(t, "ammunition", server.count(Ammo), 0)
	check(t, "the client left by itself", client.Alone(), true)
	check(t, "and has nothing of it", client.count(Paint)+client.count(Link), 0)
}

// Removing an entity inside its own OnStreamOut panics: donburi would remove another entity
// in its place.
func TestRemoveInsideItsOwnRemoval(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	m.OnStreamOut(Paint, func(e *donburi.Entry, _ bool) { e.Remove() })
	e := m.Create(Paint)
	l.steps(1)
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, "OnStreamOut") {
			t.Errorf("panicked with %v", r)
		}
	}()
	e.Remove()
}

func TestRun(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{Steps: 60})
	ctx, stop := context.WithCancel(t.Context())
	steps := 0
	err := m.Run(ctx, func(r *tendon.Replication) {
		switch steps++; steps {
		case 3:
			time.Sleep(200 * time.Millisecond) // then twelve are due
		case 5:
			stop()
		}
	})
	if err != nil || steps != 6 || m.Tick() != rpl.Tick(steps) {
		t.Errorf("%d steps, tick %d, %v; want one more than the five before it was to end", steps, m.Tick(), err)
	}
	m.Join(refusing{})
	if err := m.Run(t.Context(), func(*tendon.Replication) {}); !errors.Is(err, errRefusing) {
		t.Errorf("ended with %v", err)
	}
}

// Who ends a program tells the players why, in the step that Run makes once its context is done.
func TestRunTellsWhyItEnds(t *testing.T) {
	for _, why := range []string{"maintenance, back at six", ""} {
		l := newLab(t, lan)
		server, client := l.server(tendon.Config{Dedicated: true}), l.client(tendon.Config{})
		l.joined()
		ended := ""
		client.OnEnd(func(err error) { ended = err.Error() })
		ctx, stop := context.WithCancel(t.Context())
		stop()
		err := server.Run(ctx, func(r *tendon.Replication) {
			if why != "" && ctx.Err() != nil {
				r.Close(why)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 60 {
			l.net.Advance(time.Second / 60)
			client.Receive()
			client.Send()
		}
		if want := cmp.Or(why, "the program has ended"); !strings.Contains(ended, want) {
			t.Errorf("the client has read %q, not %q", ended, want)
		}
	}
}

// A server's packets leave in Config.Sends of the steps alone, whatever its peers send.
func TestPacketsLeaveInStepsThatSend(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{Sends: 20}), l.client(tendon.Config{})
	l.joined()
	id := tendon.ID(server.Create(Body))
	server.step = func() { Body.Get(server.find(id)).Pos.X++ }
	client.step = func() { _ = Chat.Send(client.Session(), "something to acknowledge") }
	l.until("it is there", func() bool { return client.has(id) })
	l.steps(60) // what is found out about the path goes at once
	before := server.Stats(client.Me()).Conn.PacketsOut
	l.steps(600)
	check(t, "packets in ten seconds", server.Stats(client.Me()).Conn.PacketsOut-before, 200)
}
