package ecs_test

// The screen is a client as a game has it: prefabs of many components, hierarchies, parts,
// lists and callbacks, and a picture that may be drawn more often than the game steps. The
// benchmarks measure what that client costs in each step and each frame.

import (
	"fmt"
	"math"
	"runtime"
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

type (
	screenMotion struct {
		Vel  gmath.Vec `rpl:"step=1/16"` // units a second
		turn float64
	}
	screenHealth struct {
		Left int  `rpl:"min=0,max=1000,notify"`
		Dead bool `rpl:"notify"`
	}
	screenKind struct {
		Team uint8  `rpl:"max=7,notify"`
		Name string `rpl:"max=32,once"`
	}
	screenThing struct {
		Kind  uint8 `rpl:"max=63"`
		Count uint8 `rpl:""`
	}
	screenBag struct {
		Things []screenThing `rpl:"max=16"`
	}
	screenAim struct {
		Angle float64 `rpl:"angle,bits=10,interp"`
	}
	screenHand struct {
		Reach float64        `rpl:"step=1/16,interp=inplace"`
		What  donburi.Entity `rpl:""`
	}
	screenSprite struct {
		Frame int
		Drawn float64
	}
	screenArgs struct {
		Pos  gmath.Vec `rpl:"step=1/32"`
		Name string    `rpl:"max=32"`
	}
)

var (
	onScreenMotion = donburi.NewComponentType[screenMotion]()
	onScreenHealth = donburi.NewComponentType[screenHealth]()
	onScreenKind   = donburi.NewComponentType[screenKind]()
	onScreenBag    = donburi.NewComponentType[screenBag]()
	onScreenAim    = donburi.NewComponentType[screenAim]()
	onScreenHand   = donburi.NewComponentType[screenHand]()
	onScreenSprite = donburi.NewComponentType[screenSprite]()

	screenDrawn  = donburi.NewQuery(filter.And(filter.Contains(components.Transform, onScreenSprite), tendon.Drawn))
	screenThings = donburi.NewQuery(filter.Contains(onScreenSprite))
	screenAims   = donburi.NewQuery(filter.And(filter.Contains(onScreenAim), tendon.Drawn))
)

// A screen is a server with its player, and a client whose picture is drawn.
type screen struct {
	net            *mem.Network
	listener       *mem.Listener
	proto          *tendon.Protocol
	soldier, crate *tendon.Prefab[screenArgs]
	server, client *tendon.Replication
	steps          int              // a second, of both
	movers         []donburi.Entity // on the server

	came, gone, changes int     // callbacks on the client
	sum                 float64 // of what was drawn

	receive, send, frame, draw clockOf // of the client
	bare                       clockOf // drawing without View
	host                       clockOf // drawing on the server, which is a player's machine, too
}

// A clockOf sums up what one call takes.
type clockOf struct {
	total, worst time.Duration
	calls        int
}

func (c *clockOf) time(fn func()) {
	from := time.Now()
	fn()
	d := time.Since(from)
	c.total, c.worst, c.calls = c.total+d, max(c.worst, d), c.calls+1
}

func newScreen(b testing.TB, steps int) *screen {
	s := &screen{steps: steps, net: mem.NewNetwork(1, netsim.Conditions{Delay: 30 * time.Millisecond, Jitter: 5 * time.Millisecond})}
	p := tendon.NewProtocol("screen")
	s.proto = p
	tendon.Replicate(p, "transform", components.Transform, rpl.Tags{"Pos": "step=1/32,interp,pos"})
	tendon.Replicate(p, "motion", onScreenMotion)
	tendon.Replicate(p, "health", onScreenHealth)
	tendon.Replicate(p, "kind", onScreenKind)
	tendon.Replicate(p, "bag", onScreenBag)
	tendon.Replicate(p, "aim", onScreenAim)
	tendon.Replicate(p, "hand", onScreenHand)
	s.soldier = tendon.NewPrefab(p, "soldier", func(w donburi.World, a screenArgs) *donburi.Entry {
		e := w.Entry(w.Create(components.Transform, onScreenMotion, onScreenHealth, onScreenKind, onScreenBag, onScreenSprite))
		components.Transform.Get(e).Pos = a.Pos
		onScreenKind.Get(e).Name = a.Name
		onScreenHealth.Get(e).Left = 100
		turret := w.Entry(w.Create(onScreenAim))
		tendon.Part(e, turret)
		return e
	})
	s.crate = tendon.NewPrefab(p, "crate", func(w donburi.World, a screenArgs) *donburi.Entry {
		e := w.Entry(w.Create(components.Transform, onScreenHealth, onScreenKind, onScreenHand, onScreenSprite))
		components.Transform.Get(e).Pos = a.Pos
		onScreenHealth.Get(e).Left = 50
		return e
	})
	s.listener = s.net.Listener()
	s.server, s.client = s.machine(b), s.machine(b)
	c := s.client
	c.OnStreamIn(onScreenSprite, func(e *donburi.Entry) { s.came++ })
	c.OnStreamOut(onScreenSprite, func(e *donburi.Entry, _ bool) { s.gone++ })
	tendon.OnChange(c, onScreenHealth, func(e *donburi.Entry, old screenHealth) { s.changes++ })
	tendon.OnChange(c, onScreenKind, func(e *donburi.Entry, old screenKind) { onScreenSprite.Get(e).Frame = 0 })
	s.server.Host(s.listener)
	s.server.Receive()
	s.server.Send()
	return s
}

func (s *screen) machine(b testing.TB) *tendon.Replication {
	r, err := tendon.New(donburi.NewWorld(), s.proto, tendon.Config{Steps: s.steps, Budget: 1 << 28})
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// fill spawns nodes: a third of them moves, half of those in curves. Every fourth hangs
// below one of the movers.
func (s *screen) fill(n int) {
	w := s.server.World()
	var top *donburi.Entry
	for i := range n {
		a := screenArgs{Pos: gmath.Vec{X: float64(i%100) * 40, Y: float64(i/100) * 40}, Name: fmt.Sprint("n", i)}
		if i%4 == 1 {
			a.Pos = gmath.Vec{X: 5}
		}
		var e *donburi.Entry
		if i%3 == 0 {
			e = s.soldier.Spawn(w, a)
			m := onScreenMotion.Get(e)
			m.Vel = gmath.Vec{X: 60}
			if m.turn = 0; i%2 == 0 {
				m.turn = 0.5
			}
			s.movers = append(s.movers, e.Entity())
		} else {
			e = s.crate.Spawn(w, a)
		}
		switch {
		case i%4 == 0:
			top = e
		case i%4 == 1:
			if err := tendon.Attach(e, top); err != nil {
				panic(err)
			}
		}
	}
}

// rules moves the world by a step.
func (s *screen) rules() {
	w, dt, tick := s.server.World(), 1/float64(s.steps), int(s.server.Tick())
	for i, ent := range s.movers {
		e := w.Entry(ent)
		m, t := onScreenMotion.Get(e), components.Transform.Get(e)
		if m.turn != 0 {
			m.Vel = m.Vel.Rotated(gmath.Rad(m.turn * dt))
		} else if (tick+i)%(2*s.steps) == 0 {
			m.Vel = m.Vel.Mulf(-1)
		}
		t.Pos = t.Pos.Add(m.Vel.Mulf(dt))
		t.Rot = gmath.Rad(math.Atan2(m.Vel.Y, m.Vel.X))
		if (tick+i*7)%(10*s.steps) == 0 {
			onScreenHealth.Get(e).Left--
			bag := onScreenBag.Get(e)
			bag.Things = append(bag.Things, screenThing{Kind: uint8(i % 64), Count: 1})
			if len(bag.Things) > 8 {
				bag.Things = bag.Things[1:]
			}
		}
	}
}

func (s *screen) serverStep() {
	s.server.Receive()
	s.rules()
	s.server.Send()
}

func (s *screen) clientStep() {
	s.receive.time(s.client.Receive)
	s.send.time(s.client.Send)
}

// picture draws everything on the client, as the guide says.
func (s *screen) picture() {
	s.frame.time(s.client.Frame)
	s.draw.time(func() { s.drawn(s.client) })
}

func (s *screen) drawn(rep *tendon.Replication) {
	for e := range screenDrawn.Iter(rep.World()) {
		t := tendon.WorldView(e)
		s.sum += t.Pos.X + float64(t.Rot)
	}
	for e := range screenAims.Iter(rep.World()) {
		s.sum += tendon.View(e, onScreenAim).Angle
	}
}

// drawnBare is drawn without a session: each component as it is, and no trees.
func (s *screen) drawnBare() {
	for e := range screenDrawn.Iter(s.client.World()) {
		t := *components.Transform.Get(e)
		s.sum += t.Pos.X + float64(t.Rot)
	}
	for e := range screenAims.Iter(s.client.World()) {
		s.sum += onScreenAim.Get(e).Angle
	}
}

func (s *screen) clear() {
	s.receive, s.send, s.frame, s.draw, s.bare, s.host = clockOf{}, clockOf{}, clockOf{}, clockOf{}, clockOf{}, clockOf{}
}

// play runs seconds; fps pictures are drawn in each, between the steps.
func (s *screen) play(seconds float64, fps int) {
	frames := 0
	for step := range int(seconds * float64(s.steps)) {
		end := time.Duration(step+1) * time.Second / time.Duration(s.steps)
		now := time.Duration(step) * time.Second / time.Duration(s.steps)
		for fps > 0 {
			at := time.Duration(frames+1) * time.Second / time.Duration(fps)
			if at > end {
				break
			}
			s.net.Advance(at - now)
			now = at
			s.picture()
			frames++
		}
		s.net.Advance(end - now)
		s.serverStep()
		s.clientStep()
	}
}

// BenchmarkScreen measures the client of a world of which a third moves: ns for each node
// of the world and step or frame, and allocations. "bare-ns" is what drawing costs without
// a session, "host-ns" what it costs on the server's own screen.
func BenchmarkScreen(b *testing.B) {
	for _, c := range []struct{ nodes, fps, steps int }{
		{500, 60, 60},
		{3000, 60, 60},
		{10000, 60, 60},
		{3000, 144, 60},
		{3000, 144, 30},
		{3000, 144, 20},
	} {
		b.Run(fmt.Sprintf("%d at %d fps, %d steps", c.nodes, c.fps, c.steps), func(b *testing.B) {
			s := newScreen(b, c.steps)
			s.fill(c.nodes)
			s.client.Join(s.net.Dialer(s.listener))
			s.play(9, c.fps)
			if s.came != c.nodes {
				b.Fatalf("%d of %d nodes have come", s.came, c.nodes)
			}
			s.clear()
			for b.Loop() {
				s.play(1, c.fps)
				for range c.fps / 4 {
					s.host.time(func() { s.drawn(s.server) })
					s.bare.time(s.drawnBare)
				}
			}
			report := func(k clockOf, unit string) {
				b.ReportMetric(float64(k.total.Nanoseconds())/float64(k.calls*c.nodes), unit)
			}
			report(s.receive, "receive-ns/node")
			report(s.send, "send-ns/node")
			report(s.frame, "frame-ns/node")
			report(s.draw, "draw-ns/node")
			report(s.bare, "bare-ns/node")
			report(s.host, "host-ns/node")
			s.allocations(b)
		})
	}
}

// allocations reports how often a step and a frame of the client allocate.
func (s *screen) allocations(b *testing.B) {
	const steps = 60
	var m runtime.MemStats
	count := func(sum *float64, fn func()) {
		runtime.ReadMemStats(&m)
		before := m.Mallocs
		fn()
		runtime.ReadMemStats(&m)
		*sum += float64(m.Mallocs-before) / steps
	}
	var step, frame float64
	for range steps {
		s.net.Advance(time.Second / time.Duration(s.steps))
		s.serverStep()
		count(&step, s.clientStep)
		count(&frame, s.picture)
	}
	b.ReportMetric(step, "allocs/step")
	b.ReportMetric(frame, "allocs/frame")
}

// BenchmarkScreenBurst measures how a client takes thousands of nodes that come at once,
// and that go again: the dearest step and frame, and all of them together.
func BenchmarkScreenBurst(b *testing.B) {
	const nodes = 3000
	var came, went struct{ step, frame, all float64 }
	for b.Loop() {
		s := newScreen(b, 60)
		s.client.Join(s.net.Dialer(s.listener))
		s.play(1, 60)
		for _, what := range []*struct{ step, frame, all float64 }{&came, &went} {
			if what == &came {
				s.fill(nodes)
			} else {
				for e := range screenThings.Iter(s.server.World()) {
					s.movers = append(s.movers, e.Entity())
				}
				for _, ent := range s.movers {
					s.server.World().Remove(ent)
				}
				s.movers = nil
			}
			s.clear()
			s.play(1, 60)
			what.step += s.receive.worst.Seconds() * 1e3
			what.frame += (s.frame.worst + s.draw.worst).Seconds() * 1e3
			what.all += s.receive.total.Seconds() * 1e3
		}
		if s.came != nodes || s.gone != nodes {
			b.Fatalf("%d nodes have come and %d gone, of %d", s.came, s.gone, nodes)
		}
	}
	n := float64(b.N)
	b.ReportMetric(came.step/n, "in-worst-ms")
	b.ReportMetric(came.frame/n, "frame-worst-ms")
	b.ReportMetric(came.all/n, "in-ms")
	b.ReportMetric(went.step/n, "out-worst-ms")
	b.ReportMetric(went.all/n, "out-ms")
}
