package ecs_test

// What flies and is caught, and what is thrown, is drawn on its line though it changes its parent.

import (
	"math"
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

type passVelData struct {
	Vel gmath.Vec `rpl:"step=1/1024"` // units a step
}

type passBallData struct {
	Caught bool `rpl:""`
}

var (
	passes    = tendon.NewProtocol("passes")
	passVel   = tendon.Replicate(passes, "motion", donburi.NewComponentType[passVelData]())
	passPlace = tendon.Replicate(passes, "transform", components.Transform, rpl.Tags{"Pos": "step=1/64,interp,pos,predict=motion.Vel/tick"})
	passBall  = tendon.Replicate(passes, "ball", donburi.NewComponentType[passBallData]())
	passDrawn = donburi.NewQuery(filter.And(filter.Contains(passBall), tendon.Drawn))
)

const (
	passesApart = 700  // how far the two men are from each other
	passAside   = 5000 // where what leaps is, across their way
)

// A passed is how a ball was drawn.
type passed struct {
	passes   int
	farthest float64 // the most units along X from one frame to the next, in which drawn time went on by a tick, but from hand to hand
	off      float64 // the most units beside the way between the server's places in the ticks before and after drawn time
	between  int     // frames in which it was drawn between the men and where it leapt to
}

// playPasses plays two men who walk side by side and throw a ball to each other; from pass to pass it is caught where it flies,
// or, if it leaps, far aside from there, and then thrown from where they are. A spectator draws it.
func playPasses(t *testing.T, seed uint64, speed float64, sends int, leaps bool, c netsim.Conditions) (p passed) {
	var men [2]donburi.Entity
	var ball donburi.Entity
	holder, since, held := 0, 0, true
	was := map[rpl.Tick]gmath.Vec{}
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: passes, Seed: seed,
		Configure: func(name string, c *tendon.Config) { c.Dedicated, c.Sends = name == "server", sends },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				for i := range men {
					e := m.Create(passPlace, passVel)
					passPlace.Get(e).Pos.X = passesApart * float64(i)
					passVel.Get(e).Vel.Y = 2
					men[i] = e.Entity()
				}
				e := m.Create(passPlace, passVel, passBall)
				if ball = e.Entity(); tendon.Attach(e, m.World().Entry(men[0])) != nil {
					t.Error("it is not attached")
				}
			})
		},
		Step: func(m *tendontest.Machine) {
			if !m.IsAuthority() {
				return
			}
			for _, man := range men {
				passPlace.Get(m.World().Entry(man)).Pos.Y += 2
			}
			e := m.World().Entry(ball)
			to := m.World().Entry(men[1-holder])
			switch since++; {
			case held && since > 20+m.Rand.IntN(20):
				_ = tendon.Detach(e)
				held, since = false, 0
				passVel.Get(e).Vel = gmath.Vec{X: math.Copysign(speed, passPlace.Get(to).Pos.X-passPlace.Get(e).Pos.X), Y: 2}
				if passPlace.Get(e).Pos.Y > passAside {
					passPlace.Get(e).Pos.Y -= passAside
				}
				fallthrough
			case !held:
				at := &passPlace.Get(e).Pos
				if math.Abs(at.X-passPlace.Get(to).Pos.X) > speed {
					*at = at.Add(passVel.Get(e).Vel)
					break
				}
				_ = tendon.Attach(e, to)
				*at = gmath.Vec{}
				if leaps {
					at.Y = passAside
				}
				passVel.Get(e).Vel = gmath.Vec{}
				holder, held, since = 1-holder, true, 0
				p.passes++
			}
			was[m.Tick()] = tendon.WorldTransform(e).Pos
		},
	}, c)
	lab.Host()
	lab.Join()
	lab.Steps(60)
	before, tick := 0.0, 0.0
	lab.Play(15*time.Second, tendontest.FPS(60), func(m *tendontest.Machine) {
		for e := range passDrawn.Iter(m.World()) {
			at, now := tendon.WorldView(e).Pos, m.ViewTick()
			if way := math.Abs(at.X - before); before != 0 && now-tick < 1.01 && way < passesApart-1 { // else nothing was heard of a whole flight
				p.farthest = max(p.farthest, way)
			}
			before, tick = at.X, now
			a, b := was[rpl.Tick(now)], was[rpl.Tick(now)+1]
			share := now - math.Floor(now)
			p.off = max(p.off, at.DistanceTo(a.Add(b.Sub(a).Mulf(share))))
			if aside := at.Y - float64(2*now); aside > passAside/4 && aside < passAside*3/4 {
				p.between++
			}
		}
	})
	return p
}

// everyPass plays with all seeds, rates of sends, speeds and losses.
func everyPass(t *testing.T, leaps bool, look func(p passed, speed, loss float64) bool) {
	seeds := []uint64{1, 2}
	if *seedFlag != 0 {
		seeds = []uint64{*seedFlag}
	}
	for _, seed := range seeds[:someRuns(len(seeds))] {
		for _, sends := range []int{20, 30, 60} {
			for _, speed := range []float64{20, 33, 55, 90} {
				for _, c := range []netsim.Conditions{{}, {Delay: 75e6, Loss: 0.05}} {
					if p := playPasses(t, seed, speed, sends, leaps, c); p.passes < 10 || !look(p, speed, c.Loss) {
						t.Errorf("seed %d, %v a step, %d sends, loss %v: %+v", seed, speed, sends, c.Loss, p)
					}
				}
			}
		}
	}
}

// A ball that is thrown and caught, however fast it is, and whatever the rate of sends is, is drawn on its line.
func TestPassesAreDrawnWithoutALeap(t *testing.T) {
	everyPass(t, false, func(p passed, speed, loss float64) bool {
		if loss > 0 { // a turn whose news was late is drawn away
			return p.farthest < 3*speed
		}
		return p.farthest < 1.3*speed && p.off < 2*speed
	})
}

// If it is put far aside as it is caught and as it is thrown, that is a leap, however fast it is.
func TestPassesAsideAreLeaps(t *testing.T) {
	everyPass(t, true, func(p passed, _, _ float64) bool { return p.between == 0 })
}
