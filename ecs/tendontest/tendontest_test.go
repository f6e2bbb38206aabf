package tendontest_test

// Games with rules that are clean, and with one planted fault each.

import (
	"fmt"
	"math"
	"math/rand/v2"
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

type (
	runnerData struct {
		Pos    gmath.Vec `rpl:"step=1/32,interp,pos"`
		Vel    gmath.Vec `rpl:"step=1/256,to=owner"`
		Jumps  uint16    `rpl:""`
		Tired  uint16    // does not travel
		ground bool      // worked out anew in each tick
		marks  []int
		fuel   *float64
		hidden float64
	}
	keysData struct {
		Dir  gmath.Vec `rpl:"step=1/64"`
		Jump bool      `rpl:"edge"`
	}
	stepsData struct{ Taken int }                // local, on every body
	windData  struct{ Force float64 }            // local, alone
	bagData   struct{ Gains map[string]float64 } // local, never changes
)

// A runners is a game of runners.
type runners struct {
	tendontest.Game
	runner *donburi.ComponentType[runnerData]
	steps  *donburi.ComponentType[stepsData]
	wind   *donburi.ComponentType[windData]
	bag    *donburi.ComponentType[bagData]
	move   *tendon.Command[keysData]
	body   *tendon.Prefab[tendon.None]
	also   func(c tendon.Call, k keysData, d *runnerData) // the fault, in Apply
	beside func(m *tendontest.Machine)                    // and in the step
}

func newRunners() *runners {
	p := tendon.NewProtocol("runners")
	g := &runners{
		runner: tendon.Replicate(p, "runner", donburi.NewComponentType[runnerData]()),
		steps:  donburi.NewComponentType[stepsData]().SetName("steps"),
		wind:   donburi.NewComponentType[windData]().SetName("wind"),
		bag:    donburi.NewComponentType[bagData]().SetName("bag"),
	}
	g.move = tendon.NewCommand[keysData](p, "move", g.runner)
	g.body = tendon.NewPrefab(p, "body", func(w donburi.World, _ tendon.None) *donburi.Entry {
		e := w.Entry(w.Create(g.runner, g.steps, g.bag))
		g.bag.Get(e).Gains = map[string]float64{"walk": 1, "run": 2, "swim": 0.3, "climb": 0.1}
		return e
	})
	g.Game = tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.World().Create(g.wind)
			dir := gmath.Vec{}
			g.move.Sample(m.Replication, func(*donburi.Entry) keysData {
				if m.Rand.IntN(20) == 0 {
					dir = gmath.RadToVec(gmath.Rad(m.Rand.Float64() * 6)).Mulf(float64(m.Rand.IntN(2)))
				}
				return keysData{Dir: dir, Jump: m.Rand.IntN(30) == 0}
			})
			g.move.Apply(m.Replication, g.apply)
			m.OnJoin(func(q rpl.Peer) { tendon.Give(g.body.Spawn(m.World(), tendon.None{}), q) })
		},
		Step: func(m *tendontest.Machine) {
			for e := range g.wind.Iter(m.World()) {
				g.wind.Get(e).Force += 0.125
			}
			g.move.Run(m.Replication)
			if g.beside != nil {
				g.beside(m)
			}
		},
	}
	return g
}

func (g *runners) apply(c tendon.Call, k keysData) {
	d := g.runner.Get(c.Entry)
	d.ground = d.Pos.Y <= 100 // reads nothing that was kept
	if d.Vel = d.Vel.Add(k.Dir).Mulf(0.9); d.ground && k.Jump {
		d.Jumps++
	}
	d.Vel = d.Vel.Mulf(min(1, g.bag.Get(c.Entry).Gains["run"]))
	if k.Dir.IsZero() && d.Vel.Len() < 1./16 {
		d.Vel = gmath.Vec{}
	}
	d.Pos = d.Pos.Add(d.Vel)
	if !c.Replay {
		g.steps.Get(c.Entry).Taken++
		d.Tired++
		d.marks = append(d.marks[:0], int(c.Tick))
	}
	if g.also != nil {
		g.also(c, k, d)
	}
}

// Nothing is found in a clean game, whatever local state it keeps.
func TestCheckStepIsSilent(t *testing.T) {
	for seed := range uint64(3) {
		g := newRunners()
		g.Seed = seed + 1
		tendontest.CheckStep(t, g.Game, 300)
	}
}

