package ecs_test

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A rule that asks Space finds what commands of this client have made, before the server has told of
// it: as the server's does. Nothing is corrected, also not in the first moments, in which the body
// moves by itself.
func TestSpaceFindsPredictedSpawns(t *testing.T) {
	p := tendon.NewProtocol("mines")
	miner := tendon.Replicate(p, "miner", donburi.NewComponentType[dartData]())
	mine := tendon.Replicate(p, "mine", donburi.NewComponentType[ballData]())
	mines := tendon.NewPrefab(p, "mine", func(w donburi.World, a dartArgs) *donburi.Entry {
		e := w.Entry(w.Create(mine))
		mine.Get(e).Pos = a.Pos
		return e
	})
	lay := tendon.NewCommand[runKeys](p, "lay", miner)
	tick := tendon.NewCommand[tendon.None](p, "tick", mine)
	var wrong []tendon.Correction
	asked, missed := 0, 0
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			near := m.Space(filter.Contains(mine))
			m.OnJoin(func(q rpl.Peer) { tendon.Give(m.Create(miner), q) })
			m.OnCorrection(func(c tendon.Correction) { wrong = append(wrong, c) })
			n := 0
			lay.Sample(m.Replication, func(*donburi.Entry) runKeys { n++; return runKeys{Jump: n > 60 && n%3 == 0 && n < 200} })
			tick.Apply(m.Replication, func(tendon.Call, tendon.None) {})
			lay.Apply(m.Replication, func(c tendon.Call, k runKeys) {
				d := miner.Get(c.Entry)
				if d.Pos.X++; !k.Jump {
					return
				}
				asked++
				for e, far := range near.Nearest(d.Pos, 1) {
					if far <= 20 {
						if at := mine.Get(e).Pos; at.DistanceTo(d.Pos) > 20 {
							t.Errorf("tick %d: a mine at %v is found %v from %v", c.Tick, at, far, d.Pos)
						}
						return // one lies here already
					}
				}
				for e := range mine.Iter(m.World()) {
					if mine.Get(e).Pos.DistanceTo(d.Pos) <= 20 {
						missed++
					}
				}
				d.Number++
				mines.Predict(c, 0, dartArgs{Pos: d.Pos, Number: d.Number})
			})
		},
		Step: func(m *tendontest.Machine) { lay.Run(m.Replication); tick.Run(m.Replication) },
	}, netsim.Conditions{Delay: 50 * time.Millisecond})
	server := lab.Host()
	lab.Join()
	lab.Steps(400)
	if asked < 60 || missed > 0 || len(wrong) > 0 {
		t.Errorf("%d asked, %d mines missed, corrections: %v", asked, missed, wrong)
	}
	if n := miner.Get(miner.MustFirst(server.World())).Number; n < 4 {
		t.Errorf("%d mines", n)
	}
}
