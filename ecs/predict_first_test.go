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
