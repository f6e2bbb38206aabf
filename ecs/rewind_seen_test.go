package ecs_test

// Rewind goes to the frame that was on the screen, for what stands on others, for parts, and for what
// the caller predicts.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type shotArgs struct {
	Shot int `rpl:""`
}

type (
	archerData struct {
		Score int `rpl:""`
	}
	turretData struct {
		Aim float64 `rpl:"step=1/32,interp"`
	}
	ballData struct {
		Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
		Vel gmath.Vec `rpl:"step=1/256"`
	}
)

// A gallery is a server and a client who shoots in each step. What the client has drawn in the newest
// frame is compared with what the server's Rewind finds at the shot.
type gallery struct {
	protocol *tendon.Protocol
	archer   *donburi.ComponentType[archerData]
	aim      *tendon.Command[shotArgs]
	rewind   []donburi.IComponentType
	both     bool    // is is asked on the client, too …
	beside   float64 // … and was so far from what the server found for the same shot

	setup   func(m *tendontest.Machine) // of both machines
	step    func(m *tendontest.Machine) // of the server's game
	rules   func(m *tendontest.Machine) // of both, behind the shots
	is      func(m *tendontest.Machine) (gmath.Vec, bool)
	drawn   func(m *tendontest.Machine) (gmath.Vec, bool)
	between func(lab *tendontest.Lab, server, client *tendontest.Machine) // after 4 s, before 2 more
}

func newGallery() *gallery {
	p := tendon.NewProtocol("gallery")
	g := &gallery{protocol: p, archer: tendon.Replicate(p, "archer", donburi.NewComponentType[archerData]())}
	g.aim = tendon.NewCommand[shotArgs](p, "aim", g.archer)
	return g
}

// play returns how many shots were judged, and how far beside what was drawn at most.
func (g *gallery) play(t *testing.T) (judged int, worst float64) {
	shot, drawn, saw := 0, map[int]gmath.Vec{}, gmath.Vec{}
	first := map[int]gmath.Vec{} // what the client found
	game := tendontest.Game{
		Protocol: g.protocol, Config: tendon.Config{Rewind: g.rewind},
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
	}
	game.Setup = func(m *tendontest.Machine) {
		m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(g.archer), q) })
		g.aim.Sample(m.Replication, func(*donburi.Entry) shotArgs { shot++; drawn[shot] = saw; return shotArgs{shot} })
		g.aim.Apply(m.Replication, func(c tendon.Call, a shotArgs) {
			if !m.IsAuthority() && g.both && m.Tick() >= 100 {
				c.Rewind(func() {
					is, _ := g.is(m)
					if was, again := first[a.Shot]; again && was != is {
						t.Errorf("tick %d: %v in a replay, %v before", c.Tick, is, was)
					}
					first[a.Shot] = is
				})
			}
			want, ok := drawn[a.Shot]
			if !ok || !m.IsAuthority() || m.Tick() < 120 {
				return
			}
			c.Rewind(func() {
				if is, ok := g.is(m); ok {
					judged, worst = judged+1, max(worst, is.DistanceTo(want))
					if found, ok := first[a.Shot]; ok {
						g.beside = max(g.beside, is.DistanceTo(found))
					} else if g.both && m.Tick() > 200 {
						t.Errorf("tick %d: the client has not asked", c.Tick)
					}
				}
			})
		})
		if g.setup != nil {
			g.setup(m)
		}
	}
	game.Step = func(m *tendontest.Machine) {
		if m.IsAuthority() && g.step != nil {
			g.step(m)
		}
		g.aim.Run(m.Replication)
		if g.rules != nil {
			g.rules(m)
		}
	}
	lab := tendontest.NewLab(t, game, netsim.Conditions{Delay: 80 * time.Millisecond})
	server, client := lab.Host(), lab.Join()
	for i := range 360 {
		if i == 240 && g.between != nil {
			g.between(lab, server, client)
		}
		lab.Steps(1)
		client.Frame()
		if at, ok := g.drawn(client); ok {
			saw = at
		}
	}
	return judged, worst
}

// A shot is judged by the frame that was on the screen as the key was pressed, not by the next one.
func TestRewindGoesToTheFrameOnTheScreen(t *testing.T) {
	g := newGallery()
	ball := tendon.Replicate(g.protocol, "ball", donburi.NewComponentType[ballData]())
	g.rewind = []donburi.IComponentType{ball}
	g.setup = func(m *tendontest.Machine) { m.OnStart(func() { m.Create(ball) }) }
	g.step = func(m *tendontest.Machine) { ball.Get(ball.MustFirst(m.World())).Pos.X += 4 }
	g.is = func(m *tendontest.Machine) (gmath.Vec, bool) { return ball.Get(ball.MustFirst(m.World())).Pos, true }
	g.drawn = func(m *tendontest.Machine) (at gmath.Vec, ok bool) {
		e, ok := ball.First(m.World())
		if ok {
			at = tendon.View(e, ball).Pos
		}
		return at, ok
	}
	if judged, worst := g.play(t); judged < 200 || worst > 0.1 {
		t.Errorf("%d shots, up to %v beside the frame", judged, worst)
	}
}

