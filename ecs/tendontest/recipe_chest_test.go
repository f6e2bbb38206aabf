package tendontest_test

// The guide's recipe of a chest that opens once, as several play it.

import (
	"fmt"
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
	finderData struct {
		Pos   gmath.Vec `rpl:"step=1/32,interp,pos"`
		Coins uint16    `rpl:"to=owner"`
	}
	chestData struct {
		Pos  gmath.Vec `rpl:"step=1/32,pos"`
		Open bool      `rpl:""`
	}
	handsData struct {
		Dir gmath.Vec `rpl:"step=1/64"`
		Use bool      `rpl:"edge"`
	}
)

const chestsInAll = 12

// A treasure is a game in which all run to one chest after the other, and open it.
type treasure struct {
	tendontest.Game
	finder *donburi.ComponentType[finderData]
	chest  *donburi.ComponentType[chestData]
	found  func(m *tendontest.Machine, c tendon.Call)
}

func newTreasure(seed uint64) *treasure {
	p := tendon.NewProtocol("treasure")
	g := &treasure{
		finder: tendon.Replicate(p, "finder", donburi.NewComponentType[finderData]()),
		chest:  tendon.Replicate(p, "chest", donburi.NewComponentType[chestData]()),
		found:  func(*tendontest.Machine, tendon.Call) {},
	}
	Hero, Chest := g.finder, g.chest
	Act := tendon.NewCommand[handsData](p, "act", Hero)
	Lid := tendon.NewCommand[tendon.None](p, "lid", Chest)
	nearest := func(w donburi.World, at gmath.Vec) (near *donburi.Entry) {
		for e := range Chest.Iter(w) {
			if d := Chest.Get(e); !d.Open && (near == nil || d.Pos.DistanceTo(at) < Chest.Get(near).Pos.DistanceTo(at)) {
				near = e
			}
		}
		return near
	}
	g.Game = tendontest.Game{
		Protocol: p, Seed: seed,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				for i := range chestsInAll {
					Chest.Get(m.Create(Chest)).Pos = gmath.Vec{X: float64(60 * i)}
				}
			})
			m.OnJoin(func(q rpl.Peer) {
				e := m.Create(Hero)
				tendon.Give(e, q)
			})
			m.OnStreamIn(Chest, func(e *donburi.Entry) { tendon.Predict(e, true) })
			Act.Sample(m.Replication, func(e *donburi.Entry) (k handsData) {
				me := Hero.Get(e)
				if to := nearest(m.World(), me.Pos); to != nil {
					way := Chest.Get(to).Pos.Sub(me.Pos)
					k.Dir, k.Use = way.ClampLen(1), way.Len() < 20 && (m.PredictedTick()+rpl.Tick(m.Rand.IntN(2)))%40 == 0
				}
				return k
			})
			Act.Apply(m.Replication, func(c tendon.Call, k handsData) {
				me := Hero.Get(c.Entry)
				me.Pos = me.Pos.Add(k.Dir.ClampLen(1).Mulf(2))
				if !k.Use {
					return
				}
				e := nearest(m.World(), me.Pos)
				if e == nil || Chest.Get(e).Pos.DistanceTo(me.Pos) > 24 {
					return
				}
				Chest.Get(e).Open = true
				me.Coins++
				g.found(m, c)
			})
			Lid.Apply(m.Replication, func(tendon.Call, tendon.None) {})
		},
		Step: func(m *tendontest.Machine) {
			Act.Run(m.Replication)
			Lid.Run(m.Replication)
		},
	}
	return g
}

// However many press at once, each chest gives one coin, to one; who presses has it in the step of the
// key, and gives it back where another was first.
func TestChestRecipe(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("seed ", seed+1), func(t *testing.T) {
			g := newTreasure(seed + 1)
			lab := tendontest.NewLab(t, g.Game, netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05})
			given, taken, atOnce := 0, 0, map[string]int{}
			g.found = func(m *tendontest.Machine, c tendon.Call) {
				switch {
				case m.IsAuthority():
					given++
				case !c.Replay:
					atOnce[m.Name]++
				}
			}
			server := lab.Host()
			for range 3 {
				lab.Join().OnCorrection(func(c tendon.Correction) { taken++ })
			}
			count := func(m *tendontest.Machine) (coins, open int) {
				for e := range g.finder.Iter(m.World()) {
					coins += int(g.finder.Get(e).Coins)
				}
				for e := range g.chest.Iter(m.World()) {
					if g.chest.Get(e).Open {
						open++
					}
				}
				return coins, open
			}
			for range 1200 {
				lab.Steps(1)
				if coins, open := count(server); coins != open || coins != given {
					t.Fatalf("%d chests are open, and have given %d coins, %d times", open, coins, given)
				}
			}
			lab.CheckEqual()
			shown := 0
			for name, n := range atOnce {
				if shown += n; n < chestsInAll/4 {
					t.Errorf("%s has found only %d coins at once", name, n)
				}
			}
			if _, open := count(server); open < chestsInAll || shown < open*3/2 || taken < shown-open {
				t.Errorf("of %d open chests %d coins were found at once, and %d corrections came: too few press at once", open, shown, taken)
			}
		})
	}
}

// The rule can be predicted.
func TestChestRecipeIsExact(t *testing.T) { tendontest.CheckStep(t, newTreasure(1).Game, 600) }
