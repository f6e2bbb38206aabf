package ecs_test

// After a gap in the line a carrier goes over to where it is. What gets out of it or into it meanwhile does so with it.

import (
	"fmt"
	"math"
	"math/rand/v2"
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

type gapRoleData struct {
	Role uint8 `rpl:"once"` // its number among gapRide.all
}

var (
	gapRides = tendon.NewProtocol("gap rides")
	gapPlace = tendon.Replicate(gapRides, "transform", components.Transform, rpl.Tags{"Pos": "step=1/32,interp,pos", "Rot": "angle,bits=16,interp"})
	gapRole  = tendon.Replicate(gapRides, "role", donburi.NewComponentType[gapRoleData]())
	gapLine  = netsim.Conditions{Delay: 25 * time.Millisecond}
	gapDrawn = donburi.NewQuery(filter.And(filter.Contains(gapRole), tendon.Drawn))
)

// A gapRide is a session of a server, which plays it by steps, and a client, to which nothing comes for a while.
type gapRide struct {
	line     netsim.Conditions
	from, to int // the ticks of the gap
	seed     uint64
	start    []components.TransformData // the things, by number
	step     func(k int, thing func(i int) *donburi.Entry)
	drawn    func(at []components.TransformData) // in each frame; what is not there is at NaN
	seconds  float64
}

func (g *gapRide) play(t *testing.T) {
	t.Helper()
	all := make([]donburi.Entity, len(g.start))
	started := false
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: gapRides, Seed: g.seed,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				if m.Name != "server" {
					return
				}
				for i := range all {
					e := m.Create(gapPlace, gapRole)
					gapRole.Get(e).Role = uint8(i)
					gapPlace.SetValue(e, g.start[i])
					all[i] = e.Entity()
				}
				started = true
			})
		},
		Step: func(m *tendontest.Machine) {
			if m.Name == "server" && started {
				g.step(int(m.Tick()), func(i int) *donburi.Entry { return m.World().Entry(all[i]) })
			}
		},
	}, g.line)
	server := lab.Host()
	client := lab.Join()
	lab.Steps(200 - int(server.Tick()))
	at := make([]components.TransformData, len(all))
	lab.Play(time.Duration(g.seconds*float64(time.Second)), tendontest.FPS(60), func(m *tendontest.Machine) {
		down := g.line
		if k := int(server.Tick()); k >= g.from && k < g.to {
			down = netsim.Conditions{Loss: 1}
		}
		client.Dialer.SetConditions(g.line, down)
		if m != client {
			return
		}
		for i := range at {
			at[i].Pos = gmath.Vec{X: math.NaN()}
		}
		for e := range gapDrawn.Iter(m.World()) {
			at[gapRole.Get(e).Role] = tendon.WorldView(e)
		}
		g.drawn(at)
	})
	lab.CheckEqual()
}