// What the caller predicts, though nobody owns it, it draws where it will be: there it is hit.
func TestRewindOfWhatTheCallerPredicts(t *testing.T) {
	g := newGallery()
	ball := tendon.Replicate(g.protocol, "ball", donburi.NewComponentType[ballData]())
	roll := tendon.NewCommand[tendon.None](g.protocol, "roll", ball)
	g.rewind = []donburi.IComponentType{ball}
	corrections := 0
	g.setup = func(m *tendontest.Machine) {
		m.OnStart(func() { ball.Get(m.Create(ball)).Vel = gmath.Vec{X: 4} })
		m.OnStreamIn(ball, func(e *donburi.Entry) { tendon.Predict(e, true) })
		m.OnCorrection(func(tendon.Correction) { corrections++ })
		roll.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
			b := ball.Get(c.Entry)
			b.Pos = b.Pos.Add(b.Vel)
		})
	}
	g.is = func(m *tendontest.Machine) (gmath.Vec, bool) { return ball.Get(ball.MustFirst(m.World())).Pos, true }
	g.drawn = func(m *tendontest.Machine) (at gmath.Vec, ok bool) {
		e, ok := ball.First(m.World())
		if ok {
			at = tendon.View(e, ball).Pos
		}
		return at, ok
	}
	g.rules = func(m *tendontest.Machine) { roll.Run(m.Replication) }
	if judged, worst := g.play(t); judged < 200 || worst > 6 {
		t.Errorf("%d shots, up to %v beside the frame; %d corrections", judged, worst, corrections)
	}
}

// Who gets on or off something is hit where it is drawn: on what it was drawn on.
func TestRewindAcrossANewParent(t *testing.T) {
	for _, off := range []bool{false, true} {
		g := newGallery()
		g.both = true
		place := tendon.Replicate(g.protocol, "place", components.Transform)
		g.rewind = []donburi.IComponentType{components.Transform}
		var rider, lift rpl.Node
		ground, seat := gmath.Vec{X: 500, Y: 300}, gmath.Vec{X: 20, Y: -10}
		in := func(m *tendontest.Machine) *donburi.Entry { e, _ := m.Find(rider); return e }
		g.setup = func(m *tendontest.Machine) {
			m.OnStart(func() {
				e, l := m.Create(place), m.Create(place)
				place.Get(l).Pos, place.Get(e).Pos = gmath.Vec{X: 480, Y: 310}, ground
				if off {
					place.Get(e).Pos = seat
					tendon.Attach(e, l)
				}
				rider, lift = tendon.ID(e), tendon.ID(l)
			})
		}
		found := 0
		g.is = func(m *tendontest.Machine) (gmath.Vec, bool) {
			e := in(m)
			at := tendon.WorldTransform(e).Pos
			for q := range m.Space(filter.Contains(place)).Within(at, 0.5) {
				if q.Entity() == e.Entity() && m.IsAuthority() {
					found++
				}
			}
			if view := tendon.WorldView(e).Pos; view.DistanceTo(at) > 1e-9 {
				t.Errorf("%s: inside it is at %v, and drawn at %v", m.Name, at, view)
			}
			return at, true
		}
		g.drawn = func(m *tendontest.Machine) (gmath.Vec, bool) {
			e := in(m)
			if e == nil {
				return gmath.Vec{}, false
			}
			return tendon.WorldView(e).Pos, true
		}
		g.between = func(_ *tendontest.Lab, server, _ *tendontest.Machine) {
			e := in(server)
			if off {
				place.Get(e).Pos = ground
				tendon.Attach(e, nil)
				return
			}
			l, _ := server.Find(lift)
			place.Get(e).Pos = seat
			tendon.Attach(e, l)
		}
		if judged, worst := g.play(t); judged < 200 || worst > 8 || found != judged || g.beside > 1e-9 {
			t.Errorf("gets off %v: %d shots, up to %v beside what was drawn, and %v beside what the client found; Space found it %d times", off, judged, worst, g.beside, found)
		}
	}
}