// Nothing is found in the guide's first game, as its seven lines predict it: its rule keeps the
// keys in a local field, which it sets before it reads it.
func TestCheckStepIsSilentOnTheGuide(t *testing.T) {
	type keys struct {
		Dir  gmath.Vec `rpl:"step=1/64"`
		Glow bool      `rpl:""`
	}
	type fireflyData struct {
		Pos  gmath.Vec `rpl:"step=1/32,interp,pos"`
		Lit  bool      `rpl:""`
		keys keys
	}
	p := tendon.NewProtocol("fireflies")
	firefly := tendon.Replicate(p, "firefly", donburi.NewComponentType[fireflyData]())
	press := tendon.NewCommand[keys](p, "press", firefly)
	tendontest.CheckStep(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(firefly), q) })
			press.Sample(m.Replication, func(*donburi.Entry) keys {
				return keys{gmath.RadToVec(gmath.Rad(m.Rand.Float64() * 6)), m.Rand.IntN(3) == 0}
			})
			press.Apply(m.Replication, func(c tendon.Call, k keys) {
				f := firefly.Get(c.Entry)
				f.keys = k
				f.Pos = f.Pos.Add(f.keys.Dir.ClampLen(1).Mulf(2))
				f.Lit = f.keys.Glow
			})
		},
		Step: func(m *tendontest.Machine) { press.Run(m.Replication) },
	}, 300)
}

// What a game has weighed is not found.
func TestCheckStepWeighs(t *testing.T) {
	g := newRunners()
	g.also = func(c tendon.Call, _ keysData, d *runnerData) {
		for e := range g.runner.Iter(c.Entry.World) {
			if e != c.Entry {
				d.Vel.X += float64(g.runner.Get(e).Jumps%2) / 8
			}
		}
	}
	if found := tendontest.Impurities(t, g.Game, 200); len(found) != 1 || !strings.Contains(found[0].What, "does not predict") {
		t.Errorf("found %v", found)
	}
	g.Weighed = []string{"runner.Jumps"}
	tendontest.CheckStep(t, g.Game, 200)
}

