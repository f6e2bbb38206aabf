package ecs_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A game of things that fall on the steps of a level and bounce, and of guards that walk to
// and fro. The level is local: every machine has built it.
type (
	fallData struct {
		Pos gmath.Vec `rpl:"step=1/32,interp,pos,tol=1/2"`
		Vel gmath.Vec `rpl:"step=1/1024,tol=1/8"` // pixels a tick
	}
	guardData struct {
		X float64 `rpl:"step=1/32,interp,tol=1/2"`
	}
	levelData struct{ Steps []float64 } // heights, from left to right, 100 pixels each
	kick      struct {
		Up bool `rpl:"edge"`
	}
)

const fallTol = 0.5 + 1.0/32

type fallGame struct {
	protocol *tendon.Protocol
	fall     *donburi.ComponentType[fallData]
	guard    *donburi.ComponentType[guardData]
	kick     *tendon.Command[kick]
}

var level = donburi.NewComponentType[levelData]()

// fallTo moves a thing to the next tick, on the level of its world.
func fallTo(w donburi.World, _ rpl.Tick, f *fallData) {
	f.Vel.Y += 0.2
	f.Pos = f.Pos.Add(f.Vel)
	e, _ := level.First(w)
	steps := level.Get(e).Steps
	floor := steps[int(gmath.Clamp(f.Pos.X/100, 0, float64(len(steps)-1)))]
	if f.Pos.Y >= floor {
		if f.Pos.Y, f.Vel.Y, f.Vel.X = floor, -f.Vel.Y*0.5, f.Vel.X*0.8; math.Abs(f.Vel.Y) < 0.5 {
			f.Vel = gmath.Vec{}
		}
	}
}

func guardAt(_ donburi.World, t rpl.Tick, g *guardData) {
	_, phase := math.Modf(float64(t) / 240)
	g.X = 300 * math.Abs(2*phase-1)
}

// newFallGame declares the game, with functions or without.
func newFallGame(reckoned bool) *fallGame {
	g := &fallGame{protocol: tendon.NewProtocol("falls")}
	g.fall = tendon.Replicate(g.protocol, "fall", donburi.NewComponentType[fallData]())
	g.guard = tendon.Replicate(g.protocol, "guard", donburi.NewComponentType[guardData]())
	if reckoned {
		tendon.Reckon(g.protocol, g.fall, fallTo)
		tendon.Reckon(g.protocol, g.guard, guardAt)
	}
	g.kick = tendon.NewCommand[kick](g.protocol, "kick", g.fall)
	return g
}

func (g *fallGame) lab(t *testing.T, c netsim.Conditions, seed uint64, press func(m *tendontest.Machine) kick) *tendontest.Lab {
	return tendontest.NewLab(t, tendontest.Game{
		Protocol: g.protocol, Seed: seed, Config: tendon.Config{Dedicated: false},
		Setup: func(m *tendontest.Machine) {
			w := m.World()
			level.SetValue(w.Entry(w.Create(level)), levelData{[]float64{200, 180, 190, 150, 200}})
			g.kick.Sample(m.Replication, func(*donburi.Entry) kick { return press(m) })
			g.kick.Apply(m.Replication, func(c tendon.Call, k kick) {
				f := g.fall.Get(c.Entry)
				if k.Up {
					f.Vel = gmath.Vec{X: 1, Y: -5}
				}
				fallTo(c.Entry.World, c.Tick, f)
			})
		},
		Step: func(m *tendontest.Machine) {
			g.kick.Run(m.Replication)
			for e := range g.guard.Iter(m.World()) {
				if tendon.IsAuthority(e) {
					guardAt(m.World(), m.Tick(), g.guard.Get(e))
				}
			}
		},
	}, c)
}

func never(*tendontest.Machine) kick { return kick{} }

// What a game's function moves over a level's floor costs few bytes, is where the server has it
// within the tolerance while it flies, for who joins in mid-flight, too, and equal at rest.
func TestReckon(t *testing.T) {
	for _, c := range []netsim.Conditions{{Delay: 40 * time.Millisecond}, {Delay: 60 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1}} {
		t.Run(fmt.Sprintf("loss %v", c.Loss), func(t *testing.T) {
			var took [2]int
			for k, reckoned := range []bool{false, true} {
				g := newFallGame(reckoned)
				lab := g.lab(t, c, 1, never)
				server, client := lab.Host(), lab.Join()
				lab.Steps(60)
				var all []*donburi.Entry
				for i := range 10 {
					e := server.Create(g.fall)
					g.fall.SetValue(e, fallData{Pos: gmath.Vec{X: 250 + float64(i), Y: 50}, Vel: gmath.Vec{X: float64(i-5) / 2, Y: -float64(i) / 2}})
					all = append(all, e)
					server.Create(g.guard)
				}
				from := server.Stats(client.Me()).Conn.BytesOut
				late := (*tendontest.Machine)(nil)
				past := map[rpl.Tick][]fallData{}
				for step := range 300 {
					if step == 40 {
						late = lab.Join()
					}
					lab.Steps(1)
					now := make([]fallData, len(all))
					for i, e := range all {
						now[i] = *g.fall.Get(e)
					}
					past[server.Tick()] = now
					if reckoned && step > 100 {
						for _, m := range []*tendontest.Machine{client, late} {
							nearSome(t, g, lab, m, all, past, server.Tick())
						}
					}
				}
				took[k] = int(server.Stats(client.Me()).Conn.BytesOut - from)
				lab.Steps(400)
				var of []tendon.Difference
				for _, d := range tendon.Differences(server.Replication, client.Replication) {
					if d.Component != "guard" { // they walk on
						of = append(of, d)
					}
				}
				if len(of) > 0 {
					t.Errorf("reckoned %v, at rest: %v", reckoned, of)
				}
			}
			if t.Logf("%d bytes without, %d with functions", took[0], took[1]); took[1]*3 > took[0]*2 {
				t.Errorf("with functions %d bytes, without %d", took[1], took[0])
			}
		})
	}
}