// In a Rewind the game may move what hung elsewhere then: afterwards it hangs where the game says.
func TestAttachInsideRewind(t *testing.T) {
	g := newGallery()
	place := tendon.Replicate(g.protocol, "place", components.Transform)
	g.rewind = []donburi.IComponentType{components.Transform}
	var rider, lift rpl.Node
	at := func(m *tendontest.Machine, id rpl.Node) *donburi.Entry { e, _ := m.Find(id); return e }
	g.setup = func(m *tendontest.Machine) {
		m.OnStart(func() { rider, lift = tendon.ID(m.Create(place)), tendon.ID(m.Create(place)) })
	}
	done := 0
	g.is = func(m *tendontest.Machine) (gmath.Vec, bool) {
		e, l := at(m, rider), at(m, lift)
		if m.Tick() > 250 && done == 0 && tendon.Parent(e) == nil { // it hangs on the lift now, and did not then
			done++
			if err := tendon.Attach(e, nil); err != nil {
				t.Error(err)
			}
			if err := tendon.Attach(e, l); err != nil {
				t.Error(err)
			}
			if p := tendon.Parent(e); p == nil || p.Entity() != l.Entity() {
				t.Errorf("attached inside, it hangs on %v", p)
			}
		}
		return gmath.Vec{}, true
	}
	g.drawn = func(*tendontest.Machine) (gmath.Vec, bool) { return gmath.Vec{}, true }
	g.between = func(_ *tendontest.Lab, server, _ *tendontest.Machine) {
		tendon.Attach(at(server, rider), at(server, lift))
	}
	if g.play(t); done == 0 {
		t.Error("nothing was moved inside of a Rewind")
	}
}

// A board that hung below its player and carries it now: seen by the player itself, which does not go
// back, and by another, for whom both do.
func TestRewindOfWhatHasChangedPlaces(t *testing.T) {
	for _, own := range []bool{true, false} {
		g := newGallery()
		place := tendon.Replicate(g.protocol, "place", components.Transform)
		g.rewind = []donburi.IComponentType{components.Transform}
		var board, player rpl.Node
		g.setup = func(m *tendontest.Machine) {
			m.OnJoin(func(q rpl.Peer) {
				a, p, b := m.Create(g.archer), m.Create(place), m.Create(place)
				tendon.Give(a, q)
				if own {
					tendon.Give(p, q)
				}
				place.Get(p).Pos = gmath.Vec{X: 100}
				place.Get(b).Pos = gmath.Vec{X: 5}
				tendon.Attach(b, p)
				player, board = tendon.ID(p), tendon.ID(b)
			})
		}
		at := func(m *tendontest.Machine, id rpl.Node) *donburi.Entry { e, _ := m.Find(id); return e }
		found, wrong := 0, 0
		g.is = func(m *tendontest.Machine) (gmath.Vec, bool) {
			for range m.Space(filter.Contains(place)).Within(gmath.Vec{X: 100}, 10) {
				found++
			}
			if x := tendon.WorldTransform(at(m, board)).Pos.X; !own && x != 105 {
				wrong++
			}
			return gmath.Vec{}, true
		}
		g.drawn = func(*tendontest.Machine) (gmath.Vec, bool) { return gmath.Vec{}, true }
		g.between = func(_ *tendontest.Lab, server, _ *tendontest.Machine) {
			b, p := at(server, board), at(server, player)
			tendon.Attach(b, nil)
			place.Get(b).Pos = gmath.Vec{X: 105}
			if err := tendon.Attach(p, b); err != nil {
				t.Error(err)
			}
			place.Get(p).Pos = gmath.Vec{X: -5}
		}
		if judged, _ := g.play(t); judged < 200 || found < 2*judged-20 || wrong > 0 {
			t.Errorf("own %v: %d judged, %d found, %d times the board is elsewhere", own, judged, found, wrong)
		}
	}
}

// A part goes back with its node.
func TestRewindOfParts(t *testing.T) {
	g := newGallery()
	place := tendon.Replicate(g.protocol, "place", components.Transform)
	turret := tendon.Replicate(g.protocol, "turret", donburi.NewComponentType[turretData]())
	truck := tendon.NewPrefab(g.protocol, "truck", func(w donburi.World, _ tendon.None) *donburi.Entry {
		e := w.Entry(w.Create(place))
		tendon.Part(e, w.Entry(w.Create(turret)))
		return e
	})
	g.rewind, g.both = []donburi.IComponentType{components.Transform, turret}, true
	g.setup = func(m *tendontest.Machine) { m.OnStart(func() { truck.Spawn(m.World(), tendon.None{}) }) }
	g.step = func(m *tendontest.Machine) {
		place.Get(place.MustFirst(m.World())).Pos.X += 2
		turret.Get(turret.MustFirst(m.World())).Aim += 2
	}
	g.is = func(m *tendontest.Machine) (gmath.Vec, bool) {
		return gmath.Vec{X: place.Get(place.MustFirst(m.World())).Pos.X, Y: turret.Get(turret.MustFirst(m.World())).Aim}, true
	}
	g.drawn = func(m *tendontest.Machine) (at gmath.Vec, ok bool) {
		a, ok := place.First(m.World())
		b, too := turret.First(m.World())
		if ok && too {
			at = gmath.Vec{X: tendon.View(a, place).Pos.X, Y: tendon.View(b, turret).Aim}
		}
		return at, ok && too
	}
	if judged, worst := g.play(t); judged < 200 || worst > 0.1 || g.beside > 1e-9 {
		t.Errorf("%d shots, up to %v beside the frame, and %v beside what the client found", judged, worst, g.beside)
	}
}
