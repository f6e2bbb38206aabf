package ecs_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Functions that read other nodes: sleds, each on a lane of its own, bounce between walls, which are nodes.
type (
	sledData struct {
		Pos gmath.Vec `rpl:"step=1/32,interp,pos,tol=1/2"`
		Vel float64   `rpl:"step=1/1024,tol=1/64"`
	}
	wallData struct {
		Pos  gmath.Vec `rpl:"step=1,pos"`
		Text string    `rpl:"max=40"` // so that the arrivals take several packets
	}
	riderData struct {
		Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
	}
)

type sledGame struct {
	protocol *tendon.Protocol
	sled     *donburi.ComponentType[sledData]
	wall     *donburi.ComponentType[wallData]
	rider    *donburi.ComponentType[riderData]
	ride     *tendon.Command[tendon.None]
	ran      map[donburi.World]int
	apart    float64 // of two lanes, in X
}

const sledLanes = 30

func newSledGame() *sledGame {
	g := &sledGame{protocol: tendon.NewProtocol("sleds"), ran: map[donburi.World]int{}}
	g.sled = tendon.Replicate(g.protocol, "sled", donburi.NewComponentType[sledData]())
	g.wall = tendon.Replicate(g.protocol, "wall", donburi.NewComponentType[wallData]())
	g.rider = tendon.Replicate(g.protocol, "rider", donburi.NewComponentType[riderData]())
	g.ride = tendon.NewCommand[tendon.None](g.protocol, "ride", g.rider)
	tendon.Reckon(g.protocol, g.sled, g.slide)
	return g
}

func (g *sledGame) slide(w donburi.World, _ rpl.Tick, s *sledData) {
	g.ran[w]++
	s.Pos.X += s.Vel
	for e := range g.wall.Iter(w) {
		if at := g.wall.Get(e).Pos; at.Y == math.Round(s.Pos.Y) && (s.Pos.X-at.X)*s.Vel < 0 && math.Abs(s.Pos.X-at.X) <= 10 {
			s.Vel = -s.Vel
		}
	}
}

func (g *sledGame) lab(t *testing.T, seed uint64, rides bool, c tendon.Config, cond netsim.Conditions) *tendontest.Lab {
	return tendontest.NewLab(t, tendontest.Game{
		Protocol: g.protocol, Seed: seed, Config: c, Configure: func(n string, c *tendon.Config) { c.Dedicated = n == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				r := rand.New(rand.NewPCG(seed, 2))
				for i := range sledLanes {
					g.sled.SetValue(m.Create(g.sled), sledData{Pos: gmath.Vec{X: g.apart*float64(i) + float64(40+r.IntN(120)), Y: float64(i)}, Vel: 1 + 2*r.Float64()})
				}
				for i := range 2 * sledLanes {
					g.wall.SetValue(m.Create(g.wall), wallData{Pos: gmath.Vec{X: g.apart*float64(i/2) + float64(200*(i%2)), Y: float64(i / 2)}, Text: "a wall of bricks, of which there are many"})
				}
			})
			m.OnJoin(func(p rpl.Peer) {
				if rides {
					tendon.Give(m.Create(g.rider, components.Observer), p)
				}
			})
			g.ride.Apply(m.Replication, func(c tendon.Call, _ tendon.None) { g.rider.Get(c.Entry).Pos.X += 3 })
		},
		Step: func(m *tendontest.Machine) {
			for e := range g.sled.Iter(m.World()) {
				if tendon.IsAuthority(e) {
					g.slide(m.World(), m.Tick(), g.sled.Get(e))
				}
			}
			g.ride.Run(m.Replication)
		},
	}, cond)
}