// A truck drives 120 units while the line is down. Who gets out of it then, or a moment later, or gets into it where
// it has stopped, is drawn on from where it was drawn, and goes over as the truck does.
func TestWhoGetsOutAfterAGapGoesOverWithTheTruck(t *testing.T) {
	for _, c := range []struct {
		what         string
		rider        float64 // where the rider stands at first
		board, leave int
		from, to     int
	}{
		{"never cut", 100, 280, 440, 0, 0},
		{"aboard all the while", 100, 280, 500, 340, 400},
		{"gets out in the gap", 100, 280, 395, 340, 400},
		{"gets out a moment after it", 100, 280, 410, 340, 400},
		{"gets out as the truck is almost there", 100, 280, 420, 340, 400},
		{"gets out in a gap of 3 s", 100, 280, 395, 340, 520},
		{"boards in the gap, before the drive", 100, 325, 500, 320, 400},
		{"boards in the gap, after the drive", 220, 395, 500, 340, 400},
		{"boards a moment after it", 220, 410, 500, 340, 400},
		{"boards as the truck is almost there", 220, 420, 500, 340, 400},
		{"boards in the gap and gets out", 220, 393, 397, 340, 400},
		{"boards and gets out as the truck goes over", 220, 406, 414, 340, 400},
		{"boards and gets out at once", 220, 410, 412, 340, 400},
	} {
		t.Run(c.what, func(t *testing.T) {
			var before []components.TransformData
			var leap [2]float64
			apart, off := 0., 0. // while the rider is where the truck is all the while; while it is not moved
			g := gapRide{
				line: gapLine, seed: 1, from: c.from, to: c.to, seconds: 6,
				start: []components.TransformData{{Pos: gmath.Vec{X: 100, Y: 100}}, {Pos: gmath.Vec{X: c.rider, Y: 100}}},
				step: func(k int, thing func(i int) *donburi.Entry) {
					if k >= 330 && k < 390 {
						gapPlace.Get(thing(0)).Pos.X += 2
					}
					if k == c.board {
						gapPlace.Get(thing(1)).Pos = gmath.Vec{}
						if err := tendon.Attach(thing(1), thing(0)); err != nil {
							t.Error(err)
						}
					}
					if k == c.leave {
						if err := tendon.Detach(thing(1)); err != nil {
							t.Error(err)
						}
					}
				},
				drawn: func(at []components.TransformData) {
					for i := range before {
						leap[i] = max(leap[i], at[i].Pos.DistanceTo(before[i].Pos))
					}
					before = append(before[:0], at...)
					if c.rider == 100 {
						apart = max(apart, at[1].Pos.DistanceTo(at[0].Pos))
					} else {
						off = max(off, at[1].Pos.DistanceTo(gmath.Vec{X: 220, Y: 100}))
					}
				},
			}
			g.play(t)
			s := fmt.Sprintf("in a frame the truck goes %.1f units and the rider %.1f at most, and is %.1f beside it and %.1f from where it stands", leap[0], leap[1], apart, off)
			if t.Log(s); leap[0] > 5 || leap[1] > leap[0]+1 || apart > 4 || off > 4 {
				t.Error(s)
			}
		})
	}
}

// hangs puts a thing below another, or at the top for nil, where it is in the world.
func hangs(t *testing.T, e, up *donburi.Entry) {
	at := tendon.WorldTransform(e)
	if err := tendon.Attach(e, up); err != nil {
		t.Error(err)
	}
	if up != nil {
		to := tendon.WorldTransform(up)
		at = components.TransformData{Pos: at.Pos.Sub(to.Pos).Rotated(-to.Rot), Rot: (at.Rot - to.Rot).Normalized()}
	}
	gapPlace.SetValue(e, at)
}

