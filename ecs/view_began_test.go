package ecs_test

// What begins to run while packets are lost slides, and does not leap to where it is by then.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// playBegins has runners go on their way while a client's line is down for a moment, again and again, and returns
// how far one was drawn to go in a frame.
func playBegins(t *testing.T, seed uint64, pace float64, down time.Duration) (most float64) {
	const runners = 24
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: walks, Seed: seed,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				for range runners {
					m.Create(walker)
				}
			})
		},
		Step: func(m *tendontest.Machine) {
			if m.IsAuthority() {
				for e := range walker.Iter(m.World()) {
					p := walker.Get(e)
					p.Pos = p.Pos.Add(p.dir)
				}
			}
		},
	}, netsim.Conditions{Delay: 50 * time.Millisecond})
	server, c := lab.Host(), lab.Join()
	last := map[rpl.Node]gmath.Vec{}
	draw := func(m *tendontest.Machine) {
		for e := range walker.Iter(m.World()) {
			id, at := tendon.ID(e), tendon.View(e, walker).Pos
			if was, ok := last[id]; ok {
				most = max(most, at.DistanceTo(was))
			}
			last[id] = at
		}
	}
	good := netsim.Conditions{Delay: 50 * time.Millisecond}
	lab.Play(time.Second, tendontest.FPS(60), draw)
	for range 6 {
		c.Dialer.SetConditions(good, netsim.Conditions{Loss: 1})
		lab.Play(down/2, tendontest.FPS(60), draw)
		for e := range walker.Iter(server.World()) {
			walker.Get(e).dir = gmath.RadToVec(gmath.Rad(server.Rand.Float64() * 7)).Mulf(pace)
		}
		lab.Play(down/2, tendontest.FPS(60), draw)
		c.Dialer.SetConditions(good, good)
		lab.Play(600*time.Millisecond, tendontest.FPS(60), draw)
		for e := range walker.Iter(server.World()) {
			walker.Get(e).dir = gmath.Vec{}
		}
		lab.Play(time.Second, tendontest.FPS(60), draw)
	}
	return most
}

func TestWhatBeginsUnheardSlides(t *testing.T) {
	for _, pace := range []float64{2, 4} {
		for _, down := range []time.Duration{100 * time.Millisecond, 150 * time.Millisecond, 200 * time.Millisecond, 300 * time.Millisecond} {
			for seed := uint64(1); seed <= 3; seed++ {
				most := playBegins(t, seed, pace, down)
				if most > 2*pace {
					t.Errorf("pace %v, down for %v, seed %d: drawn up to %.1f in a frame", pace, down, seed, most)
				}
			}
		}
	}
}