// strays counts the steps in which a machine shows a sled elsewhere than it has been on the server in the last
// half second, so none in the first 29 steps.
func (g *sledGame) strays(t *testing.T, lab *tendontest.Lab, server, m *tendontest.Machine, steps int) (n int, worst float64) {
	t.Helper()
	var past []map[float64]float64
	for range steps {
		lab.Steps(1)
		now := map[float64]float64{}
		for e := range g.sled.Iter(server.World()) {
			s := g.sled.Get(e)
			now[s.Pos.Y] = s.Pos.X
		}
		if past = append(past, now); len(past) < 30 {
			continue
		}
		x := 0.0
		if e, ok := tendon.Mine(m.Replication, g.rider); ok {
			x = g.rider.Get(e).Pos.X
		}
		for e := range g.sled.Iter(m.World()) {
			s, off := g.sled.Get(e), math.Inf(1)
			if g.apart > 0 && math.Abs(x-now[s.Pos.Y]) > 300 {
				continue // what it may bounce off may be out of sight
			}
			for _, was := range past[len(past)-30:] {
				off = min(off, math.Abs(was[s.Pos.Y]-s.Pos.X))
			}
			if off > 4 { // in one step the fastest goes 3
				n++
				worst = max(worst, off)
			}
		}
	}
	return n, worst
}

// Who joins, is led right by a function that reads other nodes, though these come after what it moves, and
// some have moved or gone since that was stated.
func TestReckonReadsOthers(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, rides := range []bool{false, true} {
		for _, loss := range []float64{0, 0.1} {
			g := newSledGame()
			lab := g.lab(t, seed, rides, tendon.Config{Budget: 6000}, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: loss})
			server := lab.Host()
			lab.Join()
			lab.Steps(400)
			for e := range g.wall.Iter(server.World()) {
				if at := &g.wall.Get(e).Pos; at.X == 200 && int(at.Y)%3 == 0 {
					at.X += 90
				}
			}
			lab.Steps(200)
			late := lab.Join()
			lab.Steps(240)
			n, worst := g.strays(t, lab, server, late, 300)
			t.Logf("rides %v, loss %v: %d steps off, by up to %.0f; %d runs on the client that joined late, %d on the server", rides, loss, n, worst, g.ran[late.World()], g.ran[server.World()])
			if n > 0 {
				t.Errorf("rides %v, loss %v: who joined late shows sleds off at %d of %d places, by up to %.0f", rides, loss, n, 271*sledLanes, worst)
			}
		}
	}
}

// What comes into view is led right, though what its function reads comes later.
func TestReckonReadsOthersInView(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	g := newSledGame()
	g.apart = 100
	lab := g.lab(t, seed, true, tendon.Config{Interest: rpl.Grid{Enter: 600, Exit: 660}}, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: 0.05})
	server := lab.Host()
	lab.Join() // goes ahead, so the sleds have been stated long ago
	lab.Steps(200)
	client := lab.Join()
	n, worst := g.strays(t, lab, server, client, 900)
	t.Logf("%d steps off, by up to %.0f; %d runs on the client, %d on the server", n, worst, g.ran[client.World()], g.ran[server.World()])
	if n > 0 {
		t.Errorf("it shows sleds off in %d steps, by up to %.0f", n, worst)
	}
}

// However steadily others come and go, a function goes anew only while its own node is new, and not often.
func TestReckonAmongArrivals(t *testing.T) {
	g := newSledGame()
	lab := g.lab(t, 1, false, tendon.Config{}, netsim.Conditions{Delay: 40 * time.Millisecond})
	server, client := lab.Host(), lab.Join()
	var first [2]int
	for k, steps := range []int{240, 600} {
		clear(g.ran)
		for i := range steps {
			if i%3 == 0 {
				g.wall.SetValue(server.Create(g.wall), wallData{Pos: gmath.Vec{Y: -1}})
				for e := range g.wall.Iter(server.World()) {
					if i > 20 && g.wall.Get(e).Pos.Y == -1 {
						e.Remove()
						break
					}
				}
			}
			lab.Steps(1)
		}
		first[k] = g.ran[client.World()]
	}
	t.Logf("%d runs in the first 4 s, %d in 10 s after that", first[0], first[1])
	if first[0] > sledLanes*(240+900) || first[1] > sledLanes*(600+20) {
		t.Errorf("%d runs in the first 4 s, %d in 10 s after that", first[0], first[1])
	}
}