// A rider changes between a truck, a turret on that, a cart and the ground, at random, while the line goes down and
// comes back at random. It goes over no faster than it takes for the way of the gap: at most 4.2 units a frame in truth,
// and an arm's length more where something has turned meanwhile.
func TestWhoChangesParentsAroundGapsDoesNotLeap(t *testing.T) {
	rides := uint64(60)
	if *seedFlag != 0 {
		rides = 1
	}
	for ride := range uint64(someRuns(int(rides))) {
		seed := 1 + ride
		if *seedFlag != 0 {
			seed = *seedFlag
		}
		rng := rand.New(rand.NewPCG(seed, 7))
		var before []components.TransformData
		var leap [4]float64
		var way [2]gmath.Vec
		var turn [2]gmath.Rad
		from := 250 + rng.IntN(100)
		g := gapRide{
			line: gapLine, seed: seed, from: from, to: from + 30 + rng.IntN(70), seconds: 5,
			start: []components.TransformData{{}, {Pos: gmath.Vec{X: 20, Y: 5}}, {Pos: gmath.Vec{Y: 50}}, {Pos: gmath.Vec{X: 20, Y: 25}}},
			step: func(k int, thing func(i int) *donburi.Entry) {
				switch {
				case k > 440: // so that the two machines are compared as all rests
					return
				case tendon.Parent(thing(1)) == nil:
					hangs(t, thing(1), thing(0))
				}
				for i, e := range []*donburi.Entry{thing(0), thing(2)} {
					if rng.IntN(40) == 0 {
						way[i] = gmath.Vec{X: 6*rng.Float64() - 3, Y: 6*rng.Float64() - 3}
						turn[i] = gmath.Rad(0.02*rng.Float64() - 0.01)
					}
					at := gapPlace.Get(e)
					at.Pos, at.Rot = at.Pos.Add(way[i]), (at.Rot + turn[i]).Normalized()
				}
				if rng.IntN(30) == 0 {
					hangs(t, thing(3), []*donburi.Entry{nil, thing(0), thing(1), thing(2)}[rng.IntN(4)])
				}
			},
			drawn: func(at []components.TransformData) {
				for i := range before {
					leap[i] = max(leap[i], at[i].Pos.DistanceTo(before[i].Pos))
				}
				before = append(before[:0], at...)
			},
		}
		g.play(t)
		if s := fmt.Sprintf("seed %d, gap from %d to %d: in a frame the truck goes %.1f units, the turret %.1f, the cart %.1f and the rider %.1f at most", seed, g.from, g.to, leap[0], leap[1], leap[2], leap[3]); leap[3] > 30 {
			t.Error(s)
		} else {
			t.Log(s)
		}
	}
}

// What a truck did in a gap counts for who was aboard: a leap is a cut for both, and who gets out of a truck that is
// removed in that step goes over as the truck would have.
func TestWhoGetsOutOfALeapAfterAGap(t *testing.T) {
	for _, c := range []struct {
		what  string
		leave int
		leaps bool // in tick 370 the truck leaps
		aside bool // the rider leaps as it gets out
		gone  bool // the truck is removed then
		most  float64
		cuts  int
	}{
		{"the truck leaps before", 395, true, false, false, 320, 1},
		{"the truck leaps in that step", 370, true, false, false, 320, 1},
		{"the truck has leapt", 410, true, false, false, 320, 1},
		{"the rider leaps", 395, false, true, false, 320, 1},
		{"the rider leaps a moment later", 410, false, true, false, 320, 1},
		{"the truck goes", 395, false, false, true, 5, 0},
		{"the truck goes a moment later", 410, false, false, true, 5, 0},
		{"the truck goes between two sends", 411, false, false, true, 10, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			var before gmath.Vec
			farthest, cuts := 0., 0
			g := gapRide{
				line: gapLine, seed: 1, from: 340, to: 400, seconds: 5,
				start: []components.TransformData{{Pos: gmath.Vec{X: 100, Y: 100}}, {Pos: gmath.Vec{X: 100, Y: 100}}},
				step: func(k int, thing func(i int) *donburi.Entry) {
					if k >= 330 && k < 390 {
						gapPlace.Get(thing(0)).Pos.X += 2
					}
					switch {
					case k == 280:
						hangs(t, thing(1), thing(0))
					case k == 370 && c.leaps:
						gapPlace.Get(thing(0)).Pos.Y += 300
						tendon.Teleport(thing(0))
					}
					if k != c.leave {
						return
					}
					if err := tendon.Detach(thing(1)); err != nil {
						t.Error(err)
					}
					if c.aside {
						gapPlace.Get(thing(1)).Pos.Y += 300
						tendon.Teleport(thing(1))
					}
					if c.gone {
						thing(0).Remove()
					}
				},
				drawn: func(at []components.TransformData) {
					if before.X != 0 {
						way := at[1].Pos.DistanceTo(before)
						if farthest = max(farthest, way); way > 10 {
							cuts++
						}
					}
					before = at[1].Pos
				},
			}
			g.play(t)
			if s := fmt.Sprintf("the rider goes %.1f units in a frame, with %d cuts", farthest, cuts); farthest > c.most || cuts != c.cuts {
				t.Error(s)
			} else {
				t.Log(s)
			}
		})
	}
}
