package ecs_test

// What flies by a velocity that travels is drawn on its line from the frame in which it appears, however fast it is.

import (
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type shellOneData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos,predict=Vel/tick"`
	Vel gmath.Vec `rpl:"step=1/4096"`
}

type shellPlaceData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos,predict=shell speed.Vel/tick"`
}

type shellSpeedData struct {
	Vel gmath.Vec `rpl:"step=1/4096"`
}

var (
	shellsGame = tendon.NewProtocol("shellsGame")
	shellOne   = tendon.Replicate(shellsGame, "shell", donburi.NewComponentType[shellOneData]())
	shellPlace = tendon.Replicate(shellsGame, "shell place", donburi.NewComponentType[shellPlaceData]())
	shellSpeed = tendon.Replicate(shellsGame, "shell speed", donburi.NewComponentType[shellSpeedData]())
	shellsHere = donburi.NewQuery(filter.And(filter.Or(filter.Contains(shellOne), filter.Contains(shellPlace)), tendon.Drawn))
)

// shellFields are the fields of a shell of either kind, and where it is drawn.
func shellFields(e *donburi.Entry) (pos, vel *gmath.Vec, view func() gmath.Vec) {
	if e.HasComponent(shellOne) {
		d := shellOne.Get(e)
		return &d.Pos, &d.Vel, func() gmath.Vec { return tendon.View(e, shellOne).Pos }
	}
	return &shellPlace.Get(e).Pos, &shellSpeed.Get(e).Vel, func() gmath.Vec { return tendon.View(e, shellPlace).Pos }
}

// A shellsSeen is how shells were drawn.
type shellsSeen struct {
	shells, frames, off int
	farthest            float64 // from the line, in units
}

// fireShells plays shells that are fired every 20 ticks, rest for some and then fly for 60. One is off its line where it is drawn more than a unit from
// where it was at the drawn time.
func fireShells(t *testing.T, speed float64, rests int, apart bool, fps float64, c netsim.Conditions) (f shellsSeen) {
	const life = 60
	type shell struct {
		vel  gmath.Vec
		born rpl.Tick // when it starts
	}
	shells := map[rpl.Node]*shell{}
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: shellsGame, Seed: 1,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Step: func(m *tendontest.Machine) {
			if !m.IsAuthority() {
				return
			}
			var gone []*donburi.Entry
			for e := range donburi.NewQuery(filter.Or(filter.Contains(shellOne), filter.Contains(shellPlace))).Iter(m.World()) {
				pos, vel, _ := shellFields(e)
				s := shells[tendon.ID(e)]
				if m.Tick() > s.born {
					*vel = s.vel
				}
				if *pos = pos.Add(*vel); m.Tick() >= s.born+life {
					gone = append(gone, e)
				}
			}
			for _, e := range gone {
				e.Remove()
			}
			if m.Tick()%20 != 0 {
				return
			}
			d := gmath.RadToVec(gmath.Rad(m.Tick())).Mulf(speed)
			s := &shell{vel: gmath.Vec{X: math.Trunc(d.X*4096) / 4096, Y: math.Trunc(d.Y*4096) / 4096}, born: m.Tick() + rpl.Tick(rests)}
			var e *donburi.Entry
			if apart {
				e = m.Create(shellPlace, shellSpeed)
			} else {
				e = m.Create(shellOne)
			}
			if _, vel, _ := shellFields(e); rests == 0 {
				*vel = s.vel
			}
			shells[tendon.ID(e)] = s
		},
	}, c)
	lab.Host()
	client := lab.Join()
	lab.Steps(60)
	seen := map[rpl.Node]bool{}
	lab.Play(30*time.Second, tendontest.FPS(fps), func(m *tendontest.Machine) {
		if m != client {
			return
		}
		for e := range shellsHere.Iter(m.World()) {
			s := shells[tendon.ID(e)]
			_, _, view := shellFields(e)
			way := max(0, m.ViewTick()-float64(s.born))
			off := view().DistanceTo(s.vel.Mulf(way))
			if seen[tendon.ID(e)], f.frames = true, f.frames+1; off > 1 && way < life-3 {
				f.off++
				f.farthest = max(f.farthest, off)
			}
		}
	})
	f.shells = len(seen)
	return f
}

func TestWhatFliesIsDrawnOnItsLine(t *testing.T) {
	for _, c := range []netsim.Conditions{{Delay: 50 * time.Millisecond}, {Delay: 25 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: .02}} {
		for _, speed := range []float64{8, 14, 31, 43} {
			for _, apart := range []bool{false, true} {
				for _, fps := range []float64{60, 144} {
					f := fireShells(t, speed, 0, apart, fps, c)
					if f.shells < 80 || f.off*1000 > f.frames {
						t.Errorf("%v, %v units a tick, the velocity in another component: %v, %v frames a second: %d of %d frames of %d shells are off their line, by up to %.0f units", c, speed, apart, fps, f.off, f.frames, f.shells, f.farthest)
					}
				}
			}
		}
	}
}

// What has rested and is fired then starts with the speed that it has: that is no leap.
func TestWhatIsFiredIsDrawnOnItsLine(t *testing.T) {
	for _, speed := range []float64{14, 31, 43, 90} {
		for _, apart := range []bool{false, true} {
			f := fireShells(t, speed, 30, apart, 60, netsim.Conditions{Delay: 50 * time.Millisecond})
			if f.shells < 80 || f.off*100 > f.frames {
				t.Errorf("%v units a tick, the velocity in another component: %v: %d of %d frames of %d shells are off their line, by up to %.0f units", speed, apart, f.off, f.frames, f.shells, f.farthest)
			}
		}
	}
}

type jetInput struct {
	Throttle bool `rpl:""`
}

type jetData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos,predict=Vel/tick"`
	Vel gmath.Vec `rpl:"step=1/4096"`
}

var (
	jets   = tendon.NewProtocol("jets")
	jet    = tendon.Replicate(jets, "jet", donburi.NewComponentType[jetData]())
	jetFly = tendon.NewCommand[jetInput](jets, "fly", jet)
)

// What flies fast is drawn evenly between the steps, on the authority's screen and on that of who flies it.
func TestWhatFliesFastIsDrawnEvenlyBetweenSteps(t *testing.T) {
	const speed = 41
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: jets, Seed: 1,
		Setup: func(m *tendontest.Machine) {
			jetFly.Apply(m.Replication, func(c tendon.Call, _ jetInput) {
				d := jet.Get(c.Entry)
				d.Vel = gmath.Vec{X: speed}
				d.Pos = d.Pos.Add(d.Vel)
			})
			m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(jet), p) })
		},
		Step: func(m *tendontest.Machine) { jetFly.Run(m.Replication) },
	}, netsim.Conditions{Delay: 50 * time.Millisecond})
	lab.Host()
	client := lab.Join()
	lab.Steps(120)
	last := map[*tendontest.Machine]float64{}
	frames, stood, farthest := 0, 0, 0.0
	lab.Play(5*time.Second, tendontest.FPS(144), func(m *tendontest.Machine) {
		for e := range jet.Iter(m.World()) {
			if tendon.Owner(e) != client.Me() {
				continue
			}
			x := tendon.View(e, jet).Pos.X
			if was, ok := last[m]; ok {
				if frames++; x == was {
					stood++
				}
				farthest = max(farthest, math.Abs(x-was))
			}
			last[m] = x
		}
	})
	if frames < 1000 || stood*100 > frames || farthest > speed { // now and then drawn time itself waits
		t.Errorf("of %d frames %d show it where the one before did; the farthest way in one is %.0f units", frames, stood, farthest)
	}
}