// Every planted fault is found, and its place is named.
func TestCheckStepNamesFaults(t *testing.T) {
	feather := donburi.NewComponentType[struct{ Count int }]().SetName("feather")
	counter, memory := 0, map[uint64]float64{}
	began := time.Now()
	for _, c := range []struct {
		fault, component, field string
		chance                  bool // no other field has a part in it
		also                    func(g *runners, c tendon.Call, k keysData, d *runnerData)
		beside                  func(g *runners, m *tendontest.Machine)
	}{
		{fault: "random numbers", chance: true, component: "runner", field: "Vel", also: func(_ *runners, _ tendon.Call, _ keysData, d *runnerData) {
			d.Vel.X += rand.Float64()
		}},
		{fault: "random numbers on a press", chance: true, component: "runner", field: "Jumps", also: func(_ *runners, _ tendon.Call, k keysData, d *runnerData) {
			if k.Jump {
				d.Jumps += uint16(rand.IntN(1000))
			}
		}},
		{fault: "the clock", chance: true, component: "runner", field: "Pos", also: func(_ *runners, _ tendon.Call, _ keysData, d *runnerData) {
			d.Pos.X += time.Since(began).Seconds()
		}},
		{fault: "a package variable", chance: true, component: "runner", field: "Jumps", also: func(_ *runners, _ tendon.Call, _ keysData, d *runnerData) {
			counter++
			d.Jumps = uint16(counter)
		}},
		{fault: "a variable of the closure", chance: true, component: "runner", field: "Vel", also: func() func(*runners, tendon.Call, keysData, *runnerData) {
			turns := 0.
			return func(_ *runners, _ tendon.Call, _ keysData, d *runnerData) {
				turns += 0.125
				d.Vel.X += turns
			}
		}()},
		{fault: "state behind a pointer", chance: true, component: "runner", field: "Pos", also: func(_ *runners, _ tendon.Call, _ keysData, d *runnerData) {
			if d.fuel == nil {
				d.fuel = new(float64)
			}
			*d.fuel += 0.25
			d.Pos.Y += *d.fuel
		}},
		{fault: "unrounded state that is hidden", component: "runner", field: "hidden", also: func(_ *runners, _ tendon.Call, _ keysData, d *runnerData) {
			if d.hidden += 0.3; d.hidden > 1 {
				d.hidden--
				d.Pos.X++
			}
		}},
		{fault: "state in a map beside the world", chance: true, component: "runner", field: "Pos", also: func(_ *runners, c tendon.Call, k keysData, d *runnerData) {
			was := memory[uint64(c.Entry.Entity())]
			memory[uint64(c.Entry.Entity())] = math.Mod(was*0.5+1, 1.7) // it never settles
			d.Pos.Y += was
		}},
		{fault: "the order of a map", chance: true, component: "runner", field: "Vel", also: func(g *runners, c tendon.Call, _ keysData, d *runnerData) {
			sum := 0.1
			for _, gain := range g.bag.Get(c.Entry).Gains {
				sum = sum*1.5 + gain
			}
			d.Vel.Y = sum
		}},
		{fault: "goroutines", chance: true, component: "runner", field: "Vel", also: func(_ *runners, _ tendon.Call, _ keysData, d *runnerData) {
			sum := 0.
			for range 8 {
				a, b, sent := make(chan float64, 1), make(chan float64, 1), make(chan bool)
				go func() { a <- 0; b <- 1; close(sent) }()
				<-sent
				select { // both are ready: the runtime takes either, on a busy machine, too
				case n := <-a:
					sum = sum*0.7 + n
				case n := <-b:
					sum = sum*0.7 + n
				}
			}
			d.Vel.X = sum
		}},
		{fault: "an untagged field is read", component: "runner", field: "Tired", also: func(_ *runners, _ tendon.Call, _ keysData, d *runnerData) {
			d.Pos.X += float64(d.Tired % 4)
		}},
		{fault: "an unexported list is read", component: "runner", field: "marks", also: func(_ *runners, _ tendon.Call, _ keysData, d *runnerData) {
			for _, at := range d.marks {
				d.Pos.X += float64(at % 3)
			}
		}},
		{fault: "a local component is read", component: "steps", field: "Taken", also: func(g *runners, c tendon.Call, _ keysData, d *runnerData) {
			d.Pos.Y += float64(g.steps.Get(c.Entry).Taken % 2)
		}},
		{fault: "a local component elsewhere is read", component: "wind", field: "Force", also: func(g *runners, c tendon.Call, _ keysData, d *runnerData) {
			d.Pos.X += g.wind.Get(g.wind.MustFirst(c.Entry.World)).Force
		}},
		{fault: "a local component counts replays", component: "steps", field: "Taken", also: func(g *runners, c tendon.Call, _ keysData, _ *runnerData) {
			g.steps.Get(c.Entry).Taken++
		}},
		{fault: "entities are made", component: "wind", also: func(g *runners, c tendon.Call, k keysData, _ *runnerData) {
			if k.Jump {
				c.Entry.World.Create(g.wind)
			}
		}},
		{fault: "a component is added in the first run alone", component: "feather", also: func(_ *runners, c tendon.Call, k keysData, _ *runnerData) {
			switch has := c.Entry.HasComponent(feather); {
			case k.Jump && !c.Replay && !has:
				c.Entry.AddComponent(feather)
			case k.Jump && has:
				c.Entry.RemoveComponent(feather)
			}
		}},
		{fault: "another's state is read", component: "runner", field: "Jumps", also: func(g *runners, c tendon.Call, _ keysData, d *runnerData) {
			for e := range g.runner.Iter(c.Entry.World) {
				if e != c.Entry {
					d.Vel.X += float64(g.runner.Get(e).Jumps%2) / 8
				}
			}
		}},
		{fault: "another's place is read", component: "runner", field: "Pos", also: func(g *runners, c tendon.Call, _ keysData, d *runnerData) {
			for e := range g.runner.Iter(c.Entry.World) {
				if e != c.Entry {
					d.Vel = d.Vel.Add(g.runner.Get(e).Pos.Sub(d.Pos).Mulf(1. / 64))
				}
			}
		}},
		{fault: "another's local component is read", component: "steps", field: "Taken", also: func(g *runners, c tendon.Call, _ keysData, d *runnerData) {
			for e := range g.steps.Iter(c.Entry.World) {
				if e != c.Entry {
					g.steps.Get(e).Taken++ // as systems of the game do
					d.Vel.Y += float64(g.steps.Get(e).Taken % 2)
				}
			}
		}},
		{fault: "nodes are spawned", component: "runner", also: func(g *runners, c tendon.Call, k keysData, _ *runnerData) {
			if k.Jump {
				g.body.Spawn(c.Entry.World, tendon.None{})
			}
		}},
		{fault: "a system writes besides the command", component: "runner", field: "Pos", beside: func(g *runners, m *tendontest.Machine) {
			if e, ok := tendon.Mine(m.Replication, g.runner); ok {
				g.runner.Get(e).Pos.Y += 0.5
			}
		}},
	} {
		t.Run(c.fault, func(t *testing.T) {
			g := newRunners()
			if c.also != nil {
				g.also = func(call tendon.Call, k keysData, d *runnerData) { c.also(g, call, k, d) }
			}
			if c.beside != nil {
				g.beside = func(m *tendontest.Machine) { c.beside(g, m) }
			}
			found, named := tendontest.Impurities(t, g.Game, 200), false
			for _, i := range found {
				if i.Component == c.component && i.Field == c.field && strings.Contains(i.Entity, "entity") {
					named = true
				}
				if c.chance && strings.Contains(i.What, "reads it") {
					t.Errorf("what the rules do not ask is blamed: %v", i)
				}
			}
			if named {
				return
			}
			t.Errorf("not named, but %d others: %v", len(found), found)
		})
	}
}

