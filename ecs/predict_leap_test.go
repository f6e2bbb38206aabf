package ecs_test

// Teleports in a rule that a client predicts, and corrections round about them.

import (
	"math"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type noiseData struct {
	N uint16 `rpl:""`
}

// portals plays a server and a client whose body walks 2 units a tick to the right, by itself. Beyond width it comes out
// at 0. push is what the server does to it in each of its ticks, which no client foresees. There are packets in
// every send.
func portals(t *testing.T, seed uint64, width float64, delay time.Duration, push func(m *tendontest.Machine, r *runnerData)) (lab *tendontest.Lab, client *tendontest.Machine, runner *donburi.ComponentType[runnerData]) {
	p := tendon.NewProtocol("portals")
	runner = tendon.Replicate(p, "runner", donburi.NewComponentType[runnerData]())
	walk := tendon.NewCommand[runKeys](p, "walk", runner)
	noise := tendon.Replicate(p, "noise", donburi.NewComponentType[noiseData]())
	lab = tendontest.NewLab(t, tendontest.Game{
		Protocol:  p,
		Seed:      seed,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() { m.Create(noise) })
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(runner), q) })
			walk.Sample(m.Replication, func(*donburi.Entry) runKeys { return runKeys{} })
			walk.Apply(m.Replication, func(c tendon.Call, _ runKeys) {
				r := runner.Get(c.Entry)
				if r.Pos.X += 2; m.IsAuthority() {
					push(m, r)
				}
				if r.Pos.X > width {
					r.Pos.X, r.Jumps = 0, r.Jumps+1
					tendon.Teleport(c.Entry)
				}
			})
		},
		Step: func(m *tendontest.Machine) {
			walk.Run(m.Replication)
			if e, ok := noise.First(m.World()); ok && m.IsAuthority() {
				noise.Get(e).N = uint16(m.Tick() * m.Tick())
			}
		},
	}, netsim.Conditions{Delay: delay})
	lab.Host()
	client = lab.Join()
	lab.Steps(120)
	return lab, client, runner
}

// A correction that has the body go through the portal some ticks earlier or later, or not yet, or already,
// does not draw it on the way between the ends of the portal: nor beyond them.
func TestCorrectionMovesATeleport(t *testing.T) {
	for _, fps := range []float64{60, 144} {
		for _, width := range some([]float64{150, 24, 60, 300}) {
			for _, delay := range []time.Duration{0, 25, 75, 150} {
				for seed := uint64(1); seed <= 2; seed++ {
					most := max(3, width/25)
					lab, client, runner := portals(t, seed, width, delay*time.Millisecond, func(m *tendontest.Machine, r *runnerData) {
						if m.Rand.IntN(20) == 0 {
							r.Pos.X += (2*m.Rand.Float64() - 1) * most
						}
					})
					frames, worst, now, before := 0, 0.0, 0.0, 0.0
					lab.Play(20*time.Second, tendontest.FPS(fps), func(m *tendontest.Machine) {
						e, ok := tendon.Mine(m.Replication, runner)
						if !ok {
							return
						}
						if x := runner.Get(e).Pos.X; x != now {
							now, before = x, now
						}
						x := tendon.View(e, runner).Pos.X
						if off := min(math.Abs(x-now), math.Abs(x-before)); off > 2+2.5*most { // two corrections
							frames, worst = frames+1, max(worst, off)
						}
					})
					e, _ := tendon.Mine(client.Replication, runner)
					if n := client.CommandStats().Corrections; n < 20 || runner.Get(e).Jumps < 4 {
						t.Errorf("seed %d: %d corrections, %d times through the portal", seed, n, runner.Get(e).Jumps)
					}
					if frames > 0 {
						t.Errorf("seed %d, %v frames a second, a portal of %v units, %v ms: drawn up to %.0f units from where it is, in %d frames", seed, fps, width, int(delay), worst, frames)
					}
				}
			}
		}
	}
}

