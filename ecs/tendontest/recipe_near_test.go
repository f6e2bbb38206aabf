package tendontest_test

// The guide's recipe that predicts only what is near: the others' cars of a long race.

import (
	"cmp"
	"math"
	"slices"
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
	rallyData struct {
		Pos gmath.Vec `rpl:"step=1/64,interp,pos"`
		Way gmath.Vec `rpl:"step=1/64"`
	}
	rallyKeys struct {
		Way gmath.Vec `rpl:"step=1/64"`
	}
)

// newRally is a race of a hundred cars that go to and fro, and which each player drives through; all of them
// are predicted, or what near says.
func newRally(seed uint64, near func(rep *tendon.Replication, car *donburi.ComponentType[rallyData])) (tendontest.Game, *donburi.ComponentType[rallyData]) {
	p := tendon.NewProtocol("rally")
	car := tendon.Replicate(p, "car", donburi.NewComponentType[rallyData]())
	drive := tendon.NewCommand[rallyKeys](p, "drive", car)
	return tendontest.Game{
		Protocol: p, Seed: seed,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				for i := range 100 {
					car.Get(m.Create(car)).Pos = gmath.Vec{X: 40 * float64(i), Y: 20}
				}
			})
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(car), q) })
			drive.Sample(m.Replication, func(*donburi.Entry) rallyKeys {
				return rallyKeys{gmath.Vec{X: 4}}
			})
			drive.Apply(m.Replication, func(c tendon.Call, k rallyKeys) {
				d := car.Get(c.Entry)
				switch {
				case c.From == 0 && tendon.IsAuthority(c.Entry): // a bot
					d.Way = gmath.Vec{X: 2, Y: 0}
					if uint64(c.Tick)/90%2 == 0 {
						d.Way.X = -2
					}
				case tendon.IsAuthority(c.Entry) || tendon.IsOwner(c.Entry):
					d.Way = k.Way
				}
				d.Pos = d.Pos.Add(d.Way)
			})
		},
		Step: func(m *tendontest.Machine) {
			near(m.Replication, car)
			drive.Run(m.Replication)
		},
	}, car
}

// predictNear is the guide's recipe.
func predictNear(rep *tendon.Replication, Car *donburi.ComponentType[rallyData]) {
	me, ok := tendon.Mine(rep, Car)
	if !ok || tendon.IsAuthority(me) {
		return
	}
	away := func(e *donburi.Entry) float64 {
		d := Car.Get(e).Pos.DistanceTo(Car.Get(me).Pos)
		if tendon.Predicted(e) {
			d -= 50 // it stays predicted for a while as it goes: nothing flickers at the edge
		}
		return d
	}
	byAway := func(a, b *donburi.Entry) int { return cmp.Compare(away(a), away(b)) }
	for i, e := range slices.SortedFunc(Car.Iter(rep.World()), byAway) {
		if !tendon.IsOwner(e) {
			tendon.Predict(e, i < 60 && away(e) < 300)
		}
	}
}

// A player who drives past a hundred cars predicts those that are near, and never more than the server keeps in
// mind. Each is predicted once as it comes near, and not in turns, and is drawn no less smoothly for it.
func TestNearRecipe(t *testing.T) {
	predictAll := func(rep *tendon.Replication, car *donburi.ComponentType[rallyData]) {
		for e := range car.Iter(rep.World()) {
			tendon.Predict(e, true)
		}
	}
	for seed, c := range []netsim.Conditions{{Delay: 30 * time.Millisecond}, {Delay: 75 * time.Millisecond, Loss: 0.02}} {
		var worst [2]float64
		for i, near := range []func(rep *tendon.Replication, car *donburi.ComponentType[rallyData]){predictAll, predictNear} {
			game, car := newRally(uint64(seed)+1, near)
			lab := tendontest.NewLab(t, game, c)
			lab.Host()
			client := lab.Join()
			lab.Play(2*time.Second, tendontest.FPS(60), nil)
			was, at := map[donburi.Entity]bool{}, map[donburi.Entity]float64{}
			most, toggled := 0, 0
			lab.Play(12*time.Second, tendontest.FPS(60), func(m *tendontest.Machine) {
				n := 0
				for e := range car.Iter(m.World()) {
					if tendon.IsOwner(e) {
						continue
					}
					on, x := tendon.Predicted(e), tendon.View(e, car).Pos.X
					if before, ok := at[e.Entity()]; ok {
						worst[i] = max(worst[i], math.Abs(x-before))
						if on != was[e.Entity()] {
							toggled++
						}
					}
					if was[e.Entity()], at[e.Entity()] = on, x; on {
						n++
					}
				}
				most = max(most, n)
			})
			if unnamed := *client.Counter("predicted unnamed"); i == 0 && unnamed == 0 || i == 1 && (unnamed > 0 || most < 10 || most > 60 || toggled > 200) {
				t.Errorf("seed %d, predicted near: %v: %d at most, changed %d times; more than the server keeps in mind %d times", seed+1, i == 1, most, toggled, unnamed)
			}
		}
		if worst[1] > worst[0]+1 {
			t.Errorf("seed %d: in a frame a car moves by %.1f, and where all are predicted by %.1f", seed+1, worst[1], worst[0])
		}
	}
}