// nearSome checks that a machine shows all things as the server had them at one tick, within
// their tolerance.
func nearSome(t *testing.T, g *fallGame, lab *tendontest.Lab, m *tendontest.Machine, all []*donburi.Entry, past map[rpl.Tick][]fallData, now rpl.Tick) {
	t.Helper()
	best := math.Inf(1)
	for ago := range rpl.Tick(30) {
		was, worst := past[now-ago], 0.0
		for i := range was {
			at := g.fall.Get(lab.Other(m, all[i])).Pos
			worst = max(worst, math.Abs(at.X-was[i].Pos.X), math.Abs(at.Y-was[i].Pos.Y))
		}
		if was != nil {
			best = min(best, worst)
		}
	}
	if best > fallTol {
		t.Fatalf("tick %d: %s is %.2f pixels off at the best tick", now, m.Name, best)
	}
}

// A player takes a thing over in mid-flight, kicks it and gives it back: what is predicted is not
// corrected, and all machines end equal.
func TestReckonHandOver(t *testing.T) {
	g, press := newFallGame(true), false
	lab := g.lab(t, netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.05}, 1, func(m *tendontest.Machine) kick {
		return kick{Up: press && m.Name == "client 1"}
	})
	server, client, other := lab.Host(), lab.Join(), lab.Join()
	e := server.Create(g.fall)
	g.fall.SetValue(e, fallData{Pos: gmath.Vec{X: 100, Y: 50}, Vel: gmath.Vec{X: 1, Y: -4}})
	lab.Steps(20)
	tendon.Give(e, client.Me())
	lab.Steps(60)
	press = true
	lab.Steps(1)
	press = false
	lab.Steps(30)
	if own := g.fall.Get(lab.Other(client, e)); own.Vel.X == 0 {
		t.Errorf("the kick has not moved it: %v", *own)
	}
	tendon.Give(e, 0)
	lab.Steps(400)
	lab.CheckEqual()
	if s := client.CommandStats(); s.Corrections > 1 {
		t.Errorf("%d corrections of %d ticks", s.Corrections, s.Ticks)
	}
	if got, want := *g.fall.Get(lab.Other(other, e)), *g.fall.Get(e); got.Pos.X-want.Pos.X > 1.0/32 {
		t.Errorf("%v at the end, not %v", got, want)
	}
}

// A client that predicts asks for ticks ahead of what has come, and then for what has come next: the function does not
// run from the beginning for that.
func TestReckonBesidesPrediction(t *testing.T) {
	type pawnData struct {
		X float64 `rpl:"step=1/32,interp"`
	}
	calls := map[donburi.World]int{}
	p := tendon.NewProtocol("guards")
	guard := tendon.Reckon(p, tendon.Replicate(p, "guard", donburi.NewComponentType[guardData]()), func(w donburi.World, tick rpl.Tick, g *guardData) {
		calls[w]++
		guardAt(w, tick, g)
	})
	pawn := tendon.Replicate(p, "pawn", donburi.NewComponentType[pawnData]())
	walk := tendon.NewCommand[tendon.None](p, "walk", pawn)
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Configure: func(n string, c *tendon.Config) { c.Dedicated = n == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() { m.Create(guard) })
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(pawn), q) })
			walk.Apply(m.Replication, func(c tendon.Call, _ tendon.None) { pawn.Get(c.Entry).X++ })
		},
		Step: func(m *tendontest.Machine) {
			for e := range guard.Iter(m.World()) {
				if tendon.IsAuthority(e) {
					guardAt(m.World(), m.Tick(), guard.Get(e))
				}
			}
			walk.Run(m.Replication)
		},
	}, netsim.Conditions{Delay: 40 * time.Millisecond})
	lab.Host()
	client := lab.Join()
	lab.Steps(120)
	clear(calls)
	lab.Steps(1200)
	if n := calls[client.World()]; n < 1000 || n > 20*1200 {
		t.Errorf("it has run %d times in 1,200 steps", n)
	}
}

// What cannot be moved by a function is refused, by its name.
func TestReckonRefuses(t *testing.T) {
	type text struct {
		Name string  `rpl:"max=8"`
		X    float64 `rpl:"step=1/32"`
	}
	type secret struct {
		X float64 `rpl:"step=1/32"`
		N uint8   `rpl:"to=owner"`
	}
	type led struct {
		X  float64 `rpl:"step=1/32,predict=VX"`
		VX float64 `rpl:"step=1/32"`
	}
	p := tendon.NewProtocol("refused")
	tendon.Reckon(p, tendon.Replicate(p, "text", donburi.NewComponentType[text]()), func(donburi.World, rpl.Tick, *text) {})
	tendon.Reckon(p, tendon.Replicate(p, "secret", donburi.NewComponentType[secret]()), func(donburi.World, rpl.Tick, *secret) {})
	tendon.Reckon(p, tendon.Replicate(p, "led", donburi.NewComponentType[led]()), func(donburi.World, rpl.Tick, *led) {})
	tendon.Reckon(p, donburi.NewComponentType[text](), nil)
	_, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
	for _, want := range []string{"text, field Name: a component with a function", "secret: it has a function", "led, field X: predict=", "Reckon needs a component"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}
