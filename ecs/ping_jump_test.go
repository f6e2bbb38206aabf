package ecs_test

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type coachData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
}

// A truck that turns, brakes and sets off with three trailers, each of which is told of by itself, is drawn where it was at the
// drawn time, and in one piece, on a line whose ping jumps to 400 ms each way and back: what was under way on the longer way
// comes after what was sent later.
func TestPingJumps(t *testing.T) {
	const hitch, speed = 70, 5
	for seed := range uint64(4) {
		p := tendon.NewProtocol("wagons")
		wagons := tendon.Replicate(p, "wagon", donburi.NewComponentType[coachData]())
		var all []*donburi.Entry
		truth := map[rpl.Tick][4]gmath.Vec{}
		way := gmath.Rad(0)
		g := tendontest.Game{
			Protocol: p, Seed: seed + 1,
			Configure: func(_ string, c *tendon.Config) { c.Sends = []int{60, 30}[seed%2] },
			Setup: func(m *tendontest.Machine) {
				m.OnStart(func() {
					for i := range 4 {
						all = append(all, m.Create(wagons))
						wagons.Get(all[i]).Pos.X = float64(-hitch * i)
					}
				})
			},
			Step: func(m *tendontest.Machine) {
				if !m.IsAuthority() {
					return
				}
				k, is := m.Tick(), [4]gmath.Vec{}
				if k%97 < 40 {
					way += 0.02
				}
				fast := float64(speed)
				if brakes := gmath.Rad(k%150) - 80; brakes > 0 {
					fast *= float64((brakes - 35).Abs()) / 35
				}
				for i, e := range all {
					if d := wagons.Get(e); i == 0 {
						d.Pos = d.Pos.Add(gmath.RadToVec(way).Mulf(fast))
					} else {
						d.Pos = is[i-1].Add(d.Pos.Sub(is[i-1]).Normalized().Mulf(hitch))
					}
					is[i] = wagons.Get(e).Pos
				}
				truth[k] = is
			},
		}
		loss := float64(seed/2) * 0.02
		near := netsim.Conditions{Delay: 50 * time.Millisecond, Loss: loss}
		lab := tendontest.NewLab(t, g, near)
		lab.Host()
		client := lab.Join()
		lab.Play(3*time.Second, tendontest.FPS(60), nil)
		off, torn, leap, before := 0., 0., 0., client.ViewTick()
		drawn := func(m *tendontest.Machine) {
			if m != client {
				return
			}
			at := m.ViewTick()
			leap, before = max(leap, at-before), at
			was, is := truth[rpl.Tick(at)], truth[rpl.Tick(at)+1]
			var views [4]gmath.Vec
			for i, e := range all {
				views[i] = tendon.View(lab.Other(client, e), wagons).Pos
				off = max(off, views[i].DistanceTo(was[i].Add(is[i].Sub(was[i]).Mulf(at-float64(rpl.Tick(at))))))
				if i > 0 {
					torn = max(torn, views[i].DistanceTo(views[i-1])-hitch, hitch-views[i].DistanceTo(views[i-1]))
				}
			}
		}
		for range 4 {
			for _, delay := range []time.Duration{400, 50} {
				c := netsim.Conditions{Delay: delay * time.Millisecond, Loss: loss}
				client.Dialer.SetConditions(c, c)
				lab.Play(2*time.Second+time.Duration(lab.Net.Now())%700*time.Millisecond, tendontest.FPS(60), drawn)
			}
		}
		t.Logf("seed %d, loss of %.0f %%: off by %.1f, torn by %.1f, %.1f ticks in a frame", seed, 100*loss, off, torn, leap)
		if off > 15 || torn > 8 || leap > 2.5 {
			t.Errorf("seed %d, loss of %.0f %%: off by %.1f, torn by %.1f, drawn time moves by %.1f ticks in a frame", seed, 100*loss, off, torn, leap)
		}
	}
}