// A dedicated server, and a player who only watches, as its hello says.
func TestMachinesDiffer(t *testing.T) {
	g := newRunners()
	setup := g.Setup
	heard := map[string]int{}
	g.Configure = func(machine string, c *tendon.Config) {
		c.Dedicated = machine == "server"
		c.Hello = []byte(machine)
	}
	g.Setup = func(m *tendontest.Machine) {
		setup(m)
		m.OnJoin(func(p rpl.Peer) { heard[string(m.Hello(p))]++ })
	}
	lab := tendontest.NewLab(t, g.Game, netsim.Conditions{})
	server := lab.Host()
	lab.Join()
	lab.Join()
	lab.Steps(60)
	if server.Mode() != tendon.Dedicated || len(heard) != 2 || heard["client 1"] != 1 || heard["client 2"] != 1 {
		t.Errorf("a %v has heard %v", server.Mode(), heard)
	}
}

// A lab's machines have the same once they are at rest, on every line; and what differs is
// named.
func TestLab(t *testing.T) {
	for _, c := range []netsim.Conditions{{}, {Delay: 60 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1}, tendontest.LateLine()} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			g := newRunners()
			rest := false
			setup := g.Setup
			g.Setup = func(m *tendontest.Machine) {
				setup(m)
				g.move.Sample(m.Replication, func(*donburi.Entry) keysData {
					if rest {
						return keysData{}
					}
					return keysData{Dir: gmath.RadToVec(gmath.Rad(m.Rand.Float64() * 6)), Jump: m.Rand.IntN(30) == 0}
				})
			}
			lab := tendontest.NewLab(t, g.Game, c)
			server := lab.Host()
			for range 3 {
				lab.Join()
			}
			lab.Steps(300)
			rest = true
			lab.Steps(120)
			lab.CheckEqual()
			e, _ := tendon.Mine(server.Replication, g.runner)
			g.runner.Get(e).Pos.X += 7
			lab.Other(lab.Machines[2], e)
			ds := tendon.Differences(server.Replication, lab.Machines[2].Replication)
			if len(ds) != 1 || ds[0].Component != "runner" || ds[0].Field != "Pos" || ds[0].Node != tendon.ID(e) {
				t.Errorf("after a push on the server alone: %v", ds)
			}
		})
	}
}

// The line of netfox 544: who has it sees the others move in nearly every frame, and pays for
// it alone.
func TestLateLine(t *testing.T) {
	g := newRunners()
	lab := tendontest.NewLab(t, g.Game, netsim.Conditions{Delay: 30 * time.Millisecond})
	server := lab.Host()
	late, other := lab.Join(), lab.Join()
	late.Dialer.SetConditions(tendontest.LateLine(), tendontest.LateLine())
	g.also = func(_ tendon.Call, _ keysData, d *runnerData) { d.Pos.X++ } // they never stand
	lab.Steps(240)
	target, _ := tendon.Mine(server.Replication, g.runner)
	for _, m := range []*tendontest.Machine{late, other} {
		e := lab.Other(m, target)
		was, stood, longest := tendon.View(e, g.runner).Pos, 0, 0
		for range 600 {
			lab.Steps(1)
			m.Frame()
			if now := tendon.View(e, g.runner).Pos; now == was {
				stood++
				longest = max(longest, stood)
			} else {
				was, stood = now, 0
			}
		}
		if longest > 2 {
			t.Errorf("%s saw another stand for %d frames", m.Name, longest)
		}
	}
}
