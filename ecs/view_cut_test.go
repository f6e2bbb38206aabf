package ecs_test

// What is drawn after the line was down: nothing runs on through what was not heard.

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

type WalkerData struct {
	Pos   gmath.Vec `rpl:"step=1/32,interp,pos"`
	dir   gmath.Vec
	flies bool // on and on, as it began
}

var (
	walks  = tendon.NewProtocol("walks")
	walker = tendon.Replicate(walks, "walker", donburi.NewComponentType[WalkerData]())
)

const walkersField = 400

func (p *WalkerData) walk(m *tendontest.Machine) {
	if p.dir == (gmath.Vec{}) || !p.flies && m.Rand.IntN(60) == 0 {
		p.dir = gmath.RadToVec(gmath.Rad(m.Rand.Float64() * 2 * math.Pi)).Mulf(3)
	}
	q := p.Pos.Add(p.dir)
	if !p.flies && (q.X < 0 || q.X > walkersField) {
		p.dir.X = -p.dir.X
	}
	if !p.flies && (q.Y < 0 || q.Y > walkersField) {
		p.dir.Y = -p.dir.Y
	}
	p.Pos = p.Pos.Add(p.dir)
}

// A cutWatch compares what a client draws with where things were.
type cutWatch struct {
	truth map[rpl.Tick]map[rpl.Node]gmath.Vec
	last  map[rpl.Node]gmath.Vec

	outside, leap, ahead float64 // how far a walker was drawn outside the field, a thing moved in a frame, a component beside the field
	wrong                float64 // how far a thing was drawn from where it was, while looked at
}

func (w *cutWatch) frame(m *tendontest.Machine, look bool) {
	at := m.ViewTick()
	was := w.truth[rpl.Tick(at)]
	next := w.truth[rpl.Tick(at)+1]
	beside := func(p gmath.Vec) float64 { return max(-p.X, p.X-walkersField, -p.Y, p.Y-walkersField) }
	for e := range walker.Iter(m.World()) {
		id, p := tendon.ID(e), tendon.View(e, walker).Pos
		from, ok := was[id]
		if !ok {
			continue
		}
		if d := beside(from); d <= 0 {
			w.outside = max(w.outside, beside(p))
			w.ahead = max(w.ahead, beside(walker.Get(e).Pos))
		}
		if l, ok := w.last[id]; ok {
			w.leap = max(w.leap, p.DistanceTo(l))
		}
		if w.last[id] = p; look {
			share := at - math.Floor(at)
			w.wrong = max(w.wrong, p.DistanceTo(from.Mulf(1-share).Add(next[id].Mulf(share))))
		}
	}
}

func playCuts(t *testing.T, seed uint64, n int, cut time.Duration, loss float64) (w cutWatch) {
	w = cutWatch{truth: map[rpl.Tick]map[rpl.Node]gmath.Vec{}, last: map[rpl.Node]gmath.Vec{}}
	g := tendontest.Game{
		Protocol: walks, Seed: seed,
		Configure: func(m string, c *tendon.Config) { c.Dedicated = m == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				for i := range n {
					p := walker.Get(m.Create(walker))
					p.Pos = gmath.Vec{X: m.Rand.Float64(), Y: m.Rand.Float64()}.Mulf(walkersField)
					if p.flies = i%4 == 0; p.flies {
						p.Pos.X += 1e6
					}
				}
			})
		},
		Step: func(m *tendontest.Machine) {
			if !m.IsAuthority() {
				return
			}
			all := map[rpl.Node]gmath.Vec{}
			for e := range walker.Iter(m.World()) {
				walker.Get(e).walk(m)
				all[tendon.ID(e)] = walker.Get(e).Pos
			}
			w.truth[m.Tick()] = all
		},
	}
	good := netsim.Conditions{Delay: 50 * time.Millisecond, Loss: loss}
	down := netsim.Conditions{Loss: 1}
	lab := tendontest.NewLab(t, g, good)
	lab.Host()
	c := lab.Join()
	frame := func(look bool) func(*tendontest.Machine) {
		return func(m *tendontest.Machine) { w.frame(m, look) }
	}
	lab.Play(2*time.Second, tendontest.FPS(60), frame(false))
	for range 3 {
		c.Dialer.SetConditions(down, down)
		lab.Play(cut, tendontest.FPS(60), frame(false))
		c.Dialer.SetConditions(good, good)
		lab.Play(1200*time.Millisecond, tendontest.FPS(60), frame(false)) // until a probe, a round trip, the news, and half a second
		lab.Play(1500*time.Millisecond, tendontest.FPS(60), frame(loss == 0))
	}
	return w
}

func TestNothingRunsOnThroughACut(t *testing.T) {
	for _, n := range some([]int{30, 120}) {
		for _, cut := range []time.Duration{500 * time.Millisecond, 800 * time.Millisecond, 1200 * time.Millisecond, 3 * time.Second} {
			for _, loss := range []float64{0, 0.05} {
				seed := uint64(n) + uint64(cut)
				w := playCuts(t, seed, n, cut, loss)
				most := 30.0 // a way of three seconds, at an even pace in 0.45
				if loss > 0 {
					most = 90 // now and then what is lost is lost once more
				}
				if w.outside > 30 || w.ahead > 30 || w.leap > most || w.wrong > 6 {
					t.Errorf("seed %d, %d things, cuts of %v, loss %v: drawn up to %.0f outside the field, the component %.0f, up to %.0f in a frame, then up to %.0f beside the truth", seed, n, cut, loss, w.outside, w.ahead, w.leap, w.wrong)
				}
			}
		}
	}
}
