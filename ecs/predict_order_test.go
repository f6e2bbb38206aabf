package ecs_test

// The order in which a rule goes over what a client has made and the server has not sent yet.

import (
	"cmp"
	"slices"
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
	orderedData struct {
		Pos gmath.Vec `rpl:"step=1/64,interp,pos"`
		Way int8      `rpl:""`
	}
	pushedData struct {
		Pos gmath.Vec `rpl:"step=1/64,interp,pos"`
	}
	shootKeys struct {
		Fire bool `rpl:"edge"`
	}
)

// sorted is as in the guide (docs/guide/time.md, "A ball that several push").
func sorted[T any](c tendon.Call, of *donburi.ComponentType[T]) []*donburi.Entry {
	all := slices.SortedStableFunc(of.Iter(c.Entry.World), func(a, b *donburi.Entry) int {
		return cmp.Compare(tendon.ID(a)-1, tendon.ID(b)-1)
	})
	return slices.DeleteFunc(all, func(e *donburi.Entry) bool { return !c.Saw(e) })
}

// A rule that goes over bullets in the guide's order comes to the same on both machines, where the last one counts.
func TestOrderOfWhatIsNotSentYet(t *testing.T) {
	p := tendon.NewProtocol("order")
	gun := tendon.Replicate(p, "gun", donburi.NewComponentType[runnerData]())
	bullet := tendon.Replicate(p, "bullet", donburi.NewComponentType[orderedData]())
	puck := tendon.Replicate(p, "puck", donburi.NewComponentType[pushedData]())
	shots := tendon.NewPrefab(p, "shot", func(w donburi.World, way int8) *donburi.Entry {
		e := w.Entry(w.Create(bullet))
		bullet.Get(e).Way = way
		return e
	})
	shoot := tendon.NewCommand[shootKeys](p, "shoot", gun)
	fly := tendon.NewCommand[tendon.None](p, "fly", bullet)
	roll := tendon.NewCommand[tendon.None](p, "roll", puck)
	made, corrections := 0, 0
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol:  p,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() { m.Create(puck) })
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(gun), q) })
			m.OnStreamIn(puck, func(e *donburi.Entry) { tendon.Predict(e, true) })
			m.OnCorrection(func(tendon.Correction) { corrections++ })
			shoot.Sample(m.Replication, func(*donburi.Entry) shootKeys { return shootKeys{m.PredictedTick()%12 == 0} })
			shoot.Apply(m.Replication, func(c tendon.Call, k shootKeys) {
				if k.Fire {
					shots.Predict(c, 0, int8(c.Tick/12%2)*2-1)
					made++
				}
			})
			fly.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				b := bullet.Get(c.Entry)
				if b.Pos.X += 2; b.Pos.X > 60 && tendon.IsAuthority(c.Entry) {
					c.Entry.Remove()
				}
			})
			roll.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				way := int8(0)
				for _, e := range sorted(c, bullet) {
					way = bullet.Get(e).Way
				}
				puck.Get(c.Entry).Pos.X += float64(way)
			})
		},
		Step: func(m *tendontest.Machine) {
			shoot.Run(m.Replication)
			fly.Run(m.Replication)
			roll.Run(m.Replication)
		},
	}, netsim.Conditions{Delay: 50 * time.Millisecond})
	lab.Host()
	lab.Join()
	lab.Steps(120)
	made, corrections = 0, 0
	lab.Steps(1200)
	if made < 100 || corrections > 0 {
		t.Errorf("%d corrections, for %d shots", corrections, made)
	}
}
