package ecs_test

import (
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type dartArgs struct {
	Pos    gmath.Vec `rpl:"step=1/32"`
	Number uint32    `rpl:""`
}

type dartData struct {
	Pos    gmath.Vec `rpl:"step=1/32,interp,pos"`
	Number uint32    `rpl:""`
}

// Each dart that a player throws stays the entity that it was thrown as, also from before
// the round trip was known.
func TestPredictedSpawnsStay(t *testing.T) {
	for _, c := range []netsim.Conditions{{Delay: 60 * time.Millisecond}, {Delay: 100 * time.Millisecond}} {
		p := tendon.NewProtocol("darts")
		thrower := tendon.Replicate(p, "thrower", donburi.NewComponentType[dartData]())
		dart := tendon.Replicate(p, "dart", donburi.NewComponentType[dartData]())
		darts := tendon.NewPrefab(p, "dart", func(w donburi.World, a dartArgs) *donburi.Entry {
			e := w.Entry(w.Create(dart))
			dart.SetValue(e, dartData(a))
			return e
		})
		throw := tendon.NewCommand[runKeys](p, "throw", thrower)
		fly := tendon.NewCommand[tendon.None](p, "fly", dart)
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p,
			Setup: func(m *tendontest.Machine) {
				m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(thrower), q) })
				throw.Sample(m.Replication, func(*donburi.Entry) runKeys { return runKeys{Dir: gmath.Vec{X: 1}} })
				throw.Apply(m.Replication, func(c tendon.Call, k runKeys) {
					if d := thrower.Get(c.Entry); k.Dir.X > 0 && c.Tick%12 == 0 {
						d.Number++
						darts.Predict(c, 0, dartArgs{d.Pos, d.Number})
					}
				})
				fly.Apply(m.Replication, func(c tendon.Call, _ tendon.None) { dart.Get(c.Entry).Pos.X += 3 })
			},
			Step: func(m *tendontest.Machine) {
				throw.Run(m.Replication)
				fly.Run(m.Replication)
				if m.IsAuthority() {
					for e := range dart.Iter(m.World()) {
						if dart.Get(e).Pos.X > 400 {
							e.Remove()
							break
						}
					}
				}
			},
		}, c)
		lab.Host()
		client := lab.Join()
		of := map[uint32]donburi.Entity{}
		twice := 0
		for range 240 {
			lab.Steps(1)
			for e := range dart.Iter(client.World()) {
				if !tendon.IsOwner(e) {
					continue
				}
				n := dart.Get(e).Number
				if was, known := of[n]; known && was != e.Entity() {
					twice++
				}
				of[n] = e.Entity()
			}
		}
		if twice > 0 || len(of) < 15 {
			t.Errorf("%+v: %d darts, %d of them came anew", c, len(of), twice)
		}
	}
}

// A node that the game predicts as it comes is at the tick of this machine at once: it is not
// drawn a lead behind until the server knows that it has come.
func TestPredictedAsItComes(t *testing.T) {
	const speed = 5.0
	p := tendon.NewProtocol("as it comes")
	ball := tendon.Replicate(p, "ball", donburi.NewComponentType[passerData]())
	roll := tendon.NewCommand[tendon.None](p, "roll", ball)
	var made *donburi.Entry
	truth, newest := map[rpl.Tick]float64{}, rpl.Tick(0)
	for _, delay := range []time.Duration{5, 15, 50, 100, 200} {
		made, newest = nil, 0
		clear(truth)
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p,
			Setup: func(m *tendontest.Machine) {
				m.OnStreamIn(ball, func(e *donburi.Entry) { tendon.Predict(e, true) })
				m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(ball), p) })
				roll.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
					ball.Get(c.Entry).Pos.X += speed
					if m.Mode() == tendon.Client {
						newest = max(newest, c.Tick)
					} else if made != nil && c.Entry.Entity() == made.Entity() {
						truth[c.Tick] = ball.Get(c.Entry).Pos.X
					}
				})
			},
			Step: func(m *tendontest.Machine) { roll.Run(m.Replication) },
		}, netsim.Conditions{Delay: delay * time.Millisecond})
		server := lab.Host()
		client := lab.Join()
		lab.Steps(300)
		made = server.Create(ball)
		type at struct {
			tick rpl.Tick
			x    float64
		}
		var was []at
		last, shown := 0.0, 0
		for range 90 {
			lab.Steps(1)
			client.Frame()
			e, ok := client.Find(tendon.ID(made))
			if !ok || e.HasComponent(components.Hidden) {
				continue
			}
			shown++
			x, mine := tendon.View(e, ball).Pos.X, ball.Get(e).Pos.X
			if d := x - last; shown > 1 && math.Abs(d-speed) > 0.5 {
				t.Errorf("one way %v ms, frame %d of it: it is drawn %v further", int(delay), shown, d)
			}
			if shown > 1 {
				was = append(was, at{newest, mine})
			}
			last = x
		}
		for _, w := range was {
			if x, ok := truth[w.tick]; ok && math.Abs(w.x-x) > 0.1 {
				t.Errorf("one way %v ms: at tick %d it is at %v, on the server at %v", int(delay), w.tick, w.x, x)
			}
		}
		if shown < 30 {
			t.Errorf("one way %v ms: it was drawn in %d frames", int(delay), shown)
		}
	}
}