// What is corrected beside a teleport that was foreseen rightly is drawn away as any other correction: while the
// teleport is among the ticks that run again, and later.
func TestCorrectionBesideATeleport(t *testing.T) {
	for _, at := range []float64{286, 40, 100} { // 7 ticks before it; some after
		pushes := 0
		lab, client, runner := portals(t, 1, 300, 75*time.Millisecond, func(_ *tendontest.Machine, r *runnerData) {
			if r.Pos.X == at {
				r.Pos.Y += 20
				pushes++
			}
		})
		corrections, worst, last := client.CommandStats().Corrections, 0.0, 1e9
		lab.Play(10*time.Second, tendontest.FPS(60), func(m *tendontest.Machine) {
			if e, ok := tendon.Mine(m.Replication, runner); ok {
				y := tendon.View(e, runner).Pos.Y
				worst, last = max(worst, y-last), y
			}
		})
		if n := client.CommandStats().Corrections - corrections; n < 3 || n > pushes {
			t.Errorf("pushed at %v: %d corrections for %d pushes", at, n, pushes)
		}
		if worst > 5 {
			t.Errorf("pushed at %v: it is drawn %.1f units on in a frame, of 20", at, worst)
		}
	}
}

// A teleport by the server while the client's loop stands still is a cut as the loop goes on, and so is a change of
// the parent then: neither is drawn on the way, nor is the change a misprediction.
func TestTeleportDuringAStandstill(t *testing.T) {
	for _, hang := range []bool{false, true} {
		for _, stands := range some([]time.Duration{500, 200, 700, 1200}) {
			for _, delay := range []time.Duration{0, 75} {
				slides, corrections := 0, 0
				for after := 1; after <= int(stands)*60/1000+6; after += 5 { // ticks from the beginning of the standstill on
					leap, began, done := rpl.Tick(0), false, false
					var up *donburi.Entry
					var server *tendontest.Machine
					var runner *donburi.ComponentType[runnerData]
					var lab *tendontest.Lab
					var client *tendontest.Machine
					lab, client, runner = portals(t, 1, 1e6, delay*time.Millisecond, func(m *tendontest.Machine, r *runnerData) {
						if server = m; up == nil {
							up = m.Create()
						}
						if m.Tick() != leap {
							return
						}
						e, _ := runner.First(m.World())
						if r.Pos.Y = 28; !hang {
							tendon.Teleport(e)
						} else if err := tendon.Attach(e, up); err != nil {
							t.Fatal(err)
						}
						done = true
					})
					client.OnCorrection(func(tendon.Correction) { corrections++ })
					frames := 0
					lab.Play(4*time.Second, func(m *tendontest.Machine) time.Duration {
						if !began && server.Tick() > 240 {
							began, leap = true, server.Tick()+rpl.Tick(after)
							return stands * time.Millisecond
						}
						return time.Second / 60
					}, func(m *tendontest.Machine) {
						if e, ok := tendon.Mine(m.Replication, runner); ok {
							if y := tendon.View(e, runner).Pos.Y; y > 0.1 && y < 27.9 {
								frames++
							}
						}
					})
					if e, _ := tendon.Mine(client.Replication, runner); !done || (tendon.Parent(e) != nil) != hang {
						t.Fatalf("after %d: it has not leapt", after)
					}
					if frames > 0 {
						slides++
					}
				}
				if slides > 0 || hang && corrections > 0 {
					t.Errorf("hung %v, it stands for %d ms, %d ms one way: drawn on the way in %d cases; %d corrections", hang, int(stands), int(delay), slides, corrections)
				}
			}
		}
	}
}

// A correction is a cut from 32 units for each tick since the state before it, at any ping: 64 at 30 sends.
func TestLargeCorrections(t *testing.T) {
	for _, delay := range []time.Duration{0, 1, 5, 10, 25, 75} {
		for _, by := range []float64{40, 60, 70} {
			lab, client, runner := portals(t, 1, 300, delay*time.Millisecond, func(_ *tendontest.Machine, r *runnerData) {
				if r.Pos.X == 100 {
					r.Pos.Y += by
				}
			})
			corrections, cuts, last := client.CommandStats().Corrections, 0, 1e9
			lab.Play(10*time.Second, tendontest.FPS(60), func(m *tendontest.Machine) {
				if e, ok := tendon.Mine(m.Replication, runner); ok {
					y := tendon.View(e, runner).Pos.Y
					if y-last > 10 {
						cuts++
					}
					last = y
				}
			})
			want := 0
			if corrections = client.CommandStats().Corrections - corrections; by > 64 {
				want = corrections
			}
			if cuts != want || corrections < 3 {
				t.Errorf("%d ms one way: %d of %d corrections by %v units are cuts, not %d", int(delay), cuts, corrections, by, want)
			}
		}
	}
}
