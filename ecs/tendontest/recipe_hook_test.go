package tendontest_test

// The guide's recipe of a hook that pulls its player, as several play it.

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
	climberData struct {
		Pos  gmath.Vec      `rpl:"step=1/32,interp,pos"`
		Vel  gmath.Vec      `rpl:"step=1/1024,to=owner"`
		Hook donburi.Entity `rpl:""`
	}
	ropeData struct {
		Dir  gmath.Vec `rpl:"step=1/64"`
		Fire bool      `rpl:"edge"`
		Hold bool      `rpl:""`
		Aim  gmath.Rad `rpl:"angle,bits=12"`
	}
)

// newClimb is a game in which all hook each other. Without rewind the rule reads where the others are now.
// pulls is called in each tick of a rope that pulls.
func newClimb(seed uint64, rewind bool, pulls func(m *tendontest.Machine, c tendon.Call)) tendontest.Game {
	p := tendon.NewProtocol("climb")
	Climber := tendon.Replicate(p, "climber", donburi.NewComponentType[climberData]())
	Climb := tendon.NewCommand[ropeData](p, "climb", Climber)
	return tendontest.Game{
		Protocol: p, Seed: seed,
		Config:    tendon.Config{Rewind: []donburi.IComponentType{Climber}},
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(q rpl.Peer) {
				e := m.Create(Climber)
				Climber.Get(e).Pos.X = 80 * float64(q)
				tendon.Give(e, q)
			})
			n, dir := 0, gmath.Vec{}
			Climb.Sample(m.Replication, func(e *donburi.Entry) (k ropeData) {
				if n++; m.Rand.IntN(20) == 0 {
					dir = gmath.RadToVec(gmath.Rad(m.Rand.Float64() * 2 * math.Pi)).Sub(Climber.Get(e).Pos.Divf(150)).ClampLen(1)
				}
				k.Dir, k.Fire, k.Hold = dir, n%90 == 0, n%90 < 50
				for o := range Climber.Iter(m.World()) {
					if o.Entity() != e.Entity() {
						k.Aim = Climber.Get(o).Pos.Sub(Climber.Get(e).Pos).Angle()
					}
				}
				return k
			})
			Climb.Apply(m.Replication, func(c tendon.Call, k ropeData) {
				w, me := c.Entry.World, Climber.Get(c.Entry)
				if !k.Hold {
					me.Hook = donburi.Null
				}
				var end gmath.Vec
				holds := false
				look := func() {
					if k.Fire {
						me.Hook = donburi.Null
						far := 300.0
						for e := range Climber.Iter(w) {
							way := Climber.Get(e).Pos.Sub(me.Pos)
							if along := way.Dot(gmath.RadToVec(k.Aim)); e.Entity() != c.Entry.Entity() && c.Saw(e) && along > 0 && along < far && way.Sub(gmath.RadToVec(k.Aim).Mulf(along)).Len() < 12 {
								me.Hook, far = e.Entity(), along
							}
						}
					}
					if w.Valid(me.Hook) && c.Saw(w.Entry(me.Hook)) {
						end, holds = Climber.Get(w.Entry(me.Hook)).Pos, true
					}
				}
				if rewind {
					c.Rewind(look)
				} else {
					look()
				}
				me.Vel = me.Vel.Mulf(0.9).Add(k.Dir.ClampLen(1).Mulf(0.2))
				if way := end.Sub(me.Pos); holds && way.Len() > 20 {
					me.Vel = me.Vel.Add(way.Normalized().Mulf(0.5))
					pulls(m, c)
				}
				me.Pos = me.Pos.Add(me.Vel)
			})
		},
		Step: func(m *tendontest.Machine) { Climb.Run(m.Replication) },
	}
}

// Where the rule reads the others inside of Rewind, the player's machine and the server pull to the same
// place, and there is next to nothing to correct.
func TestHookRecipe(t *testing.T) {
	var corrections [2]int
	for i, rewind := range []bool{false, true} {
		for seed := range uint64(2) {
			pulled := 0
			lab := tendontest.NewLab(t, newClimb(seed+1, rewind, func(m *tendontest.Machine, c tendon.Call) {
				if !m.IsAuthority() && !c.Replay {
					pulled++
				}
			}), netsim.Conditions{Delay: 60 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.03})
			lab.Host()
			n, worst := 0, 0.0
			for range 3 {
				lab.Join().OnCorrection(func(c tendon.Correction) { n++; worst = max(worst, c.Size) })
			}
			lab.Play(2*time.Second, tendontest.FPS(60), nil)
			n, worst, pulled = 0, 0, 0
			lab.Play(10*time.Second, tendontest.FPS(60), nil)
			corrections[i] += n
			if pulled < 250 {
				t.Errorf("seed %d: only %d ticks of pulling", seed+1, pulled)
			}
			if rewind && n > 5 {
				t.Errorf("seed %d: %d corrections, by up to %.2f pixels", seed+1, n, worst)
			}
		}
	}
	if corrections[0] < 20*max(corrections[1], 5) {
		t.Errorf("%d corrections without Rewind, %d with it", corrections[0], corrections[1])
	}
}

// The rule can be predicted.
func TestHookRecipeIsExact(t *testing.T) {
	tendontest.CheckStep(t, newClimb(1, true, func(*tendontest.Machine, tendon.Call) {}), 600)
}
