package tendontest_test

// The guide's recipe for a thousand shots: one node for all that leave together, computed by each machine
// from a clock that is predicted and may be stopped.

import (
	"math"
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
	ringClock struct {
		Count float64 `rpl:"step=1,interp"`
	}
	ringPause struct {
		Stop, Go rpl.Tick `rpl:""`
	}
	ringData struct {
		At   uint32 `rpl:"once"`
		X, Y int16  `rpl:"once"`
		Turn uint8  `rpl:"once"`
		N    uint8  `rpl:"once"`
	}
	ringHero struct {
		Pos  gmath.Vec `rpl:"step=1/64,interp,pos"`
		Safe uint32    `rpl:""`
		Hits uint16    `rpl:""`
	}
)

func ringShot(r *ringData, i uint8, count float64) (at gmath.Vec, flies bool) {
	age := count - float64(r.At)
	dir := (float64(r.Turn)/256 + float64(i)/float64(r.N)) * 2 * math.Pi
	return gmath.Vec{X: float64(r.X), Y: float64(r.Y)}.Add(gmath.RadToVec(gmath.Rad(dir)).Mulf(2 * age)), age >= 0 && age < 150
}

// newRings is a game in which rings of 60 shots are fired six times a second at players who run about.
func newRings() (g tendontest.Game, clock *donburi.ComponentType[ringClock], pause *donburi.ComponentType[ringPause], hero *donburi.ComponentType[ringHero]) {
	p := tendon.NewProtocol("rings")
	clock = tendon.Replicate(p, "clock", donburi.NewComponentType[ringClock]())
	pause = tendon.Replicate(p, "pause", donburi.NewComponentType[ringPause]())
	ring := tendon.Replicate(p, "ring", donburi.NewComponentType[ringData]())
	hero = tendon.Replicate(p, "hero", donburi.NewComponentType[ringHero]())
	tock := tendon.NewCommand[tendon.None](p, "tock", clock)
	move := tendon.NewCommand[rallyKeys](p, "move", hero)
	stopped := func(rep *tendon.Replication, t rpl.Tick) bool {
		e, ok := pause.First(rep.World())
		if !ok || !rep.Session().HasComponent(clock) {
			return true
		}
		p := pause.Get(e)
		return t >= p.Stop && t < p.Go
	}
	return tendontest.Game{
		Protocol:  p,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			rep := m.Replication
			tendon.Predict(rep.Session(), true)
			m.OnStart(func() {
				donburi.Add(rep.Session(), clock, &ringClock{})
				m.Create(pause)
			})
			m.OnJoin(func(q rpl.Peer) {
				e := m.Create(hero)
				hero.Get(e).Pos = gmath.Vec{X: 60 * float64(q), Y: 60}
				tendon.Give(e, q)
			})
			tock.Apply(rep, func(c tendon.Call, _ tendon.None) {
				if !stopped(rep, c.Tick) {
					clock.Get(c.Entry).Count++
				}
			})
			move.Sample(rep, func(*donburi.Entry) rallyKeys {
				s, c := math.Sincos(float64(m.Tick()) / 17 * float64(rep.Me()))
				return rallyKeys{gmath.Vec{X: s, Y: c}}
			})
			move.Apply(rep, func(c tendon.Call, in rallyKeys) {
				if stopped(rep, c.Tick) {
					return
				}
				k, h := clock.Get(rep.Session()), hero.Get(c.Entry)
				if h.Pos = h.Pos.Add(in.Way); k.Count < float64(h.Safe) {
					return
				}
				for e := range ring.Iter(m.World()) {
					r := ring.Get(e)
					for i := range r.N {
						if at, flies := ringShot(r, i, k.Count); flies && at.DistanceTo(h.Pos) < 8 {
							h.Safe, h.Hits = uint32(k.Count)+20, h.Hits+1
							return
						}
					}
				}
			})
		},
		Step: func(m *tendontest.Machine) {
			rep := m.Replication
			if m.Mode() == tendon.Dedicated {
				k := clock.Get(rep.Session())
				if count := uint32(k.Count); count%10 == 0 && !stopped(rep, m.Tick()) {
					e := m.Create(ring)
					ring.SetValue(e, ringData{At: count + 30, X: int16(m.Rand.IntN(200)), Y: int16(m.Rand.IntN(200)), Turn: uint8(m.Rand.IntN(256)), N: 60})
				}
				var over []*donburi.Entry
				for e := range ring.Iter(m.World()) {
					if k.Count >= float64(ring.Get(e).At+150) {
						over = append(over, e)
					}
				}
				for _, e := range over {
					e.Remove()
				}
			}
			tock.Run(rep)
			move.Run(rep)
		},
	}, clock, pause, hero
}

// Who is hit by a shot of a ring is hit on every machine, in the same tick, and a stop that is announced
// ahead sets nobody back; some 1,400 shots cost less than 4 kB a second.
func TestRingsRecipe(t *testing.T) {
	for _, c := range []netsim.Conditions{{Delay: 50 * time.Millisecond}, {Delay: 75 * time.Millisecond, Loss: 0.02}} {
		game, clock, pause, hero := newRings()
		lab := tendontest.NewLab(t, game, c)
		server := lab.Host()
		clients := []*tendontest.Machine{lab.Join(), lab.Join()}
		corrections := 0
		for _, m := range clients {
			m.OnCorrection(func(tendon.Correction) { corrections++ })
		}
		lab.Play(2*time.Second, tendontest.FPS(60), nil)
		last := map[string]float64{}
		draw := func(m *tendontest.Machine) {
			if m == server {
				return
			}
			count := tendon.View(m.Session(), clock).Count
			if d := count - last[m.Name]; last[m.Name] > 0 && (d < 0 || d > 1.5) {
				t.Errorf("delay %v: %s draws the count %.2f further", c.Delay, m.Name, d)
			}
			last[m.Name] = count
		}
		e, _ := pause.First(server.World())
		k := pause.Get(e)
		for i := range 3 {
			if i > 0 {
				k.Go = server.Tick() + 40
			}
			lab.Play(2*time.Second, tendontest.FPS(144), draw)
			k.Stop, k.Go = server.Tick()+40, math.MaxInt32
			lab.Play(2*time.Second, tendontest.FPS(144), draw)
		}
		hits := 0
		for e := range hero.Iter(server.World()) {
			hits += int(hero.Get(e).Hits)
			for _, m := range clients {
				if at, ok := m.Find(tendon.ID(e)); !ok || hero.Get(at).Hits != hero.Get(e).Hits {
					t.Errorf("delay %v: %s has others hit than the server", c.Delay, m.Name)
				}
			}
		}
		if bytes := clients[0].Stats(rpl.Server).BytesIn; hits < 20 || corrections > hits/10 || c.Loss == 0 && corrections > 0 || bytes > 4000 {
			t.Errorf("delay %v: %d hits, %d corrections, %d bytes a second", c.Delay, hits, corrections, bytes)
		}
	}
}
